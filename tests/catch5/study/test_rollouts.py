"""Rollouts: deals of the hidden cards that a seat cannot tell apart, and outcomes of moves in them."""

import numpy as np
import pytest
import rlcard

from rlcard_catch5.cards import format_cards, parse_card, parse_cards
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.observation import new_observations
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import PRESETS
from rlcard_catch5.study.rollouts import roll_out, worlds

COUNT = 3


def not_followed(trace, rules, trump):
    """Yield (seat, suit) for each card that did not follow the suit led, except trumps where those may be played."""
    for first in range(5, len(trace), 4):
        for seat, card in trace[first + 1 : first + 4]:
            if card[1] != trace[first][1][1] and not (rules.following == 'trump' and card[1].upper() == trump):
                yield seat, trace[first][1][1]


@pytest.mark.parametrize('rules', PRESETS.values(), ids=PRESETS)
@pytest.mark.parametrize('seed', range(3))
def test_a_seat_cannot_tell_the_deals_apart(rules, seed):
    env = rlcard.make('catch5', config={'seed': seed, 'game_rules': rules})
    (state, seat), agent, dealt = env.reset(), make_agent('rule', rules), set()
    while not env.is_over():
        seen, observed = state['raw_obs'], np.repeat(new_observations(1), COUNT)
        games = worlds(seen, np.random.default_rng(len(seen['trace'])), COUNT)
        CATCH5.observe(tabulate(rules), games, np.full(COUNT, seat), observed)
        assert all(one.tobytes() == seen['packed'][0].tobytes() for one in observed)
        for game in games:
            hands = [format_cards(int(hand)).split() for hand in game['hands']]
            held = sum(parse_cards(' '.join(hand)) for hand in hands)
            assert [len(hand) for hand in hands] == seen['num_cards_left']
            assert held.bit_count() == sum(seen['num_cards_left'])
            for player, suit in not_followed(seen['trace'], rules, seen['trump']):
                assert player == seat or suit not in {card[1] for card in hands[player]}
            for player, lacked in enumerate(seen['num_cards_lacked'] if seen['trump'] else ()):
                cards = [*hands[player], *seen['played_cards'][player].split()]
                assert sum(card[1].upper() == seen['trump'] for card in cards) >= 6 - lacked
            dealt.add((len(seen['trace']), *map(tuple, hands)))
        state, seat = env.step(agent.eval_step(state)[0])
    assert len(dealt) > 20 * (COUNT - 1)


OWN = '5h Th Jh Qh Kh Ah 2c 3c 4c'
REST = '2h 3h 4h 5c 6c 7c 8c 9c Tc 6h 7h 2d 3d 4d 5d 6d 7d 8d 8h 9h 2s 3s 4s 5s 6s 7s 8s'


def test_certain_tricks_make_the_bid_in_every_deal():
    """Each of the six highest trumps wins its trick, the five falls to its own team, and so does the two."""
    cards = [parse_card(card) for card in f'{OWN} {REST}'.split()]
    env = rlcard.make('catch5', config={'seed': 0})
    env.reset(deal={'dealer': 3, 'hands': [cards[9 * i : 9 * i + 9] for i in range(4)]})
    for move in ('bid 8', 'pass', 'pass', 'pass', 'trump H'):
        env.step(move, raw_action=True)
    found = roll_out(env.get_state(0)['raw_obs'], ['Ah', 'Kh'], make_agent('catch5-ppo'), 20)
    assert {one.made for one in found} == {1.0}
    assert all(8 <= one.points.mean <= 9 for one in found)
    assert all(one.events == {'ahead': 1, 'make': 1, 'trick': 1, 'five': 1} for one in found)
    assert [one.reason for one in found] == [None, None]


def test_outcomes_are_sorted_repeatable_and_in_the_auction_count_the_bids_of_the_own_team():
    state, _ = rlcard.make('catch5', config={'seed': 4}).reset()
    agent = make_agent('catch5-ppo')
    found, again = (roll_out(state['raw_obs'], ['bid 9', 'bid 5', 'pass'], agent, 20) for _ in range(2))
    assert found == again
    assert [one.points.mean for one in found] == sorted((one.points.mean for one in found), reverse=True)
    assert found[0].behind.mean == 0
    assert found[-1].behind.mean == pytest.approx(found[0].points.mean - found[-1].points.mean)
    assert all(0 <= one.made <= 1 for one in found)
