"""The process of a command: closed or limited standard streams, cores, and threads of numpy and torch."""

import codecs
import os
import sys
import unicodedata
from contextlib import AbstractContextManager
from functools import cache
from io import TextIOWrapper
from math import inf
from pathlib import Path

from threadpoolctl import ThreadpoolController, threadpool_limits

QUOTA = Path('/sys/fs/cgroup/cpu.max')
PLAIN = {'±': '+-', '·': '.', '→': '->'}  # for characters that do not decompose into ASCII


def prepare_streams() -> None:
    """Open closed standard streams on nothing, and let open ones write plain characters in place of those they lack."""
    for name, mode in (('stdin', 'r'), ('stdout', 'w'), ('stderr', 'w')):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  # open until the process ends
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors='plain')


def _substitute(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that a stream lacks, and bytes that it cannot decode."""
    if not isinstance(error, UnicodeEncodeError):
        return codecs.replace_errors(error)  # type: ignore[return-value]
    text = unicodedata.normalize('NFKD', error.object[error.start : error.end])
    letters = (letter for letter in text if not unicodedata.combining(letter))
    return ''.join(PLAIN.get(letter, letter if letter.isascii() else '?') for letter in letters), error.end


codecs.register_error('plain', _substitute)


def count_cores() -> int:
    """Return the number of cores that this process may use: its affinity's, within its container's quota."""
    affinity = getattr(os, 'sched_getaffinity', None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, int(min(cores, _quota())))


def _quota() -> float:
    """Return the cores' worth of time that control groups (version 2) grant a container; infinite outside one."""
    try:
        quota, period = QUOTA.read_text(encoding='utf-8').split()
        return float(quota) / float(period)
    except (OSError, ValueError):  # no such file, or it says 'max'
        return inf


def limit_threads() -> None:
    """Make numpy and torch use one thread: processes are the parallelism, and sums keep their order."""
    threadpool_limits(1)
    if 'torch' in sys.modules:
        sys.modules['torch'].set_num_threads(1)


def one_thread() -> AbstractContextManager[object]:
    """Return a context in which numpy's products run in one thread."""
    return _blas().limit(limits=1, user_api='blas')


@cache
def _blas() -> ThreadpoolController:
    """Return the controller of the threads of numpy's products; finding the libraries takes a millisecond."""
    return ThreadpoolController()
