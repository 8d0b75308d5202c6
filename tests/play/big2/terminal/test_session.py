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

from rlcard_big2 import records
from rlcard_big2.models import WEIGHTS
from rlcard_big2.rules import FOUR_PLAYERS, Rules
from rlcard_kit.statistics import Estimate
from rlcard_play.big2.advice import make_advisor, make_player
from rlcard_play.big2.review import costliest, review
from rlcard_play.big2.seated import seat_person
from rlcard_play.big2.terminal.session import HELP, LeftError, Session
from rlcard_play.terminal.style import Style
from tests.support.terminal import Terminal

MANY = ['#0'] * 60
NAMES = ('you', 'next', 'across', 'previous')


def session(*entries, style=None, rules=None, advisor='big2-dmc', **settings):
    """Return a session with a script, and its terminal."""
    terminal, found = Terminal(*entries), rules or Rules()
    agents = {name: make_player(name, found) for name in ('greedy', 'rule')}
    game = seat_person(['greedy', 'rule', 'greedy'][: found.players - 1], found, 2, agents)
    made = Session(
        game, make_advisor(advisor, found), style or Style(), read=terminal.read, write=terminal.write, **settings
    )
    return made, terminal.shown


def play(*entries, **settings):
    """Play until the script or the first game ends; return the session and all output."""
    made, shown = session(*entries, **settings)
    with suppress(LeftError):
        made.run()
    return made, '\n'.join(shown)


def test_a_game_ends_with_hands_and_payoffs_and_again_deals_another(tmp_path):
    file = tmp_path / 'games.big2.jsonl'
    made, shown = session(file=file)
    made._read = lambda prompt: ('n' if len(records.read(file)) == 2 else 'y') if 'Again' in prompt else '#0'
    made.run()
    (first, second), ends = records.read(file), [i for i, text in enumerate(shown) if ' won.' in text]
    assert first.hands != second.hands
    for end, game in zip(ends, (first, second), strict=True):
        lines = '\n'.join(shown[end:])
        for name, payoff in zip(('you', 'next greedy', 'across rule', 'previous greedy'), game.payoffs, strict=True):
            assert re.search(rf'^ {name} +{re.escape(f"{payoff:+d}")}\b', lines, re.MULTILINE)
        assert str(file) in lines
        assert [seat['name'] for seat in game.seats] == ['you', 'greedy', 'rule', 'greedy']


def test_a_game_for_places_goes_on_until_one_player_is_left():
    made, shown = play(*['p', '#0'] * 40, rules=Rules(places=True))
    assert sorted(made.game.env.get_payoffs()) == [-3, -1, 1, 3]
    assert re.search(r'(across|next|previous) \w+ out   ', shown)


def test_the_winner_of_the_last_game_leads_the_next(tmp_path):
    made, shown = session(rules=Rules(leads='winner'), file=tmp_path / 'games.big2.jsonl')
    made._read = lambda prompt: 'y' if 'Again' in prompt else 'q' if 'saved' in '\n'.join(shown) else '#0'
    with suppress(LeftError):
        made.run()
    (first,), second = records.read(made.file), made.game.record()
    assert (first.rules.leads, second.rules.leads, second.first) == ('winner', str(first.winner), first.winner)
    assert second.rules.title == first.rules.title == "charlesworth with leads='winner'"


@pytest.mark.parametrize('loss', [3.0, -3.0])
def test_mistakes_are_listed_if_rollouts_confirm_them(loss):
    made, shown = session(*['p', '#0'] * 40)  # passes whenever it may
    made.advisor.compare = lambda state, best, move: Estimate(loss, 1.0)
    with suppress(LeftError):
        made.run()
    end = '\n'.join(shown).partition(' won.')[2]
    own = costliest(one for one in review(made.game.record(), made.advisor) if one.seat == 0)
    assert own
    assert f' Rollouts confirm {len(own) if loss > 0 else 0} of {len(own)} grades' in end
    assert ('Your costliest mistakes' in end, 'No clear mistakes.' in end) == (loss > 0, loss < 0)
    assert re.findall(r'^ move (\d+): ', end, re.MULTILINE) == [str(one.ply + 1) for one in own if loss > 0]


