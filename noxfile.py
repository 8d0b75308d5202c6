"""Test the wheel in `dist` with every Python on the PATH, with the oldest and the newest versions of its requirements.

make dist && .venv/bin/nox
.venv/bin/nox -s "wheel-3.10(oldest)"             # one environment
.venv/bin/nox -s "wheel-3.11(newest)" -- torch    # the extra torch, which is large, instead of the others
.venv/bin/nox -s "frameworks(maskable_ppo)"       # train an example of examples/frameworks with its versions
"""

import json
import runpy
import shutil
from collections.abc import Iterator, Sequence
from email.parser import BytesParser
from pathlib import Path
from zipfile import ZipFile

import nox
from packaging.requirements import Requirement

nox.options.sessions = ('wheel',)
nox.options.default_venv_backend = 'uv'  # it can resolve for the oldest versions
nox.options.download_python = 'never'
nox.options.error_on_missing_interpreters = False  # nox reports and skips a missing Python
PYTHONS = ('3.10', '3.11', '3.12', '3.13', '3.14')
EXTRAS = ('pettingzoo', 'gymnasium', 'openspiel', 'play', 'catch5')
USER = [Path(name).resolve() for name in ('tests/support/wheel_user.py', 'examples/own_game.py')]
TABLE = Path('.nox/tested.md').resolve()  # a row for each environment
TESTED = ('rlcard', 'numpy', 'numba', 'torch', 'gymnasium', 'pettingzoo', 'open-spiel')  # its columns, after Python
FRAMEWORKS = runpy.run_path('examples/frameworks/shared.py')['TESTED']


@nox.session(python=PYTHONS)
@nox.parametrize('resolution', [nox.param('lowest-direct', id='oldest'), nox.param('highest', id='newest')])
def wheel(session: nox.Session, resolution: str) -> None:
    """Install the wheel alone and run a user's program and a third game with it."""
    files = list(Path('dist').resolve().glob('*.whl'))
    if len(files) != 1:
        session.error(f'dist holds {len(files)} wheels: run make dist, which leaves one')
    extras = session.posargs or EXTRAS
    binary = ('--only-binary', ':all:', '--no-binary', 'rlcard')  # RLCard has no wheels
    requirements = direct(files[0], str(session.python), extras)
    session.install('--resolution', resolution, *binary, f'{files[0]}[{",".join(extras)}]', *requirements)
    folder = Path(session.create_tmp()) / 'own'
    folder.mkdir(exist_ok=True)
    for file in USER:
        shutil.copy(file, folder)
    session.chdir(folder)
    session.run('python', 'wheel_user.py', *extras)
    listed = session.run('uv', 'pip', 'list', '--quiet', '--format', 'json', external=True, silent=True)
    versions = {package['name']: package['version'] for package in json.loads(str(listed))}
    row = [str(session.python), *(versions.get(name, '') for name in TESTED)]
    with TABLE.open('a') as table:
        table.write(f'| {" | ".join(row)} |\n')


@nox.session
@nox.parametrize('example', [nox.param(name, id=name) for name in FRAMEWORKS])
def frameworks(session: nox.Session, example: str) -> None:
    """Train an example until it beats random agents, which it checks itself."""
    extras, *pins = FRAMEWORKS[example]
    session.install(f'.[{extras}]', *pins)
    hashes = {'PYTHONHASHSEED': '0'}  # RLlib has its agents in a set
    session.run('python', f'examples/frameworks/{example}.py', *session.posargs, env=hashes)
    if example == 'tianshou_dqn':
        session.install('pytest')
        session.run('python', '-m', 'pytest', '--noconftest', 'tests/docs/test_frameworks.py')


def direct(file: Path, python: str, extras: Sequence[str]) -> Iterator[str]:
    """Yield the requirements of a wheel, as uv takes the oldest version of direct requirements only."""
    with ZipFile(file) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith('.dist-info/METADATA'))
        lines = BytesParser().parsebytes(archive.read(name)).get_all('Requires-Dist', [])
    for requirement in map(Requirement, lines):
        marker = requirement.marker
        here = {'python_version': python}
        if marker is None or any(marker.evaluate({**here, 'extra': extra}) for extra in ('', *extras)):
            yield f'{requirement.name}{requirement.specifier}'
