"""The commands `big2 replay`, `advise` and `score`, and mistakes in any command of the terminal."""

import json
import re
from dataclasses import replace
from io import StringIO

import pytest

from rlcard_big2 import records
from rlcard_big2.rules import Rules
from rlcard_play.big2.advice import LEVELS, make_advisor
from rlcard_play.big2.played import GAME
from rlcard_play.big2.review import open_position, review
from rlcard_play.cli import big2 as main
from tests.big2.records.test_records import BEFORE, POSITION, REMAINING
from tests.support.random_games import random_games

TYPED = {**POSITION, 'rules': 'charlesworth', 'hands': [None, None, REMAINING[2], None], 'view': 2, 'before': BEFORE}
HIDDEN = json.dumps({**POSITION, 'rules': 'charlesworth'})


@pytest.fixture
def file(tmp_path):
    """Write two games; return the file."""
    path = tmp_path / 'games.big2.jsonl'
    records.write(path, random_games(Rules(), 2))
    return path


@pytest.fixture
def big2(capsys):
    """Run a command; return its status, output and errors."""

    def run(*words):
        with pytest.raises(SystemExit) as end:
            main([*map(str, words)])
        out, error = capsys.readouterr()
        code = end.value.code
        return int(bool(code)), out, error + (code if isinstance(code, str) else '')

    return run


def hand_in(position):
    return open_position(position)['raw_obs']['current_hand']


def test_several_games_are_listed(big2, file):
    status, out, _ = big2('replay', file)
    assert status == 0
    for number, game in enumerate(records.read(file), 1):
        assert re.search(rf'#{number} charlesworth, .*{re.escape(f"{game.payoffs[0]:+d}")}', out)


@pytest.mark.parametrize('rules', ['two', pytest.param('hong-kong-3', marks=pytest.mark.slow)])
def test_a_replay_of_fewer_players_has_every_move_and_numbers(big2, tmp_path, rules):
    (game,) = random_games(Rules.preset(rules), 1)
    records.write(tmp_path / 'game.big2.jsonl', game)
    status, out, _ = big2('replay', tmp_path / 'game.big2.jsonl')
    assert status == 0
    assert re.findall(r'^ +\d+  (seat \d) ([^,\n]+)', out, re.MULTILINE) == [
        (f'seat {seat}', text) for seat, text in game.trace
    ]
    status, out, _ = big2('advise', tmp_path / 'game.big2.jsonl', '--ply', 3)
    assert status == 0
    assert 'best' in out
    assert '%' in out
    status, out, _ = big2('advise', tmp_path / 'game.big2.jsonl', '--ply', 3, '--deep', '--deals', 20)
    assert status == 0
    assert 'The hidden cards are dealt at random' in ' '.join(out.split())


def test_a_replay_has_every_move_and_its_value(big2, file):
    status, out, _ = big2('replay', file, '--game', 2)
    game = records.read(file)[1]
    moves = re.findall(r'^ +\d+  (seat \d) ([^,\n]+)', out, re.MULTILINE)
    assert status == 0
    assert moves == [(f'seat {seat}', text) for seat, text in game.trace]
    assert len(re.findall(r'\d+ % [+-]\d', out)) > 20


def test_a_replay_has_the_grades_that_rollouts_confirm(big2, file):
    game = records.read(file)[1]
    advisor = make_advisor('big2-dmc', Rules())
    marks = {one.ply + 1: one.chosen.mark for one in review(game, advisor) if one.chosen.mark}
    refuted = {ply + 1 for ply in GAME.refuted(advisor, game)}
    assert 0 < len(refuted) < len(marks)
    _, out, _ = big2('replay', file, '--game', 2, '--seconds', 3600)
    shown = {int(ply): mark for ply, mark in re.findall(r'^ +(\d+)  seat.*, (\w+)$', out, re.MULTILINE)}
    assert {ply: mark for ply, mark in shown.items() if mark in marks.values()} == {
        ply: mark for ply, mark in marks.items() if ply not in refuted
    }
    assert re.search(r'^ Rollouts confirm \d+ of \d+ grades and withdraw the others\.$', out, re.MULTILINE)
    listed = [int(ply) for ply in re.findall(r'^ move (\d+): ', out, re.MULTILINE)]
    assert len(listed) == 3
    assert refuted.isdisjoint(listed)
    _, out, _ = big2('replay', file, '--game', 2, '--seconds', 0)
    assert len(re.findall(', unchecked$', out, re.MULTILINE)) == len(marks)
    assert f'confirm 0 of 0 grades; {len(marks)} were not checked within 0 s' in ' '.join(out.split())
    assert 'Costliest' not in out


