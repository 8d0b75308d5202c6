"""Opponents by name: in training games, and in matches during a run, which a process of their own plays."""

import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from common.processes import start
from rlcard_kit.agents import Agent
from rlcard_kit.errors import ConfigError
from rlcard_kit.registry import AgentNameError
from training.config import RunConfig
from training.learning_curve import Played

EVAL_SEED = 1_000_003  # of the deals, which no run plays

Load = Callable[[Path], object]  # makes an agent of a checkpoint's folder


def load_opponent(config: RunConfig, setting: str, name: str, others: str = '') -> Agent:
    """Make the agent that a setting names as an opponent; `others` is appended to an error.

    Raises:
        ConfigError: if the name is unknown, or the agent cannot play many games at once.
    """
    try:
        agent = config.learned.make_agent(name, config.find_rules())
    except AgentNameError as error:
        raise ConfigError(f'{setting}: {error}{others}') from error
    if not isinstance(agent, Agent):
        raise ConfigError(
            f"{setting}={name!r}: {type(agent).__name__} decides for one game at a time, by RLCard's eval_step; "
            f'here it takes a rlcard_kit.agents.Agent'
        )
    return agent


def check_eval_opponents(config: RunConfig) -> None:
    """Raise ConfigError if the name of an opponent is unknown."""
    for name in config.evaluation.eval_opponents:
        try:
            config.learned.make_agent(name, config.find_rules())
        except AgentNameError as error:
            raise ConfigError(f'eval_opponents: {error}') from error


def play_opponent(config: RunConfig, agent: object, opponent: str) -> Any:
    """Play an agent against an opponent, the deals being the same in every match of every run."""
    return config.learned.play_match(agent, opponent, config.evaluation.eval_deals, config.game.rules, EVAL_SEED)


def played(config: RunConfig, match: Any, minutes: float | None, frames: int, opponent: str) -> Played:
    """Return the point of a run's curve that a match makes."""
    game = config.learned
    return Played(game.point(match, minutes, frames, opponent), game.by_deal(match)[game.headline])


class Evaluator:
    """Plays one checkpoint after another against all fixed opponents.

    Args:
        config: of the run.
        load: what makes the agent.
    """

    def __init__(self, config: RunConfig, load: Load) -> None:
        self._config = config
        self._load = load
        self._process: BaseProcess | None = None
        self._results: Connection | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a checkpoint is being played."""
        return self._process is not None

    def start(self, folder: Path, minutes: float, frames: int) -> None:
        """Start the matches of the checkpoint in a folder, which must not change until the points are collected."""
        results, child = Pipe(duplex=False)
        arguments = (self._config, self._load, folder, minutes, frames, child)
        process = start(_evaluate, *arguments, name='evaluator', daemon=True)
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


def _evaluate(config: RunConfig, load: Load, folder: Path, minutes: float, frames: int, results: Connection) -> None:
    """Play all opponents and send the points; if that fails, send the traceback."""
    try:
        agent = load(folder)
        matches = {opponent: play_opponent(config, agent, opponent) for opponent in config.evaluation.eval_opponents}
        results.send([played(config, match, minutes, frames, opponent) for opponent, match in matches.items()])
    except Exception:
        results.send(traceback.format_exc())
