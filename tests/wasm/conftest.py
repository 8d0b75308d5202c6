"""Node, for the tests of WebAssembly."""

import json
import subprocess
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

from tests.support.limits import PATIENCE

NODE = compute_driver_executable()[0]  # playwright brings its own
SCRIPTS = Path(__file__).parent


@pytest.fixture
def run_node(engine):
    """Run a script of this folder in Node, with JSON as its input; return the JSON that it prints."""

    def run(script, **given):
        words, text = [NODE, SCRIPTS / script], json.dumps({'engine': engine.as_uri(), **given})
        result = subprocess.run(words, input=text, check=True, stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
        return json.loads(result.stdout)

    return run
