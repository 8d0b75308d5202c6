"""What a user of the wheel does, run in a folder that holds modules named as those of the laboratory."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import numpy as np
import rlcard

import rlcard_big2
import rlcard_catch5
from rlcard_big2 import VectorEnv, make_agent, records
from rlcard_big2.duplicate import play_match
from rlcard_big2.errors import Big2Error

LABORATORY = ('benchmarks', 'common', 'dmc', 'eval', 'experiments', 'ppo', 'training')
EXTRAS = ('torch', 'pettingzoo', 'gymnasium')
WITH_TORCH, WITH_PETTINGZOO, WITH_GYMNASIUM = (name in sys.argv[1:] for name in EXTRAS)


def main():
    """Use everything that the wheel holds; what needs more is refused with what to install."""
    assert 'site-packages' in rlcard_big2.__file__
    play_games()
    write_games_down()
    use_vector()
    measure()
    play_catch5()
    load_models()
    play_in_a_terminal()
    use_pettingzoo()
    use_gymnasium()
    assert not set(LABORATORY) & set(sys.modules)
    assert ('torch' in sys.modules) == WITH_TORCH


def play_games():
    """Play games through RLCard's interface, by agents by name."""
    env = rlcard.make('big2', config={'seed': 7, 'game_rules': 'hkust', 'allow_step_back': True})
    env.set_agents([make_agent(name, 'hkust') for name in ('random', 'greedy', 'rule', 'greedy,epsilon=0.1')])
    assert env.run()[1].sum() == 0
    state, player = env.reset()
    env.step(next(iter(state['legal_actions'])))
    assert env.step_back()[1] == player


def write_games_down():
    """Start from a position that was written to a file and read again."""
    env = rlcard.make('big2', config={'seed': 7})
    state, _ = env.reset()
    env.step(next(iter(state['legal_actions'])))
    Path('games.jsonl').unlink(missing_ok=True)
    records.write('games.jsonl', env.to_record())
    (position,) = records.read('games.jsonl')
    env.reset(position=position)
    assert env.to_record() == position
    assert str(env)


def play_catch5():
    """Play the other game."""
    env = rlcard.make('catch5', config={'seed': 7, 'game_rules': 'march'})
    env.set_agents([rlcard_catch5.make_agent(name) for name in ('random', 'pass', 'suit', 'rule')])
    assert len(env.run()[1]) == 4
    try:
        rlcard_catch5.make_agent('published-ppo:network.hdf5')
    except Big2Error as error:
        refusal = str(error)
    assert "pip install 'rlcard-big2[catch5]'" in refusal


def use_vector():
    """Step many games at once."""
    env = VectorEnv(8, seed=3)
    observations, (moves, offsets) = env.new_observations(), env.new_legal()
    env.observe(observations)
    env.legal(moves, offsets)
    env.step(moves[offsets[:-1]], env.new_payoffs(), np.empty(8, np.bool_))


def measure():
    """Measure an agent in three lines."""
    match = play_match('rule', 'greedy', deals=20)
    assert match.ev.mean > 0


def load_models():
    """Load the shipped models, through RLCard and by name."""
    from rlcard import models

    env = rlcard.make('big2', config={'seed': 7})
    for name in ('big2-rule', 'big2-dmc', 'big2-ppo'):
        if name == 'big2-ppo' and not WITH_TORCH:
            refused(lambda: models.load('big2-ppo'), "pip install 'rlcard-big2[torch]'")
            refused(lambda: make_agent('big2-ppo'), "pip install 'rlcard-big2[torch]'")
            continue
        env.set_agents(models.load(name).agents)
        assert env.run()[1].sum() == 0
        assert play_match(name, 'greedy', deals=2).ev.mean


def play_in_a_terminal():
    """Start a game by the console command, and leave it."""
    command = [Path(sys.executable).with_name('big2'), 'play', '--seed', '1']
    result = subprocess.run(command, input='q\n', capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert 'Your hand' in result.stdout


def use_pettingzoo():
    """Make the PettingZoo environment, or be told what to install."""
    if not WITH_PETTINGZOO:
        refused(lambda: __import__('rlcard_big2.pettingzoo'), "pip install 'rlcard-big2[pettingzoo]'", ImportError)
        return
    from rlcard_big2 import pettingzoo

    env = pettingzoo.env()
    env.reset(seed=1)
    assert env.last()[0]['action_mask'].any()


def use_gymnasium():
    """Make the Gymnasium environment, or be told what to install."""
    if not WITH_GYMNASIUM:
        if not WITH_PETTINGZOO:  # which brings Gymnasium
            refused(lambda: __import__('rlcard_big2.gymnasium'), "pip install 'rlcard-big2[gymnasium]'", ImportError)
        return
    import gymnasium

    env = gymnasium.make('Big2-v0', opponents='greedy')
    _, info = env.reset(seed=1)
    env.step(env.action_space.sample(info['action_mask']))


def refused(call, answer, kind=Big2Error):
    """Check that a call is refused with an answer."""
    try:
        call()
    except kind as error:
        if answer not in str(error):
            raise
    else:
        raise AssertionError(f'not refused: {answer}')


if __name__ == '__main__':
    assert importlib.metadata.version('rlcard-big2') == rlcard_big2.__version__
    assert Path.cwd().name == 'own'
    main()
