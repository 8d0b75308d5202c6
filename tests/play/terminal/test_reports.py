"""The commands `replay`, `advise`, `score` and `puzzle`, and mistakes in any command of the terminal."""

import json
import re
from dataclasses import replace
from io import StringIO

import pytest

from rlcard_big2.rules import Rules
from rlcard_play.big2.advice import LEVELS
from rlcard_play.catch5.review import oddest
from rlcard_play.cli import big2, catch5
from rlcard_play.games import GAMES
from rlcard_play.study.puzzles import choose_puzzles, read_puzzles
from tests.big2.records.test_records import BEFORE, POSITION, REMAINING
from tests.support.played_hands import hands_of
from tests.support.random_games import random_games

TYPED = {**POSITION, 'rules': 'charlesworth', 'hands': [None, None, REMAINING[2], None], 'view': 2, 'before': BEFORE}
HIDDEN = json.dumps({**POSITION, 'rules': 'charlesworth'})
TRUMPS = {'trump C': 'clubs', 'trump D': 'diamonds', 'trump H': 'hearts', 'trump S': 'spades'}
VALUE = {'big2': r'\d+ % [+-]\d', 'catch5': r'\d+ %, ahead [+-]\d'}
only_big2, only_catch5 = (pytest.mark.parametrize('key', [key]) for key in GAMES)


@pytest.fixture(params=GAMES)
def key(request):
    return request.param


@pytest.fixture
def game(key):
    return GAMES[key]


@pytest.fixture
def advisor(game):
    return game.make_advisor(game.advisor, game.rules.preset(game.default_rules))


@pytest.fixture
def file(tmp_path, game):
    """Write two random games of Big 2, or three hands of the rule agent; return the file."""
    path = tmp_path / f'games.{game.key}.jsonl'
    game.records.write(path, random_games(Rules(), 2) if game.key == 'big2' else hands_of('rule', 3))
    return path


@pytest.fixture
def run(capsys, key):
    """Run a command; return its status, output and errors."""

    def run(*words):
        with pytest.raises(SystemExit) as end:
            {'big2': big2, 'catch5': catch5}[key]([*map(str, words)])
        out, error = capsys.readouterr()
        code = end.value.code
        return int(bool(code)), out, error + (code if isinstance(code, str) else '')

    return run


def moves_in(out):
    return re.findall(r'^ +\d+  (seat \d) ([^,\n]+)', out, re.MULTILINE)


def moves_of(record):
    return [(f'seat {seat}', TRUMPS.get(text, text)) for seat, text in record.trace]


def plies_listed(out):
    return [int(number) - 1 for number in re.findall(r'^ move (\d+): ', out, re.MULTILINE)]


def hand_in(game, position):
    return game.open_position(position)['raw_obs']['current_hand'].split()


def test_several_games_are_listed(run, game, file):
    status, out, _ = run('replay', file)
    assert status == 0
    for number, record in enumerate(game.records.read(file), 1):
        assert re.search(rf'#{number} {game.default_rules}, seat 0 {re.escape(f"{record.payoffs[0]:+d}")}', out)


@only_big2
@pytest.mark.parametrize('rules', ['two', pytest.param('hong-kong-3', marks=pytest.mark.slow)])
def test_a_replay_of_fewer_players_has_every_move_and_numbers(run, game, file, rules):
    (record,) = random_games(Rules.preset(rules), 1)
    text = game.records.to_json(record)
    status, out, _ = run('replay', text)
    assert status == 0
    assert moves_in(out) == moves_of(record)
    status, out, _ = run('advise', text, '--ply', 3)
    assert status == 0
    assert 'best' in out
    assert '%' in out
    status, out, _ = run('advise', text, '--ply', 3, '--deep', '--deals', 20)
    assert status == 0
    assert '±' in out


def test_a_replay_has_every_move_and_its_value(run, game, file):
    status, out, _ = run('replay', file, '--game', 2)
    assert status == 0
    assert moves_in(out) == moves_of(game.records.read(file)[1])
    assert len(re.findall(VALUE[game.key], out)) > (20 if game.key == 'big2' else 10)


