"""The inputs of networks as arrays by name, for other libraries and exported files. Nothing needs torch."""

import numpy as np

from rlcard_catch5.agents.published import published_inputs
from rlcard_catch5.engine.observation import LAYOUT, PUBLISHED_LAYOUT
from rlcard_catch5.nets.spec import VonYorkSpec
from rlcard_catch5.nets.suits import rename_moves, sorted_inputs
from rlcard_kit.agents import Positions
from rlcard_kit.nets.spec import Columns, NetworkInputs, NetworkSpec


def network_inputs(spec: NetworkSpec, positions: Positions) -> NetworkInputs:
    """Return the inputs of a network for N positions with M legal moves by name, in order; see `input_columns`.

    Returns:
        'observations', float32 [N, features]; 'actions', action ids, int64 [M]; 'owners', the row of each move's
        observation, int64 [M]. All but `VonYorkSpec` have their suits sorted, see `rlcard_catch5.nets.suits`.
    """
    observations, moves, _ = positions
    owners = positions.owners
    if isinstance(spec, VonYorkSpec):
        inputs = published_inputs(observations)
    else:
        inputs, new_suits = sorted_inputs(observations)
        moves = rename_moves(moves, owners, new_suits)
    return {'observations': inputs.astype(np.float32), 'actions': moves, 'owners': owners}


def input_columns(spec: NetworkSpec) -> dict[str, Columns]:
    """Return the columns of 'observations', all zeros and ones: sizes by meaning; and what 'actions' are."""
    is_published = isinstance(spec, VonYorkSpec)
    layout = PUBLISHED_LAYOUT if is_published else LAYOUT
    sorted_too = '' if is_published else ', suits sorted as in observations, see rlcard_catch5.nets.suits'
    columns = {feature.name: feature.size for feature in layout}
    return {'observations': columns, 'actions': f'action id from 0 to 63{sorted_too}'}
