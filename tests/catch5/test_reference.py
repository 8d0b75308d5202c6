"""Agreement with the published program of Catch Five, if BIG2_REFERENCE_DATA names the folder of its files."""

import numpy as np
import pytest

from rlcard_catch5.deals import read_deal
from rlcard_catch5.duplicate import play_match
from rlcard_catch5.engine.batch import list_legal, observe_games, unpack_inputs
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.observation import new_observations
from rlcard_catch5.engine.play import MAX_LEGAL
from rlcard_catch5.engine.state import GAME
from tests.support.reference_data import reference_file

TRACES, NETWORK = 'catch5_traces.npz', 'catch5_policy_20000.hdf5'
VERSIONS = ('newest', 'march', 'paper')
DEAL_FIELDS = {name: name for name in ('dealer', 'stock', 'redeal_stock', 'leftover')} | {'hands': 'hands9'}


@pytest.fixture(scope='module')
def traces():
    with np.load(reference_file(TRACES)) as file:
        found = dict(file)
    assert [name.partition(':')[0] for name in found['preset_names']] == list(VERSIONS)
    found['obs'] = np.unpackbits(found['obs504_packed'], axis=2, count=504)
    found['legal'] = np.unpackbits(found['legal_packed'], axis=2, count=64)
    return found


def of_version(traces, version):
    hands = np.flatnonzero(traces['preset'] == VERSIONS.index(version))
    assert len(hands) == 300
    return {name: array[hands] for name, array in traces.items() if len(array) == 900}


@pytest.mark.parametrize('version', VERSIONS)
def test_every_state_of_every_hand(traces, version):
    hands = of_version(traces, version)
    rules = CATCH5.tabulate(CATCH5.find_rules(version))
    games, packed = np.zeros(300, GAME), new_observations(300)
    deals = [read_deal({key: hands[name][i] for key, name in DEAL_FIELDS.items()}) for i in range(300)]
    CATCH5.init(games, np.concatenate(deals))
    inputs, moves, offsets = np.empty((300, 504), np.int8), np.empty(300 * MAX_LEGAL, np.int64), np.empty(301, np.int64)
    for ply in range(29):
        seats = CATCH5.current_player(games)
        assert (seats == hands['player'][:, ply]).all()
        assert ((ply >= 4) + (ply >= 5) == hands['phase'][:, ply]).all()
        observe_games(rules, games, seats, packed)
        unpack_inputs(packed, inputs)
        assert (inputs == hands['obs'][:, ply]).all()
        count = list_legal(rules, games, moves, offsets)
        legal = np.zeros((300, 64), np.int8)
        legal[np.repeat(np.arange(300), np.diff(offsets)), moves[:count]] = 1
        assert (legal == hands['legal'][:, ply]).all()
        if ply == 5:
            assert (games['bidder'] == hands['bidder']).all()
            assert (games['trump'] == hands['trump']).all()
            assert (games['hands'] == (np.int64(1) << hands['hands6'].astype(np.int64)).sum(axis=2)).all()
        CATCH5.step(rules, games, hands['action'][:, ply].astype(np.int64))
    payoffs = np.empty((300, 4), np.int64)
    CATCH5.rewards(rules, games, payoffs)
    assert CATCH5.is_terminal(games).all()
    assert (payoffs == hands['rewards']).all()
    assert (games['winners'] == hands['trick_winner']).all()
    made = payoffs[np.arange(300), hands['bidder']] == 18
    points = np.where(made[:, None] & (payoffs == 18), 18, games['points'][:, [0, 1, 0, 1]])
    assert (points == hands['game_points']).all()


@pytest.fixture(scope='module')
def network():
    return f'published-ppo:{reference_file(NETWORK)},greedy'


def test_the_published_network_beats_random_as_measured_on_the_original_program(network):
    """Measured there: 78.5 ± 1.4 % of hands won, 62.1 % raw, 5.18 ± 0.11 to -3.78 ± 0.25 a hand."""
    match = play_match(network, 'random', 2000, 'march', seed=1)
    assert abs(match.hands_won.mean - 0.785) < 0.014 + match.hands_won.margin
    assert abs(match.hands_won_raw.mean - 0.621) < 0.014 + match.hands_won_raw.margin
    own, other = match.own.figures['score'], match.other.figures['score']
    assert abs(own.mean - 5.18) < 0.11 + own.margin
    assert abs(other.mean + 3.78) < 0.25 + other.margin


def test_the_rule_agent_beats_the_published_network(network):
    match = play_match('rule', network, 1000, seed=2)
    assert match.difference.mean - match.difference.margin > 2
    assert match.notes == (f'{network} was not trained on these rules: it knows march',)
