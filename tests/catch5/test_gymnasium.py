"""Catch Five in Gymnasium: agreement with `Catch5Env`."""

import gymnasium
import numpy as np
import rlcard

import rlcard_catch5  # noqa: F401  # registers 'Catch5-v0'


def test_a_seat_sees_what_rlcards_environment_shows() -> None:
    env = gymnasium.make('Catch5-v0', opponents=['rule', 'random', 'suit'], seat='rotate').unwrapped
    shown = rlcard.make('catch5', config={'seed': 0})
    draws, rewards = np.random.default_rng(2), []
    for seed in range(4):
        seen, info = env.reset(seed=None if seed else 5)
        over = False
        while not over:
            shown.show(env.sim.games, env.sim.table.moves_of(0))
            assert shown.get_player_id() == info['seat'] == seed
            state = shown.get_state(info['seat'])
            assert np.array_equal(seen, state['obs'])
            assert np.flatnonzero(info['action_mask']).tolist() == list(state['legal_actions'])
            seen, reward, over, _, info = env.step(draws.choice(np.flatnonzero(env.action_masks())))
            assert over or reward == 0
        shown.show(env.sim.games, env.sim.table.moves_of(0))
        assert reward == shown.get_payoffs()[seed]
        rewards.append(reward)
    assert any(rewards)
