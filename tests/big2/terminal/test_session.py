"""Sessions in a terminal: entries, output and records."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress
from dataclasses import replace

import pytest

from rlcard_big2 import cli as commands
from rlcard_big2 import records
from rlcard_big2.rules import PRESETS, Rules
from rlcard_big2.study.advice import make_advisor, make_player
from rlcard_big2.study.game import seat_person
from rlcard_big2.terminal.formatting import Style
from rlcard_big2.terminal.session import HELP, LeftError, Session
from tests.big2.terminal.test_human_agent import Terminal

PROGRAM = [sys.executable, '-m', 'rlcard_big2', 'play', '--seats', 'greedy', '--seed', '2']
MANY = ['#0'] * 60


def session(*entries, style=None, rules=None, seed=2, **settings):
    """Return a session with a script, and its terminal."""
    terminal = Terminal(*entries)
    found = rules or Rules()
    agents = {name: make_player(name, found) for name in ('greedy', 'rule')}
    game = seat_person(['greedy', 'rule', 'greedy'], found, seed, agents)
    advisor = make_advisor('big2-dmc', found)
    return Session(
        game, advisor, style or Style(), read=terminal.read, write=terminal.write, **settings
    ), terminal.shown


def play(*entries, **settings):
    """Play until the script or the first game ends; return all output."""
    made, shown = session(*entries, **settings)
    with suppress(LeftError):
        made.run()
    return '\n'.join(shown)


def test_a_game_ends_with_hands_payoffs_and_choices(tmp_path):
    file = tmp_path / 'games.big2.jsonl'
    shown = play(*MANY, file=file)
    (game, *_) = records.read(file)
    end = shown[shown.index('has won') - 40 :] if 'has won' in shown else shown[shown.index('You have won') :]
    for name, payoff in zip(('you', 'next greedy', 'across rule', 'previous greedy'), game.payoffs, strict=True):
        assert re.search(rf'^ {name} +{re.escape(f"{payoff:+d}")}\b', end, re.MULTILINE)
    assert str(file) in end
    assert 'Again?' in end
    assert [seat['name'] for seat in game.seats] == ['you', 'greedy', 'rule', 'greedy']


def test_again_deals_a_new_game_and_no_ends(tmp_path):
    file = tmp_path / 'games.big2.jsonl'
    made, shown = session(*MANY, file=file)
    made._read = lambda prompt: ('n' if len(records.read(file)) == 2 else 'y') if 'Again' in prompt else '#0'
    made.run()
    first, second = records.read(file)
    assert first.hands != second.hands
    assert first.winner is not None
    assert '\n'.join(shown).count(str(file)) == 2


def test_every_move_is_shown_once_and_in_order():
    made, shown = session(*MANY, style=Style(200))
    made.run()
    names = ('you', 'next', 'across', 'previous')
    moves = [f'{names[seat]} {text}' for seat, text in made.game.trace]
    lines = [re.sub('leads? ', '', line) for text in shown for line in text.split('\n')]
    found = [part.strip() for line in lines for part in line.split('|') if part.strip() in moves]
    assert found == moves


def test_every_entry_of_the_help_is_understood():
    shown = play('?', 'h', 'v', 'l', 's', 'more', 'u', '#0', 'l', 'u', 'p', 'q')
    for entry in HELP:
        assert re.search(rf'^ {re.escape(entry)} ', shown, re.MULTILINE)
    assert re.search(r'\d+ % [+-]\d', shown)
    assert ' still out: ' in shown
    assert 'you played: ' in shown
    assert re.search(r'^  1 you 3d', shown, re.MULTILINE)


def test_rollouts_count_as_advice():
    made, shown = session('#0', 'd', 'q')
    with pytest.raises(LeftError):
        made.run()
    assert re.search(r'\d+ % [+-]\d+\.\d ± \d+\.\d', '\n'.join(shown))
    assert made.game.help['advice'] == [made.game.ply]


def test_a_move_is_taken_back():
    made, _ = session('#0', 'u')
    with pytest.raises(LeftError):
        made.run()
    before, _ = session()
    with pytest.raises(LeftError):
        before.run()
    assert made.game.trace == before.game.trace
    assert made.game.state['raw_obs']['current_hand'] == before.game.state['raw_obs']['current_hand']
    assert made.game.record().extra['help']['takebacks']


def test_a_strict_game_gives_no_advice_before_its_end():
    shown = play('h', 'v', 'd', 'u', *MANY, strict=True)
    assert shown.count('strict') == 4
    assert '%' not in shown[: shown.index('won')]


def test_forced_passes_are_not_asked_for():
    made, _ = session()
    made._read = lambda prompt: '#0' if made.game.legal != ['pass'] else pytest.fail('asked for a forced pass')
    made._play()
    assert (0, 'pass') in made.game.trace


@pytest.mark.parametrize('rules', PRESETS)
def test_without_calibration_there_are_no_numbers(rules):
    known = Rules.preset(rules)
    assert '%' in play('h', rules=known)
    assert '%' not in play('h', rules=replace(known, penalty_thresholds=(9,)))


@pytest.mark.parametrize('width', [40, 80, 200])
def test_no_line_is_wider_than_the_terminal(width):
    for symbols in (False, True):
        shown = play('?', 'v', 's', 'more', 'l', *MANY, style=Style(width, symbols))
        assert max(map(len, shown.split('\n'))) <= width
        assert ('♦' in shown) == symbols


# The program itself


class Pseudo:
    """The program in a pseudo-terminal, where something may have been typed before it began."""

    def __init__(self, *words, columns=80, typed='', **variables):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
        environment = {key: value for key, value in os.environ.items() if key not in ('COLUMNS', 'NO_COLOR')}
        environment |= {'TERM': 'xterm', 'PYTHONIOENCODING': 'utf-8', **variables}
        command = [*PROGRAM, *map(str, words)]
        self.enter(typed)
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(slave)
        self.shown = ''

    def until(self, *ends, seconds=120):
        """Read until one of some texts comes; return what was read."""
        read, limit = '', time.monotonic() + seconds
        while not any(read.endswith(end) for end in ends):
            assert time.monotonic() < limit, read
            if select.select([self.master], [], [], 1)[0]:
                try:
                    read += os.read(self.master, 4096).decode(errors='replace').replace('\r\n', '\n')
                except OSError:  # the program has ended
                    break
        self.shown += read
        return read

    def enter(self, text):
        os.write(self.master, text.encode())

    def interrupt(self):
        """Press Ctrl-C, and again if that fell between a prompt and the reading, where Python notices it too late."""
        for _ in range(20):
            self.enter('\x03')
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
                return

    def end(self):
        self.until('nothing ever')
        return self.process.wait(60)


@pytest.mark.parametrize(('columns', 'variables'), [(40, {}), (80, {'NO_COLOR': '1'}), (200, {'TERM': 'dumb'})])
def test_a_whole_game_in_a_terminal(columns, variables, tmp_path):
    file = tmp_path / 'games.big2.jsonl'
    terminal = Pseudo('--record', file, columns=columns, **variables)
    while 'Again?' not in terminal.until('> ', '(y/n) '):
        terminal.enter('#0\n')
    terminal.enter('n\n')
    assert terminal.end() == 0
    assert ('\x1b[34m' in terminal.shown) == (columns == 40)
    assert ('♦' in terminal.shown) == (columns < 200)
    lines = re.sub(r'\x1b\[\d+m', '', terminal.shown).split('\n')
    assert max(len(line) for line in lines if str(file) not in line) <= columns
    assert len(records.read(file)) == 1


def test_what_is_typed_before_the_prompt_is_no_move():
    terminal = Pseudo(typed='#0\n#0\n')
    terminal.until('> ')
    terminal.enter('l\n')
    log = terminal.until('> ')
    terminal.enter('q\n')
    assert terminal.end() == 0
    assert 'you' not in log


def in_mid_game(file):
    """Return a terminal in which the first move of a game that goes to a file was made."""
    terminal = Pseudo('--record', file)
    terminal.until('> ')
    terminal.enter('#0\n')
    terminal.until('> ')
    return terminal


def test_ctrl_c_saves_the_game_and_exits_with_130(tmp_path):
    file = tmp_path / 'games.big2.jsonl'
    terminal = in_mid_game(file)
    terminal.interrupt()
    assert terminal.end() == 130
    assert 'Traceback' not in terminal.shown
    (game,) = records.read(file)
    assert game.winner is None
    assert game.moves


def test_closing_the_terminal_saves_the_game(tmp_path):
    file = tmp_path / 'games.big2.jsonl'
    terminal = in_mid_game(file)
    os.close(terminal.master)
    terminal.process.wait(60)
    assert records.read(file)[0].moves


def run(*words, typed='', **settings):
    command = [*PROGRAM, *map(str, words)]
    return subprocess.run(command, input=typed, capture_output=True, text=True, timeout=120, **settings)


def test_games_are_saved_in_the_users_folder_unless_switched_off(tmp_path):
    environment = {**os.environ, 'XDG_DATA_HOME': str(tmp_path)}
    assert run('--no-record', typed='#0\nq\n', env=environment).returncode == 0
    assert not any(tmp_path.iterdir())
    assert run(typed='#0\nq\n', env=environment).returncode == 0
    (file,) = tmp_path.rglob('*.big2.jsonl')
    assert len(records.read(file)) == 1
    command = [*PROGRAM[:3], 'replay']
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment).stdout
    assert 'trick 1' in shown


def test_pipes_get_plain_text_and_the_end_of_input_leaves():
    result = run(typed='v\n#0\n')
    assert result.returncode == 0
    assert '\x1b' not in result.stdout
    assert '♦' not in result.stdout
    assert 'Traceback' not in result.stderr
    assert run(typed='q\n').returncode == 0


def test_what_cannot_be_read_or_shown_is_a_question_mark():
    environment = {**os.environ, 'PYTHONIOENCODING': 'ascii'}
    command = [*PROGRAM[:3], 'play', '--seed', '2']
    result = subprocess.run(command, input=b'\xff\xe2\nl\n', capture_output=True, timeout=120, env=environment)
    assert result.returncode == 0, result.stderr
    assert b'is not a card' in result.stdout


@pytest.mark.parametrize(
    ('words', 'datum'),
    [
        (('--rules', 'hongkong'), "'hongkong'"),
        (('--seats', 'gredy'), "'greedy'"),
        (('--seats', 'rule', 'rule'), '--seats has 2'),
        (('--record', '/nowhere/games'), '/nowhere/games'),
        (('--seed', '-1'), "'-1'"),
    ],
)
def test_mistakes_are_named(in_process, words, datum):
    status, output = in_process(lambda: commands.main(['play', '--seats', 'greedy', '--seed', '2', *words]))
    assert status in (1, 2)
    assert datum in output


START = """
import sys, time
from rlcard_kit.jit import compiling_seconds
from rlcard_big2.cli import main
try:
    main(['play', '--seed', '1'])
except SystemExit:
    pass
assert not {name.partition('.')[0] for name in sys.modules} & {'torch', 'tyro', 'rich', 'matplotlib'}
print(time.process_time() - compiling_seconds())
"""


def test_a_game_starts_at_once_and_without_torch():
    """The target is 2 seconds of processor time once kernels are compiled; the limit allows for a busy machine."""
    result = subprocess.run([sys.executable, '-c', START], input='', capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert float(result.stdout.split()[-1]) < 20
