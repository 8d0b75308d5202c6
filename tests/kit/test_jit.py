"""Compiled kernels: their sources, their folders, and the announcement."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rlcard_big2
from rlcard_kit.jit import PACKAGES, claim, digest, kernel_sources
from tests.support.faults import remove_locks

PACKAGE = Path(rlcard_big2.__file__).parent
FOLDER = 'kernels-12345678-{:016d}'
HOLD = 'import sys; from pathlib import Path; from rlcard_kit.jit import claim; '
HOLD += 'claim(Path(sys.argv[1])); print("held", flush=True); sys.stdin.read()'
COMPILE = 'import numpy as np; from rlcard_kit.rng import next_random; next_random(np.zeros(1, np.uint64))'

INTERRUPT = """
import signal
import numpy as np
from numba.core import event
from rlcard_kit.rng import next_random
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupt(event.Listener):
    def on_start(self, event):
        signal.raise_signal(signal.SIGINT)
    def on_end(self, event):
        pass
for kind in ('numba:compile', 'numba:run_pass', 'numba:llvm_lock'):
    event.register(kind, Interrupt())
try:
    next_random(np.zeros(1, np.uint64))
except KeyboardInterrupt:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    before = dict(next_random.stats.cache_misses)
    print(before, next_random(np.ones(1, np.uint64)), next_random.stats.cache_misses)
