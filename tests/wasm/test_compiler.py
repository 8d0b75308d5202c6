"""Compiling kernels to WebAssembly."""

import subprocess
import sys

from tests.support.limits import PATIENCE

PROGRAM = """
import sys
import numba
from rlcard_kit.deck import popcount
from wasm.compiler import Entry, compile_kernels

@numba.njit
def describe(count):
    if count < 0:
        raise ValueError(f'count={count}')
    return count

kernels = {'popcount': popcount, 'describe': describe}
sys.stdout.buffer.write(compile_kernels({name: Entry(kernels[name], [numba.int64]) for name in sys.argv[1:]}))
"""


def compile_in_a_process(*names, seed='0'):
    words = [sys.executable, '-c', PROGRAM, *names]
    return subprocess.run(words, capture_output=True, env={'PYTHONHASHSEED': seed, 'PYTHONPATH': '.'}, timeout=PATIENCE)


def test_the_same_kernel_gives_the_same_bytes():
    first, second = (compile_in_a_process('popcount', seed=seed) for seed in '12')
    assert first.stdout.startswith(b'\0asm')
    assert first.stdout == second.stdout


def test_a_kernel_that_needs_python_is_refused():
    result = compile_in_a_process('describe')
    assert not result.stdout
    assert b'NRT_MemInfo_alloc' in result.stderr.splitlines()[-1]
