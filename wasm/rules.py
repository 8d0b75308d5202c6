"""Rules as data for JavaScript: values of fields, contradictions between fields, and parts of the table of rules.

Each part of a table depends on a few fields, so all its values are listed by the values of those fields.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

import rlcard_big2.rules as big2
import rlcard_catch5.rules as catch5
from rlcard_big2.engine.ruleset import NEVER, values_by_field
from rlcard_big2.engine.ruleset import tabulate as tabulate_big2
from rlcard_big2.engine.state import HAND_SIZE
from rlcard_big2.nets.rule_features import FACE_VALUES, TOLD
from rlcard_catch5.engine.ruleset import tabulate as tabulate_catch5
from rlcard_kit.bounds import Bound
from rlcard_kit.errors import RulesError
from rlcard_kit.rules import Rulebook, types_of


class Part(NamedTuple):
    """Fields that determine a part of the table, or may contradict each other."""

    fields: Sequence[str]
    others: Mapping[str, Any] = {}  # values of other fields that allow all values of these


FIVES = Part(('four_kickers', 'mixed_kinds', 'bombs', 'four_highest'))
BONUSES = Part(('unplayed_bombs', 'final_play', 'separate_bonuses'))
TWOS = Part(('unplayed_twos', 'twos_once'))
PAIRED = {'players': 2, 'hand_size': 1}  # with which packs of all sizes go
BIG2_PARTS = {
    'straight_order': Part(('straights',)),
    'suited_order': Part(('straights', 'royal_flush')),
    'straight_tops': Part(('straights', 'low_twos')),
    'answers': Part((*FIVES.fields, 'triples', 'four_card_hands', 'flushes')),
    'unplayed_twos': TWOS,
    'unplayed_bombs': BONUSES,
    'final_play': BONUSES,
    'hand_size': Part(('hand_size',), {'players': 2}),
    'pack': Part(('ranks',), PAIRED),
    'opening': Part(('opening', 'leads')),
    'leader': Part(('leads',)),
    'to_opener': Part(('leftover',), {'players': 3, 'hand_size': 17}),
}
BIG2_ALIKE = (
    'flush_order', 'last_card', 'instant_wins', 'settlement', 'final_pass', 'no_lone_two', 'added_factors',
    'face_values', 'players', 'places',
)  # fmt: skip
BIG2_TOGETHER = (
    Part(('players', 'hand_size', 'ranks', 'leftover')),
    Part(('players', 'leads')),
    Part(('hand_size', 'ranks', 'instant_wins'), {'players': 2}),
    FIVES,
    Part(('straights', 'low_twos')),
    Part(('last_card', 'final_pass')),
    TWOS,
    BONUSES,
    *(Part((name, 'places')) for name in big2.PRICED if name != 'penalty_thresholds'),
)
CATCH5_PARTS = {
    'least_bid': Part(('least_bid',)),
    'dealer_last': Part(('dealer_served',)),
    'excess_dead': Part(('excess',)),
    'may_trump': Part(('following',)),
    'last_judges': Part(('judging',)),
    'low_dealt': Part(('low',)),
}
CATCH5_ALIKE = 'bidding', 'nine_doubled'
CATCH5_TOGETHER = Part(('bidding', 'least_bid')), Part(('target', 'bidder_first'))


def big2_rules() -> dict[str, Any]:
    """Return the rules of Big 2 as data; the thresholds of penalties are up to three ascending numbers."""
    parts = BIG2_PARTS | {name: Part((name,)) for name in BIG2_ALIKE}
    rising = {'part': 'thresholds', 'count': 3, 'most': big2.MOST_CARDS, 'other': NEVER, 'without': 'places'}
    ascending = {'penalty_thresholds': rising}
    return describe_rules(big2.Rules, tabulate_big2, parts, BIG2_TOGETHER) | {
        'ascending': ascending,
        'numbered': [
            (name, len(values) if name in ascending else list(values)) for name, values in values_by_field().items()
        ],
    }


def told_rules() -> dict[str, Any]:
    """Return what a network that is told the rules of Big 2 is given, for `ruleInputs` and `stakeOf`."""
    told = [(name, size, list(values_by_field()[name])) for name, size in TOLD.items()]
    return {'told': told, 'counted': HAND_SIZE, 'faceValue': float(np.mean(FACE_VALUES))}


def catch5_rules() -> dict[str, Any]:
    """Return the rules of Catch Five as data."""
    parts = CATCH5_PARTS | {name: Part((name,)) for name in CATCH5_ALIKE}
    return describe_rules(catch5.Rules, tabulate_catch5, parts, CATCH5_TOGETHER) | {'ascending': {}, 'numbered': []}


def describe_rules(
    kind: type[Rulebook], tabulate: Callable[[Any], Any], parts: Mapping[str, Part], together: Iterable[Part]
) -> dict[str, Any]:
    """Return what JavaScript needs to check rules and to write their table; see `Game.rules` in `engine.js`.

    Args:
        kind: of the rules.
        tabulate: writes the table, [1].
        parts: of the table, by the name of its field.
        together: fields that may contradict each other.
    """
    hints = get_type_hints(kind, include_extras=True)
    values = {name: list(_values(hints[name])) for name in types_of(kind)}
    return {
        'values': values,
        'parts': {
            name: [
                part.fields,
                {key: tabulate(own)[name][0].tolist() for key, own in _rules_of(kind, values, part) if own},
            ]
            for name, part in parts.items()
        },
        'together': [[part.fields, _contradictions(kind, values, part)] for part in together],
    }


def _values(hint: Any) -> Iterable[Any]:
    """Return all values of a field; none if they cannot be listed."""
    if get_origin(hint) is Annotated:
        least, most = (bound.limit for bound in get_args(hint)[1:] if isinstance(bound, Bound))
        return range(int(least), int(most) + 1)
    if get_origin(hint) is Literal:
        return get_args(hint)
    return (False, True) if hint is bool else ()


def _contradictions(kind: Any, values: Mapping[str, Sequence[Any]], part: Part) -> dict[str, list[str]]:
    """Return the valid combinations of values of some fields, or the invalid ones if these are fewer."""
    found: dict[str, list[str]] = {'valid': [], 'invalid': []}
    for key, rules in _rules_of(kind, values, part):
        found['valid' if rules else 'invalid'].append(key)
    shorter = min(found, key=lambda name: len(found[name]))
    return {shorter: found[shorter]}


def _rules_of(kind: Any, values: Mapping[str, Sequence[Any]], part: Part) -> Iterable[tuple[str, Any]]:
    """Yield each combination of the values of some fields as a key, and rules with it, or None if there are none."""
    for combination in product(*(values[name] for name in part.fields)):
        key = json.dumps(combination, separators=(',', ':'))
        try:
            yield key, kind(**{**part.others, **dict(zip(part.fields, combination, strict=True))})
        except RulesError:
            yield key, None
