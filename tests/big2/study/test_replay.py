"""The commands that look at records: `big2 replay` and `big2 advise`."""

import json
import re
from dataclasses import replace
from io import StringIO

import pytest
import rlcard

import rlcard_big2  # noqa: F401  # registers 'big2'
from rlcard_big2 import records
from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.cli import main
from rlcard_big2.rules import Rules
from rlcard_big2.study.advice import make_advisor
from rlcard_big2.study.review import dearest, decisions

TYPED = {
    'big2': 1,
    'rules': 'charlesworth',
    'hands': [None, None, '3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah 2h', None],
    'view': 2,
    'moves': None,
    'before': {'played': ['3d 9d', '7c', '', '8s'], 'left': [11, 12, 13, 12], 'table': '9d', 'by': 0, 'passes': 1},
}


def random_game(seed):
    env = rlcard.make('big2', config={'seed': seed})
    env.set_agents([RandomAgent(seed) for _ in range(4)])
    env.run()
    return env.to_record()


@pytest.fixture
def file(tmp_path):
    """Write two games; return the file."""
    path = tmp_path / 'games.big2.jsonl'
    records.write(path, [random_game(1), random_game(2)])
    return path


@pytest.fixture
def big2(capsys):
    """Return a function that runs a command and returns its status, its output and its errors."""

    def run(*words):
        with pytest.raises(SystemExit) as end:
            main([*map(str, words)])
        out, error = capsys.readouterr()
        return (0, out, error) if end.value.code in (0, None) else (1, out, error + str(end.value.code))

    return run


def test_several_games_are_listed(big2, file):
    status, out, _ = big2('replay', file)
    assert status == 0
    for number, game in enumerate(records.read(file), 1):
        assert f' #{number} charlesworth, seat 0 {game.payoffs[0]:+d},' in out


def test_a_replay_has_every_move_and_what_it_was_worth(big2, file):
    status, out, _ = big2('replay', file, '--game', 2)
    game = records.read(file)[1]
    moves = re.findall(r'^ +\d+  (seat \d) ([^,\n]+)', out, re.MULTILINE)
    assert status == 0
    assert moves == [(f'seat {seat}', text) for seat, text in game.trace]
    assert len(re.findall(r'\d+ % [+-]\d', out)) > 20
    assert 'The dearest choices:' in out
    assert ' payoffs: ' in out


def test_the_dearest_choices_come_first_and_can_be_told_from_noise():
    game, advisor = random_game(3), make_advisor('big2-dmc', Rules())
    judged = list(decisions(game, advisor))
    worst = dearest(judged)
    assert len(worst) == 3
    assert [one.chosen.lost for one in worst] == sorted((one.chosen.lost for one in judged), reverse=True)[:3]
    assert all(one.chosen.gap >= 1.5 for one in worst)
    assert dearest([one for one in judged if one.chosen.gap < 1.5]) == []
    for one in judged:
        seat, text = game.trace[one.ply]
        assert seat == one.seat
        assert text in (one.chosen.move, *one.chosen.alike)


def test_only_seats_with_known_hands_are_judged():
    game = random_game(4).at(20).seen_by(2)
    judged = list(decisions(game, make_advisor('big2-dmc', Rules())))
    assert {one.seat for one in judged} == {2}


def test_a_position_is_advised_on_from_a_file_from_json_and_from_standard_input(big2, file, monkeypatch):
    position = records.read(file)[0].at(9)
    expected = big2('advise', file, '--game', 1, '--ply', 9)
    assert expected[0] == 0
    assert f'Your hand: {hand_in(position)}' in expected[1]
    text = records.to_json(position)
    assert big2('advise', text) == expected
    monkeypatch.setattr('sys.stdin', StringIO(text))
    assert big2('advise', '-') == expected


def hand_in(position):
    env = rlcard.make('big2', config={'seed': 0})
    return env.reset(position=position)[0]['raw_obs']['current_hand']


def test_a_position_that_a_person_typed_is_advised_on(big2):
    status, out, _ = big2('advise', json.dumps(TYPED))
    assert status == 0
    assert 'To beat: single 9d by across (1 pass since)' in out
    assert 'The moves before this position are unknown, so big2-dmc was given none.' in out
    assert 'trick 1\n' in out
    assert out.count(' % ') > 5


