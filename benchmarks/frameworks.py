"""Compare rollouts of random moves with all 23,740 actions and with 35: python -m benchmarks.frameworks.

It measures the frameworks that are installed; `examples/frameworks` has each with its versions.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from typing import Any

import gymnasium
import numpy as np

import rlcard_big2  # noqa: F401  # registers 'Big2-v0'
from rlcard_big2.pettingzoo import env
from rlcard_kit.process import limit_threads

NUM_GAMES = 32
Rollout = Callable[[int], object]  # of so many steps
Rollouts = Iterator[tuple[str, Rollout]]


def torchrl() -> Rollouts:
    """Yield TorchRL's own rollouts, with all seats in one group, and with one seat of many games."""
    from torchrl.data import Binary
    from torchrl.envs import ActionMask, GymWrapper, MarlGroupMapType, PettingZooWrapper, TransformedEnv
    from torchrl.envs.gym_like import default_info_dict_reader

    group: Any = MarlGroupMapType.ALL_IN_ONE_GROUP
    for actions in ('ids', 'reduced'):
        turns = PettingZooWrapper(env(actions=actions), use_mask=True, group_map=group, seed=0)
        yield f'AEC, {actions}', partial(turns.rollout, break_when_any_done=False)
    # it plays a step without masks when it is made
    seats = gymnasium.make_vec('Big2-v0', NUM_GAMES, opponents='random', actions='reduced', illegal='end')
    games: Any = GymWrapper(seats)
    games.set_info_dict_reader(
        default_info_dict_reader(['action_mask'], {'action_mask': Binary(shape=(NUM_GAMES, 35))})
    )
    games = TransformedEnv(games, ActionMask())
    yield f'{NUM_GAMES} games, reduced', lambda steps: games.rollout(steps // NUM_GAMES, break_when_any_done=False)


def tianshou() -> Rollouts:
    """Yield steps of Tianshou's environment."""
    from tianshou.env import PettingZooEnv

    def play(turns: Any, steps: int) -> None:
        seen, _ = turns.reset()
        for _ in range(steps):
            seen, _, terminated, _, _ = turns.step(draws.choice(np.flatnonzero(seen['mask'])))
            if terminated:
                seen, _ = turns.reset()

    draws = np.random.default_rng(0)
    for actions in ('ids', 'reduced'):
        turns = PettingZooEnv(env(actions=actions))
        yield f'AEC, {actions}', partial(play, turns)


def tianshou_collector() -> Rollouts:
    """Yield collections of Tianshou into a buffer."""
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm as RandomAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv

    def collect(collector: Any, steps: int) -> None:
        collector.collect(n_step=steps)

    for actions in ('ids', 'reduced'):
        turns = PettingZooEnv(env(actions=actions))
        seats = [RandomAlgorithm(action_space=turns.action_space) for _ in turns.agents]
        players = MultiAgentOffPolicyAlgorithm(algorithms=seats, env=turns)
        games = DummyVectorEnv([partial(PettingZooEnv, env(actions=actions))])
        collector = Collector(players, games, VectorReplayBuffer(1000, 1))
        collector.reset()
        yield f'collector, {actions}', partial(collect, collector)


def main() -> None:
    """Measure in turns; print the medians, and their ratios to the first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--steps', type=int, default=320, help='of a rollout')
    parser.add_argument('--rounds', type=int, default=7)
    options = parser.parse_args()
    for name, make in [('torchrl', torchrl), ('tianshou', tianshou), ('tianshou', tianshou_collector)]:
        try:
            installed = version(name)
        except PackageNotFoundError:
            continue
        rollouts = dict(make())
        limit_threads()  # of torch too, which is imported by now
        speeds: dict[str, list[float]] = {label: [] for label in rollouts}
        for number in range(options.rounds + 1):  # the first compiles
            for label, rollout in rollouts.items():
                start = time.process_time()
                rollout(options.steps)
                if number:
                    speeds[label].append(options.steps / (time.process_time() - start))
        for label in rollouts:
            speed, first = median(speeds[label]), median(next(iter(speeds.values())))
            print(f'{name} {installed}, {label}: {speed:.0f} steps a second, {speed / first:.1f} times the first')


if __name__ == '__main__':
    main()
