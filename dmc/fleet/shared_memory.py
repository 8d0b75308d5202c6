"""Arrays in shared memory: one block for a run, and no locks.

Each actor has a ring of decisions that it alone fills and the learner alone empties. The weights are one
array that the learner alone writes; a version that is odd while it writes tells readers to try again.
"""

import math
import os
import secrets
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rlcard_big2.engine.observation import NUM_WORDS
from rlcard_big2.errors import ConfigError
from rlcard_big2.lockstep.arrays import Int64Array

# A decision to learn from.
DECISION = np.dtype(
    [
        ('observation', np.int64, NUM_WORDS),  # packed, see `words_of`
        ('action', np.int64),  # its mask
        ('target', np.float32),  # of its value, in cards
    ]
)
Decisions = NDArray[np.void]  # of DECISION

ALIGNMENT = 64
FOLDER = Path('/dev/shm')  # where Linux keeps the blocks
PREFIX = 'big2-dmc'  # of their names: PREFIX-PROCESS-DRAWN


class Sizes(NamedTuple):
    """What decides the layout of the block."""

    num_actors: int
    ring_size: int
    num_weights: int


def _layout(sizes: Sizes) -> dict[str, tuple[tuple[int, ...], DTypeLike]]:
    """Return the shape and type of each array, by its attribute of `SharedArrays`."""
    actors = (sizes.num_actors,)
    return {
        'stop': ((1,), np.int64),
        'version': ((1,), np.int64),
        'written': (actors, np.int64),
        'read': (actors, np.int64),
        'games': (actors, np.int64),
        'won': (actors, np.int64),
        'beats': (actors, np.int64),
        'weights': ((sizes.num_weights,), np.float32),
        'rings': ((sizes.num_actors, sizes.ring_size), DECISION),
    }


def _num_bytes(shape: tuple[int, ...], dtype: DTypeLike) -> int:
    return math.prod(shape) * np.dtype(dtype).itemsize


def _new_block(num_bytes: int) -> SharedMemory:
    """Make a block named after this process; ConfigError where there is no room for it.

    Blocks of processes that are gone are removed first: a machine that was cut off could not do it.
    """
    for path in FOLDER.glob(f'{PREFIX}-*'):
        if not Path(f'/proc/{path.name.split("-")[-2]}').exists():
            with suppress(OSError):  # it may be another user's
                path.unlink()
    if FOLDER.exists() and (free := shutil.disk_usage(FOLDER).free) < num_bytes:
        raise ConfigError(
            f'{FOLDER} has {free / 2**20:.0f} MB free, and this run needs {num_bytes / 2**20:.0f} MB: '
            f'fewer actors, a smaller --ring-size or a smaller network need less'
        )
    return SharedMemory(f'{PREFIX}-{os.getpid()}-{secrets.token_hex(4)}', create=True, size=num_bytes)


@dataclass
class SharedArrays:
    """The arrays of a run in one block of shared memory; `close` gives it back.

    Args:
        sizes: of the arrays.
        name: of an existing block; None makes a new one.
    """

    sizes: Sizes
    name: str | None = None

    stop: Int64Array = field(init=False)  # [1]; 1: actors leave
    version: Int64Array = field(init=False)  # [1], of the weights; odd while they are written
    written: Int64Array = field(init=False)  # [actors], rows ever put into each ring
    read: Int64Array = field(init=False)  # [actors], rows ever taken from it
    games: Int64Array = field(init=False)  # [actors], games that each actor has finished
    won: Int64Array = field(init=False)  # [actors], sum of the winners' payoffs in them
    beats: Int64Array = field(init=False)  # [actors], signs of life of each
    weights: NDArray[np.float32] = field(init=False)  # [num_weights]
    rings: Decisions = field(init=False)  # [actors, ring_size]

    def __post_init__(self) -> None:
        layout = _layout(self.sizes)
        ends = np.cumsum([-(-_num_bytes(shape, dtype) // ALIGNMENT) * ALIGNMENT for shape, dtype in layout.values()])
        self.num_bytes = int(ends[-1])
        self._owner = self.name is None
        self._block = SharedMemory(self.name) if self.name is not None else _new_block(self.num_bytes)
        self.name = self._block.name
        for key, start in zip(layout, [0, *ends[:-1]], strict=True):
            shape, dtype = layout[key]
            setattr(self, key, np.ndarray(shape, dtype, self._block.buf, int(start)))

    def close(self) -> None:
        """Let go of the block; whoever made it also removes it."""
        for key in _layout(self.sizes):
            delattr(self, key)
        self._block.close()
        if self._owner:
            self._block.unlink()

    def put(self, actor: int, rows: Decisions) -> int:
        """Append decisions, [K], to an actor's ring as far as there is room; return how many went in."""
        written = int(self.written[actor])
        count = min(len(rows), self.sizes.ring_size - (written - int(self.read[actor])))
        places = np.arange(written, written + count) % self.sizes.ring_size
        self.rings[actor, places] = rows[:count]
        self.written[actor] = written + count
        return count

    def waiting(self) -> int:
        """Return how many rows all rings hold."""
        return int((self.written - self.read).sum())

    @property
    def filled(self) -> float:
        """The part of all rings that is filled."""
        return self.waiting() / (self.sizes.num_actors * self.sizes.ring_size)

    def take(self, count: int, out: Decisions) -> None:
        """Move `count` rows that are waiting into `out`, [count], as evenly as the rings allow."""
        filled = 0
        for place, actor in enumerate(np.argsort(self.written - self.read)):
            share = -(-(count - filled) // (self.sizes.num_actors - place))
            read = int(self.read[actor])
            taken = min(share, int(self.written[actor]) - read)
            out[filled : filled + taken] = self.rings[actor, np.arange(read, read + taken) % self.sizes.ring_size]
            self.read[actor] = read + taken
            filled += taken

    def publish(self, weights: NDArray[np.float32]) -> None:
        """Hand new weights to the actors."""
        self.version[0] += 1
        self.weights[:] = weights
        self.version[0] += 1

    def fetch(self, seen: int, out: NDArray[np.float32]) -> int:
        """Copy weights newer than version `seen` into `out`; return the version that `out` now holds, or `seen`."""
        version = int(self.version[0])
        if version == seen or version % 2:
            return seen
        out[:] = self.weights
        return version if int(self.version[0]) == version else seen
