"""Records of every game: what is read is checked, what is written is read back, and games go on from any position."""

import json
import os
from dataclasses import asdict, replace
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlcard_kit.errors import ConfigError, RecordError
from rlcard_kit.records import MAX_LINE
from tests.support.damage import damaged
from tests.support.games import BIG2, CATCH5, EACH_GAME, EACH_PRESET, make, random_states
from tests.support.helpers import digest, everything

RECORDS = {game.name: import_module(f'{game.package}.records') for game in (BIG2, CATCH5)}


def game_of(game, rules=None, seed=3):
    """Return the record of a random game."""
    env = make(game, seed=seed, game_rules=rules or game.presets[0])
    for _ in random_states(env, np.random.default_rng(seed)):
        pass
    record = env.to_record()
    assert (record.trace, record.payoffs) == (env.action_recorder, tuple(env.get_payoffs()))
    return record


@pytest.fixture
def records(game):
    return RECORDS[game.name]


@pytest.fixture
def record(game):
    return game_of(game)


@EACH_PRESET
def test_games_are_written_appended_and_read_back(records, game, rules, tmp_path):
    file, games = tmp_path / 'games', [game_of(game, rules, seed) for seed in range(6)]
    records.write(file, games[0])
    records.write(file, [])
    records.write(str(file), [*games[1:], games[0].at(4)])
    assert records.read(str(file)) == [*games, games[0].at(4)]
    assert file.read_bytes().count(b'\n') == 7


@EACH_GAME
def test_every_truncation_of_a_file(records, record, tmp_path):
    """A file that is cut off anywhere gives its whole lines, and then names the line that is not."""
    file = tmp_path / 'games'
    games = [record.at(9), replace(record.at(3), extra={'note': '鋤大弟'})]
    lines = [records.to_json(game).encode() + b'\n' for game in games]
    whole = b''.join(lines)
    for size in range(len(whole) + 1):
        file.write_bytes(whole[:size])
        kept, error = [], None
        try:
            kept.extend(records.iterate(file))
        except RecordError as raised:
            error = str(raised)
        done, rest = whole[:size].count(b'\n'), whole[:size].rpartition(b'\n')[2]
        assert kept[:done] == games[:done]
        if error is None:
            assert rest in (b'', lines[min(done, 1)][:-1])
            assert kept == games[: done + bool(rest)]
        else:
            assert f'{file}, line {done + 1}: ' in error
            assert 'cut off' in error


@EACH_GAME
def test_after_a_line_that_was_cut_off_a_new_one_is_begun(records, record, tmp_path):
    file = tmp_path / 'games'
    records.write(file, record)
    file.write_bytes(file.read_bytes()[:-20])
    records.write(file, record)
    with pytest.raises(RecordError, match='games, line 1: '):
        records.read(file)
    assert records.parse(file.read_bytes().splitlines()[1]) == record


@EACH_GAME
def test_a_write_that_falls_short_is_reported(records, record, tmp_path, monkeypatch):
    monkeypatch.setattr(os, 'write', lambda descriptor, data: len(data) - 1)
    with pytest.raises(OSError, match='bytes'):
        records.write(tmp_path / 'games', record)


@EACH_GAME
def test_a_bad_line_is_named_after_those_before_it(records, record, tmp_path):
    file, data = tmp_path / 'games', records.to_dict(record)
    data['moves'][7] = data['moves'][0]
    records.write(file, record)
    with file.open('a') as lines:
        lines.write(f'\n{json.dumps(data)}\n')
    with pytest.raises(RecordError, match='games, line 3: move 8'):
        records.read(file)
    assert next(records.iterate(file)) == record


NOT_RECORDS = ['', '[]', '{"KEY": 1', '[' * 60_000, '{"KEY": 1, "KEY": 1}', '{"KEY": 1, "gap": NaN}']
NOT_RECORDS += ['{"KEY": 1, "gap": 1e999}', b'{"KEY": "\xff"}', ' ' * 70_000, 7, None, []]
WRONG = [
    ({'KEY': ...}, "'KEY'"),
    ({'KEY': 2}, 'format 2'),
    ({'KEY': True}, 'KEY is True'),
    ({'rules': ...}, "'rules'"),
    ({'rules': 'bridge'}, "'bridge'"),
    ({'rules': 'python:os:path'}, "'python:os:path'"),
    ({'rules': 7}, 'got 7'),
    ({'rules': {}}, 'is missing'),
    ({'moves': ...}, "'moves'"),
    ({'moves': ['pass'] * 501}, 'move'),
    ({'payoffs': [0, 0, 0, 0]}, r'\[0, 0, 0, 0\]'),
    ({'payoffs': [1.5, 1, -1, -1]}, r'payoffs\[0\] is 1.5'),
    ({'moves': []}, 'payoffs'),
    ({'seats': [{}]}, 'seats has 1'),
    ({'seats': [{}, {}, {}, 7]}, r'seats\[3\] is 7'),
    ({'seats': [{'name': 'x' * 201}, {}, {}, {}]}, r'seats\[0\].name has 201'),
    ({'id': 7}, 'id is 7'),
    ({'id': 'x' * 201}, 'id has 201'),
    ({'later': 'x' * 65_536}, 'bytes'),
    ({'later': '\ud800'}, 'JSON'),
    ({'later': {1, 2}}, 'JSON'),
]


