"""The JSON Schemas of records, and the examples of the page that documents them, against the readers."""

import json
import re
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from rlcard_big2 import Rules, records
from rlcard_big2.rules import PRESETS
from rlcard_kit.errors import RecordError
from tests.big2.records.test_records import GAME, OPENED, POSITION, WRONG, damaged_records
from tests.catch5.test_records import long_suit, make, played
from tests.support.games import BIG2, CATCH5, EACH_GAME
from tests.support.random_games import random_games

DOCS = Path(__file__).parents[2] / 'docs'
SCHEMAS = {
    game: json.loads((DOCS / name).read_text())
    for game, name in (('big2', 'records.schema.json'), ('catch5', 'catch5-records.schema.json'))
}
VALIDATORS = {game: Draft202012Validator(schema) for game, schema in SCHEMAS.items()}


@EACH_GAME
def test_the_schema_is_one_and_knows_all_rules(game):
    Draft202012Validator.check_schema(SCHEMAS[game.name])
    rules = SCHEMAS[game.name]['$defs']['rules']
    names = [field.name for field in fields(game.module('rules').Rules)]
    assert rules['required'] == list(rules['properties']) == names
    assert SCHEMAS[game.name]['properties']['rules']['oneOf'][0]['enum'] == list(game.presets)


def test_what_is_written_fits_the_schema():
    own = {**asdict(Rules(triples=False)), 'penalty_thresholds': [8]}
    games = [game for rules in PRESETS.values() for game in random_games(rules, 3)]
    for game in [*games, GAME.at(7).seen_by(2), *map(records.parse, (OPENED, POSITION, {**OPENED, 'rules': own}))]:
        VALIDATORS['big2'].validate(records.to_dict(game))


@pytest.mark.parametrize('rules', CATCH5.presets)
def test_what_is_written_of_catch5_fits_the_schema(rules):
    random, env = np.random.default_rng(5), make(game_rules=rules)
    for number in range(5):
        env.reset(deal=long_suit(random) if number % 2 else None)
        VALIDATORS['catch5'].validate(CATCH5.module('records').to_dict(played(env, random).to_record()))


@settings(max_examples=200, deadline=None)
@given(damaged_records())
def test_whatever_is_read_fits_the_schema(data):
    try:
        records.parse(data)
    except RecordError:
        return
    VALIDATORS['big2'].validate(data)


def test_the_schema_refuses_what_is_not_well_formed():
    wrong = [*WRONG, ({**OPENED, 'big2': 2}, 'format'), ({**OPENED, 'rules': 7}, 'rules')]
    validator = VALIDATORS['big2']
    refused = {named for record, named in wrong if isinstance(record, dict) and not validator.is_valid(record)}
    assert {'format', 'rules', '3 hands', r'moves\[1\] is 7', 'by is 4', '501 moves'} <= refused


@pytest.mark.parametrize(('game', 'part', 'count'), [(BIG2, 'before', 2), (CATCH5, 'deal', 1)], ids=['big2', 'catch5'])
def test_the_page_names_all_keys_and_its_examples_are_read(game, part, count):
    sections = (DOCS / 'records.md').read_text().partition('## Catch Five')
    page = sections[0 if game is BIG2 else 2]
    properties = SCHEMAS[game.name]['properties']
    for key in (*properties, *SCHEMAS[game.name]['$defs'][part]['properties']):
        assert f'`{key}`' in page
    keys, examples = [], re.findall(r'```json\n(.*?)```', page, re.DOTALL)
    if game is BIG2:
        keys, *examples = examples
        assert set(json.loads(keys)) <= set(properties)
    assert len(examples) == count
    for example in examples:
        game.module('records').parse(example)
