"""The rules of Catch Five as settings."""

from dataclasses import fields, replace
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.rules import MEANINGS, Rules
from rlcard_kit.errors import RulesError


def test_every_word_has_a_meaning():
    words = {name: set(get_args(kind)) for name, kind in get_type_hints(Rules).items() if get_origin(kind) is Literal}
    assert {name: set(meanings) for name, meanings in MEANINGS.items()} == words


def test_every_field_but_the_matches_reaches_the_kernels():
    changes = {
        'bidding': 'match', 'least_bid': 4, 'dealer_served': 'last', 'excess': 'dead', 'following': 'trump',
        'judging': 'last', 'low': 'dealt', 'nine_doubled': True,
    }  # fmt: skip
    tables = {tabulate(replace(Rules(), **{name: value})).tobytes() for name, value in changes.items()}
    assert len(tables | {tabulate(Rules()).tobytes()}) == len(changes) + 1
    assert {field.name for field in fields(Rules)} - set(changes) == {'target', 'bidder_first'}


@pytest.mark.parametrize(
    ('changes', 'message'),
    [
        ({'bidding': 'high'}, "bidding='high': choose one of 'match' .the dealer may take"),
        ({'bidding': 'free', 'least_bid': 5}, "least_bid=5 contradicts bidding='free'"),
        ({'bidder_first': True}, 'bidder_first=True needs a target'),
    ],
)
def test_what_cannot_be_is_refused(changes, message):
    with pytest.raises(RulesError, match=message):
        Rules(**changes)
