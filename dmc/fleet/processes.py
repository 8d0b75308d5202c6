"""The processes that play, watched and replaced when they die."""

import multiprocessing
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

import torch

from common.processes import start
from dmc.actor import Work, act
from dmc.config import Config
from dmc.fleet.shared_memory import SharedArrays
from rlcard_big2.errors import Big2Error

WAIT_SECONDS = 0.001  # of the learner, for decisions
LEAVE_SECONDS = 5.0  # that actors are given to leave


class ActorError(Big2Error):
    """Actors keep dying; the message holds the last traceback."""


@dataclass
class _Running:
    """An actor's process, the end of the pipe through which it tells why it dies, and its last sign of life."""

    process: SpawnProcess
    errors: Connection
    beats: int
    beaten: float  # when, by time.monotonic

    def is_hung(self, beats: int, seconds: float) -> bool:
        """Note how many signs of life there have been, and tell whether the last was too long ago."""
        if beats != self.beats:
            self.beats, self.beaten = beats, time.monotonic()
        return time.monotonic() - self.beaten > seconds

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
        dtypes: precisions of the networks, by device.
        started: how many the run has started before, where it is resumed.
    """

    def __init__(self, config: Config, shared: SharedArrays, dtypes: dict[str, torch.dtype], started: int = 0) -> None:
        self._config = config
        self._shared = shared
        self._dtypes = dtypes
        self._deaths: deque[float] = deque(maxlen=config.max_deaths + 1)
        self.started = started
        self._running = [self._start(number) for number in range(shared.sizes.num_actors)]

    def _start(self, number: int) -> _Running:
        """Start an actor; none of a run plays the same games as another."""
        context = multiprocessing.get_context('spawn')
        errors, child = context.Pipe(duplex=False)
        device = self._config.actor_devices[number % len(self._config.actor_devices)]
        shared = self._shared
        assert shared.name is not None  # a block that exists has a name
        work = Work(self._config, number, self.started, shared.sizes, shared.name, self._dtypes[device], device)
        self.started += 1
        process = context.Process(target=act, args=(work, child), name=f'actor {number}', daemon=True)
        start(process)
        child.close()
        return _Running(process, errors, int(shared.beats[number]), time.monotonic())

    @property
    def pids(self) -> list[int | None]:
        """The process of each actor."""
        return [actor.process.pid for actor in self._running]

    def supply(self) -> None:
        """Give the actors a moment to play more."""
        time.sleep(WAIT_SECONDS)

    def replace_dead(self) -> list[str]:
        """Start anew the actors that have died; return what each died of.

        ActorError where more than `max_deaths` have died within a minute.
        """
        reports = []
        for number, actor in enumerate(self._running):
            silence, died = self._config.max_silence, 'died'
            if actor.is_hung(int(self._shared.beats[number]), silence):
                actor.process.kill()
                actor.process.join()
                died = f'made no move for {silence:g} seconds'
            if not actor.process.is_alive():
                reports.append(f'actor {number} {died} and is replaced: {actor.cause_of_death()}')
                self._note_death(reports[-1])
                actor.errors.close()
                self._running[number] = self._start(number)
        return reports

    def _note_death(self, report: str) -> None:
        self._deaths.append(time.monotonic())
        most = self._config.max_deaths
        if len(self._deaths) > most and self._deaths[-1] - self._deaths[0] < 60:
            raise ActorError(f'more than {most} actors died within a minute; the last: {report}')

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
