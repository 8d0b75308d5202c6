"""Packed observations and actions as inputs of networks."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rlcard_big2.engine.bitboard import Int64Array
from rlcard_big2.engine.compilation import kernel
from rlcard_big2.engine.observation import OBSERVATION_SIZE, unpack, write_cards

Device = str | torch.device
SHAPE_STEP = 64


@kernel
def _unpack_all(observations: Int64Array, out: NDArray[np.int8]) -> None:
    for i in range(len(observations)):
        unpack(observations[i], out[i])


@kernel
def _write_actions(masks: Int64Array, out: NDArray[np.int8]) -> None:
    out[:] = 0
    for i in range(masks.size):
        write_cards(masks[i], out[i])


def observation_features(observations: Int64Array, dtype: torch.dtype, device: Device = 'cpu') -> Tensor:
    """Unpack observations, int64 [N, 27], to the network's input, [N, 1339]."""
    out = np.empty((len(observations), OBSERVATION_SIZE), np.int8)
    _unpack_all(observations, out)
    return torch.from_numpy(out).to(device).to(dtype)


def action_features(masks: Int64Array, dtype: torch.dtype, device: Device = 'cpu') -> Tensor:
    """Unpack the masks of actions, int64 [M], to the network's input, [M, 52]."""
    out = np.empty((len(masks), 52), np.int8)
    _write_actions(masks, out)
    return torch.from_numpy(out).to(device).to(dtype)


def padded(rows: Int64Array) -> Int64Array:
    """Return rows, int64 [N, ...], with zeros appended up to a multiple of 64, beyond 64.

    Kernels for matrices are made and kept for each shape that occurs: a batch that has as many rows as there happen to
    be legal moves would fill the memory with them.
    """
    size = -(-len(rows) // SHAPE_STEP) * SHAPE_STEP if len(rows) > SHAPE_STEP else len(rows)
    out = np.zeros((size, *rows.shape[1:]), np.int64)
    out[: len(rows)] = rows
    return out


def owners_of(offsets: Int64Array) -> Int64Array:
    """Return the game that each of M legal moves belongs to, int64 [M]; offsets: int64 [N + 1]."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
