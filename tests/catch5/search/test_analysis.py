"""Rollouts: outcomes of moves in deals of the hidden cards."""

import pytest
import rlcard

from rlcard_catch5.cards import parse_card
from rlcard_catch5.registry import make_agent
from rlcard_catch5.search.analysis import roll_out
from tests.support.played_hands import after

OWN = '5h Th Jh Qh Kh Ah 2c 3c 4c'
REST = '2h 3h 4h 5c 6c 7c 8c 9c Tc 6h 7h 2d 3d 4d 5d 6d 7d 8d 8h 9h 2s 3s 4s 5s 6s 7s 8s'


def test_certain_tricks_make_the_bid_in_every_deal():
    """Each of the six highest trumps wins its trick, the five falls to its own team, and so does the two."""
    cards = [parse_card(card) for card in f'{OWN} {REST}'.split()]
    hands = [cards[9 * i : 9 * i + 9] for i in range(4)]
    env = after(hands, 3, 'bid 8', 'pass', 'pass', 'pass', 'trump H')
    found = roll_out(env.get_state(0)['raw_obs'], ['Ah', 'Kh'], make_agent('catch5-ppo'), 20)
    assert {one.made for one in found} == {1.0}
    assert all(8 <= one.payoff.mean <= 9 for one in found)
    assert all(one.events == {'ahead': 1, 'make': 1, 'trick': 1, 'five': 1} for one in found)
    assert [one.reason for one in found] == [None, None]


def test_outcomes_are_sorted_repeatable_and_in_the_auction_count_the_bids_of_the_own_team():
    state, _ = rlcard.make('catch5', config={'seed': 4}).reset()
    agent = make_agent('catch5-ppo')
    found, again = (roll_out(state['raw_obs'], ['bid 9', 'bid 5', 'pass'], agent, 20) for _ in range(2))
    assert found == again
    assert [one.payoff.mean for one in found] == sorted((one.payoff.mean for one in found), reverse=True)
    assert found[0].behind.mean == 0
    assert found[-1].behind.mean == pytest.approx(found[0].payoff.mean - found[-1].payoff.mean)
    assert all(0 <= one.made <= 1 for one in found)


def test_the_agent_adopts_the_rules_of_the_hand():
    state, _ = rlcard.make('catch5', config={'seed': 8, 'game_rules': 'march'}).reset()
    agents = make_agent('catch5-ppo'), make_agent('catch5-ppo', 'march')
    found, same = (roll_out(state['raw_obs'], state['raw_legal_actions'], agent, 40) for agent in agents)
    assert found == same
