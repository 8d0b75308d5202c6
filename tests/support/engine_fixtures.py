"""The engine as WebAssembly, built once for all tests."""

import fcntl
import subprocess
import sys

import pytest

from tests.support.limits import PATIENCE


def build_once(tmp_path_factory, name, build):
    """Return a folder that `build` writes in the first of several processes."""
    root = tmp_path_factory.getbasetemp()
    if 'xdist' in sys.modules and root.name.startswith('popen'):
        root = root.parent
    with (root / f'{name}.lock').open('w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / f'{name}.done').exists():
            build(root / name)
            (root / f'{name}.done').touch()
    return root / name


@pytest.fixture(scope='session')
def engine(tmp_path_factory):
    """Return a folder with the engine for JavaScript."""

    def build(folder):
        subprocess.run([sys.executable, '-m', 'wasm', folder], check=True, timeout=PATIENCE)

    return build_once(tmp_path_factory, 'engine', build)
