"""Opponents by name: in training games, and in matches during a run, which a process of their own plays."""

import traceback
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from eval.common.processes import start
from rlcard_kit.agents import Agent
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import pinned_once_read
from rlcard_kit.registry import AgentNameError
from training.config import EvaluationSettings
from training.games import LearnedGame
from training.learning_curve import Played

EVAL_SEED = 1_000_003  # of the deals, which no run plays


def load_opponent(game: LearnedGame, rules: str, setting: str, name: str, others: str = '') -> Agent:
    """Make the agent that a setting names as an opponent; `others` is appended to an error.

    Raises:
        ConfigError: if the name is unknown, or the agent cannot play many games at once.
    """
    agent = make_opponent(game, rules, setting, name, others)
    if not isinstance(agent, Agent):
        raise ConfigError(
            f"{setting}={name!r}: {type(agent).__name__} decides for one game at a time, by RLCard's eval_step; "
            f'here it takes a rlcard_kit.agents.Agent'
        )
    return agent


def make_opponent(game: LearnedGame, rules: str, setting: str, name: str, others: str = '') -> Any:
    """Make the agent that a setting names; ConfigError, to which `others` is appended, if the name is unknown.

    What it is made of may not change from then on, see `rlcard_kit.files.pinning`.
    """
    try:
        with pinned_once_read():
            return game.make_agent(name, game.find_rules(rules))
    except AgentNameError as error:
        raise ConfigError(f'{setting}: {error}{others}') from error


def play_opponent(
    game: LearnedGame, rules: str, agent: object, opponent: str, deals: int, minutes: float, frames: int
) -> tuple[Any, Played]:
    """Play an agent against an opponent, the deals being the same in every match of every run.

    Return the match and the point of the run's curve, after some minutes and frames, that it makes.
    """
    match = game.play_match(agent, opponent, deals, rules, EVAL_SEED)
    return match, Played(game.point(match, minutes, frames, opponent), game.by_deal(match)[game.wording.headline])


class Evaluator:
    """Plays one checkpoint after another against all fixed opponents.

    Args:
        game: that is learned.
        rules: to play by, as text.
        trainer: of the checkpoints, 'dmc' or 'ppo'.
        settings: the opponents and the number of deals.
    """

    def __init__(self, game: LearnedGame, rules: str, trainer: str, settings: EvaluationSettings) -> None:
        self._matches = game, rules, trainer, settings
        self._process: BaseProcess | None = None
        self._results: Connection | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a checkpoint is being played."""
        return self._process is not None

    def start(self, folder: Path, minutes: float, frames: int) -> None:
        """Start the matches of the checkpoint in a folder, which must not change until the points are collected."""
        results, child = Pipe(duplex=False)
        process = start(_evaluate, *self._matches, folder, minutes, frames, child, name='evaluator', daemon=True)
        child.close()
        self._process, self._results = process, results

    def collect(self) -> list[Played] | str | None:
        """Return new points, or why there are none; None while the match goes on."""
        if self._process is None or self._results is None or not (self._results.poll() or self._process.exitcode):
            return None
        result: list[Played] | str = f'it ended with exit code {self._process.exitcode}'
        with suppress(EOFError, OSError):
            result = self._results.recv()
        self.close()
        return result

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None and self._results is not None:
            self._process.kill()
            self._process.join()
            self._results.close()
        self._process = self._results = None


def _evaluate(
    game: LearnedGame,
    rules: str,
    trainer: str,
    settings: EvaluationSettings,
    folder: Path,
    minutes: float,
    frames: int,
    results: Connection,
) -> None:
    """Play all opponents and send the points; if that fails, send the traceback."""
    try:
        agent, deals = game.load_agent(trainer, folder), settings.eval_deals
        matches = [play_opponent(game, rules, agent, name, deals, minutes, frames) for name in settings.eval_opponents]
        results.send([point for _, point in matches])
    except Exception:
        results.send(traceback.format_exc())
