"""Catch Five in OpenSpiel: the refill by chance, and information states."""

import random
from collections import Counter

import numpy as np
import pytest

from rlcard_catch5.cards import cards_in, format_cards, mask_of
from rlcard_catch5.engine.state import NOTHING
from rlcard_kit.errors import IllegalActionError
from tests.support.openspiel_games import play

pyspiel = pytest.importorskip('pyspiel', reason='open_spiel is not installed')
from open_spiel.python.observation import make_observation  # noqa: E402  # it needs pyspiel

import rlcard_catch5.openspiel  # noqa: E402, F401  # registers python_catch5

GAME = pyspiel.load_game('python_catch5')
LONG = [list(range(9)), list(range(13, 22)), list(range(26, 35)), list(range(39, 48))]  # nine cards of a suit each


def clubs(state):
    """Name clubs as trumps, if they may be named."""
    return 8 if len(state.moves()) == 4 and 8 in state.legal_actions() else None


def test_chance_fills_one_seat_after_the_other_from_the_whole_stock():
    state = play(GAME, 2, moves=4, hands=LONG, dealers=1)
    dealer, drawn = int(state.games['dealer'][0]), []
    state.apply_action(8)  # trumps
    while state.is_chance_node():
        outcomes = [card for card, _ in state.chance_outcomes()]
        assert all(share == pytest.approx(1 / len(outcomes)) for _, share in state.chance_outcomes())
        drawn.append(random.Random(len(drawn)).choice(outcomes))
        state.apply_action(drawn[-1])
    filled = next(seat for seat in (dealer + i for i in range(4)) if seat % 4 != 0) % 4
    assert state.filled(filled) == mask_of(drawn[:6])
    assert state.filled(0) & mask_of(LONG[0]) == state.filled(0)


def test_chance_chooses_the_cards_that_the_seat_served_last_keeps():
    """The three trumps that nobody holds go to a seat with six other cards, of which it keeps three, evenly."""
    hands = [[*range(9)], [*range(13, 22)], [*range(26, 35)], [*range(39, 45), 10, 48, 49]]
    kept = Counter()
    for seed in range(150):
        state = play(GAME, seed, moves=5, hands=hands, dealers=1, choose=clubs)
        if any(state.games['leftover'][0] != NOTHING):
            last = (int(state.games['dealer'][0]) - 1) % 4
            own = state.filled(last)
            assert own.bit_count() == 6
            kept[own & mask_of(range(9, 13)) != 0] += 1
    assert kept[True] > 0


def test_information_states_remember_the_deal_the_refill_and_every_move():
    state = play(GAME, 6, moves=20)
    for seat in range(4):
        seen = make_observation(GAME, pyspiel.IIGObservationType(perfect_recall=True))
        seen.set_from(state, seat)
        assert np.flatnonzero(seen.dict['dealt']).tolist() == sorted(state.dealt[seat])
        assert np.flatnonzero(seen.dict['filled']).tolist() == cards_in(state.filled(seat))
        assert seen.dict['moves'].argmax(axis=1)[:20].tolist() == state.moves()
        assert seen.dict['lacked'].argmax(axis=1).tolist() == state.games['drawn'][0].tolist()
        text = state.information_state_string(seat)
        assert [format_cards(mask_of(hand)) in text for hand in state.dealt] == [i == seat for i in range(4)]


def test_chance_chooses_the_dealer_first():
    state = GAME.new_initial_state()
    with pytest.raises((IllegalActionError, ValueError), match='7'):
        state.apply_action(7)
    assert [state.action_to_string(state.current_player(), action) for action in state.legal_actions()] == [
        f'dealer {seat}' for seat in range(4)
    ]
