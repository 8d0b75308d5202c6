"""The commands `catch5 replay`, `advise` and `score`, and mistakes in any command."""

import re
from dataclasses import replace
from io import StringIO

import pytest
import rlcard

from rlcard_catch5 import records
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_play.catch5.advice import make_advisor, oddest, open_position, review
from rlcard_play.catch5.played import GAME
from rlcard_play.cli import catch5 as main


@pytest.fixture
def file(tmp_path):
    """Write three hands of the rule agent; return the file."""
    path = tmp_path / 'games.catch5.jsonl'
    env = rlcard.make('catch5', config={'seed': 1})
    env.set_agents([make_agent('rule')] * 4)
    for _ in range(3):
        env.run()
        records.write(path, env.to_record())
    return path


@pytest.fixture
def catch5(capsys):
    """Run a command; return its status, output and errors."""

    def run(*words):
        with pytest.raises(SystemExit) as end:
            main([*map(str, words)])
        out, error = capsys.readouterr()
        code = end.value.code
        return int(bool(code)), out, error + (code if isinstance(code, str) else '')

    return run


def test_several_hands_are_listed(catch5, file):
    status, out, _ = catch5('replay', file)
    assert status == 0
    for number, game in enumerate(records.read(file), 1):
        assert re.search(rf'#{number} paper, seat 0 {re.escape(f"{game.payoffs[0]:+d}")}', out)


def test_a_replay_has_every_move_and_its_value(catch5, file):
    status, out, _ = catch5('replay', file, '--game', 2)
    game = records.read(file)[1]
    moves = re.findall(r'^ +\d+  (seat \d) ([^,\n]+)', out, re.MULTILINE)
    names = {'trump C': 'clubs', 'trump D': 'diamonds', 'trump H': 'hearts', 'trump S': 'spades'}
    assert status == 0
    assert moves == [(f'seat {seat}', names.get(text, text)) for seat, text in game.trace]
    assert len(re.findall(r'\d+ %, ahead [+-]\d', out)) > 10


def test_a_replay_has_the_odd_moves_that_rollouts_confirm(catch5, file):
    game, advisor = records.read(file)[2], make_advisor('catch5-ppo', Rules())
    odd, refuted = oddest(review(game, advisor), None), GAME.refuted(advisor, game)
    confirmed = [one.ply + 1 for one in odd if one.ply not in refuted]
    assert refuted
    assert confirmed
    _, out, _ = catch5('replay', file, '--game', 3, '--seconds', 3600)
    assert f' Rollouts confirm {len(confirmed)} of {len(odd)} odd moves and withdraw the others.' in out
    assert [int(ply) for ply in re.findall(r'^ move (\d+): ', out, re.MULTILINE)] == confirmed[:3]
    _, out, _ = catch5('replay', file, '--game', 3, '--seconds', 0)
    assert f'confirm 0 of 0 odd moves; {len(odd)} were not checked within 0 s' in out
    assert 'would hardly make' not in out


def test_scores(catch5, file):
    seats = ({'name': 'Ann', 'kind': 'person'}, *({'name': 'rule', 'kind': 'agent'},) * 3)
    games = records.read(file)
    records.write(file, [replace(game, seats=seats) for game in games])
    status, out, _ = catch5('score', file)
    assert status == 0
    assert 'with rule against rule and rule, without help' in out
    mean = sum(game.payoffs[0] - game.payoffs[1] for game in games) / 3
    assert f'points ahead per hand: {mean:+.2f} ± unknown' in out
    assert re.search(r'\b3 records not counted', out)


@pytest.mark.parametrize('ply', [2, 4, 12])
def test_a_position_comes_from_a_file_from_json_or_from_standard_input(catch5, file, monkeypatch, ply):
    position = records.read(file)[0].at(ply)
    expected = catch5('advise', file, '--game', 1, '--ply', ply)
    assert expected[0] == 0
    seen = open_position(position)['raw_obs']
    assert sorted(re.search(r'Your hand: (.*)', expected[1])[1].split()) == sorted(seen['current_hand'].split())
    assert expected[1].count(' %') == len(seen['actions'])
    text = records.to_json(position)
    assert catch5('advise', text) == expected
    monkeypatch.setattr('sys.stdin', StringIO(text))
    assert catch5('advise', '-') == expected


def test_rollouts_of_a_position(catch5, file):
    status, out, _ = catch5('advise', file, '--game', 1, '--ply', 5, '--deep')
    assert status == 0
    assert len(re.findall(r'^ #\d \w+ +[+-]\d+\.\d ± \d\.\d  bid made \d+ %', out, re.MULTILINE)) == 6


@pytest.mark.parametrize(
    ('words', 'datum'),
    [
        ('advise FILE', '--game'),
        ('advise FILE --game 1', 'ply 0'),
        ('advise FILE --game 1 --ply 999', 'ply 999'),
        ('advise FILE --game 1 --ply 3 --agent rule', "'rule'"),
        ('replay NOWHERE', 'NOWHERE'),
        ('advise {"catch5":2}', 'format 2'),
        ('replay FILE --game 1 --seconds 9999', '--seconds=9999'),
        ('play --rules papr', "'papr'"),
        ('play --partner rul --no-record', "'rule'"),
        ('play --opponents rule rule rule', '--opponents has 3'),
        ('play --record /nowhere/games', '/nowhere/games'),
        ('play --target 0', '--target=0'),
        ('agent rul', "'rule'"),
    ],
)
def test_mistakes_are_named_in_one_line(catch5, file, monkeypatch, words, datum):
    monkeypatch.chdir(file.parent)
    status, _, error = catch5(*({'FILE': file.name}.get(word, word) for word in words.split()))
    assert status == 1
    assert '\n' not in error
    assert datum in error


def test_names_cannot_control_the_terminal(catch5, file):
    seats = tuple({'name': f'A\x1b[2J\x9b{seat}'} for seat in range(4))
    records.write(file, replace(records.read(file)[0], seats=seats))
    for command in ('replay', 'advise'):
        _, out, _ = catch5(command, file, '--game', '4', *(['--ply', '4'] if command == 'advise' else []))
        assert 'A?[2J?' in out
        assert all(letter.isprintable() for letter in out.replace('\n', ''))
