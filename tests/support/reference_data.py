"""Files of the published programs, which the repository does not hold: BIG2_REFERENCE_DATA names their folder."""

import os
from pathlib import Path

import pytest

VARIABLE = 'BIG2_REFERENCE_DATA'


def reference_file(name):
    """Return the path of a file; skip the test if the variable is not set, and fail it if the file is missing."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(f'{VARIABLE} does not name the folder that holds {name}')
    path = Path(folder).expanduser() / name
    assert path.is_file(), f'{VARIABLE}={folder}: it has no file {name}'
    return path
