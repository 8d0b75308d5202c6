"""The shipped networks for JavaScript: their weights as files, and the kernels that evaluate them."""

import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import int64

from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.ruleset import RULE_TABLE
from rlcard_big2.models import SHIPPED
from rlcard_big2.nets.features import write_actions, write_observations
from rlcard_big2.search.zoo import BELIEFS, SMALL
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.models import SHIPPED as CATCH5_SHIPPED
from rlcard_catch5.nets.suits import write_renamed, write_sorted
from rlcard_kit.arrays import Float32Array
from rlcard_kit.nets import sparse
from rlcard_kit.nets.checkpoint import read_weights
from rlcard_kit.nets.zoo import ModelZoo
from wasm.compiler import Entry, array_of

LONGS, BYTES, FLOATS, ROW = array_of(np.int64), array_of(np.int8, 2), array_of(np.float32, 2), array_of(np.float32)


@numba.njit
def add_product(x: Float32Array, weights: Float32Array, out: Float32Array) -> None:
    """Add `x @ weights` to `out`, float32 [N, K], four rows of weights at a time: half of x, [N, J], are zeros."""
    chosen = np.empty(len(weights) + 1, np.int64)
    for i in range(len(x)):
        count, row = 0, out[i]
        for j in range(len(weights)):
            chosen[count] = j
            count += x[i, j] != 0
        rest = count % 4
        for j in chosen[:rest]:
            for k in range(row.size):
                row[k] += x[i, j] * weights[j, k]
        for n in range(rest, count, 4):
            p, q, r, s = chosen[n], chosen[n + 1], chosen[n + 2], chosen[n + 3]
            a, b, c, d = x[i, p], x[i, q], x[i, r], x[i, s]
            u, v, w, y = weights[p], weights[q], weights[r], weights[s]
            for k in range(row.size):
                row[k] += (a * u[k] + b * v[k]) + (c * w[k] + d * y[k])


LAYERS = {
    'add_rows': Entry(sparse.add_rows, (BYTES, int64, FLOATS, FLOATS)),
    'add_product': Entry(add_product, (FLOATS, FLOATS, FLOATS)),
    'add_bias': Entry(sparse.add_bias, (ROW, FLOATS)),
}
"""Kernels of all networks."""
BIG2_KERNELS = LAYERS | {
    'write_observations': Entry(write_observations, (array_of(BIG2.observation), BYTES)),
    'write_actions': Entry(write_actions, (array_of(RULE_TABLE), array_of(BIG2.observation), LONGS, LONGS, BYTES)),
    'add_states': Entry(sparse.add_states, (FLOATS, LONGS, FLOATS)),
    'lstm_step': Entry(sparse.lstm_step, (FLOATS, FLOATS, FLOATS, FLOATS, FLOATS)),
}
CATCH5_KERNELS = LAYERS | {
    'write_sorted': Entry(write_sorted, (array_of(CATCH5.observation), BYTES, BYTES)),
    'write_renamed': Entry(write_renamed, (LONGS, LONGS, BYTES, LONGS)),
}
MODELS: Mapping[str, Mapping[str, ModelZoo]] = {
    'big2': {'big2-dmc': SHIPPED, 'playouts': SMALL, 'beliefs': BELIEFS},
    'catch5': {'catch5-ppo': CATCH5_SHIPPED},
}
"""The networks of each game, by the agents that play by them."""


def write_networks(game: str, folder: Path) -> dict[str, Any]:
    """Write the weights of a game's networks to files of a folder; return their descriptions by agent, as JSON."""
    return {
        agent: [_write_network(zoo, source, folder / f'{game}-{source.name}.bin') for source in zoo.rules(agent)]
        for agent, zoo in MODELS[game].items()
    }


def _write_network(zoo: ModelZoo, source: Path, path: Path) -> dict[str, Any]:
    """Write the weights of a network, inputs first: all low bytes of float16, then all high ones, which compress."""
    settings = zoo.load(source.name)
    named = {name.replace('moves.', 'history.'): array for name, array in read_weights(source).items()}
    weights = {name: np.atleast_2d(array.T) for name, array in sorted(named.items())}
    flat = np.concatenate([array.ravel() for array in weights.values()]).astype('<f2')
    path.write_bytes(gzip.compress(flat.view(np.uint8).reshape(-1, 2).T.tobytes(), mtime=0))
    return {
        'file': path.name,
        'rules': settings.rules and settings.rules.fields(),
        'network': settings.network.to_json(),
        'calibration': settings.calibration and settings.calibration.to_json(),
        'weights': {name: array.shape for name, array in weights.items()},
    }
