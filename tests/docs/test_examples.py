"""The examples run and print their results."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command):
    result = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_dmc_in_one_file_learns_to_beat_random_agents():
    output = run('examples/dmc_in_one_file.py', '--decisions', '40000', '--deals', '60')
    share, margin = re.search(r'WP (\d\.\d+) ± (\d\.\d+)', output).groups()
    assert float(share) - float(margin) > 0.4  # without learning it is 0.25


@pytest.mark.slow
def test_maskable_ppo_learns_from_the_gymnasium_environment_and_plays_matches():
    pytest.importorskip('sb3_contrib', reason='sb3-contrib is not installed')
    output = run('examples/maskable_ppo.py', '--steps', '512', '--deals', '5')
    for field in ('random', 'rule'):
        assert re.search(rf'against three of {field}: 5 deals: WP \d\.\d+ ± \d\.\d+, EV -?\d+\.\d+', output)


SLOW = pytest.mark.slow  # the first set of actions shows that the file runs


@pytest.mark.parametrize('actions', ['scored', pytest.param('slots', marks=SLOW), pytest.param('reduced', marks=SLOW)])
def test_ppo_in_one_file_learns_with_each_set_of_actions_and_plays_a_match(actions):
    small = ('--total-timesteps', '1024', '--num-envs', '16', '--num-steps', '32', '--hidden-size', '16')
    output = run('examples/ppo_in_one_file.py', '--actions', actions, '--opponents', 'greedy', *small, '--deals', '4')
    assert output.count(' decisions: ') == 2
    assert re.search(r'against three of greedy: 4 deals: WP \d\.\d+ ± \d\.\d+, EV -?\d+\.\d+', output)


@pytest.mark.slow
def test_action_sets_are_compared_in_one_table():
    small = ('--training.num-envs', '16', '--training.num-steps', '32', '--training.hidden-size', '16')
    output = run('examples/action_sets.py', '--minutes', '0.005', '--deals', '2', *small)
    rows = [line.split(' | ') for line in output.splitlines() if line.startswith("`'")]
    assert [row[0] for row in rows] == ["`'slots'`", "`'scored'`", "`'reduced'`"]
    for number, row in enumerate(rows):
        assert [not cell.strip() for cell in row[5:]] == [other == number for other in range(3)]  # none against itself
        assert bool(row[4].strip()) == (number > 0)  # a difference from the first
