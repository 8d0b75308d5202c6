"""The wheel: its contents, and its use next to modules with the names of the laboratory's."""

import ast
import os
import re
import shutil
import subprocess
import sys
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
LIBRARY = ['rlcard_big2', 'rlcard_catch5', 'rlcard_kit', 'rlcard_play']
LABORATORY = ('benchmarks', 'dmc', 'eval', 'page', 'ppo', 'training', 'wasm')
COMMANDS = ['big2 = rlcard_play.cli:big2', 'catch5 = rlcard_play.cli:catch5']
OWN = ('eval.py', 'ppo.py', 'dmc.py', 'benchmarks.py', 'training/__init__.py')  # a user's modules
BACKEND = 'import sys; sys.path.insert(0, "requirements"); from build_backend import *'
USER = ('tests/support/wheel_user.py', 'examples/own_game.py')  # a program of a user, and the game that it plays

needs_index = pytest.mark.skipif('BIG2_OFFLINE' in os.environ, reason='BIG2_OFFLINE is set: there is no package index')


def run(*command, **settings):
    result = subprocess.run([*map(str, command)], capture_output=True, text=True, **settings)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope='module')
def source(tmp_path_factory):
    """Copy the checkout without the files of earlier builds."""
    source = tmp_path_factory.mktemp('source') / 'copy'
    unwanted = shutil.ignore_patterns('.*', 'build', 'dist', 'runs', 'results', 'tests', '*.egg-info', '__pycache__')
    return shutil.copytree(ROOT, source, ignore=unwanted)


@pytest.fixture(scope='module')
def wheel(source, tmp_path_factory):
    """Build the wheel."""
    out = tmp_path_factory.mktemp('wheel')
    run(sys.executable, '-m', 'pip', 'wheel', '-q', '--no-deps', '-C', 'kernels=no', source, '-w', out)
    (path,) = out.glob('*.whl')
    return path


@pytest.fixture(scope='module')
def user(wheel, tmp_path_factory):
    """Install the wheel in a clean environment; return its Python and a folder of forbidden modules."""
    python = tmp_path_factory.mktemp('environment') / 'bin/python'
    run(sys.executable, '-m', 'venv', python.parents[1])
    run(python, '-m', 'pip', 'install', '-q', wheel)
    folder = tmp_path_factory.mktemp('user') / 'own'
    for name in OWN:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text('raise RuntimeError("a module of the user was imported")')
    for name in USER:
        shutil.copy(ROOT / name, folder)
    return python, folder


