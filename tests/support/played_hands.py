"""Recorded hands of Catch Five between agents."""

import numpy as np
import rlcard

from rlcard_catch5.registry import make_agent


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
