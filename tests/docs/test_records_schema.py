"""The JSON Schema of records, and the examples of the page that documents them, against the reader."""

import json
import re
from dataclasses import asdict, fields
from pathlib import Path

from hypothesis import given, settings
from jsonschema import Draft202012Validator

from rlcard_big2 import Rules, records
from rlcard_big2.rules import PRESETS
from rlcard_kit.errors import RecordError
from tests.big2.records.test_records import GAME, OPENED, POSITION, WRONG, damaged_records
from tests.support.random_games import games_of_all_presets

DOCS = Path(__file__).parents[2] / 'docs'
SCHEMA = json.loads((DOCS / 'records.schema.json').read_text())
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_schema_is_one_and_knows_all_rules():
    Draft202012Validator.check_schema(SCHEMA)
    rules = SCHEMA['$defs']['rules']
    assert list(rules['properties']) == [field.name for field in fields(Rules)]
    assert rules['required'] == list(rules['properties'])
    assert SCHEMA['properties']['rules']['oneOf'][0]['enum'] == list(PRESETS)


def test_what_is_written_fits_the_schema():
    own = {**asdict(Rules(triples=False)), 'penalty_thresholds': [8]}
    games = [*games_of_all_presets(40), GAME.at(7).seen_by(2), *map(records.parse, (OPENED, POSITION))]
    for game in [*games, records.parse({**OPENED, 'rules': own})]:
        VALIDATOR.validate(records.to_dict(game))


@settings(max_examples=200, deadline=None)
@given(damaged_records())
def test_whatever_is_read_fits_the_schema(data):
    try:
        records.parse(data)
    except RecordError:
        return
    VALIDATOR.validate(data)


def test_the_schema_refuses_what_is_not_well_formed():
    wrong = [*WRONG, ({**OPENED, 'big2': 2}, 'format'), ({**OPENED, 'rules': 7}, 'rules')]
    refused = {named for record, named in wrong if isinstance(record, dict) and not VALIDATOR.is_valid(record)}
    assert {'format', 'rules', '3 hands', r'moves\[1\] is 7', 'by is 4', '501 moves'} <= refused


def test_the_examples_of_the_page_are_read():
    page = (DOCS / 'records.md').read_text().partition('## Catch Five')[0]
    examples = re.findall(r'```json\n(.*?)```', page, re.DOTALL)
    assert len(examples) == 3
    for example in examples[1:]:
        records.parse(example)
    keys = json.loads(examples[0])
    assert set(keys) <= set(SCHEMA['properties'])
    for key in (*SCHEMA['properties'], *SCHEMA['$defs']['before']['properties']):
        assert f'`{key}`' in page
