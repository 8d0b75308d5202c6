"""Constants of Python and JavaScript: each stands once, in Python, and the build writes those that JavaScript reads."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from page.constants import CONSTANTS as PAGE
from wasm.constants import CONSTANTS as ENGINE

ROOT = Path(__file__).parents[2]
PACKAGES = 'rlcard_kit', 'rlcard_big2', 'rlcard_catch5', 'rlcard_play', 'wasm', 'page'
SOURCES = 'wasm/js', 'page/local', 'rlcard_play'
# Words of requests and the names of cards: the page of the server has them before it asks the server for anything.
SERVED = {'OPEN', 'PASS', 'PHRASES', 'RANKS', 'SUITS'}
PLAIN = (  # nodes of expressions
    ast.Expression, ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.List, ast.Tuple, ast.Load,
)  # fmt: skip
DECLARATION = re.compile(r'^(?:export )?const ([A-Z][^;]*);', re.MULTILINE)
CONSTANT = re.compile(r'\b([A-Z][A-Z0-9_]*) = (.*?)(?=, [A-Z][A-Z0-9_]* = |$)', re.DOTALL)
IMPORT = re.compile(r"^import \{([^}]*)\} from '[./]*/(engine/|data/|)(constants[.\w]*\.js)';", re.MULTILINE)


def value_of(text):
    """Return the value of an expression of numbers, texts and lists, which both languages write alike; else None."""
    try:
        tree = ast.parse(text, mode='eval')
    except SyntaxError:
        return None
    if not all(isinstance(node, PLAIN) for node in ast.walk(tree)):
        return None
    return as_lists(eval(compile(tree, text, 'eval')))


def as_lists(value):
    return [as_lists(one) for one in value] if isinstance(value, (list, tuple)) else value


def constants_of_python(text):
    """Yield the name and the value of each constant of a module."""
    for statement in ast.parse(text).body:
        if not isinstance(statement, ast.Assign):
            continue
        (target,), value = statement.targets, statement.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = zip(target.elts, value.elts, strict=True)
        for name, expression in pairs:
            if isinstance(name, ast.Name) and name.id.isupper():
                yield name.id, value_of(ast.unparse(expression))


def constants_of_javascript(text):
    """Yield the name and the value of each constant of a module."""
    for declared in DECLARATION.findall(text):
        for name, expression in CONSTANT.findall(declared):
            yield name, value_of(expression.strip())


def javascript(folder):
    return {file.relative_to(ROOT).as_posix(): file.read_text() for file in sorted((ROOT / folder).rglob('*.js'))}


def in_python():
    """Return the values of the constants of Python by name."""
    found = defaultdict(list)
    for package in PACKAGES:
        for file in (ROOT / package).rglob('*.py'):
            for name, value in constants_of_python(file.read_text()):
                found[name].append(value)
    return found


def test_constants_are_read_from_sources():
    assert dict(constants_of_python("A, B = 2, (1 << 3) - 1\nC = 'x', 'y'\nD = f(1)\n")) == {
        'A': 2,
        'B': 7,
        'C': ['x', 'y'],
        'D': None,
    }
    text = "const A = 2; // two\nexport const B = 2 ** 3 - 1, C = ['x', 'y'];\nconst D = {\n  a: 1\n};\n let E = 3;"
    assert dict(constants_of_javascript(text)) == {'A': 2, 'B': 7, 'C': ['x', 'y'], 'D': None}


@pytest.mark.parametrize('folder', SOURCES)
def test_no_constant_of_javascript_is_also_one_of_python(folder):
    known = in_python()
    assert 2.5 in known['GAP']
    twice = {
        (file, name)
        for file, text in javascript(folder).items()
        for name, value in constants_of_javascript(text)
        if value is not None and value in known[name] and not (folder == 'rlcard_play' and name in SERVED)
    }
    assert twice == set()


def test_all_constants_that_are_written_are_read():
    read = defaultdict(set)
    for file, text in {**javascript('wasm/js'), **javascript('page/local')}.items():
        for names, folder, module in IMPORT.findall(text):
            place = 'engine' if folder == 'engine/' or file.startswith('wasm/') else 'page'
            read[place, module] |= {name.split(' as ')[0].strip() for name in names.split(',') if name.strip()}
    written = {
        (place, module): set(constants)
        for place, modules in (('engine', ENGINE), ('page', PAGE))
        for module, constants in modules.items()
    }
    assert read == written
