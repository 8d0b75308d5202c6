"""Big 2 in OpenSpiel: its own checks, the same game as in RLCard, hidden cards dealt again, and searching bots."""

import random
import subprocess
import sys
import unittest
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import rlcard

import rlcard_big2
from rlcard_big2.cards import format_cards
from rlcard_big2.engine.observation import LAYOUT
from rlcard_big2.rules import PRESETS, Rules
from rlcard_kit.errors import ConfigError, IllegalActionError, RulesError

pyspiel = pytest.importorskip('pyspiel', reason='open_spiel is not installed')
from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402  # these need it
from open_spiel.python.observation import make_observation  # noqa: E402

from rlcard_big2.openspiel import AgentBot  # noqa: E402
from rlcard_kit.envs.openspiel import card_bits  # noqa: E402

GAME = pyspiel.load_game('python_big2')
HANDS = [list(range(seat, 52, 4)) for seat in range(4)]  # the same suit for each: chance deals round the table
TWOS, PLACES = Rules(instant_wins='twos'), Rules(places=True)


def play(seed: int, moves: int = 1000, hands=None, game=GAME):
    """Deal, at random or given hands, and make random moves; return the state."""
    draws, state = random.Random(seed), game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(hands[state.dealt % 4][state.dealt // 4] if hands else draws.choice(state.legal_actions()))
    while not state.is_terminal() and len(state.moves()) < moves:
        state.apply_action(draws.choice(state.legal_actions()))
    return state


SLOW = pytest.mark.slow  # the others show that any rules can be simulated


@pytest.mark.parametrize(
    'rules',
    [
        'charlesworth',
        pytest.param(f'python:{__name__}:PLACES', marks=SLOW),
        pytest.param('taiwan', marks=SLOW),
        pytest.param('hong-kong-3', marks=SLOW),
    ],
)
def test_openspiels_simulation_passes_with_saving_and_loading(rules: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(f'python_big2(rules={rules})'), 1, serialize=True, verbose=False)


def test_openspiels_checks_of_its_own_games_pass() -> None:
    api_test = pytest.importorskip('open_spiel.integration_tests.api_test', reason='this wheel has no checks')
    game = {'game_name': 'python_big2', 'game': GAME}
    checks = type('Checks', (api_test.EnforceAPIOnPartialTreeBase,), game)
    result = unittest.defaultTestLoader.loadTestsFromTestCase(checks).run(unittest.TestResult())
    assert result.testsRun >= 5
    assert result.wasSuccessful(), result.failures + result.errors


def test_a_copy_of_a_state_goes_on_by_itself_and_shares_the_kernels() -> None:
    state = play(5, moves=4)
    copy = state.clone()
    assert copy._card_game is state._card_game
    assert copy.rules is state.rules
    copy.apply_action(copy.legal_actions()[-1])
    assert (len(state.moves()), len(copy.moves())) == (4, 5)
    assert copy.games['ply'][0] == state.games['ply'][0] + 1


@pytest.mark.parametrize('rules', PRESETS)
def test_it_is_the_game_that_rlcard_plays(rules: str) -> None:
    game = pyspiel.load_game('python_big2', {'rules': rules})
    env = rlcard.make('big2', config={'game_rules': rules})
    draws = random.Random(3)
    state = play(3, moves=0, game=game)
    seen, player = env.reset(
        hands=[np.flatnonzero(card_bits(state.dealt_hand(seat))) for seat in range(env.num_players)]
    )
    while not env.is_over():
        assert state.current_player() == player
        assert state.legal_actions() == list(seen['legal_actions'])
        texts = [state.action_to_string(player, action) for action in state.legal_actions()]
        assert texts == seen['raw_legal_actions']
        assert state.observation_tensor(player)[2 * env.num_players :] == seen['obs'].tolist()
        action = draws.choice(state.legal_actions())
        state.apply_action(action)
        seen, player = env.step(action)
    assert state.is_terminal()
    assert state.returns() == env.get_payoffs().tolist()
    assert state.legal_actions() == []
    assert game.min_utility() <= min(state.returns())
    assert max(state.returns()) <= game.max_utility()


def test_chance_deals_every_card_once_round_the_table() -> None:
    state = GAME.new_initial_state()
    for number in range(52):
        (card, share), *others = state.chance_outcomes()
        assert len(others) == 51 - number
        assert share == pytest.approx(1 / (52 - number))
        assert state.action_to_string(state.current_player(), card).startswith('deal ')
        state.apply_action(card)
    assert [state.dealt_hand(seat) for seat in range(4)] == [sum(1 << card for card in hand) for hand in HANDS]


def test_an_observation_is_made_of_named_pieces() -> None:
    state, seen = play(5, moves=6), make_observation(GAME)
    seen.set_from(state, 2)
    assert list(seen.dict) == ['player', 'mover', *(name for name, _ in LAYOUT)]
    held = sum(1 << int(card) for card in np.flatnonzero(seen.dict['own hand']))
    assert held == state.games['hands'][0, 2]
    assert seen.dict['mover'].argmax() == state.current_player()


@pytest.mark.parametrize(('kind', 'seats'), [('NONE', []), ('SINGLE_PLAYER', [2]), ('ALL_PLAYERS', [0, 1, 2, 3])])
def test_hands_are_shown_to_those_alone_who_ask_for_them(kind: str, seats: list[int]) -> None:
    private = getattr(pyspiel.PrivateInfoType, kind)
    state = play(5, moves=6)
    seen = make_observation(GAME, pyspiel.IIGObservationType(perfect_recall=False, private_info=private))
    seen.set_from(state, 2)
    hands = state.games['hands'][0].tolist()
    text = seen.string_from(state, 2)
    assert [seat for seat in range(4) if format_cards(hands[seat]) in text] == seats
    assert ('own hand' in seen.dict) == (kind == 'SINGLE_PLAYER')
    assert 'hands' not in seen.dict or seen.dict['hands'].sum(axis=1).tolist() == [hand.bit_count() for hand in hands]


def test_information_states_remember_every_move_and_hide_the_others_cards() -> None:
    state = play(6, moves=30)
    for seat in range(4):
        tensor = np.array(state.information_state_tensor(seat), np.float32)
        moves = tensor[4 + 52 + 4 :].reshape(-1, 53)
        masks = [sum(1 << int(card) for card in np.flatnonzero(row[:52])) for row in moves[: len(state.moves())]]
        assert masks == [rlcard_big2.action_mask(action) for action in state.moves()]
        assert moves[: len(masks), 52].tolist() == [float(mask == 0) for mask in masks]
        assert not moves[len(masks) :].any()
        text = state.information_state_string(seat)
        assert [format_cards(state.dealt_hand(other)) in text for other in range(4)] == [i == seat for i in range(4)]


@pytest.mark.parametrize('rules', PRESETS)
def test_dealing_hidden_cards_again_leaves_what_a_seat_knows(rules: str) -> None:
    game, draws = pyspiel.load_game('python_big2', {'rules': rules}), random.Random(8)
    for seed, moves in ((1, 0), (2, 5), (3, 40), (4, 1000)):
        state = play(seed, moves, game=game)
        for seat in range(game.num_players()):
            again = state.resample_from_infostate(seat, draws.random)
            assert again.information_state_string(seat) == state.information_state_string(seat)
            assert again.information_state_tensor(seat) == state.information_state_tensor(seat)
            assert again.moves() == state.moves()
            assert state.is_terminal() or again.returns() == state.returns()


def test_hidden_cards_that_would_have_won_are_dealt_as_well() -> None:
    game = pyspiel.load_game('python_big2(rules=python:tests.big2.test_openspiel:TWOS)')
    state = play(1, 1, [list(range(13)), *(list(range(13 + i, 52, 3)) for i in range(3))], game)
    draws = random.Random(1)
    deals = (state.resample_from_infostate(0, draws.random) for _ in range(1000))
    again = next(deal for deal in deals if deal.games['hands'][0].max() >> 48 == 15)
    assert (again.moves(), again.is_terminal()) == (state.moves(), False)


def test_hidden_cards_are_dealt_such_that_all_moves_were_legal() -> None:
    game, draws = pyspiel.load_game('python_big2(rules=game-sofa)'), random.Random(2)
    for seed in range(30):
        state = play(seed, game=game)
        assert state.resample_from_infostate(seed % 4, draws.random).moves() == state.moves()


def test_hidden_cards_are_dealt_evenly_but_who_opened_keeps_the_opening_card() -> None:
    game = pyspiel.load_game('python_big2(rules=hkust)')
    state = play(9, moves=0, hands=HANDS, game=game)  # seat 0 has the lowest card
    draws, holders = random.Random(9), Counter()
    for _ in range(400):
        again = state.resample_from_infostate(3, draws.random)
        assert again.dealt_hand(0) & 1
        holders[next(seat for seat in range(4) if again.dealt_hand(seat) >> 4 & 1)] += 1
    expected = {0: 400 * 12 / 38, 1: 400 * 13 / 38, 2: 400 * 13 / 38}
    assert sum((holders[seat] - count) ** 2 / count for seat, count in expected.items()) < 13.8  # p = 0.001
    assert holders[3] == 0


def test_searching_bots_of_openspiel_play_against_an_agent_of_the_package() -> None:
    draws = np.random.RandomState(1)
    rollouts = mcts.RandomRolloutEvaluator(1, draws)
    bots = [
        ismcts.ISMCTSBot(GAME, rollouts, 6, 3, random_state=draws),
        mcts.MCTSBot(GAME, 6, 3, rollouts, random_state=draws),
        AgentBot('rule'),
        AgentBot('random', seed=4),
    ]
    state = play(2, moves=0)
    while not state.is_terminal():
        state.apply_action(int(bots[state.current_player()].step(state)))
    assert sum(state.returns()) == 0


def test_a_bot_plays_as_its_agent_does_and_in_openspiels_own_loop() -> None:
    returns = np.zeros(4)
    for seed in range(20):
        bots = [AgentBot('rule' if seat == seed % 4 else 'random', seed=seed) for seat in range(4)]
        returns += np.roll(pyspiel.evaluate_bots(GAME.new_initial_state(), bots, seed), -(seed % 4))
    assert returns[0] > 0  # the rule agent wins some ten cards a game


@pytest.mark.parametrize('action', [999_999, -4, 5])
def test_an_illegal_action_is_explained_and_changes_nothing(action: int) -> None:
    state = play(1, moves=0, hands=HANDS)
    before = str(state)
    with pytest.raises(IllegalActionError, match=rf'action {action} .*0 \(3d\)'):
        state.apply_action(action)
    assert str(state) == before
    assert state.moves() == []


def test_a_card_is_dealt_once() -> None:
    state = GAME.new_initial_state()
    state.apply_action(7)
    with pytest.raises(IllegalActionError, match=r'card 7 \(4s\)'):
        state.apply_action(7)
    with pytest.raises(ValueError, match='52'):
        state.apply_action(52)
    assert state.dealt == 1


def test_rules_that_openspiel_could_not_load_again_are_refused() -> None:
    with pytest.raises(RulesError, match='charlesworth'):
        pyspiel.load_game('python_big2(rules=whist)')
    with pytest.raises(RulesError, match='JSON'):
        pyspiel.load_game('python_big2', {'rules': rlcard_big2.Rules(final_pass=True).text})
    with pytest.raises(ConfigError, match='object'):
        AgentBot(object())


def test_without_openspiel_the_import_names_the_extra() -> None:
    code = "import sys; sys.modules['pyspiel'] = None; import rlcard_big2.openspiel"
    result = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert "pip install '.[openspiel]'" in result.stderr


def test_parameters_change_the_size_of_the_game():
    game = pyspiel.load_game('python_big2(players=2,ranks=3,hand=3)')
    assert game.rules == Rules(players=2, ranks=3, hand_size=3)
    assert pyspiel.load_game(str(game)).rules == game.rules
    assert pyspiel.load_game('python_big2(rules=taiwan,players=3)').rules == replace(Rules.preset('taiwan'), players=3)
    with pytest.raises(RulesError, match='ranks=3 are 12 cards'):
        pyspiel.load_game('python_big2(ranks=3)')
