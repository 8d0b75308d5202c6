"""Handlers of signals: those that are ignored, other threads, and code that must not be interrupted."""

import signal
from contextlib import suppress
from threading import Thread

import pytest

from rlcard_kit.signals import ENDING, handle, handled, handlers_kept, held_back, is_ctrl_c


@pytest.fixture(autouse=True)
def handlers():
    """Set handlers of a command in a terminal, and those of the tests again at the end."""
    with handlers_kept():
        for number in ENDING:
            signal.signal(number, signal.default_int_handler)
        yield


def now():
    return [signal.getsignal(number) for number in ENDING]


@pytest.mark.parametrize('number', ENDING)
def test_an_ignored_signal_stays_ignored(number):
    signal.signal(number, signal.SIG_IGN)
    noted = []
    with handled(lambda number, frame: noted.append(number)), held_back():
        for each in ENDING:
            signal.raise_signal(each)
    assert noted == [each for each in ENDING if each != number]
    handle(signal.SIG_DFL, [number])
    assert signal.getsignal(number) == signal.SIG_IGN


def test_handlers_are_set_until_the_end():
    before = now()
    with suppress(ZeroDivisionError), handled(signal.SIG_DFL, [signal.SIGTERM]):
        assert now() == [before[0], signal.SIG_DFL, before[2]]
        _ = 1 / 0
    assert now() == before


def test_another_thread_leaves_signals_alone():
    before, seen = now(), []

    def work():
        with handled(signal.SIG_DFL), held_back():
            seen.extend(now())

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert seen == before == now()


@pytest.mark.parametrize('number', ENDING)
def test_what_is_held_back_comes_at_the_end(number):
    done = []
    with suppress(KeyboardInterrupt):
        with held_back():
            signal.raise_signal(number)
            with held_back():
                signal.raise_signal(number)
                done.append('inner')
            done.append('outer')
        done.append('never')
    assert done == ['inner', 'outer']


def test_a_signal_that_raises_nothing_is_not_held_back():
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with held_back():
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) is not signal.default_int_handler


def test_an_interrupt_of_code_that_no_signal_reaches_is_its_own():
    found = []
    thread = Thread(target=lambda: found.append(is_ctrl_c(KeyboardInterrupt())))
    thread.start()
    thread.join()
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    found.append(is_ctrl_c(KeyboardInterrupt()))
    signal.pthread_sigmask(signal.SIG_SETMASK, earlier)
    assert found == [False, False]
    assert is_ctrl_c(KeyboardInterrupt())
    assert not is_ctrl_c(SystemExit())
