"""The lock of requirements: a version with hashes for each requirement, on each Python."""

import re
from configparser import ConfigParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / 'requirements/dev.lock').read_text(encoding='utf-8')
UNLOCKED = {'torch', 'pip'}


def requirements():
    """Yield what `make` installs, without this folder."""
    setup = ConfigParser()
    setup.read(ROOT / 'setup.cfg')
    own, *lines = re.findall(r'^[^#\n].*', (ROOT / 'requirements/dev.txt').read_text(encoding='utf-8'), re.MULTILINE)
    lines += setup['options']['install_requires'].splitlines()
    for extra in re.search(r'\[(.*)\]', own)[1].split(','):
        lines += setup['options.extras_require'][extra].splitlines()
    yield from (Requirement(line) for line in lines if line and not line.startswith('#'))


@pytest.mark.parametrize('python', ['3.10', '3.11', '3.12', '3.13'])
def test_the_lock_satisfies_the_requirements(python):
    here = {'python_version': python, 'python_full_version': f'{python}.1', 'sys_platform': 'linux'}
    locked = {}
    for text in re.findall(r'^([a-z].*?) \\\n    --hash=sha256:[0-9a-f]{64}', LOCK, re.MULTILINE):
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate(here):
            locked[canonicalize_name(requirement.name)] = str(requirement.specifier).removeprefix('==')
    for requirement in requirements():
        name = canonicalize_name(requirement.name)
        if name not in UNLOCKED and (requirement.marker is None or requirement.marker.evaluate(here)):
            assert requirement.specifier.contains(locked[name]), f'{requirement}: run make lock'
