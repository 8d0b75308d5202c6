"""Catch Five in OpenSpiel: its own checks, the same game as in RLCard, the refill by chance, and bots."""

import random
import unittest
from collections import Counter

import numpy as np
import pytest
import rlcard

from rlcard_catch5.cards import cards_in, format_cards, mask_of
from rlcard_catch5.engine.observation import LAYOUT
from rlcard_catch5.engine.state import NOTHING
from rlcard_catch5.rules import PRESETS
from rlcard_kit.errors import ConfigError, IllegalActionError, RulesError

pyspiel = pytest.importorskip('pyspiel', reason='open_spiel is not installed')
from open_spiel.python.observation import make_observation  # noqa: E402  # it needs pyspiel

from rlcard_catch5.openspiel import AgentBot  # noqa: E402

GAME = pyspiel.load_game('python_catch5')
LONG = [list(range(9)), list(range(13, 22)), list(range(26, 35)), list(range(39, 48))]  # nine cards of a suit each


def play(seed, moves=29, hands=None, game=GAME, named=None):
    """Deal, at random or given hands, and make random moves, or name a suit; return the state."""
    draws, state = random.Random(seed), game.new_initial_state()
    while not state.is_terminal() and (state.is_chance_node() or len(state.moves()) < moves):
        legal, number = state.legal_actions(), len(state.history()) - 1
        if hands and 0 <= number < 36:
            state.apply_action(hands[number % 4][number // 4])
        else:
            state.apply_action(named if named in legal and len(state.moves()) == 4 else draws.choice(legal))
    return state


@pytest.mark.parametrize('rules', ['paper', pytest.param('table', marks=pytest.mark.slow)])
def test_openspiels_simulation_passes_with_saving_and_loading(rules):
    pyspiel.random_sim_test(pyspiel.load_game(f'python_catch5(rules={rules})'), 1, serialize=True, verbose=False)


def test_openspiels_checks_of_its_own_games_pass():
    api_test = pytest.importorskip('open_spiel.integration_tests.api_test', reason='this wheel has no checks')
    game = {'game_name': 'python_catch5', 'game': GAME}
    checks = type('Checks', (api_test.EnforceAPIOnPartialTreeBase,), game)
    result = unittest.defaultTestLoader.loadTestsFromTestCase(checks).run(unittest.TestResult())
    assert result.testsRun >= 5
    assert result.wasSuccessful(), result.failures + result.errors


@pytest.mark.parametrize('rules', PRESETS)
@pytest.mark.parametrize('hands', [None, LONG], ids=['random', 'long suits'])
def test_it_is_the_game_that_rlcard_plays(rules, hands):
    game = pyspiel.load_game('python_catch5', {'rules': rules})
    end = play(3, hands=hands, game=game)
    orders = {'redeal_stock': end.games['redeal'][0].tolist(), 'leftover': end.games['leftover'][0].tolist()}
    env = rlcard.make('catch5', config={'game_rules': rules})
    seen, player = env.reset(deal={'dealer': int(end.games['dealer'][0]), 'hands': end.dealt, **orders})
    state = game.new_initial_state()
    for action in end.history():
        if not state.is_chance_node():
            assert state.current_player() == player
            assert state.legal_actions() == list(seen['legal_actions'])
            texts = [state.action_to_string(player, other) for other in state.legal_actions()]
            assert texts == seen['raw_legal_actions']
            assert state.observation_tensor(player)[8:] == seen['obs'].tolist()
            seen, player = env.step(action)
        state.apply_action(action)
    assert state.is_terminal()
    assert env.is_over()
    assert state.returns() == env.get_payoffs().tolist()
    assert state.legal_actions() == []
    assert game.min_utility() <= min(state.returns()) <= max(state.returns()) <= game.max_utility()


def test_chance_fills_one_seat_after_the_other_from_the_whole_stock():
    state = play(2, moves=4, hands=LONG)
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
        state = play(seed, moves=5, hands=hands, named=8)
        if any(state.games['leftover'][0] != NOTHING):
            last = (int(state.games['dealer'][0]) - 1) % 4
            own = state.filled(last)
            assert own.bit_count() == 6
            kept[own & mask_of(range(9, 13)) != 0] += 1
    assert kept[True] > 0


@pytest.mark.parametrize(('kind', 'seats'), [('NONE', []), ('SINGLE_PLAYER', [2]), ('ALL_PLAYERS', [0, 1, 2, 3])])
def test_hands_are_shown_to_those_alone_who_ask_for_them(kind, seats):
    private = getattr(pyspiel.PrivateInfoType, kind)
    state = play(5, moves=8)
    seen = make_observation(GAME, pyspiel.IIGObservationType(perfect_recall=False, private_info=private))
    seen.set_from(state, 2)
    hands = state.games['hands'][0].tolist()
    text = seen.string_from(state, 2)
    assert [seat for seat in range(4) if f'holds {format_cards(hands[seat])}' in text] == seats
    assert ('own hand' in seen.dict) == ('own thrown cards' in seen.dict) == (kind == 'SINGLE_PLAYER')
    assert 'hands' not in seen.dict or seen.dict['hands'].sum(axis=1).tolist() == [hand.bit_count() for hand in hands]
    if kind == 'SINGLE_PLAYER':
        assert list(seen.dict) == ['player', 'mover', *(name for name, _ in LAYOUT)]


def test_information_states_remember_the_deal_the_refill_and_every_move():
    state = play(6, moves=20)
    for seat in range(4):
        seen = make_observation(GAME, pyspiel.IIGObservationType(perfect_recall=True))
        seen.set_from(state, seat)
        assert np.flatnonzero(seen.dict['dealt']).tolist() == sorted(state.dealt[seat])
        assert np.flatnonzero(seen.dict['filled']).tolist() == cards_in(state.filled(seat))
        assert seen.dict['moves'].argmax(axis=1)[:20].tolist() == state.moves()
        assert seen.dict['lacked'].argmax(axis=1).tolist() == state.games['drawn'][0].tolist()
        text = state.information_state_string(seat)
        assert [format_cards(mask_of(hand)) in text for hand in state.dealt] == [i == seat for i in range(4)]


def test_bots_play_in_openspiels_own_loop_and_the_rule_agents_win():
    returns = np.zeros(2)
    for seed in range(10):
        bots = [AgentBot('rule' if seat % 2 == seed % 2 else 'random', seed=seed) for seat in range(4)]
        returns += np.roll(pyspiel.evaluate_bots(GAME.new_initial_state(), bots, seed)[:2], seed % 2)
    assert returns[0] > returns[1]


def test_what_is_wrong_is_named_and_changes_nothing():
    state = play(1, moves=0)
    before = str(state)
    with pytest.raises(IllegalActionError, match=r'action 63 is not legal: .*0 \(pass\)'):
        state.apply_action(63)
    assert (str(state), state.moves()) == (before, [])
    state = GAME.new_initial_state()
    with pytest.raises((IllegalActionError, ValueError), match='7'):
        state.apply_action(7)
    with pytest.raises(RulesError, match='paper'):
        pyspiel.load_game('python_catch5(rules=whist)')
    with pytest.raises(ConfigError, match='object'):
        AgentBot(object())
