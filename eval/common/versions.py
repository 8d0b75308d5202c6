"""Digest of the sources, and versions of the packages."""

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rlcard_kit.jit import digest

CHECKOUT = Path(__file__).parents[2]
PACKAGES = ('rlcard_kit', 'rlcard_big2', 'rlcard_catch5', 'eval', 'training', 'dmc', 'ppo')
VERSIONS = ('rlcard-big2', 'rlcard', 'numpy', 'numba', 'torch')


@cache
def source_digest() -> str:
    """Return the SHA-256 of the sources of the library and the laboratory."""
    return digest(path for package in PACKAGES for path in (CHECKOUT / package).rglob('*.py'))


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that decide numbers."""
    by_name = {'python': platform.python_version()}
    for package in VERSIONS:
        try:
            by_name[package] = version(package)
        except PackageNotFoundError:
            continue
    return by_name