@needs_index
def test_the_wheel_holds_the_library_alone(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (top_level,) = (name for name in names if name.endswith('/top_level.txt'))
        assert archive.read(top_level).decode().split() == LIBRARY
        (commands,) = (name for name in names if name.endswith('/entry_points.txt'))
        assert archive.read(commands).decode().split('\n')[:3] == ['[console_scripts]', *COMMANDS]
    assert {name.partition('/')[0].partition('-')[0] for name in names} == set(LIBRARY)
    files = [path.relative_to(ROOT).as_posix() for name in LIBRARY for path in (ROOT / name).rglob('*.*')]
    assert {name for name in files if '__pycache__' not in name and (ROOT / name).is_file()} <= set(names)


def test_an_installed_checkout_is_a_folder_on_the_path_which_type_checkers_find(source, tmp_path):
    run(sys.executable, '-c', f'{BACKEND}; build_editable(sys.argv[1])', tmp_path, cwd=source)
    with zipfile.ZipFile(*tmp_path.glob('*.whl')) as archive:
        (path,) = (name for name in archive.namelist() if '/' not in name)
        assert (path[-4:], archive.read(path).decode().strip()) == ('.pth', str(source))


def built(source, out, **environment):
    """Build the wheel by the backend with what is installed; return its files, and what the build says."""
    result = subprocess.run(
        [sys.executable, '-c', f'{BACKEND}; build_wheel(sys.argv[1])', str(out)],
        cwd=source, capture_output=True, text=True, check=True, env={**os.environ, **environment},
    )  # fmt: skip
    with zipfile.ZipFile(*out.glob('*.whl')) as archive:
        return archive.namelist(), result.stderr


def test_without_a_compiler_the_wheel_is_built_and_a_sentence_says_what_it_lacks(source, tmp_path):
    (tmp_path / 'numba.py').write_text('raise ImportError("no compiler")')
    names, said = built(source, tmp_path / 'wheel', PYTHONPATH=str(tmp_path))
    assert 'rlcard_kit/kernels.xz' not in names
    assert said.count('the kernels cannot be compiled now: the first game compiles what it needs') == 1


@pytest.mark.slow
def test_with_the_kernels_of_a_wheel_the_game_of_the_readme_compiles_nothing(source, tmp_path):
    names, _ = built(source, tmp_path)
    assert 'rlcard_kit/kernels.xz' in names
    game = re.search(r'```python\n(.*?)```', (ROOT / 'README.md').read_text(encoding='utf-8'), re.DOTALL)[1]
    environment = {**os.environ, 'NUMBA_CACHE_DIR': str(tmp_path), 'PYTHONPATH': str(source)}
    words = [sys.executable, '-c', game]
    result = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    (source / 'rlcard_kit/kernels.xz').unlink()
    assert ('payoffs' in result.stdout, result.stderr) == (True, '')


def test_a_build_needs_what_compiles_kernels_unless_they_are_left_out(source):
    code = f'{BACKEND}; print(*get_requires_for_build_wheel(), "/", *get_requires_for_build_wheel({{"kernels": "no"}}))'
    needed, _, without = run(sys.executable, '-c', code, cwd=source).splitlines()[-1].partition('/')
    assert {'numba', 'rlcard', 'safetensors', 'gymnasium'} <= set(needed.split())
    assert 'numba' not in without
    with pytest.raises(AssertionError, match="kernels='some': choose first, all or no"):
        run(sys.executable, '-c', f'{BACKEND}; build_wheel("", {{"kernels": "some"}})', cwd=source)


@pytest.mark.slow
@needs_index
def test_everything_works_without_extras_with_some_and_with_all(user, wheel):
    python, folder = user
    environment = {key: value for key, value in os.environ.items() if not key.startswith('PYTHON')}

    def use(*extras):
        run(python, 'wheel_user.py', *extras, cwd=folder, env=environment)

    use()
    for extra in ('gymnasium', 'pettingzoo'):
        run(python, '-m', 'pip', 'install', '-q', f'{wheel}[{extra}]')
        use(extra)
    code = 'import sysconfig; print(sysconfig.get_path("purelib"))'
    (Path(run(python, '-c', code).strip()) / 'tests.pth').write_text(run(sys.executable, '-c', code))
    use('torch', 'pettingzoo', 'gymnasium', 'openspiel', 'play', 'catch5')


def test_a_release_has_the_addresses_of_the_repository_that_makes_it(tmp_path):
    steps = yaml.safe_load((ROOT / '.github/workflows/publish.yml').read_text())['jobs']['build']['steps']
    (script,) = (step['run'] for step in steps if 'README.md' in step.get('run', ''))
    for name in ('README.md', 'setup.cfg'):
        shutil.copy(ROOT / name, tmp_path)
    here = {'GITHUB_REPOSITORY': 'owner/name', 'GITHUB_REPOSITORY_OWNER': 'owner', 'GITHUB_REF_NAME': 'v1.0.0'}
    run('bash', '-e', '-c', script, cwd=tmp_path, env={**os.environ, **here})
    setup = ConfigParser()
    setup.read(tmp_path / 'setup.cfg')
    assert setup['metadata']['project_urls'].split('\n')[1:] == [
        'Documentation = https://owner.github.io/name',
        'Source = https://github.com/owner/name',
        'Changelog = https://github.com/owner/name/blob/main/docs/changelog.md',
        'Issues = https://github.com/owner/name/issues',
    ]
    links = re.findall(r'\]\(([^)]+)\)', (tmp_path / 'README.md').read_text(encoding='utf-8'))
    assert len(links) > 10
    assert all(link.startswith('https://') for link in links)


def test_no_module_of_the_laboratory_is_named_in_a_string_of_the_library():
    dotted = re.compile(rf'\b({"|".join(LABORATORY)})(\.[a-z_]+)*[.:][A-Za-z_]\w*')
    found = []
    for path in (file for package in LIBRARY for file in (ROOT / package).rglob('*.py')):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and dotted.fullmatch(node.value):
                found.append(f'{path}:{node.lineno}: {node.value}')
    assert not found
