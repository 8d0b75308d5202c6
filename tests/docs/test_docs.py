"""Documentation: its code runs, its commands, flags, links and names exist, and its tables are current."""

import argparse
import ast
import csv
import functools
import inspect
import json
import os
import pkgutil
import re
import runpy
import shlex
import sys
import textwrap
from configparser import ConfigParser
from importlib import import_module
from pathlib import Path

import pytest
import tyro

import dmc.cli
import eval.cli
import ppo.cli
import rlcard_play.cli
from rlcard_big2 import __version__
from tests.support.commands import run_python

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for folder in ('*', '.github/*', 'docs/*', 'docs/results/**/*', 'rlcard_*/**/*')
    for page in ROOT.glob(f'{folder}.md')
)
TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding='utf-8') for page in PAGES}
TABLES = runpy.run_path(str(ROOT / 'docs' / 'tables.py'))
DIAGRAMS = runpy.run_path(str(ROOT / 'docs' / 'diagrams.py'))['DIAGRAMS']
EXAMPLES = sorted(ROOT.glob('examples/*.py'))
NOTEBOOKS = sorted(ROOT.glob('docs/notebooks/*.ipynb'))
FIGURE = r'[+-]\d+\.\d\d ± \d+\.\d\d'  # a mean with its margin


def blocks(page, language):
    """Return the code blocks of a page in a language, dedented."""
    texts = re.findall(rf'^( *)```{language}\n(.*?)^\1```$', TEXTS[page], re.MULTILINE | re.DOTALL)
    return [textwrap.dedent(text) for _, text in texts]


def found(pattern):
    """Return the sorted, distinct matches in all pages but the changelog."""
    texts = (text for page, text in TEXTS.items() if page != 'docs/changelog.md')  # which names removed things too
    return sorted({match for text in texts for match in re.findall(pattern, text)})


LATER = {  # among the slow tests: long ones, and index.md, which repeats README.md
    f'docs/{name}.md'
    for name in ('catch5', 'gymnasium', 'index', 'measuring', 'openspiel', 'own-rules', 'play', 'records')
}


@pytest.mark.parametrize(
    'page',
    [pytest.param(page, marks=[pytest.mark.slow] * (page in LATER)) for page in TEXTS if blocks(page, 'python')],
)
def test_python_runs(page, tmp_path):
    """The blocks of a page run in sequence, with fewer games, and print the text that follows a block."""
    code = '\n'.join(blocks(page, 'python'))
    code = code.replace('deals=1000', 'deals=4').replace('max_simulations=100', 'max_simulations=5')
    printed = run_python(tmp_path, '-c', code)
    assert all(text in printed for text in re.findall(r'```\n\n```text\n(.*?)```', TEXTS[page], re.DOTALL))


def shell_lines():
    """Return the words of all shell lines, of commands in code style and of those in the examples."""
    texts = [line for page in TEXTS for block in blocks(page, 'sh') for line in block.splitlines()]
    texts += found(r'`((?:python|make|pip|big2) [^`]*)`')
    for example in EXAMPLES:
        docstring = ast.get_docstring(ast.parse(example.read_text(encoding='utf-8')))
        texts += re.findall(r'^ {4}((?:python|pip) .*)', docstring, re.MULTILINE)
    return [words for words in (shlex.split(text, comments=True) for text in texts) if words]


def command_lines():
    """Return the arguments of each complete command of `PROGRAMS`."""
    ours = {(module, *(word for word in rest if word != '...')) for module, rest in modules() if module in PROGRAMS}
    return sorted(words for words in ours if len(words) > 2 and not {'NAME', '--help'} & set(words))


def source(module):
    """Return the file run by `python -m`."""
    folder = ROOT / module.replace('.', '/')
    return folder / '__main__.py' if folder.is_dir() else folder.with_suffix('.py')


def modules():
    """Return each module run on a page, with its arguments."""
    lines = [words for words in shell_lines() if Path(words[0]).name == 'python' and words[1] == '-m']
    lines += [
        ['python', '-m', 'rlcard_play', *words] for words in shell_lines() if Path(words[0]).name in {'big2', 'catch5'}
    ]
    return [(words[2], words[3:]) for words in lines]


