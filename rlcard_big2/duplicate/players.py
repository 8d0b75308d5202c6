"""Players of a match: agents of any kind, held to a time limit, whose failures name the game."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import rlcard

from rlcard_big2.errors import Big2Error, TimeLimitError, describe
from rlcard_big2.lockstep.agent import Agent
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.compilation import is_compiling
from rlcard_big2.lockstep.positions import Choice
from rlcard_big2.lockstep.table import Player, Table

SECONDS = 60.0  # limit for one call of an agent, by default
FAILURES = (Exception, SystemExit, TimeLimitError)  # of an agent


class DecisionError(Big2Error):
    """An agent that crashed, took too long or chose no legal action in `game`, an index at the table."""

    def __init__(self, player: 'MatchPlayer', game: int, cause: BaseException) -> None:
        super().__init__(describe(cause))
        self.player = player
        self.game = game


class MatchPlayer(Player):
    """An `Agent` in a match: it decides for all its games in one call.

    Args:
        agent: the agent.
        name: of the agent, for errors.
        seconds: limit for one call of the agent; 0 for none.
    """

    agent: Any

    def __init__(self, agent: Any, name: str, seconds: float = SECONDS) -> None:
        super().__init__(agent)
        self.name = name
        self.seconds = seconds

    def choose(self, table: Table, games: Int64Array) -> Choice:
        """Return the agent's choice; DecisionError if it fails."""
        try:
            with time_limit(self.seconds):
                return super().choose(table, games)
        except FAILURES as error:
            raise self._locate(table, games, error) from error

    def _locate(self, table: Table, games: Int64Array, error: BaseException) -> DecisionError:
        """Find the first game that fails by itself; if none does, the first of all stands for them."""
        for game in games if len(games) > 1 else ():
            try:
                with time_limit(self.seconds):
                    super().choose(table, np.array([game]))
            except FAILURES as alone:
                return DecisionError(self, int(game), alone)
        return DecisionError(self, int(games[0]), error)


class RLCardPlayer(MatchPlayer):
    """An agent of RLCard's protocol in a match: it decides through `eval_step`, one game after the other."""

    _env: Any = None

    def choose(self, table: Table, games: Int64Array) -> Choice:
        """Return the agent's choice; DecisionError if it fails."""
        return Choice(np.array([self._choose_one(table, int(game)) for game in games]))

    def _choose_one(self, table: Table, game: int) -> int:
        try:
            if self._env is None:
                self._env = rlcard.make(table.env.game.name, config={'seed': 0, 'game_rules': table.env.rules})
            env = self._env
            env.show(table.env.games[game : game + 1], [int(moves[game]) for moves in table.log])
            state = env.get_state(env.get_player_id())
            with time_limit(self.seconds):
                action, _ = self.agent.eval_step(state)
            return int(table.positions.offsets[game]) + int(env.legal_index(action, raw_action=self.agent.use_raw))
        except FAILURES as error:
            raise DecisionError(self, game, error) from error


def make_player(agent: object, name: str, seconds: float = SECONDS) -> MatchPlayer:
    """Seat an agent: an `Agent`, or anything with RLCard's `eval_step` and `use_raw`."""
    kind = MatchPlayer if isinstance(agent, Agent) else RLCardPlayer
    return kind(agent, name, seconds)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimitError if the body takes longer; 0 sets no limit, nor does a thread other than the main one."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread alone
        return

    def expire(number: int, frame: FrameType | None) -> None:
        if is_compiling():  # the engine's time, not the agent's; to interrupt it would leave half a kernel
            signal.setitimer(signal.ITIMER_REAL, seconds)
            return
        raise TimeLimitError(f'it took longer than {seconds:g} s')

    earlier = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)
