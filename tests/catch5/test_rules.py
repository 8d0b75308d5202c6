"""The rules of Catch Five as settings."""

import json
from dataclasses import fields, replace
from typing import get_args, get_origin, get_type_hints

import pytest
import rlcard

import rlcard_catch5
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.rules import MEANINGS, PRESETS, Rules, find_rules
from rlcard_kit.errors import ConfigError, RulesError

OWN = Rules(least_bid=4, low='dealt', target=25)


def test_presets_are_what_was_published():
    assert find_rules('paper') == Rules()
    assert PRESETS['march'] == Rules(judging='last', nine_doubled=True)
    assert PRESETS['newest'] == Rules(bidding='free')
    assert (PRESETS['table'].target, PRESETS['table'].bidder_first) == (31, True)
    assert [rules.name for rules in PRESETS.values()] == list(PRESETS)


def test_every_word_has_a_meaning():
    words = {name: get_args(kind) for name, kind in get_type_hints(Rules).items() if get_origin(kind) is not None}
    assert {name: set(meanings) for name, meanings in MEANINGS.items()} == {
        name: set(found) for name, found in words.items() if name != 'WORDS'
    }


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
        ({'least_bid': 2}, 'least_bid=2'),
        ({'least_bid': True}, 'least_bid=True: expected a whole number'),
        ({'target': -1}, 'target=-1'),
        ({'nine_doubled': 1}, 'nine_doubled=1'),
        ({'bidding': 'free', 'least_bid': 5}, "least_bid=5 contradicts bidding='free'"),
        ({'bidder_first': True}, 'bidder_first=True needs a target'),
    ],
)
def test_what_cannot_be_is_refused(changes, message):
    with pytest.raises(RulesError, match=message):
        Rules(**changes)


def test_rules_by_name(tmp_path, monkeypatch):
    file = tmp_path / 'own.json'
    file.write_text(json.dumps(OWN.to_json()))
    (tmp_path / 'house_rules_of_catch5.py').write_text(
        'import rlcard_catch5, rlcard_big2\n'
        "OWN = rlcard_catch5.Rules(least_bid=4, low='dealt', target=25)\nBIG2 = rlcard_big2.Rules()\n"
    )
    monkeypatch.chdir(tmp_path)
    for text in (str(file), OWN.text, OWN, 'python:house_rules_of_catch5:OWN'):
        assert find_rules(text) == OWN
        assert rlcard_catch5.VectorEnv(2, text, seed=0).rules == OWN
        assert rlcard.make('catch5', config={'game_rules': text}).game.rules == OWN
    with pytest.raises(RulesError, match=r'expected a rlcard_catch5.Rules'):
        find_rules('python:house_rules_of_catch5:BIG2')


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('pitch', "no preset 'pitch': choose one of paper, march, newest, table, a file such as rules.json"),
        ('{"bidding": "raise"}', 'least_bid is missing'),
        ('missing.json', 'missing.json cannot be read'),
    ],
)
def test_what_names_no_rules_is_refused(text, message):
    with pytest.raises(RulesError, match=message):
        find_rules(text)
    with pytest.raises(ConfigError, match=r"game_rules=7: give a preset's name or a rlcard_catch5\.Rules"):
        rlcard.make('catch5', config={'game_rules': 7})


def test_rules_have_a_title():
    assert OWN.title == "paper with least_bid=4, low='dealt', target=25"
    assert Rules().text == 'paper'
