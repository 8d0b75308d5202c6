"""The kernels of each game that are compiled to WebAssembly, and the data that their host needs."""

import base64
from collections.abc import Mapping
from typing import Any

import numba
import numpy as np
from numba import float64, int64

from rlcard_big2.agents.rule import choose_by_plan
from rlcard_big2.cards import RANKS
from rlcard_big2.engine import batch as big2
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.moves import MOST_LEGAL
from rlcard_big2.engine.observation import OBSERVATION_SIZE as BIG2_FEATURES
from rlcard_big2.engine.observation import STATE_SIZE
from rlcard_big2.engine.ruleset import RULE_TABLE as BIG2_RULES
from rlcard_big2.engine.ruleset import strength
from rlcard_big2.engine.state import penalty
from rlcard_big2.nets.belief_features import write_hands
from rlcard_big2.nets.hand_features import GENERAL
from rlcard_big2.rules import PRESETS as BIG2_PRESETS
from rlcard_big2.search.beliefs import sample_determinizations
from rlcard_big2.search.forced_wins import prove_all
from rlcard_big2.search.posterior import Choices, Hands, accept, add_likelihoods, list_choices, propose
from rlcard_big2.search.rollouts import advance, branch
from rlcard_catch5.actions import TEXTS
from rlcard_catch5.agents.rule import choose_by_rules
from rlcard_catch5.engine import batch as catch5
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.observation import OBSERVATION_SIZE as CATCH5_FEATURES
from rlcard_catch5.engine.ruleset import RULE_TABLE as CATCH5_RULES
from rlcard_catch5.nets.equal_moves import fold_moves
from rlcard_catch5.rules import PRESETS as CATCH5_PRESETS
from rlcard_catch5.search import beliefs, rollouts
from rlcard_catch5.search.analysis import write_ends
from rlcard_catch5.search.worlds import sample_worlds
from rlcard_kit.game import CardGame
from rlcard_kit.nets.sparse import write_softmax
from rlcard_kit.rng import draw_indices
from wasm.compiler import Entry, array_of, record_of
from wasm.networks import BIG2_KERNELS, CATCH5_KERNELS
from wasm.rules import big2_rules, catch5_rules, told_rules

LONGS, TABLE, WORLDS = (array_of(np.int64, dimensions) for dimensions in (1, 2, 3))
BYTES, STREAMS, FLOATS = array_of(np.int8, 2), array_of(np.uint64), array_of(np.float32)
DOUBLES, SCORES = array_of(np.float64), array_of(np.float64, 2)


Port = tuple[Mapping[str, Entry], Mapping[str, Any]]
"""A game in WebAssembly: its kernels by the names that they are exported by, and data."""


@numba.njit
def list_choices_flat(
    rules: Any, observations: Any, owners: Any, deals: Any, seats: Any, trace: Any, start: int, game: Any, seen: Any,
    moves: Any, offsets: Any, made: Any, listed: Any, out: Any,
) -> None:  # fmt: skip
    """Write what `list_choices` returns into `out`, int64 [2]."""
    hands, choices = Hands(observations, owners, deals, seats, trace), Choices(game, seen, moves, offsets, made, listed)
    out[0], out[1] = list_choices(rules, hands, start, choices)


