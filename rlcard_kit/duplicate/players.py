"""Players of a match: agents of any kind, held to a time limit, whose failures name the game."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_kit.agents import Agent, Decision
from rlcard_kit.arrays import Int64Array
from rlcard_kit.compilation import compiling_seconds
from rlcard_kit.duplicate.time_limit import SECONDS, TimeLimit, Watchdog, no_watchdog
from rlcard_kit.errors import FileError, KitError, describe
from rlcard_kit.eval_step import EvalStepAgent
from rlcard_kit.programs.agent import ProgramAgent
from rlcard_kit.signals import is_ctrl_c
from rlcard_kit.table import Player, Table


class AgentFailure(KitError):  # noqa: N818  # it is the agent's, not the caller's
    """An agent that crashed, took too long or played an illegal action; the message names deal and seat."""


class _Asked(TimeLimit):
    """Holds an agent to its time; what it raises becomes an Exception, unless it is Ctrl-C."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        super().__exit__(kind, error, trace)
        if error is not None and not isinstance(error, Exception) and not is_ctrl_c(error):
            raise AgentFailure(describe(error)) from error


class MatchPlayer(Player):
    """An agent in a match.

    Args:
        agent: an `Agent`, which decides for all its games in one call, or anything with RLCard's `eval_step` and
            `use_raw`, which decides for one game after the other.
        name: of the agent, for errors.
        seconds: limit of CPU time for one call of the agent, see `TimeLimit`; 0 for none. A program has its own limits.
        watchdog: notified of the calls of the agent.
    """

    def __init__(self, agent: Any, name: str, seconds: float = SECONDS, watchdog: Watchdog = no_watchdog) -> None:
        self.agent = agent
        self.name = name
        self.program = agent if isinstance(agent, ProgramAgent) else None
        self.seconds = seconds if self.program is None else 0
        self.watchdog = watchdog
        self.adapter = None if isinstance(agent, Agent) else EvalStepAgent(agent)
        self._times: list[tuple[Int64Array, Int64Array, float]] = []
        self.place(0, 1)

    def place(self, first: int, seatings: int) -> None:
        """Set the number of the first deal at the table, and of the seatings of each deal, to name games by."""
        self._first, self._seatings = first, seatings

    def where(self, table: Table, rows: Int64Array) -> str:
        """Return the deal and the seat of a game at the table, or the deals of several, ascending."""
        deals = self._first + table.games[rows] // self._seatings
        return f'deals {deals[0]} to {deals[-1]}' if len(rows) > 1 else f'deal {deals[0]}, seat {table.seats[rows[0]]}'

    def check_files(self) -> None:
        """Raise AgentFailure if a file of a program changed during the deals, see `ProgramAgent.check_files`."""
        try:
            if self.program is not None:
                self.program.check_files()
        except FileError as error:
            raise AgentFailure(f'{self.name} failed after deal {self._first}: {error}') from error

    def take_times(self) -> list[tuple[Int64Array, Int64Array, float]]:
        """Return the games at the table, the seats and the seconds for each move of each call since the last one."""
        taken, self._times = self._times, []
        return taken

    def prepare(self, rules: Any) -> None:
        """Set the rules to play by, which the states of RLCard's protocol hold; AgentFailure if the agent fails."""
        if self.adapter is None:
            self.call_before('prepare()', self.agent.prepare, rules)

    def call_before(self, what: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Call a function of the agent before the games; AgentFailure if it fails."""
        try:
            with self._limited(f'in its {what}'):
                function(*arguments)
        except Exception as error:
            message = f'{self.name} failed before deal {self._first}, in its {what}: {describe(error)}'
            raise AgentFailure(message) from error

    @override
    def choose(self, table: Table, rows: Int64Array) -> Decision:
        began = _clock()
        decision = self._choose(table, rows) if self.adapter is None else self._choose_singly(table, rows, self.adapter)
        self._times.append((table.games[rows], table.seats[rows], (_clock() - began) / len(rows)))
        return decision

    def _choose_singly(self, table: Table, rows: Int64Array, adapter: EvalStepAgent) -> Decision:
        adapter.start(table.env)
        return Decision(np.concatenate([self._choose(table, row).indices for row in rows[:, None]]))

    def _choose(self, table: Table, rows: Int64Array) -> Decision:
        try:
            return self._ask(table, rows)
        except Exception as error:
            raise self._locate(table, rows, error) from error

    def _ask(self, table: Table, rows: Int64Array) -> Decision:
        if self.program is not None:
            self.program.at_table = int(table.games[rows[0]])
        with self._limited(f'in {self.where(table, rows)}'):
            return table.ask(self.adapter or self.agent, rows)

    def _limited(self, where: str) -> '_Asked':
        return _Asked(self.seconds, f'{self.name} {where}', self.watchdog)

    def _locate(self, table: Table, rows: Int64Array, error: Exception) -> AgentFailure:
        """Return the failure of the first game that fails by itself, or else of the first game."""
        for row in rows[:, None] if len(rows) > 1 else ():
            try:
                self._ask(table, row)
            except Exception as alone:
                return self.failure(self.where(table, row), alone)
        return self.failure(self.where(table, rows[:1]), error)

    def failure(self, where: str, cause: Exception) -> AgentFailure:
        """Return the error of a game."""
        return AgentFailure(f'{self.name} failed in {where}: {describe(cause)}')


def _clock() -> float:
    """Return seconds by the clock, without those in which kernels were compiled."""
    return perf_counter() - compiling_seconds()
