"""Compare rollouts of random moves with all actions and with the 35 options: python -m benchmarks.frameworks.

In an environment with one of the frameworks: `nox -s "frameworks(torchrl_ppo)" -- rollouts`.
"""

import argparse
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from typing import Any

import numpy as np

from rlcard_big2.pettingzoo import env
from rlcard_kit.process import limit_threads

ACTIONS = ('ids', 'reduced')
Rollout = Callable[[int], object]  # of so many steps


def torchrl_rollout(aec: Any) -> Rollout:
    """Return TorchRL's own rollout of its random policy, with all seats in one group."""
    from torchrl.envs import MarlGroupMapType, PettingZooWrapper

    games = PettingZooWrapper(aec, use_mask=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP, seed=0)
    return lambda steps: games.rollout(steps, break_when_any_done=False)


def tianshou_rollout(aec: Any) -> Rollout:
    """Return random moves in Tianshou's environment alone."""
    from tianshou.env import PettingZooEnv

    games, draws = PettingZooEnv(aec), np.random.default_rng(0)

    def rollout(steps: int) -> None:
        seen, _ = games.reset()
        for _ in range(steps):
            seen, _, *ends, _ = games.step(draws.choice(np.flatnonzero(seen['mask'])))
            if any(ends):
                seen, _ = games.reset()

    return rollout


def collector_rollout(aec: Any) -> Rollout:
    """Return the collection of random moves into a buffer by Tianshou."""
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm as RandomAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv

    games = PettingZooEnv(aec)
    seats = [RandomAlgorithm(action_space=games.action_space) for _ in games.agents]
    players = MultiAgentOffPolicyAlgorithm(algorithms=seats, env=games)
    collector: Any = Collector(players, DummyVectorEnv([lambda: games]), VectorReplayBuffer(1000, 1))
    collector.reset()
    return lambda steps: collector.collect(n_step=steps)


ROLLOUTS = [('torchrl', torchrl_rollout), ('tianshou', tianshou_rollout), ('tianshou', collector_rollout)]


def main() -> None:
    """Measure in turns, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--steps', type=int, default=200, help='of a rollout')
    parser.add_argument('--rounds', type=int, default=7)
    options = parser.parse_args()
    for name, make in ROLLOUTS:
        try:
            installed = version(name)
        except PackageNotFoundError:
            continue
        rollouts = {actions: make(env(actions=actions)) for actions in ACTIONS}
        limit_threads()  # of torch too, which is imported by now
        speeds: dict[str, list[float]] = {actions: [] for actions in ACTIONS}
        for number in range(options.rounds + 1):  # the first compiles
            for actions, rollout in rollouts.items():
                start = time.process_time()
                rollout(options.steps)
                if number:
                    speeds[actions].append(options.steps / (time.process_time() - start))
        every, reduced = (median(speeds[actions]) for actions in ACTIONS)
        ratio = f'{every:.0f} and {reduced:.0f} steps a second, {reduced / every:.1f} times as many'
        print(f'{name} {installed}, {make.__name__}: {ratio}')


if __name__ == '__main__':
    main()
