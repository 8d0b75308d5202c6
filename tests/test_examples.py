"""The examples run, and show what they say."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*command):
    result = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_dmc_in_one_file_learns_to_beat_random_agents():
    output = run('examples/dmc_in_one_file.py', '--decisions', '40000', '--deals', '60')
    share, margin = re.search(r'WP (\d\.\d+) ± (\d\.\d+)', output).groups()
    assert float(share) - float(margin) > 0.4  # without learning it is 0.25


def test_maskable_ppo_learns_from_the_gymnasium_environment_and_plays_matches():
    pytest.importorskip('sb3_contrib', reason='sb3-contrib is not installed')
    output = run('examples/maskable_ppo.py', '--steps', '4096', '--deals', '20')
    for field in ('random', 'rule'):
        assert re.search(rf'against three of {field}: 20 deals: WP \d\.\d+ ± \d\.\d+, EV -?\d+\.\d+', output)
