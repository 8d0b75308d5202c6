"""The backend that builds wheels: that of setuptools, after the kernels of a first game of Big 2 are compiled.

`pip install . -C kernels=no` builds a wheel without them in seconds, so that the first game compiles what it needs;
`-C kernels=all` compiles those of all that people begin with, as for a release.
"""

import subprocess
import sys
from collections.abc import Mapping
from configparser import ConfigParser
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    'build_editable', 'build_sdist', 'build_wheel', 'get_requires_for_build_editable', 'get_requires_for_build_sdist',
    'get_requires_for_build_wheel', 'prepare_metadata_for_build_editable', 'prepare_metadata_for_build_wheel',
]  # fmt: skip

Settings = Mapping[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """Return what a build needs: to compile kernels, what the library needs to run."""
    requires: list[str] = build_meta.get_requires_for_build_wheel(config_settings)
    if _kernels(config_settings) == 'no':
        return requires
    setup = ConfigParser()
    setup.read('setup.cfg')
    needed = setup['options']['install_requires'] + setup['options.extras_require']['gymnasium']
    return [*requires, *(line for line in needed.splitlines() if line and not line.startswith('#'))]


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Build the wheel; if its kernels cannot be compiled, it has none."""
    kernels = _kernels(config_settings)
    if kernels != 'no' and subprocess.run([sys.executable, '-m', 'rlcard_play.native', kernels]).returncode:
        sys.stderr.write('rlcard-big2: the kernels cannot be compiled now: the first game compiles what it needs\n')
    name: str = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    return name


def _kernels(config_settings: Settings) -> str:
    kernels = str((config_settings or {}).get('kernels', 'first'))
    if kernels not in ('first', 'all', 'no'):
        raise ValueError(f'kernels={kernels!r}: choose first, all or no')
    return kernels
