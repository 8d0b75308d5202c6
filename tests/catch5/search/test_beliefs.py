"""Worlds agree with what the other seats did: likely ones are drawn more often."""

import numpy as np
import pytest
import rlcard

from rlcard_catch5.actions import BID_SHIFT
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.engine.state import GAME
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_catch5.search.beliefs import ERROR, draw_worlds, log_likelihoods
from rlcard_catch5.search.worlds import sample_worlds
from rlcard_kit.rng import new_streams
from tests.support.played_hands import after

COUNT = 200
TABLE = tabulate(Rules())


class Peek:
    """A policy that bids five with the ace of spades, and otherwise passes; it plays any card."""

    ACE = 1 << 51

    def probabilities(self, positions):
        chances = 1 / positions.counts[positions.owners]
        bidding = positions.observations['ply'][positions.owners] < 4
        holds = positions.observations['hand'][positions.owners] & self.ACE != 0
        wanted = np.where(holds, 5 - BID_SHIFT, 0)
        return np.where(bidding, positions.moves == wanted, chances).astype(float), np.zeros(len(positions.counts))


def test_a_bid_that_only_one_hand_makes_tells_who_holds_it():
    state = after([list(range(9 * i, 9 * i + 9)) for i in range(4)], 3, 'bid 5', 'pass').get_state(2)
    worlds = draw_worlds(TABLE, state['raw_obs']['packed'], new_streams(0, 1), COUNT, Peek())[0]
    holders = [int(np.flatnonzero(game['hands'] & Peek.ACE)[0]) for game in worlds if (game['hands'] & Peek.ACE).any()]
    assert holders.count(2) > 0.8 * COUNT > holders.count(1) + holders.count(3)


def test_the_likelihood_is_the_product_of_the_others_probabilities():
    env, agent = rlcard.make('catch5', config={'seed': 4}), make_agent('catch5-ppo')
    state, seat = env.reset()
    expected = dict.fromkeys(range(4), 0.0)
    while len(state['raw_obs']['trace']) < 13:
        action, told = agent.eval_step(state)
        chances = told['probs']
        if len(chances) > 1:
            made = chances[state['raw_legal_actions'][list(state['legal_actions']).index(action)]]
            expected[seat] += np.log((1 - ERROR) * made + ERROR / len(chances))
        state, seat = env.step(action)
    games, dealt = np.zeros(1, GAME), np.zeros((1, 4), np.int64)
    sample_worlds(TABLE, state['raw_obs']['packed'], new_streams(0, 1), games, dealt)
    truth = env.game.games[0]
    for other in range(1, 4):
        player = (seat + other) % 4
        for name in ('hands', 'thrown'):
            games[name][0, other] = truth[name][player]
        dealt[0, other] = sum(1 << int(card) for card in env.to_record().deal['hands'][player])
    wanted = sum(value for player, value in expected.items() if player != seat)
    assert np.isclose(log_likelihoods(TABLE, games, dealt, agent.network)[0], wanted)


def test_a_card_that_a_seat_could_not_play_in_a_world_is_an_error_of_the_policy():
    hands = [[*range(9)], [13, 14, 15, 16, 17, 26, 27, 28, 29], [*range(39, 48)], [*range(30, 39)]]
    env = after(hands, 3, 'bid 5', 'pass', 'pass', 'pass', 'trump C', seed=4)
    for _ in range(4):
        state, _ = env.step(env.game.legal_texts[0], raw_action=True)
    games, dealt = np.zeros(1, GAME), np.zeros((1, 4), np.int64)
    sample_worlds(TABLE, state['raw_obs']['packed'], new_streams(0, 1), games, dealt)
    before, exchanged = log_likelihoods(TABLE, games, dealt, Peek())[0], 1 << 4 | 1 << 31
    assert games['order'][0, 1] == 4  # by the seat before the viewer, which keeps another club and holds a heart
    games['order'][0, 1] = 31
    for name in ('hands', 'played'):
        games[name][0, 3] ^= exchanged
    changed = log_likelihoods(TABLE, games, dealt, Peek())[0]
    assert changed - before == pytest.approx(np.log(ERROR / 2) - np.log(1 / 2))
