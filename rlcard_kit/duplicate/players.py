"""Players of a match: agents of any kind, held to a time limit, whose failures name the game."""

from collections.abc import Callable
from typing import Any

import numpy as np
import rlcard

from rlcard_kit.agents.base import Agent
from rlcard_kit.arrays import Int64Array
from rlcard_kit.duplicate.time_limit import SECONDS, TimeLimit, Watchdog, no_watchdog
from rlcard_kit.errors import KitError, describe
from rlcard_kit.positions import Decision
from rlcard_kit.table import Player, Table


class AgentFailure(KitError):  # noqa: N818  # it is the agent's, not the caller's
    """An agent that crashed, took too long or played an illegal action; the message names deal and seat."""


class _Asked(TimeLimit):
    """Holds an agent to its time; what it raises becomes an Exception, unless it is Ctrl-C."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        super().__exit__(kind, error, trace)
        if error is not None and not isinstance(error, (Exception, KeyboardInterrupt)):
            raise AgentFailure(describe(error)) from error


class MatchPlayer(Player):
    """An `Agent` in a match: it decides for all its games in one call.

    Args:
        agent: the agent.
        name: of the agent, for errors.
        seconds: limit of CPU time for one call of the agent, see `TimeLimit`; 0 for none.
        watchdog: notified of the calls of the agent.
    """

    agent: Any

    def __init__(self, agent: Any, name: str, seconds: float = SECONDS, watchdog: Watchdog = no_watchdog) -> None:
        super().__init__(agent)
        self.name = name
        self.seconds = seconds
        self.watchdog = watchdog
        self.place(0, 1)

    def place(self, first: int, seatings: int) -> None:
        """Take the number of the first deal at the table, and of the seatings of each deal, to name games by."""
        self._first, self._seatings = first, seatings

    def where(self, table: Table, games: Int64Array) -> str:
        """Return the deal and the seat of a game at the table, or the deals of several, ascending."""
        first = self._first + int(games[0]) // self._seatings
        if len(games) > 1:
            return f'deals {first} to {self._first + int(games[-1]) // self._seatings}'
        return f'deal {first}, seat {table.env.players[games[0]]}'

    def prepare(self, rules: Any) -> None:
        """Tell the agent the rules; AgentFailure if it fails."""
        self.call_before('prepare()', self.agent.prepare, rules)

    def call_before(self, what: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Call a function of the agent before the games; AgentFailure if it fails."""
        try:
            with self._asked(f'in its {what}'):
                function(*arguments)
        except Exception as error:
            message = f'{self.name} failed before deal {self._first}, in its {what}: {describe(error)}'
            raise AgentFailure(message) from error

    def choose(self, table: Table, games: Int64Array) -> Decision:
        """Return the agent's choice; AgentFailure if it fails."""
        try:
            return self._ask(table, games)
        except Exception as error:
            raise self._locate(table, games, error) from error

    def _ask(self, table: Table, games: Int64Array) -> Decision:
        with self._asked(f'in {self.where(table, games)}'):
            return super().choose(table, games)

    def _asked(self, where: str) -> '_Asked':
        return _Asked(self.seconds, f'{self.name} {where}', self.watchdog)

    def _locate(self, table: Table, games: Int64Array, error: Exception) -> AgentFailure:
        """Find the first game that fails by itself; if none does, the first of all stands for them."""
        for game in games[:, None] if len(games) > 1 else ():
            try:
                self._ask(table, game)
            except Exception as alone:
                return self.failure(self.where(table, game), alone)
        return self.failure(self.where(table, games[:1]), error)

    def failure(self, where: str, cause: Exception) -> AgentFailure:
        """Return the error of a game."""
        return AgentFailure(f'{self.name} failed in {where}: {describe(cause)}')


class RLCardPlayer(MatchPlayer):
    """An agent of RLCard's protocol in a match: it decides through `eval_step`, one game after the other."""

    _env: Any = None

    def prepare(self, rules: Any) -> None:
        """Do nothing: its states tell the rules."""

    def choose(self, table: Table, games: Int64Array) -> Decision:
        """Return the agent's choice; AgentFailure if it fails."""
        if self._env is None:
            self._env = rlcard.make(table.env.game.name, config={'seed': 0, 'game_rules': table.env.rules})
        return Decision(np.array([self._choose_one(table, int(game), self._env) for game in games]))

    def _choose_one(self, table: Table, game: int, env: Any) -> int:
        env.show(table.env.games[game : game + 1], [int(moves[game]) for moves in table.log])
        state = env.get_state(env.get_player_id())
        where = f'deal {self._first + game // self._seatings}, seat {state["raw_obs"]["self"]}'
        try:
            with self._asked(f'in {where}'):
                action, _ = self.agent.eval_step(state)
                raw_action = self.agent.use_raw
            return int(table.positions.offsets[game]) + int(env.legal_index(action, raw_action))
        except Exception as error:
            raise self.failure(where, error) from error


def make_player(agent: object, name: str, seconds: float = SECONDS, watchdog: Watchdog = no_watchdog) -> MatchPlayer:
    """Seat an agent: an `Agent`, or anything with RLCard's `eval_step` and `use_raw`."""
    kind = MatchPlayer if isinstance(agent, Agent) else RLCardPlayer
    return kind(agent, name, seconds, watchdog)
