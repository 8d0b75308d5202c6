"""Which source files something is made of, and one digest of them."""

import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

_KERNELS = re.compile(r'^from \S+ import .*\bkernel\b', re.MULTILINE)
_IMPORT = re.compile(r'^\s*(?:from|import) ([\w.]+)', re.MULTILINE)


def digest(files: Iterable[Path]) -> str:
    """Return the SHA-256 of the names and contents of files, in the order of their paths."""
    whole = sha256()
    for path in sorted(files):
        whole.update(path.name.encode() + b'\0' + sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def kernel_sources(*packages: Path) -> set[Path]:
    """Return the files that the kernels of packages are compiled from: those that define some, and all they import.

    A kernel holds the code of the kernels that it calls and the values of the constants that it uses. Importing a
    package counts as importing all of its modules.
    """
    names = {_module(package, path): path for package in packages for path in package.rglob('*.py')}
    texts = {path: path.read_text(encoding='utf-8') for path in names.values()}
    found: set[Path] = set()
    todo = {path for path, text in texts.items() if _KERNELS.search(text)}
    while todo:
        path = todo.pop()
        found.add(path)
        todo |= {file for name in _IMPORT.findall(texts[path]) for file in _files_of(name, names)} - found
    return found


def _module(package: Path, path: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


def _files_of(name: str, names: dict[str, Path]) -> set[Path]:
    """Return the file of a module, or those of all modules of a package; none if it is of neither here."""
    path = names.get(name)
    if path is None or path.name != '__init__.py':
        return {path} if path else set()
    return {path, *(file for module, file in names.items() if module.startswith(f'{name}.'))}
