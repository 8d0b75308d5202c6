"""Threads for agents, advice and analyses, which keep the event loop free."""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from rlcard_big2.rules import Rules
from rlcard_big2.study.advice import ADVISOR, Advice, Advisor, make_advisor, make_player
from rlcard_big2.study.game import choose_move, warm_up
from rlcard_big2.web.rate_limits import RefusedError

Result = TypeVar('Result')


class AdvisorThread:
    """Runs agents and advice in one thread, analyses and scores in another, and rollouts in their own.

    Agents are shared by all tables, and used in their thread only.

    Args:
        names: of the agents that may be seated; the advisor comes first.
        looks: number of threads for rollouts.
    """

    def __init__(self, names: Iterable[str] = (), looks: int = 1) -> None:
        self.names = list(dict.fromkeys([ADVISOR, *names]))
        self.agents = {name: make_player(name, Rules()) for name in self.names}
        self.advisor = Advisor(self.agents[ADVISOR])
        self.study_advisor = make_advisor(ADVISOR, Rules())
        self._moves = ThreadPoolExecutor(1, 'moves')
        self._studies = ThreadPoolExecutor(1, 'studies')
        self._looks = ThreadPoolExecutor(max(1, looks), 'looks')
        self._look_advisors = [make_advisor(ADVISOR, Rules()) for _ in range(looks)]

    async def choose(self, name: str, state: dict[str, Any]) -> str:
        """Return an agent's move as text."""
        return await self._run(self._moves, choose_move, self.agents[name], state)

    async def advise(self, state: dict[str, Any]) -> Advice:
        """Return advice on a state."""
        return await self._run(self._moves, self.advisor.advise, state)

    async def study(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Run a longer computation, which alone may use `study_advisor`."""
        return await self._run(self._studies, function, *arguments)

    async def look(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return a rollout analysis of a state as JSON; RefusedError if too many are running."""
        if not self._look_advisors:
            raise RefusedError(429, 'too many deep analyses at once: try again soon', 2)
        advisor = self._look_advisors.pop()
        try:
            found = await self._run(self._looks, advisor.look, state)
        finally:
            self._look_advisors.append(advisor)
        moves = [{'mean': one.cards, **one.to_json()} for one in found.moves]
        return {**found.to_json(), 'moves': moves}

    async def _run(self, threads: ThreadPoolExecutor, function: Callable[..., Result], *arguments: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(threads, function, *arguments)

    def warm_up(self) -> None:
        """Compile all kernels, by a game of each agent."""
        for name in self.names:
            warm_up([self.agents[name]] * 4, Rules())

    def close(self) -> None:
        """Cancel waiting work, and do not wait for running work."""
        for threads in (self._moves, self._studies, self._looks):
            threads.shutdown(wait=False, cancel_futures=True)
