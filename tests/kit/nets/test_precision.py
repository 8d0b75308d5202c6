"""Networks in float32, whatever precision torch takes by default."""

import pytest
import rlcard
import torch
from safetensors.torch import load_file

import dmc.trainer
import ppo.trainer
import rlcard_big2
import rlcard_catch5

AGENTS = [
    *(('big2', rlcard_big2, name) for name in ('big2-dmc', 'big2-dmc-2026-11', 'big2-ppo', 'search:big2-dmc,worlds=2')),
    ('catch5', rlcard_catch5, 'catch5-ppo'),
]
TRAINERS = [(dmc.trainer, {'batch_size': 64, 'ring_size': 4096}), (ppo.trainer, {})]


@pytest.fixture
def float64():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def moves(game, package, name):
    """Return the first moves of an agent in all seats."""
    agent, env, made = package.make_agent(name), rlcard.make(game, config={'seed': 7}), []
    state, _ = env.reset()
    while not env.is_over() and len(made) < 8:
        made.append(agent.eval_step(state)[0])
        state, _ = env.step(made[-1], agent.use_raw)
    return made


@pytest.mark.parametrize('agent', AGENTS, ids=lambda agent: agent[2])
def test_agents_move_as_before(agent, request):
    before = moves(*agent)
    request.getfixturevalue('float64')
    assert moves(*agent) == before


@pytest.mark.usefixtures('float64')
@pytest.mark.parametrize('game', ['big2', 'catch5'])
@pytest.mark.parametrize(('program', 'sizes'), TRAINERS, ids=['dmc', 'ppo'])
def test_trainers_learn_and_save_in_float32(tmp_path, game, program, sizes):
    limits = {'savedir': tmp_path, 'deterministic': True, 'total_frames': 500, 'eval_deals': 0}
    config = program.Config.preset('default', game=game).changed(num_games=8, hidden_size=16, **limits, **sizes)
    assert program.train(config).frames >= 500
    assert {tensor.dtype for tensor in load_file(tmp_path / 'network.safetensors').values()} == {torch.float32}
