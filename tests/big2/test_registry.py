"""Agents by name: each form, and wrong names."""

import sys

import numpy as np
import pytest

from dmc.config import Config
from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.agents.published import SHAPES
from rlcard_big2.duplicate import play_match
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.registry import GRAMMAR, AgentNameError, make_agent, weights_file
from tests.support.helpers import SMALL_SPEC
from tests.support.joblib_file import dump, entry
from tests.support.training import save_network

OWN = """
from rlcard_big2.agents.base import GreedyAgent

class Protocol:
    use_raw = False
    def eval_step(self, state):
        return list(state['legal_actions'])[-1], {}

class Raw(Protocol):
    use_raw = True
    def eval_step(self, state):
        return state['raw_legal_actions'][0], {}

class Model:
    agents = [Protocol()] * 4

def broken():
    raise RuntimeError('no weights today')

nonsense = 7
nothing = list
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / 'own_agents.py').write_text(OWN)
    (tmp_path / 'own_typo.py').write_text('def (')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'path', sys.path.copy())
    yield tmp_path
    sys.modules.pop('own_agents', None)


@pytest.fixture
def network(tmp_path):
    save_network(tmp_path / 'run', Config.of(hidden_size=16, lstm_size=8), ValueNetwork(SMALL_SPEC), 100)
    return tmp_path / 'run'


@pytest.fixture
def published(tmp_path):
    file = tmp_path / 'parameters'
    file.write_bytes(dump(*(entry(np.full(shape, 0.01, np.float32)) for shape in SHAPES)))
    return file


def plays(agent):
    return bool(play_match(agent, RandomAgent(), 2, seed=1).plies.all())


NAMES = [
    'random', 'greedy', 'greedy,epsilon=0.5', 'random,epsilon=1', 'dmc:NETWORK', 'dmc:NETWORK,epsilon=0.1',
    'published-ppo:FILE', 'published-ppo:FILE,greedy', 'published-ppo:FILE,greedy,epsilon=0.1',
    'python:own_agents:Protocol', 'python:own_agents:Raw', 'python:own_agents:GreedyAgent',
]  # fmt: skip


@pytest.mark.parametrize('name', NAMES)
def test_an_agent_by_name_plays_by_its_weights(name, own, network, published):
    files = {'dmc': network / 'network.safetensors', 'published-ppo': published}
    full = name.replace('NETWORK', str(network)).replace('FILE', str(published))
    assert plays(make_agent(full))
    assert weights_file(full) == files.get(name.partition(':')[0])


def test_a_registered_model(own):
    registration = pytest.importorskip('rlcard.models.registration')
    sys.path.insert(0, str(own))
    registration.register('own-model', 'own_agents:Model')
    try:
        assert plays(make_agent('own-model'))
    finally:
        del registration.model_registry.model_specs['own-model']


def test_a_model_is_refused_if_rlcard_models_cannot_be_imported(monkeypatch):
    monkeypatch.setitem(sys.modules, 'rlcard.models.registration', None)
    with pytest.raises(AgentNameError, match=r"did you mean 'greedy'\? choose random, .* cannot be imported"):
        make_agent('greddy')


@pytest.mark.parametrize(
    ('name', 'answer'),
    [
        ('greddy', "did you mean 'greedy'"), ('rand0m,epsilon=0.1', "did you mean 'random'"),
        ('dcm:runs/dmc', "did you mean 'dmc'"), ('pyhton:a:b', "did you mean 'python'"),
        ('', 'choose random, greedy, '),
        ('strongest', 'python:MODULE:FACTORY, or a model registered'), ('dmc', 'write dmc:FOLDER'),
        ('dmc:~no-such-user/run', 'home directory'), ('search:' * 500 + 'greedy', 'more than 4 deep'),
        ('dmc:', 'write dmc:FOLDER'), ('published-ppo', 'write published-ppo:FILE'), ('random:', 'write random'),
        ('greedy:runs/dmc', 'write greedy'), ('dmc:no/such/run', 'holds no trained network'),
        ('published-ppo:no-such-file', 'No such file'), ('random,foo', "no option 'foo': it takes epsilon=SHARE"),
        ('random,seed=3', "no option 'seed=3'"), ('dmc:runs/dmc,greedy', 'it takes numpy, epsilon=SHARE'),
        ('published-ppo:file,gredy', 'it takes greedy, epsilon=SHARE'),
        ('greedy,epsilon=2', 'epsilon=2 is not a share from 0 to 1'),
        ('greedy,epsilon=nan', 'epsilon=nan is not a share'), ('greedy,epsilon=', 'epsilon= is not a number'),
        ('greedy,epsilon=much', 'epsilon=much is not a number'), ('greedy,epsilon', "no option 'epsilon'"),
        ('python:own_agents', 'write python:MODULE:NAME'), ('python::make', 'write python:MODULE:NAME'),
        ('python:no_such_module:make', "No module named 'no_such_module'"), ('python:own_typo:make', 'SyntaxError'),
        ('python:own_agents:make', "has no attribute 'make'"),
        ('python:own_agents:broken', 'RuntimeError: no weights today'),
        ('python:own_agents:nonsense', 'not callable'), ('python:own_agents:nothing', 'gave list'),
    ],
)  # fmt: skip
def test_a_wrong_name_is_answered_with_what_is_possible(own, name, answer):
    with pytest.raises(AgentNameError) as caught:
        make_agent(name)
    assert answer in str(caught.value)


def test_the_grammar_fits_a_narrow_terminal():
    assert all(len(line) <= 80 for line in GRAMMAR.splitlines())
