"""The page in two files: a script of all its modules, and a style sheet."""

import re
from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

STATIC = Path(__file__).with_name('static')
STYLES = 'base.css', 'cards.css', 'table.css', 'screens.css'  # in this order, before those of the games
IMPORT = re.compile(r"^import (?:\{([^}]*)\}|\* as (\w+)) from '(\.[^']+)';\n", re.MULTILINE)
EXPORT = re.compile(r'^export (?=(?:async )?(?:function|class|const) (\w+))', re.MULTILINE)
DEFAULT = re.compile(r'^export default', re.MULTILINE)
COMMENT = re.compile(r'^ *(//.*|/\*\*(?:[^*]|\*(?!/))*\*/)\n', re.MULTILINE)

Sources = Mapping[str, Path]  # files by their addresses below static/


def sources_of(games: Mapping[str, Path], shared: Path = STATIC) -> dict[str, Path]:
    """Return all files of the page, some of them in folders of the games, by their addresses."""
    folders = {'': shared, **games}
    return {
        join(key, path.relative_to(folder).as_posix()): path
        for key, folder in folders.items()
        for path in folder.rglob('*.*')
    }


def style_sheet(sources: Sources, games: Iterable[str]) -> str:
    """Return the style sheet of the page and of all games."""
    return ''.join(_read(sources, name) for name in [*STYLES, *(f'{game}/style.css' for game in games)])


def page_script(sources: Sources, games: Iterable[str]) -> str:
    """Return the script of the page with all modules of the games, which it imports by their keys."""
    return bundle('app.js', sources, [name for game in games for name in sources if re.match(f'{game}/.*[.]js$', name)])


def bundle(entry: str, sources: Sources, composed: Iterable[str] = ()) -> str:
    """Return one module made of a module and of all that it imports: each in a function of its own, in their order.

    They export functions, classes and constants at the start of a line, and import them by name or all together. What
    is made exports them all, but for the entry, by their addresses.

    Args:
        entry: address of the module that runs last.
        sources: the modules.
        composed: addresses of modules that one imports later, by an address that it composes.

    Raises:
        graphlib.CycleError: if modules import each other.
    """
    texts: dict[str, str] = {}
    imports: dict[str, list[str]] = {}
    waiting = [*composed, entry]
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = _read(sources, name)
            imports[name] = [_address(name, path) for _, _, path in IMPORT.findall(texts[name])]
            waiting += imports[name]
    imports[entry] += composed
    names = list(TopologicalSorter(imports).static_order())
    modules = [_module(name, texts[name], relpath(name, dirname(entry) or '.')) for name in names]
    table = ', '.join(f"'./{name}': {_variable(name)}" for name in names[:-1])
    return ''.join([*modules[:-1], f'const modules = {{ {table} }};\n', modules[-1], 'export default modules;\n'])


def _module(name: str, text: str, path: str) -> str:
    text = COMMENT.sub('', text)
    text = IMPORT.sub(lambda found: f'const {_names(found)} = {_variable(_address(name, found[3]))};\n', text)
    exported = EXPORT.findall(text)
    if DEFAULT.search(text):
        exported.append('default: all')
    text = DEFAULT.sub('const all =', EXPORT.sub('', text)).replace('await import(path)', 'modules[path]')
    text = text.replace('import.meta.url', f"new URL('{path}', import.meta.url)")
    return f'const {_variable(name)} = (() => {{\n{text}return {{ {", ".join(exported)} }};\n}})();\n'


def _names(found: re.Match[str]) -> str:
    return found[2] or f'{{{found[1].replace(" as ", ": ")}}}'


def _variable(name: str) -> str:
    return '$' + re.sub(r'\W', '_', name.removesuffix('.js'))


def _address(name: str, path: str) -> str:
    return normpath(join(dirname(name), path))


def _read(sources: Sources, name: str) -> str:
    return sources[name].read_text(encoding='utf-8')