"""


def test_kernels_depend_on_their_sources_alone():
    found = {path.relative_to(PACKAGE.parent).as_posix() for path in kernel_sources(*PACKAGES)}
    own = {'engine/moves.py', 'engine/state.py', 'rules.py', 'nets/afterstates.py'}
    assert {'rlcard_kit/rng.py', *(f'rlcard_big2/{name}' for name in own)} <= found
    assert not {f'rlcard_big2/{name}' for name in ('pettingzoo.py', 'models/__init__.py', 'registry.py')} & found
    assert 'rlcard_kit/version.py' not in found


def test_what_a_kernel_imports_counts(tmp_path):
    package = tmp_path / 'package'
    (package / 'sub').mkdir(parents=True)
    for name, text in {
        '__init__.py': '',
        'a.py': 'from x.compilation import kernel\nfrom package.b import SIZE\nfrom package import sub',
        'b.py': 'import package.c',
        'c.py': 'from package.a import something',
        'sub/__init__.py': '',
        'sub/d.py': '',
        'e.py': 'from package.a import something',
    }.items():
        (package / name).write_text(text)
    found = {path.relative_to(package).as_posix() for path in kernel_sources(package)}
    # `from package import sub` counts as all of the package, since what it names is not looked up.
    assert found == {'__init__.py', 'a.py', 'b.py', 'c.py', 'sub/__init__.py', 'sub/d.py', 'e.py'}
    (package / 'a.py').write_text('from x.compilation import kernel\nfrom package.b import SIZE')
    assert {path.name for path in kernel_sources(package)} == {'a.py', 'b.py', 'c.py'}


def test_a_digest_depends_on_names_and_contents(tmp_path):
    one, other = tmp_path / 'one.py', tmp_path / 'other.py'
    one.write_text('1')
    other.write_text('2')
    before = digest([one, other])
    assert digest([other, one]) == before
    other.write_text('3')
    assert len({before, digest([one, other]), digest([one]), digest([other])}) == 4


def test_folders_of_earlier_sources_are_removed_unless_a_process_uses_them(tmp_path):
    unused, used, new = (tmp_path / FOLDER.format(number) for number in range(3))
    unused.mkdir()
    (unused / 'code').touch()
    others = tmp_path / 'kernels-87654321-0000000000000000'
    others.mkdir()
    with subprocess.Popen(
        [sys.executable, '-c', HOLD, str(used)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == 'held\n'
        assert not unused.exists()
        claim(new)
        assert {path.name for path in tmp_path.iterdir()} == {used.name, new.name, others.name}
        process.communicate()
    claim(tmp_path / FOLDER.format(5))
    assert not used.exists()
    assert new.exists(), 'this process uses it'


def test_without_locks_a_folder_is_used_and_none_is_removed(tmp_path, monkeypatch):
    remove_locks(monkeypatch)
    for number in range(2):
        claim(tmp_path / FOLDER.format(number))
    assert len(list(tmp_path.iterdir())) == 2


def run(folder, text):
    """Run a program that compiles into a folder, or takes the code from there."""
    environment = {**os.environ, 'NUMBA_CACHE_DIR': str(folder)}
    return subprocess.run([sys.executable, '-c', text], env=environment, capture_output=True, text=True, check=True)


def compiled(folder, text=COMPILE):
    """Return what such a program prints to stderr."""
    return run(folder, text).stderr


@pytest.mark.slow
def test_damaged_code_is_compiled_anew(tmp_path):
    compiled(tmp_path)
    files = list(tmp_path.rglob('*.nb?'))
    for contents in (b'', b'\0' * 100, b'damage'):
        for file in files:
            file.write_bytes(contents)
        compiled(tmp_path)
        assert all(file.read_bytes() != contents for file in files if file.suffix == '.nbi')


def test_ctrl_c_waits_for_the_end_of_compilation(tmp_path):
    said = run(tmp_path, INTERRUPT).stdout
    assert said.count(': 1}') == 2, 'it is compiled before the exception, and once'
    assert ' 2433363436 ' in said


def test_processes_that_start_together_compile_each_kernel_once(tmp_path):
    words = [sys.executable, '-c', f'{COMPILE}; print(sum(next_random.stats.cache_misses.values()))']
    options = {'env': {**os.environ, 'NUMBA_CACHE_DIR': str(tmp_path)}, 'stdout': subprocess.PIPE, 'text': True}
    started = [subprocess.Popen(words, **options) for _ in range(3)]
    assert sorted(process.communicate()[0] for process in started) == ['0\n', '0\n', '1\n']


def test_without_a_folder_for_compiled_code_the_variable_is_named_once(tmp_path):
    file = tmp_path / 'file'
    file.write_text('')
    child = f'import subprocess, sys; subprocess.run([sys.executable, "-c", {COMPILE!r}], check=True)'
    printed = compiled(file / 'inside', f'{COMPILE}; {child}')
    assert printed.count('NUMBA_CACHE_DIR') == 1
    assert printed.count('compiling') == 1, 'the child has the code of its parent'


COUNT = 'from rlcard_kit import compilation; compilation.PATIENCE = compilation.INTERVAL = 0; '
HOLD_ANNOUNCEMENT = 'import fcntl; file = open(jit.CACHE_FOLDER / "announced"); fcntl.flock(file, fcntl.LOCK_EX); '


def test_a_process_says_that_it_compiles_for_how_long_and_when_that_is_done(tmp_path):
    once = 'rlcard_kit: compiling the engine, once per machine; some minutes if it is busy'
    uniform = COMPILE.replace('next_random', 'uniform')
    for text in (COUNT + COMPILE, COUNT + uniform):  # the first into the folder, and a later one
        first, *counted, last = compiled(tmp_path, text).splitlines()
        assert first == once
        assert {line.rstrip('0123456789 s') for line in counted} == {'rlcard_kit: compiling:'}
        assert last.startswith('rlcard_kit: compiled in ')
    assert compiled(tmp_path, COUNT + COMPILE) == '', 'nothing is left to compile'
    below = COMPILE.replace('next_random(np.zeros(1, np.uint64))', 'below(np.zeros(1, np.uint64), 3)')
    held = f'from rlcard_kit import jit; {HOLD_ANNOUNCEMENT}{COUNT}{below.replace("next_random", "below")}'
    assert compiled(tmp_path, held) == '', 'another process announces'
    assert compiled(tmp_path / 'first', COMPILE).startswith(once), 'at once, into an empty folder'


def test_a_kernel_of_the_release_is_finished_and_kept_in_place_of_compiling_it(tmp_path):
    released = tmp_path / 'kernels.xz'
    use = 'from pathlib import Path; from rlcard_kit import jit, released; '
    use += f'released.RELEASED = Path({str(released)!r}); '
    use += f'{COMPILE}; assert next_random(np.ones(1, np.uint64)) == 2433363436'
    assert 'compiling' in compiled(tmp_path / 'release', f'{use}; released.release(jit.CACHE_FOLDER)')
    assert compiled(tmp_path / 'user', use) == ''
    contents = released.read_bytes()
    released.write_bytes(b'damage')
    assert compiled(tmp_path / 'user', use) == '', 'the code is kept'
    assert 'compiling' in compiled(tmp_path / 'other', use)
    released.write_bytes(contents)
    other_numba = use.replace('from rlcard_kit', 'import numba; numba.__version__ = "0"; from rlcard_kit')
    assert 'compiling' in compiled(tmp_path / 'third', other_numba)
