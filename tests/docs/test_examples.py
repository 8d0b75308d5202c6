"""The examples run and print their results, and the programs play."""

import re
import shlex
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import dmc
import ppo
from rlcard_big2.duplicate import play_match
from rlcard_catch5.duplicate import play_match as catch5_match
from tests.support.commands import run_python
from tests.support.limits import PATIENCE
from training.games import LearnedGame

ROOT = Path(__file__).parents[2]


def test_dmc_in_one_file_learns_to_beat_random_agents():
    output = run_python(ROOT, 'examples/dmc_in_one_file.py', '--decisions', '20000', '--deals', '40')
    share, margin = re.search(r'WP (\d\.\d+) ± (\d\.\d+)', output).groups()
    assert float(share) - float(margin) > 0.4  # without learning it is 0.25


@pytest.mark.parametrize(('package', 'file'), [(dmc, 'dmc_in_one_file.py'), (ppo, 'ppo_in_one_file.py')])
def test_the_table_of_a_trainer_names_parts_of_its_example_and_of_the_trainer(package, file):
    rows = [line.split('|')[1:3] for line in package.__doc__.splitlines() if line.startswith('| `')]
    assert len(rows) >= 5
    source = (ROOT / 'examples' / file).read_text()
    for theirs, ours in rows:
        name = re.search('`([^`]*)`', theirs)[1]
        assert name in source or re.search(rf'^    def {name.partition(".")[2]}\(', source, re.MULTILINE), name
        for name in re.findall('`([^`]*)`', ours):
            if name.startswith('LearnedGame.'):
                assert hasattr(LearnedGame, name.partition('.')[2]), name
            else:
                module, _, member = name.rpartition('.')
                assert hasattr(import_module(module), member), name


@pytest.mark.slow
def test_maskable_ppo_learns_from_the_gymnasium_environment_and_plays_matches():
    pytest.importorskip('sb3_contrib', reason='sb3-contrib is not installed')
    output = run_python(ROOT, 'examples/frameworks/maskable_ppo.py', '--steps', '512', '--deals', '5', '--goal', '-14')
    assert '512 decisions: EV ' in output
    for field in ('random', 'rule'):
        assert re.search(rf'against three of {field}: 5 deals: WP \d\.\d+ ± \d\.\d+, EV -?\d+\.\d+', output)


SLOW = pytest.mark.slow  # the first set of actions shows that the file runs


@pytest.mark.parametrize('actions', ['scored', pytest.param('slots', marks=SLOW), pytest.param('reduced', marks=SLOW)])
def test_ppo_in_one_file_learns_with_each_set_of_actions_and_plays_a_match(actions):
    words = f'--actions {actions} --opponents greedy --total-timesteps 1024 --num-envs 16 --num-steps 32'
    output = run_python(ROOT, 'examples/ppo_in_one_file.py', *words.split(), '--hidden-size', '16', '--deals', '4')
    assert output.count(' decisions: ') == 2
    assert re.search(r'against three of greedy: 4 deals: WP \d\.\d+ ± \d\.\d+, EV -?\d+\.\d+', output)


@pytest.mark.slow
def test_action_sets_are_compared_in_one_table():
    small = ('--training.num-envs', '16', '--training.num-steps', '32', '--training.hidden-size', '16')
    output = run_python(ROOT, 'examples/action_sets.py', '--minutes', '0.005', '--deals', '2', *small)
    rows = [line.split(' | ') for line in output.splitlines() if line.startswith("`'")]
    assert [row[0] for row in rows] == ["`'slots'`", "`'scored'`", "`'reduced'`"]
    for number, row in enumerate(rows):
        assert [not cell.strip() for cell in row[5:]] == [other == number for other in range(3)]  # none against itself
        assert bool(row[4].strip()) == (number > 0)  # a difference from the first


PROGRAMS = {  # by file: what compiles it, if anything, and what runs it
    'bot.py': ((), (sys.executable, 'FILE')),
    'bot.js': ((), ('node', 'FILE')),
    'bot.cpp': (('g++', '-o', 'BOT', 'FILE'), ('BOT',)),
    'bot.rs': (('rustc', '-o', 'BOT', 'FILE'), ('BOT',)),
}


@pytest.mark.parametrize('name', PROGRAMS)
def test_each_program_plays_as_the_greedy_agent(name, tmp_path):
    file = ROOT / 'examples' / 'programs' / name
    names = {'FILE': str(file), 'BOT': str(tmp_path / 'bot')}
    compiler, command = ([names.get(word, word) for word in words] for words in PROGRAMS[name])
    needed = (compiler or command)[0]
    if shutil.which(needed) is None or subprocess.run([needed, '--version']).returncode:
        pytest.skip(f'{needed} is not installed')  # rustc may be a name without a compiler
    if compiler:
        subprocess.run(compiler, check=True, timeout=PATIENCE)
    program = play_match(f'program:{shlex.join(command)}', 'rule', 2, 'hong-kong', seed=1)
    assert program.notes == ()
    assert program.payoffs.tolist() == play_match('greedy', 'rule', 2, 'hong-kong', seed=1).payoffs.tolist()
    assert catch5_match(f'program:{shlex.join(command)}', 'rule', 2, seed=1).notes == ()
    assert len(file.read_text().splitlines()) <= 30


def test_all_programs_are_tried():
    assert sorted(PROGRAMS) == sorted(file.name for file in (ROOT / 'examples' / 'programs').glob('bot.*'))
