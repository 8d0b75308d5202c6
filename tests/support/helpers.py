"""Functions shared by several test files."""

import json
import os
import resource
import signal
import traceback
from xml.etree import ElementTree

from rlcard_big2.nets.spec import ValueSpec

SMALL_SPEC = ValueSpec(hidden_size=16, lstm_size=8)
SVG = '{http://www.w3.org/2000/svg}'


def interrupt_after(monkeypatch, kind, name):
    """Interrupt this process, as Ctrl-C does, after each call of a method of a class."""
    method = getattr(kind, name)

    def interrupted(*arguments):
        method(*arguments)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(kind, name, interrupted)


def fork(action, file_size=None):
    """Run an action in a copy of this process, which then ends, with status 3 after an error; return its number.

    Its files may have `file_size` bytes, as on a full disk.
    """
    pid = os.fork()
    if pid == 0:
        try:
            if file_size is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
            action()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(3)
    return pid


def exit_status(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def report(out):
    return json.loads((out / 'report.json').read_text())


def tables(out):
    return report(out)['tables']


def digest(state):
    """Return a state of the environment as values comparable with ==."""
    return {
        **state,
        'obs': state['obs'].tolist(),
        'legal_actions': [(action, feature.tolist()) for action, feature in state['legal_actions'].items()],
        'raw_obs': {**state['raw_obs'], 'packed': state['raw_obs']['packed'].tobytes()},
    }


def everything(env):
    """Return all state that a move changes; an illegal call or a step back must not change it."""
    return {
        'record': env.game.games.tobytes(),
        'recorder': env.action_recorder.copy(),
        'timestep': env.timestep,
        'draws': [generator.get_state()[1].tolist() for generator in (env.np_random, env.game.np_random)],
        'payoffs': env.get_payoffs().tolist(),
        'information': env.get_perfect_information(),
        'states': [digest(env.get_state(seat)) for seat in range(env.num_players)],
    }


def titles_in(picture):
    """Return the titles of a picture, which is valid and refers to nothing outside."""
    root = ElementTree.fromstring(picture)
    assert root.tag == f'{SVG}svg'
    assert not [element for element in root.iter() if element.tag.endswith(('script', 'image', 'use'))]
    assert 'href' not in picture
    return [element.text for element in root.iter(f'{SVG}title')]