@only_big2
def test_a_replay_has_the_grades_that_rollouts_confirm(run, game, file, advisor):
    record = game.records.read(file)[1]
    marks = {one.ply: one.mark for one in game.review(record, advisor) if one.mark}
    refuted = game.refuted(advisor, record)
    assert 0 < len(refuted) < len(marks)
    _, out, _ = run('replay', file, '--game', 2, '--seconds', 3600)
    shown = {int(number) - 1: mark for number, mark in re.findall(r'^ +(\d+)  seat.*, (\w+)$', out, re.MULTILINE)}
    assert {ply: mark for ply, mark in shown.items() if mark in marks.values()} == {
        ply: mark for ply, mark in marks.items() if ply not in refuted
    }
    assert re.search(r'^ Rollouts confirm \d+ of \d+ grades and withdraw the others\.$', out, re.MULTILINE)
    assert len(plies_listed(out)) == 3
    assert refuted.isdisjoint(plies_listed(out))
    _, out, _ = run('replay', file, '--game', 2, '--seconds', 0)
    assert len(re.findall(', unchecked$', out, re.MULTILINE)) == len(marks)
    assert f'confirm 0 of 0 grades; {len(marks)} were not checked within 0 s' in ' '.join(out.split())
    assert 'Costliest' not in out


@only_catch5
def test_a_replay_has_the_odd_moves_that_rollouts_confirm(run, game, file, advisor):
    record = game.records.read(file)[2]
    odd, refuted = oddest(game.review(record, advisor)), game.refuted(advisor, record)
    confirmed = [one.ply for one in odd if one.ply not in refuted]
    assert refuted
    assert confirmed
    _, out, _ = run('replay', file, '--game', 3, '--seconds', 3600)
    assert f' Rollouts confirm {len(confirmed)} of {len(odd)} odd moves and withdraw the others.' in out
    assert plies_listed(out) == confirmed[:3]
    _, out, _ = run('replay', file, '--game', 3, '--seconds', 0)
    assert f'confirm 0 of 0 odd moves; {len(odd)} were not checked within 0 s' in out
    assert 'would hardly make' not in out


@pytest.mark.parametrize(('key', 'ply'), [('big2', 9), ('catch5', 2), ('catch5', 4), ('catch5', 12)])
def test_a_position_comes_from_a_file_from_json_or_from_standard_input(run, game, file, monkeypatch, ply):
    position = game.records.read(file)[0].at(ply)
    expected = status, out, _ = run('advise', file, '--game', 1, '--ply', ply)
    assert status == 0
    assert sorted(re.search(r'Your hand: (.*)', out)[1].split()) == sorted(hand_in(game, position))
    assert game.key == 'big2' or out.count(' %') == len(game.open_position(position)['raw_legal_actions'])
    text = game.records.to_json(position)
    assert run('advise', text) == expected
    for mark in ('', '\ufeff'):
        monkeypatch.setattr('sys.stdin', StringIO(mark + text))
        assert run('advise', '-') == expected


@only_big2
def test_a_typed_position(run):
    status, out, _ = run('advise', json.dumps(TYPED))
    assert status == 0
    assert 'single 9d by across (1 pass since)' in out
    assert 'trick 1\n' in out
    assert 'big2-dmc does not know the moves before this position.' in out
    assert out.count(' % ') > 5


@only_big2
def test_rollouts_of_a_position_and_of_a_move_that_was_made(run, game, file):
    status, out, _ = run('advise', file, '--game', 1, '--ply', 14, '--deep', '--deals', 6)
    record = game.records.read(file)[0]
    assert status == 0
    assert ' '.join(hand_in(game, record.at(14))) in out
    assert re.search(r'#\d+ .+ +\d+ % [+-]\d+\.\d ± \d+\.\d\n', out)
    assert re.search(r'± \d+\.\d  \d+\.\d ± \d+\.\d less', out)
    assert '6 deals' in out
    status, out, _ = run('replay', file, '--game', 1, '--deep', 10, '--deals', 1)
    assert status == 0
    assert re.search(rf'#\d+ {record.trace[9][1]} +\d+ % [+-]\d+\.\d ± unknown', out)


@only_catch5
def test_rollouts_of_a_hand(run, file):
    status, out, _ = run('advise', file, '--game', 1, '--ply', 5, '--deep')
    assert status == 0
    assert len(re.findall(r'^ #\d \w+ +[+-]\d+\.\d ± \d\.\d  bid made \d+ %', out, re.MULTILINE)) == 6
    behind = re.findall(r'  (\d+\.\d) ± (\d+\.\d) less(, too close to call)?$', out, re.MULTILINE)
    assert [float(loss) > float(margin) for loss, margin, _ in behind] == [not unclear for *_, unclear in behind]
    assert len(behind) == 5


