"""Seeds for games that have none, so that tests give the same result each time.

As a command, it is `big2` with one deal and levels that make no random moves.
"""

import contextlib
import itertools
from unittest import mock

import rlcard

from rlcard_kit.agents import EpsilonAgent
from rlcard_play.cli import big2 as main

SEED = 3


@contextlib.contextmanager
def seeded(seeds):
    """Give the next of some seeds to each environment that is made without one."""
    make = rlcard.make

    def make_seeded(name, config):
        return make(name, {**config, 'seed': next(seeds) if config['seed'] is None else config['seed']})

    with mock.patch('rlcard.make', make_seeded):
        yield


if __name__ == '__main__':
    without_random_moves = mock.patch.object(EpsilonAgent, 'choose', lambda self, *asked: self.agent.choose(*asked))
    with seeded(itertools.repeat(SEED)), without_random_moves:
        main()
