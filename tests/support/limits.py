"""How long tests wait: ten times as long as on a loaded machine, so that only what stands still meets these limits."""

import time

PATIENCE = 3_000  # seconds
PAGE_PATIENCE = 300  # seconds until a page reacts

WORK = range(1_000_000)
WORK_SECONDS = 0.055  # of processor time for the sum of their squares, where limits of processor time are set


def allowed(seconds):
    """Return a limit of processor time, longer on a slower machine."""
    start = time.process_time()
    sum(number * number for number in WORK)
    return seconds * max(1.0, (time.process_time() - start) / WORK_SECONDS)


def wait_until(condition, seconds=PATIENCE):
    """Wait until a condition holds; return what it returned. Fail after the given time."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found
