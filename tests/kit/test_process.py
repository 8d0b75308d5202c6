"""Standard streams that are closed or lack characters of the packages, and the cores that a process may use."""

import os
import subprocess
import sys

import pytest

from rlcard_kit import process

PROGRAM = 'import sys; from rlcard_kit.process import prepare_streams; prepare_streams(); '


def test_characters_that_a_stream_lacks_become_plain_ones():
    program = PROGRAM + "sys.stdout.write('1 ± 2 · 3 → é 好 \\udcff')"
    result = subprocess.run([sys.executable, '-c', program], env={'PYTHONIOENCODING': 'ascii'}, capture_output=True)
    assert (result.stdout, result.stderr) == (b'1 +- 2 . 3 -> e ? ?', b'')


@pytest.mark.parametrize('closed', ['<&-', '>&-', '2>&-'])
def test_closed_streams_are_empty(closed):
    program = PROGRAM + "assert sys.stdin.read() == ''; print('out'); print('err', file=sys.stderr); sys.exit(7)"
    words = ['sh', '-c', f'exec "$0" -c "$1" {closed}', sys.executable, program]
    assert subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True).returncode == 7


@pytest.mark.parametrize(
    ('quota', 'cores'),
    [('max 100000', 8), ('250000 100000', 2), ('50000 100000', 1), ('1600000 100000', 8), (None, 8), ('', 8)],
)
@pytest.mark.parametrize('has_affinities', [True, False])
def test_cores_are_those_of_the_affinity_or_the_machine_within_the_quota(
    monkeypatch, tmp_path, quota, cores, has_affinities
):
    monkeypatch.setattr(os, 'sched_getaffinity', lambda number: set(range(8)), raising=False)
    if not has_affinities:
        monkeypatch.delattr(os, 'sched_getaffinity')
    monkeypatch.setattr(os, 'cpu_count', lambda: 99 if has_affinities else 8)
    monkeypatch.setattr(process, 'QUOTA', tmp_path / 'cpu.max')
    if quota is not None:
        process.QUOTA.write_text(quota)
    assert process.count_cores() == cores
