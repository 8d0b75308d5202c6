"""Compile kernels by numba on their first call, once per machine and version of their sources.

numba keys compiled code on the file of the kernel alone, though the kernels that it calls are compiled into it. So the
code is kept in a folder named after all sources that kernels are compiled from: a change of any of them counts.
"""

import atexit
import fcntl
import os
import re
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.caching import FunctionCache
from platformdirs import user_cache_path

from rlcard_kit.compilation import announce_compilation
from rlcard_kit.released import find_released
from rlcard_kit.signals import held_back, is_main_thread

PACKAGE = Path(__file__).parent
PACKAGES = sorted(file.parent for file in PACKAGE.parent.glob('rlcard_*/__init__.py'))  # and the games
PATIENCE = 60.0  # seconds to wait for another process that compiles the same kernel
CONFIG: Any = numba.config  # its settings are made at run time, out of sight of type checkers
Function = TypeVar('Function', bound=Callable[..., Any])
_KERNELS = re.compile(r'^from \S+ import .*\bkernel\b', re.MULTILINE)
_IMPORT = re.compile(r'^\s*(?:from|import) ([\w.]+)', re.MULTILINE)


def digest(files: Iterable[Path]) -> str:
    """Return the SHA-256 of the names and contents of files, in the order of their paths."""
    whole = sha256()
    for path in sorted(files):
        whole.update(path.name.encode() + b'\0' + sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def kernel_sources(*packages: Path) -> set[Path]:
    """Return the files that the kernels of packages are compiled from: files with kernels, and their imports.

    A kernel holds the code of the kernels that it calls and the values of the constants that it uses. Importing a
    package counts as importing all of its modules.
    """
    names = {_module(package, path): path for package in packages for path in package.rglob('*.py')}
    texts = {path: path.read_text(encoding='utf-8') for path in names.values()}
    sources: set[Path] = set()
    todo = {path for path, text in texts.items() if _KERNELS.search(text)}
    while todo:
        path = todo.pop()
        sources.add(path)
        todo |= {file for name in _IMPORT.findall(texts[path]) for file in _files_of(name, names)} - sources
    return sources


def _module(package: Path, path: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


def _files_of(name: str, names: dict[str, Path]) -> set[Path]:
    """Return the file of a module, or those of all modules of a package; none for other names."""
    path = names.get(name)
    if path is None or path.name != '__init__.py':
        return {path} if path else set()
    return {path, *(file for module, file in names.items() if module.startswith(f'{name}.'))}


def _open_cache() -> Path:
    """Claim the folder for compiled code: in NUMBA_CACHE_DIR, in the package, or in the user's cache.

    If none of them can be written, it is a temporary one, which this process removes and its children share.
    """
    installation = sha256(str(PACKAGE).encode()).hexdigest()[:8]  # several may share a cache
    name = f'kernels-{installation}-{digest(kernel_sources(*PACKAGES))[:16]}'
    usual = PACKAGE / '__pycache__', user_cache_path('rlcard_kit')  # relative, if there is no home
    parents = [Path(CONFIG.CACHE_DIR)] if CONFIG.CACHE_DIR else [parent for parent in usual if parent.is_absolute()]
    for parent in parents:
        with suppress(OSError):
            claim(parent / name)
            return parent / name
    temporary = Path(mkdtemp(prefix='rlcard_kit-'))
    atexit.register(rmtree, temporary, ignore_errors=True)
    os.environ['NUMBA_CACHE_DIR'] = str(temporary)
    folders = ' or '.join(map(str, parents))
    sys.stderr.write(f'rlcard_kit: compiled code cannot be kept in {folders}: NUMBA_CACHE_DIR can name a folder\n')
    claim(temporary / name)
    return temporary / name


def claim(folder: Path) -> None:
    """Mark a folder as used until this process ends; if it is new, remove unused ones of earlier sources.

    On a file system without locks, folders are neither marked nor removed.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    parent = os.open(folder.parent, os.O_RDONLY)
    try:
        _lock(parent, fcntl.LOCK_EX)  # one process at a time claims and removes
        is_new = not folder.exists()
        folder.mkdir(exist_ok=True)
        _lock(os.open(folder, os.O_RDONLY), fcntl.LOCK_SH)  # released when the process ends
        if is_new:
            _remove_unused(folder)
    finally:
        os.close(parent)


def _remove_unused(folder: Path) -> None:
    for other in folder.parent.glob(f'{folder.name[:-16]}*'):
        if other == folder:
            continue
        descriptor = os.open(other, os.O_RDONLY)
        try:
            if _lock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB):
                rmtree(other)
        finally:
            os.close(descriptor)


def _lock(descriptor: int, kind: int) -> bool:
    """Lock a file; return False if another process holds it, or its file system has no locks."""
    with suppress(OSError):
        fcntl.flock(descriptor, kind)
        return True
    return False


CACHE_FOLDER = _open_cache()


class _HoldSignals(event.Listener):
    """Ctrl-C waits for the compiler, because LLVM would lose it."""

    def __init__(self) -> None:
        self._held: list[AbstractContextManager[None]] = []  # one for each compilation in the main thread

    def on_start(self, event: event.Event) -> None:
        """Hold signals back."""
        if is_main_thread():
            self._held.append(held_back())
            self._held[-1].__enter__()

    def on_end(self, event: event.Event) -> None:
        """Deliver them."""
        if is_main_thread():
            self._held.pop().__exit__(None, None, None)


announce_compilation({path.name for path in PACKAGES}, CACHE_FOLDER)
event.register('numba:compiler_lock', _HoldSignals())  # type: ignore[no-untyped-call]


class _Cache(FunctionCache):
    """numba's cache of a kernel, which one process at a time compiles while others wait for its code.

    If a file is damaged or cannot be written, the kernel is compiled in this process.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._name = f'{function.__module__}.{function.__name__}'
        self._lock: int | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code of a signature, or None."""
        compiled = self._read(sig, target_context)
        if compiled is None and self._lock is None:
            self._take_lock()
            compiled = self._read(sig, target_context) or self._take_released(sig, target_context)
            if compiled is not None:
                self._release_lock()
        return compiled

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code."""
        with suppress(OSError):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        self._release_lock()

    def _read(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # the file may hold anything
            with suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def _take_released(self, sig: Any, target_context: Any) -> Any:
        """Return and keep the code of a kernel of the release; None if it has none."""
        data = find_released(CACHE_FOLDER, self._name, sig, target_context)
        if data is None:
            return None
        with suppress(OSError):
            self._cache_file.save(self._index_key(sig, target_context.codegen()), data)  # type: ignore[no-untyped-call]
        return self._impl.rebuild(target_context, data)

    def _take_lock(self) -> None:
        """Wait for another process that compiles the kernel, a minute at most."""
        deadline = time.monotonic() + PATIENCE
        with suppress(OSError):  # a file system without locks, or that cannot be written
            self._lock = os.open(CACHE_FOLDER / f'{self._name}.lock', os.O_CREAT | os.O_RDWR, 0o666)
            while time.monotonic() < deadline:
                try:
                    return fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    time.sleep(0.02)

    def _release_lock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def kernel(function: Function) -> Function:
    """Compile a function to machine code on its first call and keep the code on disk."""
    dispatcher, earlier = numba.njit(function), CONFIG.CACHE_DIR
    CONFIG.CACHE_DIR = str(CACHE_FOLDER)
    try:
        dispatcher._cache = _Cache(function)
    finally:
        CONFIG.CACHE_DIR = earlier
    return cast(Function, dispatcher)
