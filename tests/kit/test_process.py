"""Standard streams: closed ones, and encodings without the characters of the packages."""

import subprocess
import sys

import pytest

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