@pytest.mark.parametrize(
    ('key', 'agent', 'title', 'intervals'),
    [('big2', 'greedy', 'against greedy, greedy, greedy', 5), ('catch5', 'rule', 'with rule against rule and rule', 3)],
)
def test_scores(run, game, file, agent, title, intervals):
    records = game.records.read(file)
    seats = ({'name': 'Ann', 'kind': 'person'}, *({'name': agent, 'kind': 'agent'},) * 3)
    game.records.write(file, [replace(record, seats=seats) for record in records])
    status, out, _ = run('score', file)
    text, payoffs = ' '.join(out.split()), [game.judge.payoff(None, record.payoffs, 0) for record in records]
    assert status == 0
    assert f'{title}, without help' in text
    assert f'games won: {sum(payoff > 0 for payoff in payoffs)} of {len(records)}' in text
    assert f'{game.judge.unit}: {sum(payoffs) / len(payoffs):+.2f} ± unknown' in text
    assert text.count(' ± ') == intervals
    assert f'{len(records)} records not counted' in text


@pytest.mark.parametrize(
    ('key', 'words', 'datum'),
    [
        *(
            (key, *mistake)
            for key in GAMES
            for mistake in (
                ('advise FILE', '--game'),
                ('advise FILE --game 1', 'ply 0'),
                ('advise FILE --game 1 --ply 999', 'ply 999'),
                ('advise FILE --game 1 --ply 3 --agent rule', "'rule'"),
                (f'advise {{"{key}":2}}', 'format 2'),
                ('replay NOWHERE', 'NOWHERE'),
                ('replay FILE --game 1 --seconds 9999', '--seconds=9999'),
                ('play --rules hongkong', "'hongkong'"),
                ('play --record /nowhere/games', '/nowhere/games'),
                ('agent rul', "'rule'"),
            )
        ),
        ('big2', 'advise FILE --game 3', 'game 3'),
        ('big2', 'advise FILE --game 0', 'game 0'),
        ('big2', 'advise FILE --game 1 --ply 3 --deep --deals -5', '--deals=-5'),
        ('big2', 'advise HIDDEN', 'seat 2'),
        ('big2', 'replay FILE --game 1 --deep 0', 'move 0'),
        ('big2', 'replay FILE --deep 3', '--game'),
        ('big2', 'replay FILE --game 1 --deep 3 --deals 0', '--deals=0'),
        ('big2', 'replay FILE --game 1 --seconds -1', '--seconds=-1'),
        ('big2', 'replay EMPTY', 'EMPTY'),
        ('big2', 'puzzle --theme mate', "'mate': choose from break, control, endgame, pass, win"),
        ('big2', 'puzzle --difficulty x', 'choose from easy, medium, hard'),
        ('big2', 'play --seats gredy --no-record', "'greedy'"),
        ('big2', 'play --seats rule rule', '--seats has 2'),
        ('big2', 'play --seed -1', '--seed=-1'),
        ('catch5', 'play --partner rul --no-record', "'rule'"),
        ('catch5', 'play --opponents rule rule rule', '--opponents has 3'),
        ('catch5', 'play --target 0', '--target=0'),
    ],
)
def test_mistakes_are_named_in_one_line(run, file, monkeypatch, words, datum):
    monkeypatch.chdir(file.parent)
    (file.parent / 'EMPTY').write_text('')
    given = {'FILE': file.name, 'HIDDEN': HIDDEN}
    status, _, error = run(*(given.get(word, word) for word in words.split()))
    assert status == 1
    assert '\n' not in error
    assert datum in error


@pytest.mark.parametrize(('key', 'theme'), [('big2', 'endgame'), ('catch5', 'bid')])
def test_puzzles_of_a_theme_are_asked_judged_and_counted(run, game, monkeypatch, theme):
    entries = iter(['zz', '#0', '', 'q'])
    monkeypatch.setattr('builtins.input', lambda prompt: next(entries))
    status, out, _ = run('puzzle', '--seed', 1, '--theme', theme, '--difficulty', 'easy')
    count = len(choose_puzzles(read_puzzles(game.puzzles, game.records).values(), theme, 'easy'))
    assert status == 0
    assert re.findall(r'Puzzle (\d+) of (\d+): easy', out) == [('1', str(count)), ('2', str(count))]
    assert "'zz' is not a" in out
    assert len(re.findall('Right!|Not the best move', out)) == 1
    assert re.search('[01] of 1 right', out)


def test_names_cannot_control_the_terminal(run, game, file):
    seats = tuple({'name': f'A\x1b[2J\x9b{seat}'} for seat in range(4))
    record = game.records.to_json(replace(game.records.read(file)[0], seats=seats))
    for command, *words in (('replay', '--seconds', '0'), ('advise', '--ply', '4')):
        _, out, _ = run(command, record, *words)
        assert 'A?[2J?' in out
        assert all(letter.isprintable() for letter in out.replace('\n', ''))


def test_levels_are_those_of_the_page():
    page = (GAMES['big2'].static / 'game.js').read_text()
    assert all(f"{level}: '{agent}'" in page for level, agent in LEVELS.items())
