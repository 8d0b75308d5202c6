"""Packed observations and actions as inputs of networks."""

from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.observation import OBSERVATION_SIZE, Observations, unpack, write_cards
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.compilation import kernel
from rlcard_big2.nets.afterstates import MOVE_SIZE, OUTLOOK_SIZE, write_move, write_outlook

Device = str | torch.device
SHAPE_STEP = 64

InputsName = Literal['cards', 'afterstates']


class Widths(NamedTuple):
    """How many inputs a network has."""

    observation: int
    action: int


# What networks are given: the published inputs, or beside them those of `rlcard_big2.nets.afterstates`.
WIDTHS = {
    'cards': Widths(OBSERVATION_SIZE, NUM_CARDS),
    'afterstates': Widths(OBSERVATION_SIZE + OUTLOOK_SIZE, MOVE_SIZE),
}


@kernel
def _write_observations(observations: Observations, out: NDArray[np.int8]) -> None:
    for i in range(len(observations)):
        unpack(observations[i], out[i])
        if out.shape[1] > OBSERVATION_SIZE:
            write_outlook(observations[i], out[i, OBSERVATION_SIZE:])


@kernel
def _write_actions(observations: Observations, masks: Int64Array, owners: Int64Array, out: NDArray[np.int8]) -> None:
    out[:] = 0
    for i in range(masks.size):
        if out.shape[1] > NUM_CARDS:
            write_move(observations[owners[i]], masks[i], out[i])
        else:
            write_cards(masks[i], out[i])


def observation_features(observations: Observations, inputs: str, dtype: torch.dtype, device: Device = 'cpu') -> Tensor:
    """Write packed observations, [N], as a network's inputs, [N, WIDTHS[inputs].observation]."""
    out = np.empty((len(observations), WIDTHS[inputs].observation), np.int8)
    _write_observations(observations, out)
    return torch.from_numpy(out).to(device).to(dtype)


def action_features(
    observations: Observations,
    masks: Int64Array,
    owners: Int64Array,
    inputs: str,
    dtype: torch.dtype,
    device: Device = 'cpu',
) -> Tensor:
    """Write actions as a network's inputs, [M, WIDTHS[inputs].action].

    Args:
        observations: packed, [N].
        masks: of the actions, int64 [M].
        owners: the observation that each belongs to, int64 [M].
        inputs: a name in WIDTHS.
        dtype: of the result.
        device: where it is to be.
    """
    out = np.empty((len(masks), WIDTHS[inputs].action), np.int8)
    _write_actions(observations, masks, owners, out)
    return torch.from_numpy(out).to(device).to(dtype)


def padded(rows: NDArray[Any]) -> NDArray[Any]:
    """Return rows, [N], with zeros appended up to a multiple of 64, beyond 64.

    Kernels for matrices are made and kept for each shape that occurs: a batch that has as many rows as there happen to
    be legal moves would fill the memory with them.
    """
    size = -(-len(rows) // SHAPE_STEP) * SHAPE_STEP if len(rows) > SHAPE_STEP else len(rows)
    out = np.zeros(size, rows.dtype)
    out[: len(rows)] = rows
    return out
