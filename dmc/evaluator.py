"""Matches against fixed opponents while a run goes on, in a process beside it."""

import multiprocessing
import os
import signal
import threading
import time
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

import numpy as np
from numpy.typing import NDArray

from dmc.agent import DMCAgent
from dmc.config import Config
from dmc.network import ValueNetwork, dump_weights, load_weights, make_network
from dmc.standing import Point, point_of
from eval.agents import make_agent
from eval.match import Match, play_match
from rlcard_big2.rules import Rules

EVAL_SEED = 1_000_003  # of the deals, which no actor plays


def play_opponent(config: Config, network: ValueNetwork, opponent: str) -> Match:
    """Play a network against three of an opponent, the deals being the same in every match of every run."""
    return play_match(DMCAgent(network), make_agent(opponent), Rules.preset(config.rules), config.eval_deals, EVAL_SEED)


class Evaluator:
    """Plays one network after another against all fixed opponents.

    Args:
        config: of the run.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._process: SpawnProcess | None = None
        self._results: Connection | None = None

    def start(self, network: ValueNetwork, minutes: float, frames: int) -> None:
        """Begin to play with a copy of a network, unless the last one is still being played."""
        if self._process is not None:
            return
        context = multiprocessing.get_context('spawn')
        self._results, child = context.Pipe(duplex=False)
        arguments = (self._config, dump_weights(network), minutes, frames, child)
        self._process = context.Process(target=_evaluate, args=arguments, name='evaluator', daemon=True)
        self._process.start()
        child.close()

    def collect(self) -> list[Point] | str | None:
        """Return the points that are done, or why there are none; None while there is nothing new."""
        if self._process is None or self._results is None or not (self._results.poll() or self._process.exitcode):
            return None
        result: list[Point] | str = f'it ended with exit code {self._process.exitcode}'
        with suppress(EOFError, OSError):
            result = self._results.recv()
        self.stop()
        return result

    def stop(self) -> None:
        """End the process, if there is one."""
        if self._process is not None and self._results is not None:
            self._process.kill()
            self._process.join()
            self._results.close()
        self._process = self._results = None


def _evaluate(config: Config, weights: NDArray[np.float32], minutes: float, frames: int, results: Connection) -> None:
    """Play all opponents and send the points; the traceback of what went wrong instead, if something did."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the trainer says when to leave
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
    try:
        network = make_network(config.network, config.hidden_size, config.lstm_size)
        load_weights(network, weights)
        results.send(
            [
                point_of(play_opponent(config, network, opponent), minutes, frames, opponent)
                for opponent in config.eval_opponents
            ]
        )
    except Exception:
        results.send(traceback.format_exc())


def _leave_with(parent: int) -> None:
    """End this process within a second of its parent's end, however that came."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
