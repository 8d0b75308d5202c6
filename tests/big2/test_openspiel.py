"""Big 2 in OpenSpiel: chance, information states, hidden cards dealt again, and searching bots."""

import random
from dataclasses import replace

import numpy as np
import pytest

import rlcard_big2
from rlcard_big2.cards import format_cards
from rlcard_big2.rules import PRESETS, Rules
from rlcard_kit.errors import ConfigError, IllegalActionError, RulesError
from tests.support.openspiel_games import play

pyspiel = pytest.importorskip('pyspiel', reason='open_spiel is not installed')
from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402  # these need it

from rlcard_big2.openspiel import AgentBot  # noqa: E402

GAME = pyspiel.load_game('python_big2')
HANDS = [list(range(seat, 52, 4)) for seat in range(4)]  # the same suit for each: chance deals round the table
TWOS = Rules(instant_wins='twos')
NUMBERED = [('charlesworth', 'slots'), ('charlesworth', 'compact')]


def test_chance_deals_every_card_once_round_the_table() -> None:
    state = GAME.new_initial_state()
    for number in range(52):
        (card, share), *others = state.chance_outcomes()
        assert len(others) == 51 - number
        assert share == pytest.approx(1 / (52 - number))
        assert state.action_to_string(state.current_player(), card).startswith('deal ')
        state.apply_action(card)
    assert [state.dealt_hand(seat) for seat in range(4)] == [sum(1 << card for card in hand) for hand in HANDS]


def test_information_states_remember_every_move_and_hide_the_others_cards() -> None:
    state = play(GAME, 6, moves=30)
    for seat in range(4):
        tensor = np.array(state.information_state_tensor(seat), np.float32)
        moves = tensor[4 + 52 + 4 :].reshape(-1, 53)
        masks = [sum(1 << int(card) for card in np.flatnonzero(row[:52])) for row in moves[: len(state.moves())]]
        assert masks == [rlcard_big2.action_mask(action) for action in state.moves()]
        assert moves[: len(masks), 52].tolist() == [float(mask == 0) for mask in masks]
        assert not moves[len(masks) :].any()
        text = state.information_state_string(seat)
        assert [format_cards(state.dealt_hand(other)) in text for other in range(4)] == [i == seat for i in range(4)]


@pytest.mark.parametrize(('rules', 'actions'), [*((rules, 'ids') for rules in PRESETS), *NUMBERED])
def test_dealing_hidden_cards_again_leaves_what_a_seat_knows(rules: str, actions: str) -> None:
    game, draws = pyspiel.load_game('python_big2', {'rules': rules, 'actions': actions}), random.Random(8)
    for seed, moves in ((1, 0), (2, 5), (3, 40), (4, 1000)):
        state = play(game, seed, moves)
        for seat in range(game.num_players()):
            again = state.resample_from_infostate(seat, draws.random)
            assert again.information_state_string(seat) == state.information_state_string(seat)
            assert again.information_state_tensor(seat) == state.information_state_tensor(seat)
            assert again.moves() == state.moves()
            assert state.is_terminal() or again.returns() == state.returns()
            other = (seat + 1) % game.num_players()
            assert moves or again.dealt_hand(other) != state.dealt_hand(other)


def test_a_hand_that_has_won_by_the_deal_is_not_dealt_again() -> None:
    game = pyspiel.load_game('python_big2(rules=python:tests.big2.test_openspiel:TWOS)')
    state = play(game, 1, 1, [list(range(seat * 13, seat * 13 + 13)) for seat in range(4)])
    again = state.resample_from_infostate(0, random.Random(1).random)
    assert (again.is_terminal(), again.returns()) == (True, state.returns())
    assert again.dealt_hand(1) != state.dealt_hand(1)


def test_searching_bots_of_openspiel_play_against_an_agent_of_the_package() -> None:
    draws = np.random.RandomState(1)
    rollouts = mcts.RandomRolloutEvaluator(1, draws)
    bots = [
        ismcts.ISMCTSBot(GAME, rollouts, 6, 3, random_state=draws),
        mcts.MCTSBot(GAME, 6, 3, rollouts, random_state=draws),
        AgentBot('rule'),
        AgentBot('random', seed=4),
    ]
    state = play(GAME, 2, moves=0)
    while not state.is_terminal():
        state.apply_action(int(bots[state.current_player()].step(state)))
    assert sum(state.returns()) == 0


def test_a_card_is_dealt_once() -> None:
    state = GAME.new_initial_state()
    state.apply_action(7)
    with pytest.raises(IllegalActionError, match=r'card 7 \(4s\)'):
        state.apply_action(7)
    with pytest.raises(ValueError, match='52'):
        state.apply_action(52)
    assert state.dealt == 1


def test_parameters_change_the_size_of_the_game():
    game = pyspiel.load_game('python_big2(players=2,ranks=3,hand=3)')
    assert game.rules == Rules(players=2, ranks=3, hand_size=3)
    assert pyspiel.load_game(str(game)).rules == game.rules
    assert pyspiel.load_game('python_big2(rules=taiwan,players=3)').rules == replace(Rules.preset('taiwan'), players=3)
    with pytest.raises(RulesError, match='ranks=3 are 12 cards'):
        pyspiel.load_game('python_big2(ranks=3)')
    assert pyspiel.load_game('python_big2(rules=mini)').information_state_tensor_size() == 2 + 52 + 2 + 12 * 53
    assert pyspiel.load_game('python_big2(rules=mini,actions=compact)').num_distinct_actions() == 43


def test_options_are_played_by_bots_and_refuse_to_deal_hidden_cards_again() -> None:
    game = pyspiel.load_game('python_big2(actions=reduced)')
    returns = pyspiel.evaluate_bots(game.new_initial_state(), [AgentBot('rule', seed=seat) for seat in range(4)], 1)
    assert sum(returns) == 0
    for actions in ('reduced', 'compact'):
        mini = pyspiel.load_game('python_big2', {'rules': 'mini', 'actions': actions})
        pyspiel.random_sim_test(mini, 2, serialize=True, verbose=False)
    with pytest.raises(ConfigError, match="actions='reduced'"):
        play(game, 2, 20).resample_from_infostate(1, random.random)
    with pytest.raises(ConfigError, match="'ids', 'slots', 'reduced', 'compact'"):
        pyspiel.load_game('python_big2(actions=options)')
