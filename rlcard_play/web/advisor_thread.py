"""Threads for agents, advice and analyses, which keep the event loop free."""

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import get_ident
from typing import Any, TypeVar

from rlcard_kit.compilation import compiling_seconds
from rlcard_kit.errors import describe
from rlcard_play.study.played import PlayedGame
from rlcard_play.study.protocols import Advice, GameRecord, Json, MoveAdvice, State
from rlcard_play.study.review import new_env
from rlcard_play.study.seated_game import Seat, choose_move, warm_up
from rlcard_play.web.rate_limits import RefusedError

LOADING = 3.0  # seconds of processor time, in which compiled kernels are loaded
POLL_SECONDS = 0.1  # of work that waits until nobody asks for other work

Result = TypeVar('Result')


class GameAgents:
    """The agents of a game, shared by its tables, and an advisor for each kind of thread.

    Args:
        played: the game.
        looks: number of advisors for rollouts.
    """

    def __init__(self, played: PlayedGame, looks: int) -> None:
        self.played = played
        self.rules = played.rules.preset(played.default_rules)
        self.agents = {name: played.make_agent(name, self.rules) for name in played.agents}
        advisors = [played.make_advisor(played.advisor, self.rules) for _ in range(3 + looks)]
        self.advisor, self.study_advisor, self.grade_advisor, *self.look_advisors = advisors

    def warm_up(self) -> None:
        """Compile all kernels, by a game of the advisor's agent and a choice of each agent."""
        warm_up(self.played.key, [self.agents[self.played.advisor]] * 4, self.rules)
        state, _ = new_env(self.played.key, self.played.rules.preset(self.played.free_rules)).reset()
        for agent in self.agents.values():
            choose_move(agent, state)


def deal(played: PlayedGame) -> None:
    """Compile what the first cards of a table need."""
    rules = played.rules.preset(played.default_rules)
    seats = [None, *[Seat(played.advisor, played.advisor)] * (rules.players - 1)]
    played.seat_view(played.seated(seats, rules), 0)


class AdvisorThread:
    """Runs agents and advice in one thread, analyses and scores in another, and rollouts and grades in their own.

    Args:
        games: by key.
        looks: number of threads for rollouts.
    """

    def __init__(self, games: Mapping[str, PlayedGame], looks: int = 1) -> None:
        self.games = {key: GameAgents(played, looks) for key, played in games.items()}
        self._moves = ThreadPoolExecutor(1, 'moves')
        self._studies = ThreadPoolExecutor(1, 'studies')
        self._grades = ThreadPoolExecutor(1, 'grades')
        self._looks = ThreadPoolExecutor(max(1, looks), 'looks')
        self._free_looks = looks
        self._asked = 0  # studies, grades and rollouts that somebody waits for
        self._awaited: set[asyncio.Future[Any]] = set()
        self._busy: set[int] = set()  # threads
        self._warming: set[Future[None]] = set()
        self._is_closed = False

    async def choose(self, game: str, name: str, state: State) -> str:
        """Return an agent's move as text."""
        return await self._run(self._moves, choose_move, self.games[game].agents[name], state)

    async def advise(self, game: str, state: State) -> Advice[MoveAdvice]:
        """Return advice on a state."""
        return await self._run(self._moves, self.games[game].advisor.advise, state)

    async def study(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Run a longer computation, which alone may use a `study_advisor`."""
        return await self._ask(self._studies, function, *arguments)

    async def confirm(self, game: str, record: GameRecord) -> frozenset[int]:
        """Return the plies of a record's moves whose marks rollouts refute; requests wait in line."""
        agents = self.games[game]
        return await self._ask(self._grades, agents.played.refuted, agents.grade_advisor, record)

    async def idle(self) -> None:
        """Wait until nobody waits for a study, grades or rollouts."""
        while self._asked:
            await asyncio.sleep(POLL_SECONDS)

    async def find_mistakes(self, game: str, record: GameRecord, seats: Sequence[int]) -> dict[int, list[Json]]:
        """Return the costliest moves of some seats of a record, which rollouts confirm."""
        agents = self.games[game]
        return await self._run(self._grades, agents.played.confirmed_worst, agents.grade_advisor, record, seats)

    async def look(self, game: str, state: State, played: str | None) -> Json:
        """Return a rollout analysis of a state as JSON, with a legal move if it is given.

        Raises:
            RefusedError: if too many are running.
        """
        if not self._free_looks:
            raise RefusedError(429, 'too many deep analyses at once: try again soon', 2)
        agents = self.games[game]
        advisor = agents.look_advisors.pop()
        self._free_looks -= 1
        try:
            return await self._ask(self._looks, agents.played.look, advisor, state, played)
        finally:
            self._free_looks += 1
            agents.look_advisors.append(advisor)

    async def _ask(self, threads: ThreadPoolExecutor, function: Callable[..., Result], *arguments: Any) -> Result:
        self._asked += 1
        try:
            return await self._run(threads, function, *arguments)
        finally:
            self._asked -= 1

    async def _run(self, threads: ThreadPoolExecutor, function: Callable[..., Result], *arguments: Any) -> Result:
        if self._is_closed:
            raise asyncio.CancelledError
        result = asyncio.get_running_loop().run_in_executor(threads, self._call, function, *arguments)
        self._awaited.add(result)
        result.add_done_callback(self._awaited.discard)
        return await result

    def _call(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Call a function in a thread, where only the function itself raises what would end the event loop."""
        self._busy.add(get_ident())
        try:
            return function(*arguments)
        except (KeyboardInterrupt, SystemExit) as error:
            raise RuntimeError(describe(error)) from error
        finally:
            self._busy.discard(get_ident())

    @property
    def is_busy(self) -> bool:
        """Whether a call is running."""
        return bool(self._busy)

    def warm_up(self) -> None:
        """Compile the kernels of all games."""
        for agents in self.games.values():
            agents.warm_up()

    def warm_up_aside(self) -> None:
        """Compile the kernels of all games in the thread of studies, with agents of its own."""
        for compiling in (deal, lambda played: GameAgents(played, 0).warm_up()):
            for agents in self.games.values():
                warming = self._studies.submit(self._call, compiling, agents.played)
                self._warming.add(warming)
                warming.add_done_callback(self._warmed)

    def _warmed(self, warming: Future[None]) -> None:
        self._warming.discard(warming)
        if not warming.cancelled() and (error := warming.exception()):
            sys.stderr.write(f'{describe(error)}\n')

    @property
    def is_preparing(self) -> bool:
        """Whether kernels are compiled aside, rather than loaded."""
        return bool(self._warming) and compiling_seconds() > LOADING

    def close(self) -> None:
        """Cancel all work; what runs goes on, but nobody waits for it."""
        self._is_closed = True
        for result in [*self._awaited]:
            result.cancel()
        for threads in (self._moves, self._studies, self._grades, self._looks):
            threads.shutdown(wait=False, cancel_futures=True)
