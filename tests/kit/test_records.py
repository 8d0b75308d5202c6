"""Records of every game: checks of input, round trips, and games resumed from any position."""

import json
import os
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlcard_kit.errors import ConfigError, RecordError
from rlcard_kit.records import MAX_LINE
from tests.support.damage import damaged
from tests.support.faults import fail_each
from tests.support.games import EACH_GAME, EACH_PRESET, make, random_states
from tests.support.helpers import digest, everything


def game_of(game, rules=None, seed=3):
    env = make(game, seed=seed, game_rules=rules or game.presets[0])
    for _ in random_states(env, np.random.default_rng(seed)):
        pass
    record = env.to_record()
    assert (record.trace, record.payoffs) == (env.action_recorder, tuple(env.get_payoffs()))
    return record


@pytest.fixture
def records(game):
    return game.module('records')


@pytest.fixture
def record(game):
    return game_of(game)


@EACH_PRESET
def test_games_are_written_appended_and_read_back(records, game, rules, tmp_path):
    file, games = tmp_path / 'games', [game_of(game, rules, seed) for seed in range(6)]
    records.write(file, games[0])
    records.write(file, [])
    records.write(str(file), [*games[1:], games[0].at(2)])
    assert records.read(str(file)) == [*games, games[0].at(2)]
    assert file.read_bytes().count(b'\n') == 7


@EACH_GAME
def test_a_truncated_file_gives_its_whole_lines_and_names_the_last(records, record, tmp_path):
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


@pytest.mark.attack('each call of the file system fails')
@EACH_GAME
def test_a_fault_of_any_call_loses_no_record(records, record, tmp_path, monkeypatch, record_property):
    file = tmp_path / 'games'
    records.write(file, record)
    failures = fail_each(monkeypatch, lambda: records.write(file, record), lambda: records.read(file))
    record_property('tries', failures)
    assert failures >= 3
    assert 2 <= len(records.read(file)) <= 2 + failures


@EACH_GAME
def test_a_bad_line_is_named_after_those_before_it(records, record, tmp_path, monkeypatch):
    file, data = tmp_path / 'games', records.to_dict(record)
    data['moves'][7] = data['moves'][0]
    records.write(file, record)
    with file.open('a') as lines:
        lines.write(f'\n{json.dumps(data)}\n')
    with pytest.raises(RecordError, match='games, line 3: move 8'):
        records.read(file)
    assert next(records.iterate(file)) == record
    monkeypatch.setattr(os, 'write', lambda descriptor, data: len(data) - 1)
    with pytest.raises(OSError, match='bytes'):
        records.write(file, record)


NOT_RECORDS = ['', '[]', '{"KEY": 1', '[' * 60_000, '{"KEY": 1, "KEY": 1}', '{"KEY": 1, "gap": NaN}']
NOT_RECORDS += ['{"KEY": 1, "gap": 1e999}', b'{"KEY": "\xff"}', ' ' * 70_000, 7, None, []]
WRONG = [
    ({'KEY': ...}, "'KEY'"), ({'KEY': 2}, 'format 2'), ({'KEY': True}, 'KEY is True'), ({'rules': ...}, "'rules'"),
    ({'rules': 'bridge'}, "'bridge'"), ({'rules': 'python:os:path'}, "'python:os:path'"), ({'rules': 7}, 'got 7'),
    ({'rules': {}}, 'is missing'), ({'moves': ...}, "'moves'"), ({'moves': ['pass'] * 501}, 'move'),
    ({'moves': []}, 'payoffs'), ({'payoffs': [0, 0, 0, 0]}, r'\[0, 0, 0, 0\]'),
    ({'payoffs': [1.5, 1, -1, -1]}, r'payoffs\[0\] is 1.5'), ({'seats': [{}]}, 'seats has 1'),
    ({'seats': [{}, {}, {}, 7]}, r'seats\[3\] is 7'),
    ({'seats': [{'name': 'x' * 201}, {}, {}, {}]}, r'seats\[0\].name has 201'), ({'id': 7}, 'id is 7'),
    ({'id': 'x' * 201}, 'id has 201'), ({'later': 'x' * 65_536}, 'bytes'), ({'later': '\ud800'}, 'JSON'),
    ({'later': {1, 2}}, 'JSON'),
]  # fmt: skip


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
    check_round_trip(game.module('records'), text)


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
            assert other.reset(position=position)[1] == env.get_player_id()
            for seat in range(env.num_players):
                assert digest(other.get_state(seat)) == digest(env.get_state(seat))
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
    position, env = record.at(9), make(game)
    forms = position, records.to_dict(position), records.to_json(position)
    states = [digest(env.reset(position=form)[0]) for form in forms]
    assert states[0] == states[1] == states[2]
    assert env.action_recorder == record.trace[:9]


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
