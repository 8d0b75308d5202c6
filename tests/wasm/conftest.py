"""Fixtures of the tests of WebAssembly: the engine, built once, and Node."""

import fcntl
import json
import subprocess
import sys
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

NODE = compute_driver_executable()[0]  # playwright brings its own
SCRIPTS = Path(__file__).parent


@pytest.fixture(scope='session')
def engine(tmp_path_factory):
    """Return a folder with the engine for JavaScript, which the first of several processes builds."""
    root = tmp_path_factory.getbasetemp()
    if 'xdist' in sys.modules and root.name.startswith('popen'):
        root = root.parent
    folder = root / 'engine'
    with (root / 'engine.lock').open('w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            subprocess.run([sys.executable, '-m', 'wasm', folder], check=True, timeout=300)
    return folder


@pytest.fixture
def run_node(engine):
    """Run a script of this folder in Node, with JSON as its input; return the JSON that it prints."""

    def run(script, **given):
        words, text = [NODE, SCRIPTS / script], json.dumps({'engine': engine.as_uri(), **given})
        result = subprocess.run(words, input=text, check=True, stdout=subprocess.PIPE, text=True, timeout=300)
        return json.loads(result.stdout)

    return run