def test_a_position_is_played_on(big2, file):
    status, out, _ = big2('advise', file, '--game', 1, '--ply', 14, '--deep', '--deals', 6)
    assert status == 0
    assert f'Your hand: {hand_in(records.read(file)[0].at(14))}' in out
    assert re.search(r'#\d+ .+ +\d+ % [+-]\d+\.\d ± \d+\.\d\n', out)
    assert re.search(r'± \d+\.\d, \d+\.\d ± \d+\.\d less', out)
    told = ' '.join(out.split())
    assert 'Played on in 6 deals' in told
    assert 'The hidden cards are guessed from the play, as if everybody played like the network.' in told
    assert big2('advise', file, '--game', 1, '--ply', 14, '--deep', '--deals', 6)[1] == out


def test_a_move_of_a_game_is_looked_at_beside_the_best_ones(big2, file):
    status, out, _ = big2('replay', file, '--game', 1, '--deep', 10, '--deals', 1)
    text = records.read(file)[0].trace[9][1]
    assert status == 0
    assert f' Move 10 was {text}' in out
    assert re.search(rf'#\d+ {text} +\d+ % [+-]\d+\.\d ± unknown', out)


@pytest.mark.parametrize(
    ('change', 'message'),
    [
        ({'hands': [None] * 4, 'view': None}, 'seat 2 is to move, and its hand is unknown'),
        ({'big2': 2}, 'big2'),
        ({'rules': 'none'}, 'none'),
        ({'moves': ['3d']}, 'move 1'),
    ],
)
def test_bad_positions_are_refused_in_a_line(big2, change, message):
    changed = {key: value for key, value in (TYPED | change).items() if key == 'moves' or value is not None}
    status, out, error = big2('advise', json.dumps(changed))
    assert (status, out) == (1, '')
    assert error.startswith('big2 advise: ')
    assert message in error
    assert '\n' not in error.strip()


@pytest.mark.parametrize(
    ('words', 'message'),
    [
        (['--game', '3'], 'there is no game 3: the numbers go from 1 to 2'),
        (['--game', '0'], 'there is no game 0'),
        ([], 'there are 2 games: choose one of them with --game'),
        (['--game', '1'], 'the game has ended: choose a position with --ply, from 0 to'),
        (['--game', '1', '--ply', '999'], 'there is no ply 999'),
        (['--game', '1', '--ply', '3', '--agent', 'rule'], "'rule' does not say what moves are worth"),
    ],
)
def test_what_there_is_not_is_said(big2, file, words, message):
    status, _, error = big2('advise', file, *words)
    assert status == 1
    assert message in error


@pytest.mark.parametrize(
    ('words', 'message'),
    [
        (['replay', '--game', '1', '--deep', '0'], 'there is no move 0: the numbers go from 1 to'),
        (['replay', '--deep', '3'], 'there are 2 games: choose one of them with --game'),
        (['replay', '--game', '1', '--deep', '3', '--deals', '0'], '--deals=0: expected a whole number, from 1 to'),
        (['advise', '--game', '1', '--ply', '3', '--deep', '--deals', '-5'], '--deals=-5: expected a whole number'),
    ],
)
def test_what_cannot_be_played_on_is_said(big2, file, words, message):
    status, out, error = big2(words[0], file, *words[1:])
    assert (status, out) == (1, '')
    assert message in error


def test_names_cannot_control_the_terminal(big2, tmp_path):
    file = tmp_path / 'names.big2.jsonl'
    seats = tuple({'name': f'A\x1b[2J\x9b{seat}'} for seat in range(4))
    records.write(file, replace(random_game(5), seats=seats))
    for command in ('replay', 'advise'):
        _, out, _ = big2(command, file, *(['--ply', '4'] if command == 'advise' else []))
        assert 'A?[2J?' in out
        assert all(letter.isprintable() for letter in out.replace('\n', ''))


def test_files_without_games_are_refused(big2, tmp_path):
    empty = tmp_path / 'empty'
    empty.write_text('')
    assert 'holds no games' in big2('replay', empty)[2]
    assert 'nowhere' in big2('replay', tmp_path / 'nowhere')[2]