PROGRAMS = {'dmc': dmc.cli, 'ppo': ppo.cli, 'eval': eval.cli}


@pytest.mark.parametrize('words', command_lines(), ids=' '.join)
def test_command_lines_are_understood(words, tmp_path, monkeypatch):
    """Each command is parsed by its program but not run, since its files may not exist."""
    program, ran = PROGRAMS[words[0]], []
    monkeypatch.chdir(tmp_path)
    Path('rules.json').write_text('"taiwan"')
    monkeypatch.setattr(sys, 'argv', list(words))
    trained = dmc.cli.Train, dmc.cli.Exploit, dmc.cli.Bench, ppo.cli.Train
    for command in (*trained, dmc.cli.Export, dmc.cli.Beliefs, dmc.cli.Distil, dmc.cli.Refine):
        monkeypatch.setattr(command, 'run', lambda self: ran.append(self))
    for name in eval.cli.COMMANDS:
        monkeypatch.setattr(import_module(f'eval.commands.{name}'), f'{name}_command', ran.append)
    try:
        program.main()
    except SystemExit as end:
        ran.append(str(end).endswith(('RUN/checkpoints holds no checkpoints', 'holds no state to resume from')))
    assert len(ran) == 1
    assert ran[0]


def other_lines():
    """Return the arguments of all other commands."""
    others = {(module, *rest) for module, rest in modules() if re.match(r'benchmarks|rlcard_', module)}
    others |= {tuple(words[1:]) for words in shell_lines() if words[0] == 'python' and words[1].startswith('examples/')}
    named = {('rlcard_play', 'big2'), ('rlcard_play', 'big2', 'advise')}  # without required arguments
    return sorted(words for words in others - named if '--help' not in words)


def idle(kind):
    """Return a function with the arguments of one that tyro would call, which does nothing; anything else as it is."""
    return functools.wraps(kind)(lambda *_, **__: None) if inspect.isfunction(kind) else kind


@pytest.mark.parametrize('words', other_lines(), ids=' '.join)
def test_other_commands_are_understood(words, monkeypatch):
    """Each command is parsed by its file but not run."""
    file = ROOT / words[0] if words[0].endswith('.py') else source(words[0])
    if file in EXAMPLES:  # scripts import their neighbours
        monkeypatch.syspath_prepend(file.parent)
    monkeypatch.setattr(sys, 'argv', list(words))
    for parser, name in ((tyro, 'cli'), (argparse.ArgumentParser, 'parse_args')):
        parse = getattr(parser, name)
        understood = lambda kind, *a, parse=parse, **named: (parse(idle(kind), *a, **named), sys.exit('understood'))  # noqa: E731
        monkeypatch.setattr(parser, name, understood)
    with pytest.raises(SystemExit, match='understood'):
        runpy.run_path(str(file), run_name='__main__')  # run_module warns if other tests have imported it


def test_each_example_has_a_command_or_is_imported_on_a_page():
    assert len(EXAMPLES) > 3
    used = {words[0] for words in other_lines()}
    used |= {f'{name.replace(".", "/")}.py' for name in found(r'(?:from |python:)(examples\.\w+)')}
    assert {str(file.relative_to(ROOT)) for file in EXAMPLES} <= used


def test_each_framework_example_is_short_named_on_its_page_and_run_with_the_versions_there():
    """They are not imported: their libraries may not be installed."""
    table = runpy.run_path(str(ROOT / 'examples/frameworks/shared.py'))['TESTED']
    files = {file.stem: file.read_text(encoding='utf-8') for file in ROOT.glob('examples/frameworks/*_*.py')}
    page = TEXTS['docs/frameworks.md'].lower()
    assert files.keys() == table.keys()
    for name, (_, *pins) in table.items():
        path = f'examples/frameworks/{name}.py'
        assert page.count(f'`{path}`') == 2
        assert f'    python {path}\n' in files[name]
        assert len(files[name].splitlines()) <= 60
        assert all(pin.replace('==', ' ') in page for pin in pins), pins


