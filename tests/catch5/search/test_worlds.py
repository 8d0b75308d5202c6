"""Worlds: deals of the hidden cards that a seat cannot tell apart."""

import numpy as np
import pytest
import rlcard

from rlcard_catch5.cards import FULL_DECK, format_cards, parse_cards
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.observation import new_observations
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.engine.state import GAME
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import PRESETS
from rlcard_catch5.search.worlds import sample_worlds
from rlcard_kit.rng import new_streams

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
    (state, seat), agent, seen_hands = env.reset(), make_agent('rule', rules), set()
    while not env.is_over():
        seen, observed = state['raw_obs'], np.repeat(new_observations(1), COUNT)
        games, dealt = np.zeros(COUNT, GAME), np.zeros((COUNT, 4), np.int64)
        random = new_streams(len(seen['trace']), 1)
        sample_worlds(tabulate(rules), seen['packed'], random, games, dealt)
        CATCH5.observe(tabulate(rules), games, np.zeros(COUNT, np.int64), observed)
        assert all(one.tobytes() == seen['packed'][0].tobytes() for one in observed)
        for game, first in zip(games, dealt, strict=True):
            hands = [format_cards(int(game['hands'][(player - seat) % 4])).split() for player in range(4)]
            held = sum(parse_cards(' '.join(hand)) for hand in hands)
            assert [len(hand) for hand in hands] == seen['num_cards_left']
            assert held.bit_count() == sum(seen['num_cards_left'])
            for player, suit in not_followed(seen['trace'], rules, seen['trump']):
                assert player == seat or suit not in {card[1] for card in hands[player]}
            for player, lacked in enumerate(seen['num_cards_lacked'] if seen['trump'] else ()):
                cards = [*hands[player], *seen['played_cards'][player].split()]
                assert sum(card[1].upper() == seen['trump'] for card in cards) >= 6 - lacked
            others = [int(mask) for mask in first[1:]]
            assert sum(others) <= FULL_DECK
            assert sum(mask.bit_count() for mask in others) == sum(others).bit_count()
            seen_hands.add((len(seen['trace']), *map(tuple, hands)))
        state, seat = env.step(agent.eval_step(state)[0])
    assert len(seen_hands) > 20 * (COUNT - 1)
