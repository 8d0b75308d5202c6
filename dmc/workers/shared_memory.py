"""Arrays in shared memory: one block for a run, and no locks.

Each actor has a ring of rows that it alone fills and the learner alone empties. The weights are one array that the
learner alone writes; its version is odd while it writes, which tells readers to try again. Both rely on 64-bit reads
and writes being atomic, and on memory barriers to keep them in order on every processor.
"""

import fcntl
import math
import os
import secrets
import shutil
import stat
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic
from typing_extensions import override

from dmc.workers.base import Link, ReplayRows, Weights, replay_dtype
from eval.common.processes import start_resource_tracker
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.errors import ConfigError
from rlcard_kit.jit import kernel
from training.games import LearnedGame
from training.workers import Counts

ALIGNMENT = 64
FOLDER = Path('/dev/shm')  # where Linux keeps the blocks; macOS shows them nowhere
PREFIX = 'rlcard-dmc'  # of their names: PREFIX-PROCESS-DRAWN


@intrinsic
def _barrier(context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.fence('seq_cst')
        return context.get_dummy_value()

    return types.void(), generate


@kernel
def memory_barrier() -> None:
    """Complete all reads and writes before this call, for all cores, before any after it.

    Processors other than x86 may show writes to other cores in another order.
    """
    _barrier()  # type: ignore[call-arg]  # numba gives it the context


class Sizes(NamedTuple):
    """The numbers that determine the layout of the block."""

    num_actors: int
    ring_size: int
    num_weights: int
    num_statistics: int
    row: np.dtype[Any]  # of the rings

    @classmethod
    def of(cls, game: LearnedGame, num_actors: int, ring_size: int, num_weights: int) -> 'Sizes':
        """Return the sizes of a run on a game."""
        return cls(num_actors, ring_size, num_weights, len(game.statistics), replay_dtype(game.card))


def _layout(sizes: Sizes) -> dict[str, tuple[np.dtype[Any], tuple[int, ...]]]:
    """Return the type and shape of each array of the block, by attribute of `SharedArrays`."""
    integer, actors = np.dtype(np.int64), (sizes.num_actors,)
    return {
        **dict.fromkeys(('stop', 'version'), (integer, (1,))),
        **dict.fromkeys(('written', 'read', 'games', 'winners_payoffs', 'heartbeats'), (integer, actors)),
        'statistics': (np.dtype(np.float64), (*actors, sizes.num_statistics, 2)),
        'weights': (np.dtype(np.float32), (sizes.num_weights,)),
        'rings': (sizes.row, (*actors, sizes.ring_size)),
    }


class SharedArrays:
    """The arrays of a run in one block of shared memory; `close` releases it.

    Args:
        sizes: of the arrays.
        name: of an existing block; None makes a new one.

    Raises:
        ConfigError: if there is no room for a new block.
    """

    stop: Int64Array  # [1]; 1: actors leave
    version: Int64Array  # [1], of the weights; odd while they are written
    written: Int64Array  # [num_actors], rows ever put into each ring
    read: Int64Array  # [num_actors], rows ever taken from it
    games: Int64Array  # [num_actors] that each actor has finished
    winners_payoffs: Int64Array  # [num_actors], their sum over those games
    statistics: Float64Array  # [num_actors, num_statistics, 2], likewise
    heartbeats: Int64Array  # [num_actors]
    weights: Weights
    rings: ReplayRows  # [num_actors, ring_size]

    def __init__(self, sizes: Sizes, name: str | None = None) -> None:
        self.sizes = sizes
        arrays = _layout(sizes)
        lengths = [-(-math.prod(shape) * kind.itemsize // ALIGNMENT) * ALIGNMENT for kind, shape in arrays.values()]
        self.num_bytes = sum(lengths)
        self._cleanup = ExitStack()
        self._block = SharedMemory(name) if name is not None else self._new_block()
        self.name = self._block.name
        for (key, (kind, shape)), start in zip(arrays.items(), np.cumsum([0, *lengths[:-1]]).tolist(), strict=True):
            setattr(self, key, np.ndarray(shape, kind, self._block.buf, start))

    def _new_block(self) -> SharedMemory:
        _remove_abandoned()
        needed = f'{self.num_bytes / 2**20:.0f} MB'
        if FOLDER.exists() and (free := shutil.disk_usage(FOLDER).free) < self.num_bytes:
            raise ConfigError(
                f'{FOLDER} has {free / 2**20:.0f} MB free, and this run needs {needed}: '
                f'fewer actors, a smaller --ring-size or a smaller network need less'
            )
        start_resource_tracker()
        while True:
            block = SharedMemory(f'{PREFIX}-{os.getpid()}-{secrets.token_hex(4)}', create=True, size=self.num_bytes)
            self._cleanup.callback(_remove, block)
            try:
                if not FOLDER.exists() or self._hold(FOLDER / block.name):
                    return block
            except OSError as error:  # others have filled the folder since
                self._cleanup.close()
                raise ConfigError(f'{FOLDER} has no room for the {needed} of this run: {error.strerror}') from error

    def _hold(self, path: Path) -> bool:
        """Lock a block's file until this process ends, and allocate it; return whether it still exists.

        Without the allocation, a write would end the process if others had filled the folder.
        """
        try:
            descriptor = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            return False
        self._cleanup.callback(os.close, descriptor)
        with suppress(OSError):  # without locks no block counts as abandoned
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.posix_fallocate(descriptor, 0, self.num_bytes)
        return os.fstat(descriptor).st_nlink > 0

    def close(self) -> None:
        """Release the block; whoever made it also removes it."""
        for key in _layout(self.sizes):
            delattr(self, key)
        self._block.close()
        self._cleanup.close()

    def put(self, actor: int, rows: ReplayRows) -> int:
        """Append rows, [K], to an actor's ring as far as there is room; return how many went in."""
        written = int(self.written[actor])
        count = min(len(rows), self.sizes.ring_size - (written - int(self.read[actor])))
        indices = np.arange(written, written + count) % self.sizes.ring_size
        memory_barrier()
        self.rings[actor, indices] = rows[:count]
        memory_barrier()
        self.written[actor] = written + count
        return count

    def waiting(self) -> int:
        """Return how many rows all rings hold."""
        return int((self.written - self.read).sum())

    def take(self, count: int, out: ReplayRows) -> None:
        """Move `count` waiting rows into `out`, [count], as evenly as the rings allow."""
        filled = 0
        for index, actor in enumerate(np.argsort(self.written - self.read)):
            share = -(-(count - filled) // (self.sizes.num_actors - index))
            read = int(self.read[actor])
            taken = min(share, int(self.written[actor]) - read)
            memory_barrier()
            out[filled : filled + taken] = self.rings[actor, np.arange(read, read + taken) % self.sizes.ring_size]
            memory_barrier()
            self.read[actor] = read + taken
            filled += taken

    def publish(self, weights: Weights) -> None:
        """Give new weights to the actors."""
        self.version[0] += 1
        memory_barrier()
        self.weights[:] = weights
        memory_barrier()
        self.version[0] += 1

    def fetch(self, seen: int, out: Weights) -> int:
        """Copy weights newer than version `seen` into `out`; see `Link.fetch`."""
        version = int(self.version[0])
        if version == seen or version % 2:
            return seen
        memory_barrier()
        out[:] = self.weights
        memory_barrier()
        return version if int(self.version[0]) == version else seen

    def counts(self) -> Counts:
        """Return what all actors have done."""
        rows, games, payoffs = (int(counts.sum()) for counts in (self.written, self.games, self.winners_payoffs))
        return Counts(rows, games, payoffs, self.statistics.sum(axis=0))


@dataclass(frozen=True)
class SharedLink(Link):
    """An actor's link through shared memory; see `Link`."""

    shared: SharedArrays
    actor: int  # its number, 0..num_actors - 1

    @property
    @override
    def stopped(self) -> bool:
        return bool(self.shared.stop[0])

    @override
    def fetch(self, seen: int, out: Weights) -> int:
        return self.shared.fetch(seen, out)

    @override
    def put(self, rows: ReplayRows) -> int:
        return self.shared.put(self.actor, rows)

    @override
    def beat(self) -> None:
        self.shared.heartbeats[self.actor] += 1

    @override
    def report(self, games: int, winners_payoffs: int, statistics: Float64Array) -> None:
        self.shared.games[self.actor] += games
        self.shared.winners_payoffs[self.actor] += winners_payoffs
        self.shared.statistics[self.actor] += statistics


def _remove(block: SharedMemory) -> None:
    """Remove a block, unless someone else has."""
    with suppress(FileNotFoundError):
        block.unlink()


def _remove_abandoned() -> None:
    """Remove this user's blocks that no process holds: a machine that lost power could not.

    Only the lock counts: the process may be out of sight, in another container that shares the folder.
    """
    for path in FOLDER.glob(f'{PREFIX}-*'):
        with suppress(OSError):  # it may be locked, gone, a link, or another user's
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # a pipe would wait for a writer
            try:
                status = os.fstat(descriptor)
                if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid():
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()
            finally:
                os.close(descriptor)
