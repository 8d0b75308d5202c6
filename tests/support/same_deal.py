"""`big2` with one deal for all games that name none, so that tests of pages give the same result each time."""

from unittest import mock

import rlcard

from rlcard_big2.cli import main

SEED = 3


def run():
    """Run the command."""
    make = rlcard.make

    def make_seeded(name, config):
        return make(name, {**config, 'seed': SEED if config['seed'] is None else config['seed']})

    with mock.patch('rlcard.make', make_seeded):
        main()


if __name__ == '__main__':
    run()
