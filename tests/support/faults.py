"""Faults of the file system: the n-th call of those that change it fails, or it has no locks."""

import builtins
import errno
import fcntl
import io
import itertools
import os
from contextlib import contextmanager

CALLS = (
    (os, 'open'),
    (os, 'write'),
    (os, 'replace'),
    (os, 'fsync'),
    (os, 'unlink'),
    (os, 'mkdir'),
    (io, 'open'),
    (builtins, 'open'),
)
WRITES = 'wax+'


@contextmanager
def failing(monkeypatch, number):
    """Let call `number` fail, as on a full disk; yield a list that holds the name of that call afterwards."""
    count, failed = itertools.count(1), []

    def wrap(name, function):
        def call(*arguments, **named):
            mode = named.get('mode', arguments[1] if len(arguments) > 1 else 'r')
            changes = name != 'open' or not isinstance(mode, str) or any(letter in mode for letter in WRITES)
            if changes and next(count) == number:
                failed.append(name)
                raise OSError(28, 'No space left on device')
            return function(*arguments, **named)

        return call

    with monkeypatch.context() as patched:
        for module, name in CALLS:
            patched.setattr(module, name, wrap(name, getattr(module, name)))
        yield failed


def fail_each(monkeypatch, write, check):
    """Call `write` with the first call of the file system failing, then the second, and so on until none does.

    `check` is called after each: it raises AssertionError if anything is lost or half written. Return how many failed.
    """
    for number in itertools.count(1):
        with failing(monkeypatch, number) as failed:
            try:
                write()
            except Exception:
                if not failed:
                    raise
        check()
        if not failed:
            break
    return number - 1


def remove_locks(monkeypatch, number=errno.ENOLCK):
    """Let every lock fail, as on network file systems that have none."""

    def flock(file, kind):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, 'flock', flock)
