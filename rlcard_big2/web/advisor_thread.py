"""Agents, advice and analyses in threads of their own, so that the server answers meanwhile."""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from rlcard_big2.rules import Rules
from rlcard_big2.study.advice import ADVISOR, Advice, Advisor, make_advisor, make_player
from rlcard_big2.study.game import choose_move, warm_up

Result = TypeVar('Result')


class Thinker:
    """Thinks for agents, in one thread; analyses and scores have another, which may take longer.

    Agents are shared by all tables, and used in their thread alone.

    Args:
        names: of the agents that may be seated; the advisor comes first.
        looks: deep looks at once.
    """

    def __init__(self, names: Iterable[str] = (), looks: int = 1) -> None:
        self.names = list(dict.fromkeys([ADVISOR, *names]))
        self.agents = {name: make_player(name, Rules()) for name in self.names}
        self.advisor = Advisor(self.agents[ADVISOR])
        self.analyst = make_advisor(ADVISOR, Rules())
        self._moves = ThreadPoolExecutor(1, 'moves')
        self._studies = ThreadPoolExecutor(1, 'studies')
        self._looks = ThreadPoolExecutor(max(1, looks), 'looks')
        self._lookers = [make_advisor(ADVISOR, Rules()) for _ in range(looks)]

    async def choose(self, name: str, state: dict[str, Any]) -> str:
        """Return the text of an agent's move in a state of its seat."""
        return await self._run(self._moves, choose_move, self.agents[name], state)

    async def advise(self, state: dict[str, Any]) -> Advice:
        """Return advice on a state of a seat."""
        return await self._run(self._moves, self.advisor.advise, state)

    def make(self, name: str, rules: Rules) -> Any:
        """Make another agent of a name, for the thread of analyses."""
        return make_player(name, rules)

    async def study(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Compute something that may take longer, with the analyst alone."""
        return await self._run(self._studies, function, *arguments)

    async def look(self, state: dict[str, Any]) -> dict[str, Any]:
        """Return a deep look at a state of a seat, as JSON; no more than `looks` may be asked for at once."""
        looker = self._lookers.pop()
        try:
            found = await self._run(self._looks, looker.look, state)
        finally:
            self._lookers.append(looker)
        moves = [{'mean': one.cards, **one.to_json()} for one in found.moves]
        return {**found.to_json(), 'moves': moves}

    async def _run(self, threads: ThreadPoolExecutor, function: Callable[..., Result], *arguments: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(threads, function, *arguments)

    def warm_up(self) -> None:
        """Have everything compiled, and every agent make its moves once."""
        for name in self.names:
            warm_up([self.agents[name]] * 4, Rules())

    def close(self) -> None:
        """Let the threads end, without waiting for what they do."""
        for threads in (self._moves, self._studies, self._looks):
            threads.shutdown(wait=False, cancel_futures=True)
