"""The cores of this machine, and limits on the threads of numpy and torch."""

import os
import sys
from contextlib import AbstractContextManager
from functools import cache
from math import inf
from pathlib import Path

from threadpoolctl import ThreadpoolController, threadpool_limits

QUOTA = Path('/sys/fs/cgroup/cpu.max')


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
