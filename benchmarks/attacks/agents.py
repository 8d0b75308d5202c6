"""Agents that crash, lie, hang, leave or tamper, in matches of the real command."""

import gc
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NoReturn

import numpy as np

from benchmarks.attacks.attempt import Attempt, refusal, watched

SECONDS = '1'  # an agent's time for one call


class Agent:
    """An agent of RLCard's protocol that answers with what `misbehave` returns."""

    use_raw = False

    def __init__(self, misbehave: Callable[[dict[str, Any]], Any]) -> None:
        self._misbehave = misbehave

    def step(self, state: dict[str, Any]) -> Any:
        """Misbehave."""
        return self._misbehave(state)

    def eval_step(self, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Misbehave."""
        return self._misbehave(state), {}


class UnprintableError(Exception):
    """An error whose text cannot be made."""

    def __str__(self) -> str:
        raise ValueError('no text')


def _raise(error: BaseException) -> NoReturn:
    raise error


def _spin(state: dict[str, Any]) -> NoReturn:
    while True:
        sum(range(1000))


def _swallow(state: dict[str, Any]) -> NoReturn:
    while True:
        try:
            time.sleep(0.01)
        except BaseException:  # that is the attack
            continue


def _nest(state: dict[str, Any]) -> Any:
    return _nest(state)


def _kill_parent(state: dict[str, Any]) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def _disarm(state: dict[str, Any]) -> NoReturn:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 0)
    _spin(state)


def _leave_in_thread(state: dict[str, Any]) -> NoReturn:
    threading.Thread(target=os._exit, args=(0,)).start()
    _spin(state)


def _empty(state: dict[str, Any]) -> int:
    state.clear()
    return 51


def _tamper(state: dict[str, Any]) -> Any:
    """Write over every array that can be found."""
    for thing in gc.get_objects():
        if isinstance(thing, np.ndarray) and thing.dtype == np.int64 and thing.flags.writeable and thing.size < 5000:
            thing.fill(1 << 51)
    return 51


MISDEEDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    'raises': lambda state: _raise(RuntimeError('no')),
    'raises_without_text': lambda state: _raise(UnprintableError()),
    'raises_keyboard_interrupt': lambda state: _raise(KeyboardInterrupt()),
    'raises_memory_error': lambda state: _raise(MemoryError()),
    'raises_stop_iteration': lambda state: _raise(StopIteration()),
    'raises_generator_exit': lambda state: _raise(GeneratorExit()),
    'exits': lambda state: sys.exit(0),
    'exits_at_once': lambda state: os._exit(0),
    'exits_in_a_thread': _leave_in_thread,
    'kills_itself': _kill_parent,
    'aborts': lambda state: os.abort(),
    'spins': _spin,
    'sleeps': lambda state: time.sleep(10**6),
    'swallows': _swallow,
    'disarms': _disarm,
    'nests': _nest,
    'answers_none': lambda state: None,
    'answers_text': lambda state: 'pass',
    'answers_minus_one': lambda state: -1,
    'answers_a_float': lambda state: 0.5,
    'answers_nan': lambda state: float('nan'),
    'answers_too_much': lambda state: 10**30,
    'answers_an_array': lambda state: np.arange(4),
    'answers_a_tuple': lambda state: (1, 2),
    'answers_illegally': lambda state: next(i for i in range(52) if i not in state['legal_actions']),
    'answers_the_unknown': lambda state: 99_999,
    'empties_its_state': _empty,
    'tampers': _tamper,
}
FACTORIES: dict[str, Callable[[], Any]] = {
    'no_agent': lambda: 5,
    'factory_exits': lambda: sys.exit(0),
    'factory_exits_at_once': lambda: os._exit(0),
    'factory_raises': lambda: _raise(RuntimeError('no')),
}


EXPECTED = {'raises_keyboard_interrupt': 'interrupted'}  # instead of its name: nothing tells it from Ctrl-C


def __getattr__(name: str) -> Callable[[], Any]:
    """Return the factory of that name, for `python:benchmarks.attacks.agents:NAME`."""
    if name in FACTORIES:
        return FACTORIES[name]
    if name in MISDEEDS:
        return lambda: Agent(MISDEEDS[name])
    raise AttributeError(name)


def attack(random: Random, tries: int) -> Iterator[Attempt]:
    """Have each agent play a match, in one worker and in two by turns."""
    names = [*MISDEEDS, *FACTORIES]
    for number, name in enumerate(names if tries >= len(names) - 2 else random.sample(names, tries)):
        workers = str(1 + number % 2)
        with tempfile.TemporaryDirectory() as folder:
            agent = f'python:benchmarks.attacks.agents:{name}'
            words = ('--deals', '128', '--workers', workers, '--seconds', SECONDS, '--out', 'out')
            with watched('eval', 'match', agent, 'greedy', *words, folder=Path(folder)) as command:
                problem = refusal(command, EXPECTED.get(name, name))
                orphans = command.orphans()
            if problem is None and (Path(folder) / 'out/report.json').exists():
                problem = 'it ends with a report'
            yield Attempt(f'{name}, {workers} workers', problem or (f'{len(orphans)} orphans' if orphans else None))
