"""Hands of Catch Five: between agents, and after given moves."""

import numpy as np
import rlcard

from rlcard_catch5.registry import make_agent


def after(hands, dealer, *moves, rules='paper', seed=1):
    """Return an environment after the moves of a deal, given hands of card ids."""
    env = rlcard.make('catch5', config={'seed': seed, 'game_rules': rules})
    env.reset(deal={'dealer': dealer, 'hands': hands})
    for move in moves:
        env.step(move, raw_action=True)
    return env


def hands_of(name, count, seed=1):
    """Return the records of hands that four agents of a name played."""
    env = rlcard.make('catch5', config={'seed': seed})
    np.random.seed(seed)  # random agents seed themselves from it
    env.set_agents([make_agent(name)] * 4)
    records = []
    for _ in range(count):
        env.run()
        records.append(env.to_record())
    return records