def test_each_finding_is_short_headed_pinned_and_in_its_table():
    """They are not run here: each installs other libraries."""
    files = {file.name: file for file in ROOT.glob('findings/*')}
    row = r'^\| \[\w+\]\(\.\./findings/(\w+\.sh)\) \| ([^|]+) \|'
    rows = dict(re.findall(row, TEXTS['docs/frameworks.md'], re.MULTILINE))
    assert files.keys() == rows.keys()
    assert len(rows) >= 8
    for name, file in files.items():
        head, body = file.read_text(encoding='utf-8').split('\nset -euo pipefail\n')
        labels = re.findall(
            r'^# (Packages|Behaviour|Guess|Seen on \d+ \w+ \d{4} with Python [\d.]+): \S', head, re.MULTILINE
        )
        assert [label.split()[0] for label in labels] == ['Packages', 'Behaviour', 'Guess', 'Seen'], name
        assert len(head.splitlines()) + len(body.splitlines()) < 60, name
        assert 'rlcard_' not in body, name
        packages = re.search(r'^# Packages: (.*)$', head, re.MULTILINE)[1].split(', ')
        installed = re.search(r'pip install --quiet [^=]*?\\\n(.*?)\n"', body, re.DOTALL)[1].replace('\\', '').split()
        assert all(re.fullmatch(r'[\w-]+==[\d.]+', pin) for pin in installed), name
        assert set(rows[name].split(', ')) <= set(packages) <= {pin.replace('==', ' ') for pin in installed}, name
        assert os.access(file, os.X_OK), name


def test_excerpts_are_in_the_examples():
    """Every block of language `py` is in an example, to the letter."""
    texts = [file.read_text(encoding='utf-8') for file in EXAMPLES]
    excerpts = [text for page in TEXTS for text in re.findall(r'^```py\n(.*?)^```$', TEXTS[page], re.M | re.DOTALL)]
    assert len(excerpts) > 5
    for excerpt in excerpts:
        assert any(excerpt in text for text in texts), excerpt


def test_extras_files_and_targets_of_shell_lines_exist():
    setup = ConfigParser()
    setup.read(ROOT / 'setup.cfg')
    extras = {extra for words in shell_lines() for word in words for extra in re.findall(r'\[(\w+)\]$', word)}
    assert extras <= set(setup['options.extras_require'])
    files = [word for words in shell_lines() for word in words if re.fullmatch(r'(tests|docs)/.*|requirements.*', word)]
    assert len(files) > 2
    assert all((ROOT / file).exists() for file in files)
    targets = {words[1] for words in shell_lines() if words[0] == 'make' and len(words) > 1}
    makefile = (ROOT / 'Makefile').read_text(encoding='utf-8')
    assert all(re.search(rf'^{target}:', makefile, re.MULTILINE) for target in targets)


def test_the_page_of_commands_has_all_of_them():
    parsers = {key: rlcard_play.cli.add_commands(argparse.ArgumentParser(), key) for key in ('big2', 'catch5')}
    names = [
        f'{key} {name}' for key, parser in parsers.items() for name in parser._subparsers._group_actions[0].choices
    ]
    names += [f'python -m eval {name}' for name in eval.cli.COMMANDS]
    names += [f'python -m dmc {name}' for name in dmc.cli._commands(dmc.cli.Config())]
    names += [f'python -m ppo {name}' for name in ppo.cli._commands(ppo.cli.Config())]
    page = TEXTS['docs/commands.md']
    assert sorted(re.findall(r'^### (.*)$', page, re.MULTILINE)) == sorted(names)
    helps = re.findall(r'{command-help} (?:rlcard_play )?(.*)', page)
    assert sorted(helps) == sorted(name.removeprefix('python -m ') for name in names)


@pytest.mark.parametrize('command', found(r'python -m ((?:dmc|ppo|eval) [a-z]+)'))
def test_commands_exist(command, in_process):
    program, name = command.split()
    status, said = in_process(import_module(f'{program}.__main__').main, name, '--help')
    assert (status, said.split()[:5]) == (0, ['usage:', 'python', '-m', program, name])


