"""Use everything in the installed wheel, from a folder whose modules have the names of the laboratory's."""

import importlib.metadata
import pkgutil
import re
import subprocess
import sys
import urllib.request
from itertools import pairwise
from pathlib import Path

import numpy as np
import rlcard
from own_game import TOY, Bold, Shy
from rlcard import models

import rlcard_big2
import rlcard_catch5
import rlcard_kit
from rlcard_big2.duplicate import play_match
from rlcard_kit.duplicate.deals import deal_from_seed, play_deals
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.errors import KitError

LABORATORY = {'benchmarks', 'dmc', 'eval', 'ppo', 'training'}
EXTRAS = set(sys.argv[1:])
FOLDER = Path(sys.executable).parent


def main():
    """Use everything in the wheel; without an extra, what needs it names the command that installs it."""
    assert 'site-packages' in rlcard_big2.__file__
    play_the_games()
    use_the_command()
    for extra, use in USES.items():
        if extra in EXTRAS:
            use()
        elif extra != 'gymnasium' or 'pettingzoo' not in EXTRAS:  # which brings Gymnasium
            assert f"pip install 'rlcard-big2[{extra}]'" in refusal_of(use), extra
    import_modules()
    assert not LABORATORY & set(sys.modules)
    assert ('torch' in sys.modules) == ('torch' in EXTRAS)


def refusal_of(use):
    """Return the error of a call, or 'none'."""
    try:
        use()
    except Exception as error:
        return str(error)
    return 'none'


def play_the_games():
    """Play both games by agents by name and by the shipped models, and a third game, which needs `rlcard_kit` alone."""
    for package, names, model in (
        (rlcard_big2, ('random', 'greedy', 'rule', 'greedy,epsilon=0.1'), 'big2-dmc'),
        (rlcard_catch5, ('random', 'pass', 'suit', 'rule'), 'catch5-ppo'),
    ):
        env = rlcard.make(package.__name__.removeprefix('rlcard_'), config={'seed': 7})
        for agents in (list(map(package.make_agent, names)), models.load(model).agents):
            env.set_agents(agents)
            assert np.any(env.run()[1])
    assert play_match('rule', 'greedy', deals=20).ev.mean > 0
    players = [MatchPlayer(Bold(), 'bold'), MatchPlayer(Shy(), 'shy')]
    hands, rules = deal_from_seed(TOY, 5, 20), TOY.find_rules('plain')
    assert play_deals(TOY, players, hands, TOY.seatings(0, 1), rules, 5).payoffs.any()


def use_the_command():
    """Start a game with the console command and quit, and replay a game written to a file."""
    assert 'Your hand' in command('big2', 'play', '--seed', '1', input='q\n')
    assert 'usage: big2' in command('big2', '--help')
    assert 'Your hand' in command('catch5', 'play', '--seed', '1', input='q\n')
    env = rlcard.make('big2', config={'seed': 7, 'game_rules': 'hkust'})
    env.set_agents([rlcard_big2.make_agent('greedy')] * 4)
    env.run()
    Path('games.jsonl').unlink(missing_ok=True)
    rlcard_big2.records.write('games.jsonl', env.to_record())
    assert 'seat 1' in command('big2', 'replay', 'games.jsonl')


def read_the_published_network():
    """Load a Keras file."""
    if 'catch5' in EXTRAS:
        write_network('network.hdf5')
    agent = rlcard_catch5.make_agent('published-ppo:network.hdf5')
    state, _ = rlcard.make('catch5', config={'seed': 7}).reset()
    assert np.allclose(list(agent.eval_step(state)[1]['probs'].values()), 1 / len(state['legal_actions']))


def write_network(path):
    """Write a network of zeros."""
    import h5py

    from rlcard_catch5.agents.published import SIZES

    with h5py.File(path, 'w') as file:
        file.attrs['layer_names'] = ['0', '1', '2', '3']
        for layer, (inputs, outputs) in enumerate(pairwise(SIZES)):
            group = file.create_group(str(layer))
            group.attrs['weight_names'] = ['kernel', 'bias']
            group['kernel'], group['bias'] = np.zeros((inputs, outputs), np.float32), np.zeros(outputs, np.float32)


def use_torch():
    """Play a network that needs torch."""
    assert len(models.load('big2-ppo').agents) == 4
    assert play_match('big2-ppo', 'greedy', deals=2).ev.mean


def serve_the_page():
    """Get the page from the server."""
    words = [FOLDER / 'big2', 'serve', '--no-browser', '--port', '0', '--data', 'played']
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            address = re.search(r'http://\S+', server.stdout.readline())
            assert address, server.stderr.read()
            assert b'<html' in urllib.request.urlopen(address[0]).read()
            for path in ('page.js', 'page.css', 'catch5/strings/en.json'):
                assert urllib.request.urlopen(f'{address[0]}static/{path}').read()
        finally:
            server.terminate()


def use_pettingzoo():
    """Make the PettingZoo environment."""
    from rlcard_big2 import pettingzoo

    env = pettingzoo.env()
    env.reset(seed=1)
    assert env.last()[0]['action_mask'].any()


def use_gymnasium():
    """Make the Gymnasium environment."""
    importlib.import_module('rlcard_big2.gymnasium')  # before `gymnasium`, since it names the extra
    import gymnasium

    env = gymnasium.make('Big2-v0', opponents='greedy')
    _, info = env.reset(seed=1)
    env.step(env.action_space.sample(info['action_mask']))


def use_openspiel():
    """Play a game of OpenSpiel."""
    bot = importlib.import_module('rlcard_big2.openspiel').AgentBot('greedy', 'hkust')
    import pyspiel

    state = pyspiel.load_game('python_big2(rules=hkust)').new_initial_state()
    assert sum(pyspiel.evaluate_bots(state, [bot] * 4, 1)) == 0
    bot = importlib.import_module('rlcard_catch5.openspiel').AgentBot('rule')
    own, other, *_ = pyspiel.evaluate_bots(pyspiel.load_game('python_catch5').new_initial_state(), [bot] * 4, 1)
    assert own != other


USES = {  # by extra
    'catch5': read_the_published_network,
    'torch': use_torch,
    'play': serve_the_page,
    'pettingzoo': use_pettingzoo,
    'gymnasium': use_gymnasium,
    'openspiel': use_openspiel,
}


def import_modules():
    """Import every module that does not need an extra."""
    for package in (rlcard_kit, rlcard_big2, rlcard_catch5):
        for module in pkgutil.walk_packages(package.__path__, f'{package.__name__}.', onerror=str):
            try:
                importlib.import_module(module.name)
            except (ImportError, KitError) as error:
                missing = str(getattr(error, 'name', '')).partition('.')[0]
                if missing in LABORATORY or missing.startswith('rlcard_'):
                    raise


def command(name, *words, input=None):
    """Return what a console command prints."""
    result = subprocess.run([FOLDER / name, *words], input=input, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


if __name__ == '__main__':
    assert importlib.metadata.version('rlcard-big2') == rlcard_big2.__version__
    assert Path.cwd().name == 'own'
    main()
