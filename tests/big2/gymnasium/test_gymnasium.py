"""Big 2 in Gymnasium: agreement with `Big2Env`, opponents of other rules, and pictures."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import rlcard

from rlcard_big2.charlesworth import from_index
from rlcard_big2.models import WEIGHTS
from rlcard_big2.render.pixels import flatten
from rlcard_big2.rules import FOUR_PLAYERS


def make(**settings: Any) -> Any:
    return gymnasium.make('Big2-v0', **{'opponents': 'greedy', **settings}).unwrapped


@pytest.mark.parametrize('rules', FOUR_PLAYERS)
def test_a_seat_sees_what_rlcards_environment_shows(rules: str) -> None:
    env, shown = make(rules=rules, seat=2), rlcard.make('big2', config={'game_rules': rules})
    seen, info = env.reset(seed=11)
    over, draws = False, np.random.default_rng(2)
    while not over:
        shown.show(env.sim.games, env.sim.table.moves_of(0))
        state, hand = shown.get_state(2), int(env.sim.games['hands'][0, 2])
        assert shown.get_player_id() == 2
        assert np.array_equal(seen, state['obs'])
        legal = np.flatnonzero(info['action_mask']).tolist()
        assert sorted(from_index(index, hand) for index in legal) == list(state['legal_actions'])
        seen, reward, over, _, info = env.step(draws.choice(legal))
    shown.show(env.sim.games, env.sim.table.moves_of(0))
    assert reward == shown.to_record().payoffs[2] != 0  # a record replays all moves from the deal
    assert not info['action_mask'].any()


def test_an_opponent_trained_on_other_rules_is_noted() -> None:
    with pytest.warns(UserWarning, match='it knows charlesworth'):
        make(opponents=f'dmc:{WEIGHTS / "dmc"},numpy', rules='hong-kong')


def test_a_picture_shows_the_cards_of_the_table() -> None:
    env = make(render_mode='rgb_array', seat=0)
    env.reset(seed=2)
    before = env.render()
    assert (before.shape, before.dtype) == ((344, 640, 3), np.uint8)
    env.step(np.flatnonzero(env.action_masks())[0])
    changed = np.flatnonzero((before != env.render()).any(axis=(1, 2)))
    assert changed.min() < 54  # the learner's row
    assert changed.max() > 270  # the last moves
    assert {(27, 95, 193), (192, 23, 43)} <= {tuple(pixel) for pixel in before.reshape(-1, 3).tolist()}  # red and blue


def test_outlines_are_flattened_as_svg_draws_them() -> None:
    assert flatten('M10 0L18 10V20H2Z') == [(10, 0), (18, 10), (18, 20), (2, 20)]
    over, under, most = (
        np.array(flatten(path)) for path in ('M0 5A5 5 0 0 1 10 5', 'M0 5A5 5 0 0 0 10 5', 'M5 0A5 5 0 1 1 0 5')
    )
    for arc in (over, under, most):  # clockwise on a screen: the first goes over the top; the last is three quarters
        assert np.allclose(np.hypot(arc[1:, 0] - 5, arc[1:, 1] - 5), 5)
    assert (over[:, 1].min(), under[:, 1].max()) == pytest.approx((0, 10))
    assert flatten('M0 0C0 4 4 4 4 0')[6] == pytest.approx((2, 3))
