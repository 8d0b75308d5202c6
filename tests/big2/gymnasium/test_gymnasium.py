"""Big 2 in Gymnasium: agreement with `Big2Env`, opponents of other rules, and pictures."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import rlcard

from rlcard_big2 import Rules, make_agent
from rlcard_big2.cards import format_cards
from rlcard_big2.charlesworth import from_index
from rlcard_big2.models import WEIGHTS
from rlcard_big2.render.pixels import flatten
from rlcard_big2.rules import PRESETS


def make(**settings: Any) -> Any:
    return gymnasium.make('Big2-v0', **{'opponents': 'greedy', **settings}).unwrapped


@pytest.mark.parametrize('rules', PRESETS)
def test_a_game_agrees_with_rlcards_environment(rules: str) -> None:
    env = make(rules=rules, opponents=['rule', 'greedy', 'rule'], seat=2)
    reference = rlcard.make('big2', config={'seed': 0, 'game_rules': rules})
    others = {3: make_agent('rule', rules), 0: make_agent('greedy', rules), 1: make_agent('rule', rules)}
    seen, info = env.reset(seed=11)
    hands = env.sim.games['hands'][0] | env.sim.games['played'][0]
    cards = [[card for card in range(52) if hand >> card & 1] for hand in hands.tolist()]
    state, player = reference.reset(hands=cards)
    over = False
    while not over:
        while player != 2:
            state, player = reference.step(others[player].eval_step(state)[0])
        hand = int(env.sim.games['hands'][0, 2])
        legal = {from_index(index, hand): index for index in np.flatnonzero(info['action_mask']).tolist()}
        assert np.array_equal(seen, state['obs'])
        assert sorted(legal) == list(state['legal_actions'])
        action = list(legal)[-1 if reference.timestep % 3 else 0]
        seen, reward, over, truncated, info = env.step(legal[action])
        assert not truncated
        state, player = reference.step(action)
    while not reference.is_over():
        state, player = reference.step(others[player].eval_step(state)[0])
    assert reward == reference.get_payoffs()[2] != 0
    suits = Rules.preset(rules).suits
    made = [format_cards(mask, suits) or 'pass' for mask in env.sim.moves_of(0)]
    assert made == [text for _, text in reference.action_recorder]
    assert not info['action_mask'].any()


def test_an_opponent_trained_on_other_rules_is_noted() -> None:
    agent = f'dmc:{WEIGHTS / "dmc"},numpy'
    with pytest.warns(UserWarning, match='it knows charlesworth'):
        make(opponents=agent, rules='hong-kong')


def test_a_picture_shows_the_cards_of_the_table() -> None:
    env = make(render_mode='rgb_array', opponents='greedy', seat=0)
    env.reset(seed=2)
    before = env.render()
    assert (before.shape, before.dtype) == ((344, 640, 3), np.uint8)
    env.step(np.flatnonzero(env.action_masks())[0])
    after = env.render()
    changed = np.flatnonzero((before != after).any(axis=(1, 2)))
    assert changed.min() < 54  # the learner's row
    assert changed.max() > 270  # the last moves
    assert {(27, 95, 193), (192, 23, 43)} <= {tuple(pixel) for pixel in before.reshape(-1, 3).tolist()}  # red and blue
    assert make(opponents='greedy').render() is None


def test_outlines_are_flattened_as_svg_draws_them() -> None:
    assert flatten('M10 0L18 10V20H2Z') == [(10, 0), (18, 10), (18, 20), (2, 20)]
    half = np.array(flatten('M0 5A5 5 0 0 1 10 5'))  # clockwise on a screen: over the top
    assert np.allclose(np.hypot(half[1:, 0] - 5, half[1:, 1] - 5), 5)
    assert half[:, 1].min() == pytest.approx(0)
    under = np.array(flatten('M0 5A5 5 0 0 0 10 5'))
    assert under[:, 1].max() == pytest.approx(10)
    most = np.array(flatten('M5 0A5 5 0 1 1 0 5'))  # three quarters
    assert np.allclose(np.hypot(most[1:, 0] - 5, most[1:, 1] - 5), 5)
    assert flatten('M0 0C0 4 4 4 4 0')[6] == pytest.approx((2, 3))
