"""The models that RLCard loads by name, and the export that makes their weights."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import rlcard
import torch
from safetensors.torch import load_file, save_file

import rlcard_big2  # noqa: F401  # registers 'big2' and the models
from dmc.config import Config
from rlcard_big2.models import MODELS, WEIGHTS, ModelError
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.saved import CheckpointError
from rlcard_big2.nets.value import make_network
from training.checkpoint import save_checkpoint
from training.export import export

models = pytest.importorskip('rlcard.models')

SMALL = Config(hidden_size=16, lstm_size=8)
OPINIONS = {'big2-dmc': 'values', 'big2-ppo': 'probs'}  # where each says what it thinks

pytestmark = pytest.mark.usefixtures('one_thread')


@pytest.mark.parametrize('name', MODELS)
def test_a_model_plays_whole_games_as_rlcards_own_do(name):
    env = rlcard.make('big2', config={'seed': 4})
    agents = models.load(name).agents
    assert len(agents) == env.num_players
    env.set_agents(agents)
    _, payoffs = env.run(is_training=False)
    assert sum(payoffs) == 0
    assert max(payoffs) > 0


@pytest.mark.parametrize('name', MODELS)
def test_a_model_tells_what_it_thinks_of_each_raw_action(name):
    state, _ = rlcard.make('big2', config={'seed': 4}).reset()
    action, info = models.load(name).agents[0].eval_step(state)
    assert action in state['legal_actions']
    if name in OPINIONS:
        opinion = info[OPINIONS[name]]
        assert list(opinion) == list(state['raw_legal_actions'])
        assert list(state['legal_actions'])[int(np.argmax(list(opinion.values())))] == action


def test_models_are_there_whichever_is_imported_first():
    for first, second in (('rlcard.models', 'rlcard_big2'), ('rlcard_big2', 'rlcard.models')):
        code = f"import {first}, {second}, rlcard.models; print(type(rlcard.models.load('big2-rule')).__name__)"
        result = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=60)
        assert result.stdout == 'RuleModel\n', result.stderr


def test_a_model_without_torch_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'rlcard_big2.nets.dmc', None)
    with pytest.raises(ModelError, match=r'pip install .rlcard-big2\[train\]'):
        models.load('big2-dmc')


def test_weights_are_small():
    assert sum(path.stat().st_size for path in WEIGHTS.rglob('*')) < 12e6


@pytest.mark.parametrize('trainer', ['dmc', 'ppo'])
def test_weights_are_halves_and_have_a_card(trainer):
    weights = load_file(WEIGHTS / trainer / 'network.safetensors').values()
    assert {tensor.dtype for tensor in weights} == {torch.float16}
    assert (WEIGHTS / trainer / 'MODEL_CARD.md').exists()


def network_of(folder):
    network = make_network(SMALL.network, SMALL.hidden_size, SMALL.lstm_size, SMALL.inputs)
    save_checkpoint(folder, SMALL, network, 7)
    return network


def test_an_exported_network_is_the_same_in_half_precision(tmp_path):
    network = network_of(tmp_path / 'run')
    export(tmp_path / 'run', tmp_path / 'small')
    smaller = DMCAgent.load(tmp_path / 'small').network
    for before, after in zip(network.parameters(), smaller.parameters(), strict=True):
        assert after.dtype == torch.float32
        assert torch.equal(before.half().float(), after)


def test_what_cannot_be_exported_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match='nowhere holds no trained network'):
        export(tmp_path / 'nowhere', tmp_path / 'small')
    network = network_of(tmp_path / 'run')
    torch.nn.init.constant_(network.value.weight, 1e6)
    save_file(network.state_dict(), tmp_path / 'run/network.safetensors')
    with pytest.raises(CheckpointError, match=r'value\.weight has weights that float16 cannot hold'):
        export(tmp_path / 'run', tmp_path / 'small')
    assert not Path(tmp_path / 'small').exists()
