"""Big 2 in Gymnasium: opponents of other rules, and pictures."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from rlcard_big2.models import WEIGHTS
from rlcard_big2.render.pixels import flatten


def make(**settings: Any) -> Any:
    return gymnasium.make('Big2-v0', **{'opponents': 'greedy', **settings}).unwrapped


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
