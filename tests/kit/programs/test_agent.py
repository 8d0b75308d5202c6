"""Programs that misbehave: their moves are replaced, their faults counted, and the match goes on."""

import os
import shlex
import subprocess
import sys
from functools import partial
from itertools import count
from pathlib import Path

import psutil
import pytest

import rlcard_kit.programs.agent as agent_module
import rlcard_kit.programs.process as process_module
from rlcard_big2.agents.program import Big2Program
from rlcard_big2.duplicate import play_match
from rlcard_big2.registry import AgentNameError, make_agent
from rlcard_kit.duplicate.players import AgentFailure
from rlcard_kit.programs.agent import PASS
from rlcard_kit.programs.process import ProgramProcess
from tests.support.games import BIG2, make
from tests.support.limits import PATIENCE, wait_until

BOT = (Path(__file__).parents[3] / 'examples/programs/bot.py').read_text()
# Passes where it may, else plays the lowest move; after the number of questions of its second argument it misbehaves.
PROGRAM = """
import json, os, subprocess, sys, time

deed, patience = sys.argv[1], int(sys.argv[2])
wrong = {'chat': 'I pass', 'a list': '["pass"]', 'a number': '{"move":3}', 'nest': '[' * 9999,
         'paint': r'{"error":"\\u001b[2J"}',
         'twin': r'{"\\u001b[2J":1,"\\u001b[2J":2}',
         'cheat': '{"move":"2s 3d"}', 'invent': '{"move":"8x"}', 'refuse': '{"error":"hkust alone"}'}
if deed == 'die in colour':
    sys.exit('\x1b[2J')
if deed == 'leave at once':
    sys.exit('no weights today')
for line in sys.stdin:
    message = json.loads(line)
    if 'game' in message:
        continue
    patience -= 1
    answer = json.dumps({'move': 'pass' if 'pass' in message['actions'] else message['actions'][0]})
    if patience < 0:
        if deed == 'crash':
            1 / 0
        if deed == 'kill':
            os.kill(os.getpid(), 9)
        if deed == 'eat':
            bytearray(10**9)
        if deed == 'be silent':
            subprocess.Popen(['sleep', '1000'])
            time.sleep(1000)
        if deed == 'flood':
            answer = 'x' * 10**6
        if deed == 'repeat':
            answer = f'{answer}\\n{answer}'
        if deed == 'stop reading':
            os.close(0)
    print(wrong.get(deed, answer), flush=True)
    if patience < 0 and deed == 'stop reading':
        time.sleep(0.1)
        os._exit(0)
"""


class Replacement:
    """Makes the moves that replace those of a program, which are also those of the program above."""

    use_raw = True

    def __init__(self):
        self.moves = 0

    def eval_step(self, state):
        self.moves += 1
        legal = state['raw_legal_actions']
        return PASS if PASS in legal else legal[0], {}


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    monkeypatch.setattr(agent_module, 'PATIENCE', 1)


@pytest.fixture(scope='module')
def program(tmp_path_factory):
    """Return a command that runs the program."""
    file = tmp_path_factory.mktemp('programs') / 'program.py'
    file.write_text(PROGRAM)
    return lambda deed, patience=0: shlex.join([sys.executable, str(file), deed, str(patience)])


@pytest.fixture(scope='module')
def replaced():
    """Return a match of replacements, and the number of their moves."""
    agent = Replacement()
    return play_match(agent, 'greedy', 2, seed=1), agent.moves


@pytest.mark.parametrize(
    ('deed', 'patience', 'kind', 'word', 'every'),
    [
        ('leave at once', 0, 'not started', 'it ended with status 1: no weights today', 1),
        ('kill', 0, 'not started', 'signal 9', 1),
        ('eat', 0, 'not started', 'MemoryError', 1),
        ('be silent', 0, 'time-out', 'within 0.5 s', 1),
        ('flood', 0, 'flood', '65,536 bytes', 1),
        ('repeat', 3, 'flood', 'without being asked', 5),
        ('crash', 3, 'crash', 'it ended with status 1: ZeroDivisionError', 4),
        ('stop reading', 3, 'crash', 'it ended with status 0', 5),
        ('chat', 0, 'nonsense', 'I pass', 1),
        ('a list', 0, 'nonsense', 'pass', 1),
        ('a number', 0, 'nonsense', '3', 1),
        ('nest', 0, 'nonsense', '[[[', 1),
        ('cheat', 0, 'illegal move', '2s 3d', 1),
        ('invent', 0, 'illegal move', '8x', 1),
        ('refuse', 0, 'error', 'hkust alone', 1),
        ('paint', 0, 'error', r'\x1b[2J', 1),
        ('twin', 0, 'nonsense', r'\x1b[2J', 1),
        ('die in colour', 0, 'not started', r'\x1b[2J', 1),
    ],
)
def test_a_match_goes_on_with_replaced_moves(deed, patience, kind, word, every, program, replaced, monkeypatch):
    monkeypatch.setattr(agent_module, 'START_SECONDS', 0.5 if deed == 'be silent' else PATIENCE)
    limits = 'seconds=0.5' if deed == 'be silent' else 'megabytes=500'
    with pytest.warns(UserWarning, match=f': {kind}: ') as warned:
        match = play_match(f'program:{program(deed, patience)},{limits}', 'greedy', 2, seed=1)
    wanted, asked = replaced
    assert match.payoffs.tolist() == wanted.payoffs.tolist()
    assert word in str(warned[0].message)
    (note,) = match.notes
    assert f': {asked // every} moves in ' in note
    assert f' replaced: {kind}, first in deal 0, seat ' in note or every > 1


