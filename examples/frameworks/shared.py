"""Shared by the examples: the versions they were tried with, and training until a policy beats random agents."""

import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

TESTED = {  # by file: the extras of this package, and what is installed beside them
    'agilerl_ppo': ('gymnasium', 'agilerl==2.58.0', 'peft==0.21.0', 'torch==2.13.0', 'gymnasium==1.4.0'),
    'maskable_ppo': (
        'gymnasium',
        'sb3-contrib==2.9.2',
        'stable-baselines3==2.9.2',
        'torch==2.13.0',
        'gymnasium==1.4.0',
    ),
    'minari_dataset': ('gymnasium', 'minari==0.5.4', 'jax==0.10.2', 'h5py==3.16.0', 'gymnasium==1.4.0'),
    'openspiel_mccfr': ('openspiel', 'open_spiel==2.0.2'),
    'rllib_ppo': ('gymnasium,pettingzoo', 'ray[rllib]==2.60.0', 'torch==2.13.0', 'pettingzoo==1.27.0'),
    'tianshou_dqn': ('gymnasium,pettingzoo', 'tianshou==2.0.1', 'torch==2.13.0', 'pettingzoo==1.27.0'),
    'torchrl_ppo': (
        'gymnasium,pettingzoo',
        'torchrl==0.14.1',
        'tensordict==0.14.3',
        'torch==2.13.0',
        'pettingzoo==1.27.0',
    ),
}


def check_versions(file):
    """Exit with a sentence if a package is missing, or of another major version than the example was tried with."""
    extras, *pins = TESTED[Path(file).stem]
    for pin in pins:
        name, _, tried = pin.partition('==')
        name = name.partition('[')[0]
        try:
            found = version(name)
        except PackageNotFoundError:
            found = None
        if found is None or major(found) != major(tried):
            state = 'is not installed' if found is None else f'is {found} here'
            install = ' '.join(f"'{package}'" for package in (f'.[{extras}]', *pins))
            raise SystemExit(f'{Path(file).name} was tried with {name} {tried}, which {state}: pip install {install}')


def major(text):
    """Return the part of a version that counts breaking changes: its first number, or two if that is 0."""
    numbers = text.split('.')
    return numbers[: 2 if numbers[0] == '0' else 1]


def learn_to_win(learn, network, goal=5, rounds=40):
    """Train until the policy clearly beats random agents, and print its matches.

    Args:
        learn: called for each round of training.
        network: takes the features of N positions, float32 [N, 1339], and returns a score for each of the 35 actions
            of `actions='reduced'`, [N, 35]. The best legal one is played.
        goal: for the lower end of the interval of EV, in cards a game.
        rounds: most of them.
    """
    import torch

    from rlcard_big2.duplicate import play_match
    from rlcard_big2.gymnasium import PolicyAgent

    @torch.no_grad()
    def choose(observations, masks):
        scores = network(torch.as_tensor(observations).float())
        return scores.where(torch.as_tensor(masks), -torch.inf).argmax(-1).numpy()

    torch.set_num_threads(1)  # one position at a time is too little to share
    agent, start = PolicyAgent(choose, actions='reduced'), time.process_time()
    for number in range(1, rounds + 1):
        learn()
        ev = play_match(agent, 'random', deals=100, seed=1).ev
        print(f'round {number}, {time.process_time() - start:.0f} s of processor time: EV {ev}', flush=True)
        if ev.mean - ev.margin > goal:
            break
    else:
        raise SystemExit('the policy does not beat random agents')
    for field in ('random', 'rule'):
        print(f'against three of {field}:', play_match(agent, field, deals=500, seed=2))
