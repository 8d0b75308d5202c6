"""The examples run, and show what they say."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run(*command):
    result = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_dmc_in_one_file_learns_to_beat_random_agents():
    output = run('examples/dmc_in_one_file.py', '--decisions', '40000', '--deals', '60')
    share, margin = re.search(r'WP (\d\.\d+) ± (\d\.\d+)', output).groups()
    assert float(share) - float(margin) > 0.4  # without learning it is 0.25