@EACH_GAME
def test_what_is_no_record_is_refused(records, record, game):
    for text in NOT_RECORDS:
        with pytest.raises(RecordError):
            records.parse(text.replace('KEY', game.name) if isinstance(text, str) else text)
    for changes, named in WRONG:
        data = records.to_dict(record) | {key.replace('KEY', game.name): value for key, value in changes.items()}
        with pytest.raises(RecordError, match=named.replace('KEY', game.name)):
            records.parse({key: value for key, value in data.items() if value is not ...})
    with pytest.raises(RecordError, match='999'):
        record.at(999)


@EACH_GAME
def test_own_rules_and_unknown_keys_are_kept(records, record, game):
    own = replace(record.rules, **game.own_rules)
    assert records.to_dict(record)['rules'] == game.presets[0]
    data = {**records.to_dict(game_of(game, own)), 'later': {'a': [1, None]}, 'seats': [{'mood': 0.5}, {}, {}, {}]}
    assert data['rules'] == json.loads(json.dumps(asdict(own)))
    read = records.parse(data)
    assert (read.rules, read.extra) == (own, {'later': {'a': [1, None]}})
    assert json.loads(records.to_json(read)) == data
    data['moves'].clear()
    assert records.to_dict(read)['moves']


def check_round_trip(records, text):
    """Parse; what parses round-trips, and can be written."""
    try:
        record = records.parse(text)
    except RecordError:
        return
    line = records.to_json(record)
    assert records.parse(line) == record
    assert records.to_json(records.parse(line)) == line
    assert len(line.encode()) <= MAX_LINE


@EACH_GAME
def test_no_damaged_line_crashes_the_reader(records, record):
    for one in (record, record.at(3)):
        for _, line in damaged(records.to_json(one).encode(), seed=1, flips=200):
            check_round_trip(records, line)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@EACH_GAME
@settings(max_examples=300, deadline=None)
@given(text=st.text() | st.binary() | VALUES.map(json.dumps))
def test_no_text_crashes_the_reader(game, text):
    check_round_trip(RECORDS[game.name], text)


# Positions


@EACH_PRESET
def test_a_game_goes_on_from_any_ply_as_it_did(records, game, rules):
    record = game_of(game, rules)
    env, other = make(game, game_rules=rules), make(game, game_rules=rules, allow_step_back=True)
    env.reset(position=record.at(0))
    for ply in range(len(record.moves) + 1):
        if ply % 5 == 0 or ply == len(record.moves):
            position = record.at(ply)
            assert records.parse(records.to_json(position)) == position
            state, player = other.reset(position=position)
            assert player == env.get_player_id()
            assert digest(state) == digest(env.get_state(player))
            assert [digest(other.get_state(seat)) for seat in range(4)] == [
                digest(env.get_state(seat)) for seat in range(4)
            ]
            assert other.get_payoffs().tolist() == env.get_payoffs().tolist()
            assert other.to_record() == env.to_record()
            for _, text in record.trace[ply:]:
                other.step(text, raw_action=True)
            assert other.to_record() == record
            assert sum(1 for _ in iter(other.step_back, False)) == len(record.moves)
        if ply < len(record.moves):
            env.step(record.trace[ply][1], raw_action=True)
    assert str(record) == str(env)


@EACH_GAME
def test_a_position_is_given_as_a_record_a_mapping_or_text(records, record, game):
    position, results = record.at(9), []
    for form in (position, records.to_dict(position), records.to_json(position)):
        env = make(game)
        results.append(digest(env.reset(position=form)[0]))
        assert env.action_recorder == record.trace[:9]
    assert results[0] == results[1] == results[2]


@EACH_GAME
def test_a_bad_position_is_named_and_changes_nothing(record, game):
    env = make(game, seed=1)
    with pytest.raises(RecordError):
        env.to_record()
    env.reset()
    before = everything(env)
    for arguments, error, named in (
        ({**game.deal, 'position': record}, ConfigError, 'not both'),
        ({'position': game_of(game, game.presets[1])}, RecordError, f'{game.presets[1]}.*{game.presets[0]}'),
        ({'position': '{}'}, RecordError, f"'{game.name}'"),
    ):
        with pytest.raises(error, match=named):
            env.reset(**arguments)
    assert everything(env) == before
