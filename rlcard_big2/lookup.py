"""Objects of modules, by name: `MODULE:NAME`, and `python:MODULE:NAME` for those of a user's own modules."""

import importlib
import os
import sys
from typing import Any

from rlcard_big2.errors import Big2Error, describe

OWN = 'python:'


class NotFoundError(Big2Error):
    """Raised for a name that does not lead to an object."""


def find(entry_point: str) -> Any:
    """Import what MODULE:NAME names.

    Raises:
        NotFoundError: if there is no such thing, or importing it fails.
    """
    module, _, path = entry_point.partition(':')
    try:
        found: Any = importlib.import_module(module)
        for attribute in path.split('.'):
            found = getattr(found, attribute)
    except (Exception, SystemExit) as error:  # a user's module may raise anything
        raise NotFoundError(f'{entry_point} cannot be imported: {describe(error)}') from error
    return found


def find_own(name: str) -> Any:
    """Import what python:MODULE:NAME names; the current folder is searched too.

    Raises:
        NotFoundError: if there is no such thing, or importing it fails.
    """
    parts = name.split(':')
    if len(parts) != 3 or not all(parts):
        raise NotFoundError('write python:MODULE:NAME')
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # as `python -m` does and a console script does not
    return find(':'.join(parts[1:]))
