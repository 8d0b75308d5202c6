"""The processes that play, watched and replaced when they die."""

import multiprocessing
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

import torch

from dmc.actor import act
from dmc.config import Config
from dmc.shared import SharedArrays

LEAVE_SECONDS = 5.0  # that actors are given to leave
MOST_DEATHS = 5  # in a minute, before the run is given up


class ActorError(RuntimeError):
    """Actors keep dying; the message holds the last traceback."""


@dataclass
class _Running:
    """An actor's process, and the end of the pipe through which it tells why it dies."""

    process: SpawnProcess
    errors: Connection

    def cause_of_death(self) -> str:
        """Return its traceback, or how it ended where it could not say."""
        with suppress(EOFError, OSError):
            if self.errors.poll():
                return str(self.errors.recv())
        return f'no traceback; exit code {self.process.exitcode} (below 0: the signal that killed it)'


class Actors:
    """Starts the actors of a run and keeps them running.

    Args:
        config: of the run.
        shared: its arrays.
        dtype: precision of the networks.
        started: how many the run has started before, where it is resumed.
    """

    def __init__(self, config: Config, shared: SharedArrays, dtype: torch.dtype, started: int = 0) -> None:
        self._config = config
        self._shared = shared
        self._precision = str(dtype).removeprefix('torch.')
        self._deaths: deque[float] = deque(maxlen=MOST_DEATHS + 1)
        self.started = started
        self._running = [self._start(number) for number in range(config.num_actors)]

    def _start(self, number: int) -> _Running:
        """Start an actor; none of a run plays the same games as another."""
        context = multiprocessing.get_context('spawn')
        errors, child = context.Pipe(duplex=False)
        shared = self._shared
        arguments = (self._config, number, self.started, shared.sizes, shared.name, self._precision, child)
        self.started += 1
        process = context.Process(target=act, args=arguments, name=f'actor {number}', daemon=True)
        process.start()
        child.close()
        return _Running(process, errors)

    @property
    def pids(self) -> list[int | None]:
        """The process of each actor."""
        return [actor.process.pid for actor in self._running]

    def replace_dead(self) -> list[str]:
        """Start anew the actors that have died; return what each died of.

        ActorError where more than five have died within a minute.
        """
        reports = []
        for number, actor in enumerate(self._running):
            if not actor.process.is_alive():
                reports.append(f'actor {number} died and is replaced: {actor.cause_of_death()}')
                self._note_death(reports[-1])
                actor.errors.close()
                self._running[number] = self._start(number)
        return reports

    def _note_death(self, report: str) -> None:
        self._deaths.append(time.monotonic())
        if len(self._deaths) > MOST_DEATHS and self._deaths[-1] - self._deaths[0] < 60:
            raise ActorError(f'more than {MOST_DEATHS} actors died within a minute; the last: {report}')

    def stop(self) -> None:
        """Have all actors leave, by force where they do not."""
        self._shared.stop[0] = 1
        deadline = time.monotonic() + LEAVE_SECONDS
        for actor in self._running:
            actor.process.join(max(0.0, deadline - time.monotonic()))
            if actor.process.is_alive():
                actor.process.kill()
                actor.process.join()
            actor.errors.close()
