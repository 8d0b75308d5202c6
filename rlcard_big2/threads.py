"""How many threads numpy and torch may use."""

import sys

from threadpoolctl import threadpool_limits


def limit_threads() -> None:
    """Make numpy and torch use one thread: processes are the parallelism, and sums keep their order."""
    threadpool_limits(1)
    if 'torch' in sys.modules:
        sys.modules['torch'].set_num_threads(1)
