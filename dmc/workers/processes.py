"""Workers in processes that share memory, watched and replaced when they die."""

import time
import traceback
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

import torch
from threadpoolctl import threadpool_limits
from typing_extensions import override

from dmc.actor import Actor
from dmc.config import Config
from dmc.inference import Inference
from dmc.workers.base import Weights, Workers
from dmc.workers.shared_memory import SharedArrays, SharedLink, Sizes
from eval.common.processes import start
from training.games import LearnedGame
from training.workers import Watched, actors_with, check_deaths

WAIT_SECONDS = 0.001  # of the learner, for rows
LEAVE_SECONDS = 5.0  # that actors are given to leave


@dataclass
class _Running(Watched):
    """An actor's process, and the end of the pipe through which it sends its traceback."""

    process: BaseProcess
    errors: Connection

    def exit_message(self) -> str:
        """Return the traceback that the process sent, or its exit code if it sent none."""
        with suppress(EOFError, OSError):
            if self.errors.poll():
                return str(self.errors.recv())
        return f'no traceback; exit code {self.process.exitcode} (below 0: the signal that killed it)'


class ProcessWorkers(SharedArrays, Workers):
    """Actors in processes of their own, which are replaced if they die, and the arrays that they share; see `Workers`.

    Args:
        config: settings of the run, fitted to the machine.
        game: that is learned.
        weights: to start with, float32 [num_weights].
        inference: how actors compute values, by device.
        started: actors that the run has started before, if it is resumed.
    """

    def __init__(
        self,
        config: Config,
        game: LearnedGame,
        weights: Weights,
        inference: Mapping[str, Inference],
        started: int = 0,
    ) -> None:
        super().__init__(Sizes.of(game, config.run.num_actors or 1, config.run.ring_size, len(weights)))
        self.started = started
        self.room = self.sizes.num_actors * self.sizes.ring_size
        self.publish(weights)
        self._config, self._inference = config, inference
        self._running: list[_Running] = []
        try:
            for number in range(self.sizes.num_actors):
                self._running.append(self._start(number, deaths=0))
        except BaseException:
            self.close()
            raise

    def _start(self, number: int, deaths: int) -> _Running:
        """Start an actor with a new stream of random draws, after some recent deaths in its place."""
        errors, child = Pipe(duplex=False)
        device = self._config.run.actor_devices[number % len(self._config.run.actor_devices)]
        what = self._config, number, self.started, self.sizes, self.name, self._inference[device], device
        process = start(_act, *what, child, name=f'actor {number}', daemon=True)
        self.started += 1
        child.close()
        return _Running(deaths, int(self.heartbeats[number]), process, errors)

    @override
    def describe(self) -> str:
        config, devices = self._config, ', '.join(self._config.run.actor_devices)
        return (
            f'{actors_with(len(self._running), f"{config.game.num_games} games")}, on {devices}; '
            f'{self.num_bytes / 2**20:.0f} MB of shared memory'
        )

    def supply(self) -> None:
        """Give the actors a moment to play more."""
        time.sleep(WAIT_SECONDS)

    def replace_dead(self) -> list[str]:
        """Replace the actors that have died or hang; return a report on each.

        Raises:
            ActorError: if more than MAX_DEATHS have died whose replacements have not played for a minute.
        """
        reports = []
        for number, actor in enumerate(self._running):
            died = 'died'
            if actor.is_hung(int(self.heartbeats[number])):
                actor.process.kill()
                actor.process.join()
                died = f'made no move for {actor.allowed_silence:g} seconds'
            if not actor.process.is_alive():
                reports.append(f'actor {number} {died} and is replaced: {actor.exit_message()}')
                check_deaths(self._running, reports[-1])
                actor.errors.close()
                self._running[number] = self._start(number, actor.recent_deaths + 1)
        return reports

    def close(self) -> None:
        """Ask all actors to leave, kill those that do not, and release the shared memory."""
        self.stop[0] = 1
        deadline = time.monotonic() + LEAVE_SECONDS
        for actor in self._running:
            actor.process.join(max(0.0, deadline - time.monotonic()))
            if actor.process.is_alive():
                actor.process.kill()
                actor.process.join()
            actor.errors.close()
        super().close()


def _act(
    config: Config,
    number: int,
    stream: int,
    sizes: Sizes,
    block: str,
    inference: Inference,
    device: str,
    errors: Connection,
) -> None:
    """Run the actor of a number and a stream of random draws in this process; send the traceback of what ends it."""
    torch.set_num_threads(1)
    threadpool_limits(1)
    try:
        with closing(SharedArrays(sizes, block)) as shared:
            Actor(config, config.find_game(), stream, SharedLink(shared, number), inference, device).run()
    except BaseException:
        errors.send(traceback.format_exc())
        raise
