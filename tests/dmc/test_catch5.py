"""Deep Monte Carlo on Catch Five: values of actions in torch and numpy, and a run that learns."""

import numpy as np
import pytest
import torch

import dmc.trainer
from dmc.config import Config
from rlcard_catch5.duplicate import play_match
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.nets.agents import NumpySuitsValues
from rlcard_catch5.nets.networks import make_network
from rlcard_catch5.nets.spec import SuitsValueSpec
from rlcard_catch5.nets.suits import shuffled
from tests.support.positions import positions_after
from tests.support.training import save_network

SMALL = Config.preset('default', game='catch5', num_games=16, batch_size=64, hidden_size=16, eval_deals=0, num_actors=1)


@pytest.fixture
def network():
    torch.manual_seed(1)
    return make_network(SuitsValueSpec(hidden_size=16))


@pytest.mark.parametrize('plies', [2, 4, 12])
def test_values_are_the_same_in_numpy_and_in_learning(tmp_path, network, plies):
    shown = positions_after(plies, 70, 'paper', CATCH5)
    save_network(tmp_path, SMALL, network, 7)
    expected = network.values(shown)
    assert expected.std() > 0.01
    assert np.abs(NumpySuitsValues(tmp_path, SMALL.spec).values(shown) - expected).max() < 1e-5
    learned = network(*network.inputs(shown.observations[shown.owners], shown.moves)).detach().numpy()
    assert np.abs(learned - expected).max() < 1e-5


@pytest.mark.parametrize('plies', [0, 3, 4, 6])
def test_values_do_not_depend_on_the_names_of_suits(network, plies):
    before = positions_after(plies, 200, 'paper', CATCH5)
    after = shuffled(before, np.random.default_rng(0))
    assert (before.observations['hand'] != after.observations['hand']).mean() > 0.5
    ranks = before.observations['hand'][:, None] >> 13 * np.arange(4) & 8191
    distinct = np.array([len(set(own)) == 4 for own in ranks])[before.owners]  # equal suits keep their order
    assert distinct.mean() > 0.3
    assert np.abs(network.values(before) - network.values(after))[distinct].max() < 1e-5


def test_a_run_learns_to_win(tmp_path):
    limits = {'savedir': tmp_path, 'deterministic': True, 'total_frames': 20_000}
    dmc.trainer.train(SMALL.changed(**limits, learning_rate=3e-3, averaging=50))
    match = play_match(f'dmc:{tmp_path}', 'random', deals=60)
    assert match.difference.mean > 2 * match.difference.margin, 'it wins from random play'
