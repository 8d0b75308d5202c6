"""Networks at work on packed observations: unpacking, values and precision."""

import time

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dmc.network import ValueNetwork
from rlcard_big2.engine.bitboard import Int64Array
from rlcard_big2.engine.compilation import kernel
from rlcard_big2.engine.observation import OBSERVATION_SIZE, unpack, write_cards


@kernel
def _unpack_all(observations: Int64Array, out: NDArray[np.int8]) -> None:
    for i in range(len(observations)):
        unpack(observations[i], out[i])


@kernel
def _write_actions(masks: Int64Array, out: NDArray[np.int8]) -> None:
    out[:] = 0
    for i in range(masks.size):
        write_cards(masks[i], out[i])


def observation_features(observations: Int64Array, dtype: torch.dtype) -> Tensor:
    """Unpack observations, int64 [N, 27], to the network's input, [N, 1339]."""
    out = np.empty((len(observations), OBSERVATION_SIZE), np.int8)
    _unpack_all(observations, out)
    return torch.from_numpy(out).to(dtype)


def action_features(masks: Int64Array, dtype: torch.dtype) -> Tensor:
    """Unpack the masks of actions, int64 [M], to the network's input, [M, 52]."""
    out = np.empty((len(masks), 52), np.int8)
    _write_actions(masks, out)
    return torch.from_numpy(out).to(dtype)


def action_values(
    network: ValueNetwork, observations: Int64Array, masks: Int64Array, offsets: Int64Array
) -> NDArray[np.float32]:
    """Return the value of every legal move of N games, float32 [M]; see `BatchAgent.choose`."""
    dtype = network.value.weight.dtype
    owners = torch.from_numpy(np.repeat(np.arange(len(observations)), np.diff(offsets)))
    with torch.inference_mode():
        values = network(observation_features(observations, dtype), action_features(masks, dtype), owners)
    result: NDArray[np.float32] = values.numpy()
    return result


def faster_precision(width: int) -> torch.dtype:
    """Measure which of bfloat16 and float32 this processor multiplies matrices of a width faster in."""
    return min((torch.bfloat16, torch.float32), key=lambda dtype: _seconds(width, dtype))


def _seconds(width: int, dtype: torch.dtype) -> float:
    x = torch.rand(1024, width).to(dtype)
    weight = torch.rand(width, width).to(dtype)
    torch.nn.functional.linear(x, weight)
    start = time.perf_counter()
    for _ in range(5):
        torch.nn.functional.linear(x, weight)
    return time.perf_counter() - start
