"""Use everything in the installed wheel, from a folder whose modules have the names of the laboratory's."""

import importlib.metadata
import re
import subprocess
import sys
import urllib.request
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import rlcard

import rlcard_big2
import rlcard_catch5
from rlcard_big2 import VectorEnv, make_agent, records
from rlcard_big2.duplicate import play_match
from rlcard_kit.errors import KitError

LABORATORY = ('benchmarks', 'common', 'dmc', 'eval', 'ppo', 'training')
EXTRAS = set(sys.argv[1:])
BIG2 = Path(sys.executable).with_name('big2')


def main():
    """Use everything in the wheel; missing extras are refused with the command that installs them."""
    assert 'site-packages' in rlcard_big2.__file__
    play_games()
    write_games_down()
    use_vector()
    measure()
    play_catch5()
    play_a_third_game()
    read_the_published_network()
    load_models()
    play_in_a_terminal()
    score_a_game()
    serve_the_page()
    use_pettingzoo()
    use_gymnasium()
    use_openspiel()
    assert not set(LABORATORY) & set(sys.modules)
    assert ('torch' in sys.modules) == ('torch' in EXTRAS)


def play_games():
    """Play games through RLCard's interface, by agents by name."""
    env = rlcard.make('big2', config={'seed': 7, 'game_rules': 'hkust', 'allow_step_back': True})
    env.set_agents([make_agent(name, 'hkust') for name in ('random', 'greedy', 'rule', 'greedy,epsilon=0.1')])
    assert env.run()[1].sum() == 0
    state, player = env.reset()
    env.step(next(iter(state['legal_actions'])))
    assert env.step_back()[1] == player


def write_games_down():
    """Start from a position written to a file and read again."""
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
    """Play the second game."""
    from rlcard import models

    env = rlcard.make('catch5', config={'seed': 7, 'game_rules': 'paper'})
    env.set_agents([rlcard_catch5.make_agent(name) for name in ('random', 'pass', 'suit', 'rule')])
    assert len(env.run()[1]) == 4
    env.set_agents(models.load('catch5-ppo').agents)
    assert len(env.run()[1]) == 4


def play_a_third_game():
    """Play a match of a game that needs `rlcard_kit` alone."""
    from toy_game import TOY, Bold, Shy

    from rlcard_kit.duplicate.block import Block, play_block
    from rlcard_kit.duplicate.match import Match
    from rlcard_kit.duplicate.players import MatchPlayer
    from rlcard_kit.rng import new_streams

    deals = np.empty(20, TOY.deal)
    TOY.shuffle(new_streams(3, 20), deals)
    players = [MatchPlayer(Bold(), 'bold'), MatchPlayer(Shy(), 'shy')]
    outcome = play_block(Block(TOY, 'plain', deals, 0, TOY.seatings(0, 1), 5), players)
    assert Match.from_outcome(TOY, outcome).payoffs.any()


def read_the_published_network():
    """Load a Keras file, or get the command that installs its reader."""
    if 'catch5' not in EXTRAS:
        refused(lambda: rlcard_catch5.make_agent('published-ppo:network.hdf5'), "pip install 'rlcard-big2[catch5]'")
        return
    import h5py

    from rlcard_catch5.agents.published import SIZES

    with h5py.File('network.hdf5', 'w') as file:
        file.attrs['layer_names'] = ['0', '1', '2', '3']
        for layer, (inputs, outputs) in enumerate(pairwise(SIZES)):
            group = file.create_group(str(layer))
            group.attrs['weight_names'] = ['kernel', 'bias']
            group['kernel'], group['bias'] = np.zeros((inputs, outputs), np.float32), np.zeros(outputs, np.float32)
    state, _ = rlcard.make('catch5', config={'seed': 7}).reset()
    _, info = rlcard_catch5.make_agent('published-ppo:network.hdf5').eval_step(state)
    assert np.allclose(list(info['probs'].values()), 1 / len(state['legal_actions']))


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
        if name == 'big2-ppo' and 'torch' not in EXTRAS:
            refused(lambda: models.load('big2-ppo'), "pip install 'rlcard-big2[torch]'")
            refused(lambda: make_agent('big2-ppo'), "pip install 'rlcard-big2[torch]'")
            continue
        env.set_agents(models.load(name).agents)
        assert env.run()[1].sum() == 0
        assert play_match(name, 'greedy', deals=2).ev.mean


def play_in_a_terminal():
    """Start a game with the console command and quit."""
    assert 'Your hand' in big2('play', '--seed', '1', input='q\n')
    assert 'usage: big2' in big2('--help')


def score_a_game():
    """Score a person who made the agent's moves."""
    env = rlcard.make('big2', config={'seed': 7})
    env.set_agents([make_agent('big2-dmc') for _ in range(4)])
    env.run()
    seats = ({'name': 'Ann', 'kind': 'person'}, *({'name': 'big2-dmc'} for _ in range(3)))
    Path('played.jsonl').unlink(missing_ok=True)
    records.write('played.jsonl', replace(env.to_record(), seats=seats))
    assert 'of 1' in big2('score', 'played.jsonl')


def serve_the_page():
    """Get the page from the server, or the command that installs it."""
    command = [BIG2, 'serve', '--no-browser', '--port', '0', '--data', 'played']
    if 'play' not in EXTRAS:
        refusal = subprocess.run(command, capture_output=True, text=True).stderr
        assert "pip install 'rlcard-big2[play]'" in refusal, refusal
        return
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = re.search(r'http://\S+', server.stdout.readline())[0]
            assert b'<html' in urllib.request.urlopen(address).read()
        finally:
            server.terminate()


def use_pettingzoo():
    """Make the PettingZoo environment, or get the command that installs it."""
    if 'pettingzoo' not in EXTRAS:
        refused(lambda: __import__('rlcard_big2.pettingzoo'), "pip install 'rlcard-big2[pettingzoo]'", ImportError)
        return
    from rlcard_big2 import pettingzoo

    env = pettingzoo.env()
    env.reset(seed=1)
    assert env.last()[0]['action_mask'].any()


def use_gymnasium():
    """Make the Gymnasium environment, or get the command that installs it."""
    if 'gymnasium' not in EXTRAS:
        if 'pettingzoo' not in EXTRAS:  # which brings Gymnasium
            refused(lambda: __import__('rlcard_big2.gymnasium'), "pip install 'rlcard-big2[gymnasium]'", ImportError)
        return
    import gymnasium

    env = gymnasium.make('Big2-v0', opponents='greedy')
    _, info = env.reset(seed=1)
    env.step(env.action_space.sample(info['action_mask']))


def use_openspiel():
    """Play a game of OpenSpiel, or get the command that installs it."""
    if 'openspiel' not in EXTRAS:
        refused(lambda: __import__('rlcard_big2.openspiel'), "pip install 'rlcard-big2[openspiel]'", ImportError)
        return
    import pyspiel

    from rlcard_big2.openspiel import AgentBot

    state = pyspiel.load_game('python_big2(rules=hkust)').new_initial_state()
    assert sum(pyspiel.evaluate_bots(state, [AgentBot('greedy', 'hkust')] * 4, 1)) == 0


def big2(*words, input=None):
    """Return what the console command prints."""
    result = subprocess.run([BIG2, *words], input=input, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def refused(call, answer, kind=KitError):
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
