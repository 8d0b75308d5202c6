"""Agents at a table: batch agents decide for many games at once, agents of RLCard's protocol for one at a time."""

import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from rlcard_big2.agents.base import BatchAgent, select_games
from rlcard_big2.engine.state import Games
from rlcard_big2.env import Big2Env
from rlcard_big2.errors import Big2Error, TimeLimitError, describe
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.random import Streams
from rlcard_big2.rules import Rules

SECONDS = 60.0  # limit for one call of an agent, by default


@dataclass
class Block:
    """N games in lock step, as players see them before a move; finished games have no legal moves."""

    rules: Rules
    games: Games  # [N]
    observations: Int64Array  # [N, PACKED_SIZE], for the seat to move
    masks: Int64Array  # legal moves of all games
    offsets: Int64Array  # [N + 1]
    random: Streams  # [N, 4], of each seat
    moves_made: list[Int64Array]  # per ply, [N]


class DecisionError(Big2Error):
    """An agent that crashed, took too long or chose no legal action in `game`, a place in the block."""

    def __init__(self, game: int, cause: str) -> None:
        super().__init__(cause)
        self.game = game


FAILURES = (Exception, SystemExit, TimeLimitError)  # of an agent


class Player(ABC):
    """An agent at a table.

    Args:
        seconds: limit for one call of the agent; 0 for none.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    @abstractmethod
    def choose(self, block: Block, where: Int64Array) -> Int64Array:
        """Return the masks of the moves in the games at places `where`; DecisionError where it cannot."""


class BatchPlayer(Player):
    """Has a `BatchAgent` decide for all games in one call.

    Args:
        agent: the agent.
        seconds: limit for one call; 0 for none.
    """

    def __init__(self, agent: BatchAgent, seconds: float) -> None:
        super().__init__(seconds)
        self.agent = agent

    def choose(self, block: Block, where: Int64Array) -> Int64Array:
        """Return the agent's moves; see `Player.choose`."""
        try:
            return self._choose(block, where)
        except FAILURES as error:
            raise self._locate(block, where, error) from error

    def _choose(self, block: Block, where: Int64Array) -> Int64Array:
        masks, offsets, _ = select_games(block.masks, block.offsets, where)
        seats = block.games['player'][where]
        random = block.random[where, seats]
        with time_limit(self.seconds):
            places = np.asarray(self.agent.choose(block.observations[where], masks, offsets, random))
        if places.shape != where.shape or not np.issubdtype(places.dtype, np.integer):
            raise ValueError(f'it chose {places.dtype} {list(places.shape)}, not places of int64 {list(where.shape)}')
        if ((places < offsets[:-1]) | (places >= offsets[1:])).any():
            raise ValueError('it chose a place that is not among the legal moves')
        block.random[where, seats] = random
        return masks[places]

    def _locate(self, block: Block, where: Int64Array, error: BaseException) -> DecisionError:
        """Find the first game that fails by itself; where none does, the first of all stands for them."""
        for game in where if len(where) > 1 else ():
            try:
                self._choose(block, np.array([game]))
            except FAILURES as alone:
                return DecisionError(int(game), describe(alone))
        return DecisionError(int(where[0]), describe(error))


class RLCardPlayer(Player):
    """Has an agent of RLCard's protocol decide through `eval_step`, one game after the other.

    Args:
        agent: the agent.
        seconds: limit for one decision; 0 for none.
    """

    def __init__(self, agent: Any, seconds: float) -> None:
        super().__init__(seconds)
        self.agent = agent
        self._env: Big2Env | None = None

    def choose(self, block: Block, where: Int64Array) -> Int64Array:
        """Return the agent's moves; see `Player.choose`."""
        return np.array([self._choose_one(block, int(game)) for game in where])

    def _choose_one(self, block: Block, game: int) -> int:
        try:
            if self._env is None:
                self._env = Big2Env({'seed': 0, 'allow_step_back': False, 'game_rules': block.rules})
            env = self._env
            env.show(block.games[game : game + 1], [int(moves[game]) for moves in block.moves_made])
            state = env.get_state(env.get_player_id())
            with time_limit(self.seconds):
                action, _ = self.agent.eval_step(state)
            return env.legal_mask_of(action, raw_action=self.agent.use_raw)
        except FAILURES as error:
            raise DecisionError(game, describe(error)) from error


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeLimitError if the body takes longer; 0 sets no limit, nor does a thread other than the main one."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread alone
        return

    def expire(number: int, frame: FrameType | None) -> None:
        raise TimeLimitError(f'it took longer than {seconds:g} s')

    earlier = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)