def test_every_move_is_shown_once_and_in_order():
    made, shown = play(*MANY, style=Style(200))
    moves = [f'{NAMES[seat]} {text}' for seat, text in made.game.trace]
    parts = [part.strip() for part in re.sub('leads? ', '', shown).replace('\n', '|').split('|')]
    assert [part for part in parts if part in moves] == moves


def test_every_entry_of_the_help_is_understood():
    _, shown = play('?', 'h', 'v', 'l', 's', 'more', 'u', '#0', 'l', 'u', 'p', 'q')
    for entry in HELP:
        assert re.search(rf'^ {re.escape(entry)} ', shown, re.MULTILINE)
    for answer in (r'\d+ % [+-]\d', ' still out: ', 'you played: ', r'^  1 you 3d'):
        assert re.search(answer, shown, re.MULTILINE)


def test_rollouts_count_as_advice():
    made, shown = play('#0', 'd', 'q')
    assert re.search(r'\d+ % [+-]\d+\.\d ± \d+\.\d', shown)
    assert made.game.help['advice'] == [made.game.ply]


def test_a_move_is_taken_back():
    (made, _), (before, _) = play('#0', 'u'), play()
    assert made.game.trace == before.game.trace
    assert made.game.state['raw_obs']['current_hand'] == before.game.state['raw_obs']['current_hand']
    assert made.game.record().extra['help']['takebacks']


def test_a_strict_game_gives_no_advice_before_its_end():
    _, shown = play('h', 'v', 'd', 'u', *MANY, strict=True)
    assert shown.count('strict') == 4
    assert '%' not in shown[: shown.index('won')]


@pytest.mark.parametrize(
    ('rules', 'names'),
    [('two', ['next']), pytest.param('hong-kong-3', ['next', 'previous'], marks=pytest.mark.slow)],
)
def test_fewer_players_have_rollouts_but_advice_without_numbers(rules, names):
    made, shown = play('h', 'v', 'd', 'l', 's', *MANY, rules=Rules.preset(rules))
    assert ' #0 ' in shown
    assert shown.count('The hidden cards are dealt at random') == 1
    assert '%' in shown.partition('Rollouts of 200 deals')[0].rpartition('\n > ')[2]
    assert made.game.is_over
    for name in ('you', *names):
        assert f'{name} played: ' in shown
    assert 'across' not in shown


def test_forced_passes_are_not_asked_for():
    made, _ = session()
    made._read = lambda prompt: '#0' if made.game.legal != ['pass'] else pytest.fail('asked for a forced pass')
    made._play()
    assert (0, 'pass') in made.game.trace


@pytest.mark.parametrize('rules', FOUR_PLAYERS)
def test_without_calibration_there_are_no_numbers(rules):
    own = replace(Rules.preset(rules), penalty_thresholds=(9,))
    assert '%' in play('h', rules=own)[1]
    assert '%' not in play('h', rules=own, advisor=f'dmc:{WEIGHTS / "dmc"}')[1]


@pytest.mark.parametrize('width', [40, 80, 200])
@pytest.mark.parametrize('symbols', [False, True])
def test_no_line_is_wider_than_the_terminal(width, symbols):
    _, shown = play('?', 'v', 's', 'more', 'l', *MANY, style=Style(width, symbols))
    assert max(map(len, shown.split('\n'))) <= width
    assert ('♦' in shown) == symbols


# The program itself

PROGRAM = [sys.executable, '-m', 'rlcard_big2']
PLAY = [*PROGRAM, 'play', '--seats', 'greedy', '--seed', '2']