def test_a_position_comes_from_a_file_from_json_or_from_standard_input(big2, file, monkeypatch):
    position = records.read(file)[0].at(9)
    expected = big2('advise', file, '--game', 1, '--ply', 9)
    assert expected[0] == 0
    assert hand_in(position) in expected[1]
    text = records.to_json(position)
    assert big2('advise', text) == expected
    monkeypatch.setattr('sys.stdin', StringIO(text))
    assert big2('advise', '-') == expected


def test_a_typed_position(big2):
    status, out, _ = big2('advise', json.dumps(TYPED))
    assert status == 0
    assert 'single 9d by across (1 pass since)' in out
    assert 'trick 1\n' in out
    assert out.count(' % ') > 5


def test_rollouts_of_a_position(big2, file):
    status, out, _ = big2('advise', file, '--game', 1, '--ply', 14, '--deep', '--deals', 6)
    assert status == 0
    assert hand_in(records.read(file)[0].at(14)) in out
    assert re.search(r'#\d+ .+ +\d+ % [+-]\d+\.\d ± \d+\.\d\n', out)
    assert re.search(r'± \d+\.\d, \d+\.\d ± \d+\.\d less', out)
    assert '6 deals' in out


def test_rollouts_of_a_move_that_was_made(big2, file):
    status, out, _ = big2('replay', file, '--game', 1, '--deep', 10, '--deals', 1)
    text = records.read(file)[0].trace[9][1]
    assert status == 0
    assert re.search(rf'#\d+ {text} +\d+ % [+-]\d+\.\d ± unknown', out)


def test_scores(big2, file):
    seats = ({'name': 'Ann', 'kind': 'person'}, *({'name': 'greedy'},) * 3)
    games = records.read(file)
    records.write(file, [replace(game, seats=seats) for game in games])
    status, out, _ = big2('score', file)
    assert status == 0
    assert f'{sum(game.payoffs[0] > 0 for game in games)} of 2' in out
    assert out.count(' ± ') == 5
    assert re.search(r'\b2 records not counted', out)


@pytest.mark.parametrize(
    ('words', 'datum'),
    [
        ('advise FILE --game 3', 'game 3'),
        ('advise FILE --game 0', 'game 0'),
        ('advise FILE', '--game'),
        ('advise FILE --game 1', 'ply 0'),
        ('advise FILE --game 1 --ply 999', 'ply 999'),
        ('advise FILE --game 1 --ply 3 --agent rule', "'rule'"),
        ('advise FILE --game 1 --ply 3 --deep --deals -5', '--deals=-5'),
        ('replay FILE --game 1 --deep 0', 'move 0'),
        ('replay FILE --deep 3', '--game'),
        ('replay FILE --game 1 --deep 3 --deals 0', '--deals=0'),
        ('replay FILE --game 1 --seconds -1', '--seconds=-1'),
        ('replay EMPTY', 'EMPTY'),
        ('replay NOWHERE', 'NOWHERE'),
        ('advise HIDDEN', 'seat 2'),
        ('advise {"big2":2}', 'format 2'),
        ('puzzle --theme mate', "'mate'"),
        ('play --rules hongkong', "'hongkong'"),
        ('play --seats gredy --no-record', "'greedy'"),
        ('play --seats rule rule', '--seats has 2'),
        ('play --record /nowhere/games', '/nowhere/games'),
        ('play --seed -1', '--seed=-1'),
    ],
)
def test_mistakes_are_named_in_one_line(big2, file, monkeypatch, words, datum):
    monkeypatch.chdir(file.parent)
    (file.parent / 'EMPTY').write_text('')
    given = {'FILE': file.name, 'HIDDEN': HIDDEN}
    status, _, error = big2(*(given.get(word, word) for word in words.split()))
    assert status == 1
    assert '\n' not in error
    assert datum in error


def test_names_cannot_control_the_terminal(big2, tmp_path):
    file = tmp_path / 'names.big2.jsonl'
    seats = tuple({'name': f'A\x1b[2J\x9b{seat}'} for seat in range(4))
    records.write(file, replace(random_games(Rules(), 1)[0], seats=seats))
    for command, words in (('replay', ['--seconds', '0']), ('advise', ['--ply', '4'])):
        _, out, _ = big2(command, file, *words)
        assert 'A?[2J?' in out
        assert all(letter.isprintable() for letter in out.replace('\n', ''))


def test_levels_are_those_of_the_page():
    page = GAME.static / 'game.js'
    assert all(f"{level}: '{agent}'" in page.read_text() for level, agent in LEVELS.items())
