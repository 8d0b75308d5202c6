"""The rules of CONTRIBUTING.md on sizes and words."""

import ast
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not (ROOT / '.git').exists(), reason='only git tells which files are of the project')


def texts(*patterns):
    """Return the text of each file of the project that matches."""
    command = ['git', 'ls-files', '-z', '--', *patterns]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.split('\0')
    paths = [ROOT / name for name in names if name]
    return {str(path.relative_to(ROOT)): path.read_text(encoding='utf-8') for path in paths if path.exists()}


SOURCES = texts('*.py', ':!tests')
NODES = [(path, node) for path, text in SOURCES.items() for node in ast.walk(ast.parse(text))]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
WORDS = re.compile(
    r'\b(whoever|anew|so many|dear(er|est|ly)?|let(s|ting)? go|(go|goes|going|went) on from|no numbers)\b',
    re.IGNORECASE,
)


def test_no_ceiling_of_size_is_passed():
    environment = {name: value for name, value in os.environ.items() if not name.startswith('MAKE')}
    command = ['make', '--silent', '--no-print-directory', 'size']
    printed = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in printed.splitlines()]
    sizes = {name: int(lines) for name, lines, _ in rows}
    packages = {path.split('/')[0] for path in SOURCES if '/' in path}
    assert packages | {'source', 'tests', 'web'} <= set(sizes)
    assert all(sizes[name] > 0 for name in packages | {'source', 'tests', 'web'})
    over = [row for row in rows if int(row[1]) > int(row[2])]
    assert not over, 'shorten it, or raise CEILINGS in the Makefile and say in the commit what the lines are for'


def test_files_stay_under_450_lines():
    lengths = {path: len(text.splitlines()) for path, text in {**SOURCES, **texts('*.js', '*.css', ':!tests')}.items()}
    assert len(lengths) > 300
    assert {path: length for path, length in lengths.items() if length >= 450} == {}


def test_nine_functions_in_ten_are_under_15_lines():
    bodies = [node.body[ast.get_docstring(node) is not None :] for _, node in NODES if isinstance(node, FUNCTIONS)]
    short = [not body or body[-1].end_lineno - body[0].lineno < 14 for body in bodies]
    assert len(short) > 1000
    assert sum(short) / len(short) > 0.9


def test_docstrings_begin_with_a_noun_phrase_or_an_imperative():
    documented = [(path, node) for path, node in NODES if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Module))]
    first = [(path, text.split()[0]) for path, node in documented if (text := ast.get_docstring(node))]
    assert len(first) > 1000
    assert [(path, word) for path, word in first if word.lower() in {'what', 'who', 'how', 'where'}] == []


def test_pages_have_none_of_the_words_to_avoid():
    pages = texts('*.md', ':!docs/changelog.md', ':!.github')
    assert len(pages) > 40
    assert [(page, match[0]) for page, text in pages.items() for match in WORDS.finditer(text)] == []
