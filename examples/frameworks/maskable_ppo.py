"""Train sb3-contrib's MaskablePPO on Big 2, with `actions='reduced'`, until it clearly beats random agents.

    pip install sb3-contrib '.[gymnasium,torch]'
    python examples/frameworks/maskable_ppo.py

It measures itself every 4096 decisions, and ends with 500 deals in all four seats against three of `random`, and of
`rule`. A random agent wins a quarter of the games, at EV 0 (cards won per game). After 16,384 decisions, half a minute
of one core, this one won 0.551 ± 0.021 of them, at EV 6.602 ± 0.374, and 0.076 ± 0.011 at EV -3.378 ± 0.237 against
the rule agent. The options are in docs/gymnasium.md.
"""

from shared import check_versions

check_versions(__file__)

import argparse

import gymnasium
import torch
from sb3_contrib import MaskablePPO

import rlcard_big2  # noqa: F401  # registers 'Big2-v0'
from rlcard_big2.duplicate import play_match
from rlcard_big2.gymnasium import PolicyAgent

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--goal', type=float, default=5, help='lower end of the interval of EV against random agents')
parser.add_argument('--steps', type=int, default=4096, help='decisions between two of at most 20 measurements')
parser.add_argument('--deals', type=int, default=500, help='of the last matches; each is played in all four seats')
options = parser.parse_args()

torch.set_num_threads(1)  # steps of one game are too small to share
env = gymnasium.make('Big2-v0', opponents='random', actions='reduced')
env = gymnasium.wrappers.TransformReward(env, lambda reward: reward / 13)  # in units of a full hand
model = MaskablePPO('MlpPolicy', env, n_steps=options.steps, batch_size=512, gamma=1, seed=0)
for _ in range(20):
    model.learn(options.steps, reset_num_timesteps=False)
    agent = PolicyAgent.of_sb3(model, actions='reduced')
    ev = play_match(agent, 'random', deals=100, seed=1).ev
    print(f'{model.num_timesteps} decisions: EV {ev}', flush=True)
    if ev.mean - ev.margin > options.goal:
        break
else:
    raise SystemExit('the policy does not beat random agents')
for field in ('random', 'rule'):
    print(f'against three of {field}:', play_match(agent, field, deals=options.deals, seed=2))
