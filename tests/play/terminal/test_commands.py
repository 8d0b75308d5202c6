"""The start and the end of a session: what is said first, and the game in progress is saved, whatever ends it."""

import json
import signal
import sys
from contextlib import suppress
from io import StringIO

import pytest

from rlcard_big2.rules import PRESETS
from rlcard_catch5.rules import PRESETS as CATCH5_PRESETS
from rlcard_kit.signals import ENDING
from rlcard_kit.version import __version__
from rlcard_play import cli
from rlcard_play.games import GAMES
from rlcard_play.terminal.commands import run_session
from rlcard_play.terminal.session import LeftError
from rlcard_play.terminal.style import Style
from tests.play.terminal.test_session import SESSIONS, session

OTHERS = {'big2': ['--seats', 'greedy'], 'catch5': ['--opponents', 'rule', '--partner', 'rule']}


@pytest.fixture(autouse=True)
def handlers():
    earlier = {number: signal.getsignal(number) for number in ENDING}
    yield
    for number, handler in earlier.items():
        signal.signal(number, handler)


@pytest.mark.parametrize('end', [*ENDING, RuntimeError('no compiled object yet'), LeftError()])
def test_a_game_is_saved_whatever_ends_it(tmp_path, monkeypatch, end):
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL if number != signal.SIGINT else signal.default_int_handler)
    file = tmp_path / 'games.jsonl'
    made, _ = session('big2', '#0', file=file)
    ask = made._read

    def read(prompt):
        if made.game.trace:
            if isinstance(end, Exception):
                raise end
            signal.raise_signal(end)
        return ask(prompt)

    made._read = read
    with suppress(KeyboardInterrupt, RuntimeError):
        assert run_session(made) == 0
        assert isinstance(end, LeftError)
    (game,) = GAMES['big2'].records.read(file)
    assert game.moves


@pytest.fixture
def command(monkeypatch, capsys):
    """Return a function that runs a command with typed entries, and returns its status and output."""

    def run(key, *words, typed=''):
        monkeypatch.setattr(sys, 'stdin', StringIO(typed))
        with pytest.raises(SystemExit) as end:
            getattr(cli, key)([*map(str, words)])
        return end.value.code, ' '.join(''.join(capsys.readouterr()).split())

    return run


@pytest.mark.parametrize(
    ('key', 'words', 'told'),
    [
        (
            'big2',
            [],
            ['Whoever plays all cards first wins', 'Rules: hong-kong', 'level hard', '? for help', 'next hard'],
        ),
        ('big2', ['--rules', 'two', '--level', 'easy'], ['2 players', 'Rules: two', 'level easy', 'next easy']),
        ('catch5', [], ['five counts five', 'bids once how many of the nine points', 'Rules: paper', '? for help']),
    ],
)
def test_a_session_begins_with_the_aim_the_rules_and_the_others(command, key, words, told):
    status, said = command(key, 'play', '--no-record', *words)
    assert (status, [text for text in told if text not in said]) == (0, [])
    assert 'epsilon' not in said


@pytest.mark.parametrize('key', OTHERS)
def test_a_game_that_was_left_goes_on_if_the_person_wants(command, tmp_path, key):
    file, question = tmp_path / 'games.jsonl', 'Go on with the game'
    words = [key, 'play', '--record', file, *OTHERS[key]]
    assert question not in command(*words, '--seed', '2', typed='#0\nh\n#0\nq\n')[1]
    (left,) = GAMES[key].records.read(file)
    for typed in ('', 'y\nq\n', 'so\n\nq\n'):
        status, said = command(*words[:-1], 'random', typed=typed)
        assert (status, question in said, 'random' in said) == (0, True, False), 'it has its own agents'
    assert GAMES[key].records.read(file) == [left], 'nothing was played'
    command(*words, typed='y\n' + '#0\n' * 60)
    finished = GAMES[key].records.read(file)[1]
    assert finished.payoffs
    assert finished.at(len(left.moves)).moves == left.moves
    assert finished.extra['help'] == left.extra['help']
    assert finished.extra['started'] == left.extra['started']
    assert question not in command(*words, typed='q\n')[1]
    GAMES[key].records.write(file, left)
    assert 'random' in command(*words[:-1], 'random', typed='n\n')[1]


@pytest.mark.parametrize(
    'change',
    [{'payoffs': [-1, -1, -1, 3]}, {'seats': None}, {'seats': [{'name': 'Ann', 'kind': 'person'}] * 4}, None],
)
def test_what_is_no_game_of_a_person_and_agents_is_not_offered(command, tmp_path, change):
    file = tmp_path / 'games.jsonl'
    command('big2', 'play', '--record', file, *OTHERS['big2'], '--seed', '2', typed='#0\n#0\nq\n')
    text = file.read_text()
    file.write_text(text[:90] if change is None else json.dumps(json.loads(text) | change))
    assert 'Go on' not in command('big2', 'play', '--record', file, *OTHERS['big2'])[1]


def test_a_record_with_help_of_a_wrong_kind_is_refused(command, tmp_path):
    file = tmp_path / 'games.jsonl'
    command('big2', 'play', '--record', file, *OTHERS['big2'], '--seed', '2', typed='#0\n#0\nq\n')
    file.write_text(json.dumps(json.loads(file.read_text()) | {'help': {'advice': 5}}))
    status, _ = command('big2', 'play', '--record', file, typed='y\n')
    assert status == 'big2 play: help.advice is 5: it must be a list'


@pytest.mark.parametrize(
    ('key', 'rules'), [*(('big2', name) for name in PRESETS), *(('catch5', name) for name in CATCH5_PRESETS)]
)
def test_all_rules_have_sentences(key, rules):
    lines = [*SESSIONS[key].BOARD.rule_lines(GAMES[key].rules.preset(rules), Style())]
    assert all(line.strip() and '  ' not in line and '{' not in line for line in lines)
    assert ('After a pass you are out' in ' '.join(lines)) == (rules in ('taiwan', 'game-sofa'))


@pytest.mark.parametrize('key', OTHERS)
def test_options_have_guesses_and_the_version_is_shown(command, key):
    assert command(key, 'play', '--sede', '1')[1].endswith('unrecognized arguments: --sede 1: did you mean --seed?')
    assert command(key, 'play', '--xyz')[1].endswith('unrecognized arguments: --xyz')
    assert command(key, 'plya')[1].endswith(': did you mean play?')
    assert command('big2', 'play', '--level', 'esay')[1].endswith(': did you mean easy?')
    assert command(key, '--version') == (0, f'{key} {__version__}')
