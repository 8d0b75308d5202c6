"""The inputs of networks as arrays by name, for other libraries and exported files. Nothing needs torch."""

import numpy as np

import rlcard_big2.engine.charlesworth as charlesworth  # one module: a kernel depends on all that its file imports
from rlcard_big2.agents.published import published_inputs, published_slots
from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.observation import LAYOUT
from rlcard_big2.nets.afterstates import COST_LAYOUT, MOVE_LAYOUT, OUTLOOK_LAYOUT
from rlcard_big2.nets.features import action_inputs, observation_inputs
from rlcard_big2.nets.rule_features import RULES_SIZE, stakes_of
from rlcard_big2.nets.spec import TABLES, ActionSpec, CharlesworthSpec, Inputs, ValueSpec
from rlcard_kit.agents import Positions
from rlcard_kit.nets.spec import Columns, NetworkInputs

Spec = ValueSpec | ActionSpec | CharlesworthSpec


def network_inputs(spec: Spec, positions: Positions) -> NetworkInputs:
    """Return the inputs of a network for N positions with M legal moves by name, in order; see `input_columns`.

    Returns:
        'observations', float32 [N, features]; 'actions', float32 [M, features], or int64 [M] for `CharlesworthSpec`;
        'owners', the row of each move's observation, int64 [M]; and for a value network that sees the rules
        'stakes', the cards in one unit of each game's values, float32 [N].
    """
    observations, moves, _ = positions
    owners = positions.owners
    if isinstance(spec, CharlesworthSpec):
        inputs, slots = published_inputs(observations), published_slots(positions)
        return {'observations': inputs.astype(np.float32), 'actions': slots, 'owners': owners}
    out: NetworkInputs = {
        'observations': observation_inputs(observations, spec.inputs).astype(np.float32),
        'actions': action_inputs(observations, moves, owners, spec.inputs).astype(np.float32),
        'owners': owners,
    }
    return out | {'stakes': stakes_of(observations['rules'])} if spec.is_told_rules else out


def input_columns(spec: Spec) -> dict[str, Columns]:
    """Return the columns of 'observations' and 'actions', zeros and ones: sizes by meaning; or what the numbers are."""
    if isinstance(spec, CharlesworthSpec):
        seen: dict[str, int] = {'the inputs of the published program': charlesworth.OBSERVATION_SIZE}
        return {'observations': seen, 'actions': 'index among the 1695 of the published program, -1 for none'}
    inputs: Inputs = spec.inputs
    seen = {feature.name: feature.size for feature in LAYOUT}
    made = {'cards of the move': NUM_CARDS} if inputs == 'cards' else dict(MOVE_LAYOUT)
    return {
        'observations': seen
        | (OUTLOOK_LAYOUT if inputs != 'cards' else {})
        | ({'rules, see rlcard_big2.nets.rule_features.rule_inputs': RULES_SIZE} if inputs == TABLES else {}),
        'actions': made | (COST_LAYOUT if inputs in ('rules', TABLES) else {}),
    }