OTHERS = {
    'help', 'strict', 'head', 'address', 'include-dashboard', 'entrypoint-num-gpus', 'entrypoint-resources',
    'resources', 'fast', 'force', 'unshallow', 'no-build-isolation',
}  # fmt: skip
REMOVED = {  # since commit 7cf2668, which figures name
    'also', 'base', 'choices', 'field', 'knows-field', 'learned', 'only', 'temperature', 'uniform', 'worlds'
}  # fmt: skip


def test_flags_exist():
    """Every flag on a page belongs to a command."""
    sources = {path: path.read_text(encoding='utf-8') for path in ROOT.glob('[!.]*/**/*.py')}
    settings = [text for path, text in sources.items() if not path.relative_to(ROOT).parts[0].startswith('rlcard_')]
    fields = set(re.findall(r'^    (\w+): ', '\n'.join(settings), re.MULTILINE))
    written = set(re.findall(r"'--([\w-]+)'", '\n'.join(sources.values())))
    for flag in found(r'(?<![\w-])--([a-z][\w-]+)'):
        assert flag.replace('-', '_') in fields or flag in written | OTHERS | REMOVED, f'--{flag}'


def test_links_exist():
    for page, text in TEXTS.items():
        for link in re.findall(r'\]\(([^)#]+)[^)]*\)', text):
            assert '://' in link or (ROOT / page).parent.joinpath(link).exists(), f'{page}: {link}'


def test_paths_exist():
    """Every path of a source file in code style exists."""
    folders = '|'.join(sorted(path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith('.')))
    for page, text in TEXTS.items():
        for path in re.findall(rf'`((?:{folders})/[\w/.]+)`', text):
            assert (ROOT / path).exists() or path.startswith('runs/'), f'{page}: {path}'


def test_names_can_be_imported():
    """Every dotted name of the library in code style exists."""
    for name in found(r'`(rlcard_(?:kit|big2|catch5)(?:\.\w+)+)'):
        pkgutil.resolve_name(name)


@pytest.mark.parametrize('page', TABLES['TABLES'])
def test_tables_are_current(page):
    text = (ROOT / 'docs' / page).read_text(encoding='utf-8')
    assert TABLES['filled'](page) == text, 'run python docs/tables.py'


@pytest.mark.parametrize(('page', 'least'), [('README.md', 20), ('docs/index.md', 2), ('docs/searching.md', 8)])
def test_figures_of_first_pages_are_those_of_the_results(page, least):
    """Every mean with its margin is in a file of `results`, rounded alike."""
    known = set()
    for path in ROOT.glob('docs/results/**/*.csv'):
        text = path.read_text(encoding='utf-8')
        known.update(re.findall(FIGURE, text))
        for row in csv.DictReader(text.splitlines()):
            for name, mean in row.items():
                margin = row.get('margin' if name == 'mean' else f'{name} margin')
                if mean and margin:
                    known.add(f'{float(mean):+.2f} ± {float(margin):.2f}')
    shown = re.findall(FIGURE, TEXTS[page])
    assert len(shown) >= least
    assert set(shown) <= known


@pytest.mark.parametrize('name', DIAGRAMS)
def test_diagrams_are_current(name):
    drawn = (ROOT / 'docs' / 'images' / name).read_text(encoding='utf-8')
    assert f'{DIAGRAMS[name]()}\n' == drawn, 'run python -m docs.diagrams'


@pytest.mark.parametrize('path', NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_without_outputs(path):
    """Notebooks are run by `make docs`, and each of them is a page."""
    cells = json.loads(path.read_text(encoding='utf-8'))['cells']
    code = [cell for cell in cells if cell['cell_type'] == 'code']
    assert len(code) > 3
    assert all(cell['outputs'] == [] and cell['execution_count'] is None for cell in code)
    assert f'\nnotebooks/{path.stem}\n' in TEXTS['docs/index.md']


def test_the_version_has_an_entry_and_a_citation():
    assert re.search(rf'^## \[{re.escape(__version__)}\]', TEXTS['docs/changelog.md'], re.MULTILINE)
    assert f'\nversion: {__version__}\n' in (ROOT / 'CITATION.cff').read_text(encoding='utf-8')


def test_the_readme_is_short():
    assert len(TEXTS['README.md'].splitlines()) <= 75