def describe(game: CardGame, rules: np.dtype[Any], presets: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a host has to know of a game: records, and presets of the rules by field."""
    records = {'rules': rules, 'state': game.state, 'observation': game.observation, 'deal': game.deal}
    return {
        'name': game.name,
        'seats': game.num_seats,
        'records': {name: layout(record) for name, record in records.items() if record.names},
        'presets': {name: own.fields() for name, own in presets.items()},
    }


def layout(record: np.dtype[Any]) -> dict[str, Any]:
    """Return the size of a record, and of each field its type, offset and number of elements."""
    assert record.fields is not None
    fields = {
        name: [kind.base.name, offset, int(np.prod(kind.shape, dtype=int)) if kind.shape else 0]
        for name, (kind, offset, *_) in record.fields.items()
    }
    return {'size': record.itemsize, 'fields': fields}


def common_kernels(batch: Any, rules: Any, states: Any, observations: Any) -> dict[str, Entry]:
    """Return the kernels that every game has, of its module `engine.batch`, given the types of its arrays."""
    return {
        'legal': Entry(batch.list_legal, (rules, states, LONGS, LONGS)),
        'illegal': Entry(batch.find_illegal, (rules, states, LONGS)),
        'play': Entry(batch.play_moves, (rules, states, LONGS)),
        'observe': Entry(batch.observe_games, (rules, states, LONGS, observations)),
        'unpack': Entry(batch.unpack_observations, (observations, BYTES)),
        'settle': Entry(batch.settle_games, (rules, states, TABLE)),
    }


def big2_port() -> Port:
    """Return Big 2: deals are masks of cards, and so are moves."""
    rules, states, observations = map(array_of, (BIG2_RULES, BIG2.state, BIG2.observation))
    kernels = {
        'shuffle': Entry(big2.shuffle_deals, (rules, STREAMS, TABLE)),
        'start': Entry(big2.start_games, (rules, states, TABLE)),
        **common_kernels(big2, rules, states, observations),
        'strength': Entry(strength, (record_of(BIG2_RULES), int64)),
        'penalty': Entry(penalty, (record_of(BIG2_RULES), int64, int64)),
        'sample': Entry(sample_determinizations, (rules, observations, STREAMS, WORLDS)),
        'write_hands': Entry(write_hands, (rules, observations, LONGS, TABLE, BYTES)),
        'draw_indices': Entry(draw_indices, (SCORES, STREAMS, TABLE)),
        'propose': Entry(propose, (rules, observations, STREAMS, WORLDS, WORLDS)),
        'accept': Entry(accept, (STREAMS, SCORES, WORLDS, SCORES, WORLDS)),
        'list_choices': Entry(
            list_choices_flat,
            (rules, observations, LONGS, TABLE, LONGS, LONGS, int64, states, observations, *[LONGS] * 5),
        ),
        'add_likelihoods': Entry(add_likelihoods, (FLOATS, LONGS, LONGS, LONGS, float64, DOUBLES)),
        'branch': Entry(branch, (rules, observations, LONGS, TABLE, states)),
        'advance': Entry(advance, (rules, states, LONGS, LONGS, observations, LONGS, LONGS, LONGS)),
        'rule': Entry(choose_by_plan, (rules, observations, LONGS, LONGS, LONGS)),
        'prove': Entry(prove_all, (rules, observations, LONGS, LONGS, states, LONGS)),
    }
    sizes = {'mostLegal': MOST_LEGAL, 'features': BIG2_FEATURES, 'stateFeatures': STATE_SIZE, 'ranks': RANKS}
    sizes['general'] = base64.b64encode(GENERAL.tobytes()).decode()
    data = describe(BIG2, BIG2_RULES, BIG2_PRESETS) | sizes | told_rules() | {'rules': big2_rules()}
    return kernels | BIG2_KERNELS, data


def catch5_port() -> Port:
    """Return Catch Five: deals are records, moves are action ids."""
    rules, states, deals = map(array_of, (CATCH5_RULES, CATCH5.state, CATCH5.deal))
    observations = array_of(CATCH5.observation)
    kernels = {
        'shuffle': Entry(catch5.shuffle_deals, (STREAMS, deals)),
        'start': Entry(catch5.start_games, (states, deals)),
        **common_kernels(catch5, rules, states, observations),
        'rule': Entry(choose_by_rules, (observations, LONGS, LONGS, LONGS)),
        'fold': Entry(fold_moves, (rules, observations, LONGS, LONGS, DOUBLES, LONGS)),
        'softmax': Entry(write_softmax, (array_of(np.float32, 2), LONGS, LONGS, DOUBLES)),
        'sample': Entry(sample_worlds, (rules, observations, STREAMS, states, TABLE)),
        'draw_indices': Entry(draw_indices, (SCORES, STREAMS, TABLE)),
        'list_choices': Entry(beliefs.list_choices, (rules, states, TABLE, observations, *[LONGS] * 4)),
        'add_likelihoods': Entry(beliefs.add_likelihoods, (DOUBLES, LONGS, LONGS, LONGS, DOUBLES)),
        'advance': Entry(rollouts.advance, (rules, states, LONGS, LONGS, observations, LONGS, LONGS)),
        'ends': Entry(write_ends, (states, int64, TABLE)),
    }
    sizes = {'mostLegal': CATCH5.max_legal, 'features': CATCH5_FEATURES, 'texts': TEXTS}
    data = describe(CATCH5, CATCH5_RULES, CATCH5_PRESETS) | sizes | {'rules': catch5_rules()}
    return kernels | CATCH5_KERNELS, data


PORTS = {'big2': big2_port, 'catch5': catch5_port}