class Pseudo:
    """The program in a pseudo-terminal of 40 columns, where something may have been typed before it began."""

    def __init__(self, file, typed=''):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 40, 0, 0))
        environment = {key: value for key, value in os.environ.items() if key not in ('COLUMNS', 'NO_COLOR')}
        self.enter(typed)
        self.process = subprocess.Popen(
            [*PLAY, '--record', file], stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            env={**environment, 'TERM': 'xterm', 'PYTHONIOENCODING': 'utf-8'},
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


@pytest.fixture
def file(tmp_path):
    return tmp_path / 'games.big2.jsonl'


def test_a_whole_game_in_a_terminal(file):
    terminal = Pseudo(file)
    while 'Again?' not in terminal.until('> ', '(y/n) '):
        terminal.enter('#0\n')
    terminal.enter('n\n')
    assert terminal.end() == 0
    assert '\x1b[34m' in terminal.shown
    assert '♦' in terminal.shown
    lines = re.sub(r'\x1b\[\d+m', '', terminal.shown.replace('\r', '\n')).split('\n')
    assert max(len(line) for line in lines if str(file) not in line) <= 40
    assert len(records.read(file)) == 1


def test_what_is_typed_before_the_prompt_is_no_move(file):
    terminal = Pseudo(file, typed='#0\n#0\n')
    terminal.until('> ')
    terminal.enter('l\n')
    assert 'you' not in terminal.until('> ')
    terminal.enter('q\n')
    assert terminal.end() == 0


@pytest.fixture
def in_mid_game(file):
    """Return a terminal after the first move of a game."""
    terminal = Pseudo(file)
    terminal.until('> ')
    terminal.enter('#0\n')
    terminal.until('> ')
    return terminal


def test_ctrl_c_saves_the_game_and_exits_with_130(in_mid_game, file):
    in_mid_game.interrupt()
    assert in_mid_game.end() == 130
    assert 'Traceback' not in in_mid_game.shown
    (game,) = records.read(file)
    assert game.winner is None
    assert game.moves


def test_closing_the_terminal_saves_the_game(in_mid_game, file):
    os.close(in_mid_game.master)
    in_mid_game.process.wait(60)
    assert records.read(file)[0].moves


def run(*command, typed='', **variables):
    environment = {**os.environ, **variables}
    result = subprocess.run(
        command, input=typed.encode(errors='surrogateescape'), capture_output=True, timeout=120, env=environment
    )
    assert result.returncode == 0, result.stderr
    assert b'Traceback' not in result.stderr
    return result.stdout.decode()


def test_games_in_pipes_are_plain_text_and_saved_in_the_users_folder_unless_switched_off(tmp_path):
    own = {'XDG_DATA_HOME': str(tmp_path)}
    run(*PLAY, '--no-record', typed='#0\n', **own)
    assert not any(tmp_path.iterdir())
    shown = run(*PLAY, typed='v\n#0\nq\n', **own)
    assert not {'\x1b', '♦'} & set(shown)
    (file,) = tmp_path.rglob('*.big2.jsonl')
    assert len(records.read(file)) == 1
    assert 'trick 1' in run(*PROGRAM, 'replay', **own)


def test_what_cannot_be_read_or_shown_is_a_question_mark():
    assert 'is not a card' in run(*PLAY, typed='\udcff♦\nl\n', PYTHONIOENCODING='ascii')


START = """
import sys, time
from rlcard_kit.compilation import compiling_seconds
from rlcard_play.cli import big2
try:
    big2(['play', '--seed', '1', '--no-record'])
except SystemExit:
    pass
assert not {name.partition('.')[0] for name in sys.modules} & {'torch', 'tyro', 'rich', 'matplotlib'}
print(time.process_time() - compiling_seconds())
"""


def test_a_game_starts_at_once_and_without_torch():
    """The target is 2 seconds of processor time once kernels are compiled; the limit allows for a busy machine."""
    assert float(run(sys.executable, '-c', START).split()[-1]) < 20
