"""Limits on the threads of numpy and torch."""

import sys
from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController, threadpool_limits


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