@pytest.mark.parametrize('command', ['no-such-program', '/', "''", 'a\0b'])
def test_a_program_that_cannot_be_run(command, replaced):
    with pytest.warns(UserWarning, match=': not started: '):
        match = play_match(f'program:{command}', 'greedy', 2, seed=1)
    assert match.payoffs.tolist() == replaced[0].payoffs.tolist()


def test_the_time_of_a_game_is_limited(program, replaced, monkeypatch):
    """Each answer takes a second; the first of a process does not count."""

    def ask(process, question, seconds, ask=ProgramProcess.ask):
        answer = ask(process, question, 60)
        process.waited = 1.0
        return answer

    monkeypatch.setattr(ProgramProcess, 'ask', ask)
    with pytest.warns(UserWarning, match='the 2 s of its game are over'):
        match = play_match(f'program:{program("nothing")},game_seconds=2', 'greedy', 2, seed=1)
    (note,) = match.notes
    assert f': {replaced[1] - 2 * 8 - 1} moves in 8 games were replaced: time-out' in note


def test_a_match_that_was_stopped_finds_the_answer_in_the_pipe(program, replaced, monkeypatch):
    """Between two looks at the clock, more time passes than the limit."""
    monkeypatch.setattr(agent_module, 'START_SECONDS', 1e6)
    monkeypatch.setattr(process_module, 'monotonic', partial(next, count(0, 10**7)))
    match = play_match(f'program:{program("nothing")},seconds=1000000,game_seconds=1000000', 'greedy', 2, seed=1)
    assert (match.payoffs.tolist(), match.notes) == (replaced[0].payoffs.tolist(), ())


@pytest.mark.filterwarnings('ignore:.*not started')
@pytest.mark.parametrize('starts', [1, 2], ids=['at the end', 'at a start'])
def test_a_program_whose_file_changes_ends_the_match(tmp_path, starts):
    file = tmp_path / 'bot.py'
    change = f"open({str(file)!r}, 'a').write('#')"
    file.write_text(f'{change}\n{BOT if starts == 1 else "raise SystemExit"}\n')
    with pytest.raises(AgentFailure, match=f'{file} changed') as raised:
        play_match(f'program:{sys.executable} {file}', 'greedy', 2, seed=1)
    assert ('after deal' in str(raised.value)) == (starts == 1)


WRONG = [
    (f'program:./my-bot,{limit}', limit.partition('=')[0])
    for limit in ('seconds=0', 'game_seconds=-1', 'megabytes=nan', 'seconds=soon')
]
WRONG += [('program:', 'COMMAND'), ('program:"', 'quot'), ('program: ', 'empty')]


@pytest.mark.parametrize(('name', 'word'), WRONG)
def test_a_command_is_needed_and_limits_are_positive(name, word):
    with pytest.raises(AgentNameError, match=word):
        make_agent(name)


def test_no_shell_reads_a_command(program, tmp_path, monkeypatch, recwarn):
    """Its file has the characters of a shell and a comma in its name, and so has its argument."""
    monkeypatch.chdir(tmp_path)
    odd = "a b;$(touch there),`touch there`|'>there&.py"
    Path(odd).write_text(f'import sys\nassert sys.argv[1] == "*,seconds=1,", sys.argv\n{BOT}')
    match = play_match(f'program:{sys.executable} {shlex.quote(odd)} *,seconds=1,', 'greedy', 2, seed=1)
    assert (match.notes, os.listdir()) == ((), [odd])


SLEEPING = ['sh', '-c', 'sleep 1000 & echo $! > "$0.new"; mv "$0.new" "$0"; sleep 1000']
ASKING = """
import sys, rlcard, rlcard_big2
from rlcard_big2.agents.program import Big2Program
state, _ = rlcard.make('big2').reset()
Big2Program(sys.argv[1:]).eval_step(state)
"""


def is_running(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_all_processes_of_a_program_are_killed_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(agent_module, 'START_SECONDS', 3)  # until the shell has written the number
    agent = Big2Program([*SLEEPING, str(tmp_path / 'pid')], seconds=0.5)
    with pytest.warns(UserWarning, match='time-out'):
        agent.eval_step(make(BIG2).reset()[0])
    child = int((tmp_path / 'pid').read_text())
    wait_until(lambda: not is_running(child))


def test_all_processes_of_a_program_are_killed_with_its_parent(tmp_path):
    file = tmp_path / 'pid'
    with subprocess.Popen([sys.executable, '-c', ASKING, *SLEEPING, str(file)]) as parent:
        wait_until(file.exists)
        parent.kill()
    child = int(file.read_text())
    wait_until(lambda: not is_running(child))


def test_a_program_may_write_more_errors_than_a_pipe_holds():
    code = "import sys\nfor line in sys.stdin:\n    sys.stderr.write('!' * 50_000)\n    print(line, end='', flush=True)"
    program = ProgramProcess([sys.executable, '-c', code], 1000)
    assert [program.ask(b'move\n', PATIENCE) for _ in range(4)] == [b'move'] * 4
    program.kill()
