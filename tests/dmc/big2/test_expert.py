"""Expert iteration: the choices that search makes while training, and their labels."""

import numpy as np
import pytest
import torch

from dmc.big2.expert import WORLDS, ExpertAgent
from dmc.opponents import make_players
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.rules import find_rules
from rlcard_big2.search.agent import SearchAgent
from rlcard_big2.search.zoo import shipped_beliefs
from rlcard_kit.positions import Decision
from rlcard_kit.rng import new_streams, next_random
from tests.dmc.test_opponents import SMALL, played
from tests.support.positions import positions_after
from tests.support.random_games import NEAR, Hashed

GAMES = 24
TAUGHT = SMALL.changed(rules='taiwan', win_bonus=8.0, teacher='search')


class Learner:
    """Chooses the last move of each game, and finds it worth its number."""

    def choose(self, positions, random):
        return Decision(positions.offsets[1:] - 1, np.arange(len(random), dtype=np.float32))


@pytest.fixture
def positions():
    return positions_after(9, GAMES, 'taiwan')


def searching(worlds, bonus):
    return SearchAgent(DMCAgent(Hashed(NEAR)), worlds, beliefs=shipped_beliefs, win_bonus=bonus)


def choice_of(share, positions, seed=5):
    taught = ExpertAgent(Learner(), Hashed(NEAR), TAUGHT.changed(teacher_share=share))
    return taught.choose(positions, new_streams(seed, GAMES))


def test_search_makes_and_labels_all_choices_of_a_full_share(positions):
    search, streams = searching(WORLDS, 8.0), new_streams(5, GAMES)
    search.prepare(find_rules('taiwan'))
    for i in range(GAMES):
        next_random(streams[i : i + 1])  # whether it is asked
    _, expected, cases = search.search(positions, streams)
    choice = choice_of(1.0, positions)
    np.testing.assert_array_equal(choice.indices, expected.indices)
    gains = np.zeros(GAMES)
    for case in cases:
        gains[case.game] = max(case.means[case.open]) - case.expected[0]
    assert len(cases) > GAMES / 2
    assert np.count_nonzero(gains) > GAMES / 4
    np.testing.assert_allclose(choice.values, np.arange(GAMES) + gains, rtol=1e-6)


def test_the_learner_makes_the_other_choices(positions):
    alone = choice_of(0.0, positions)
    np.testing.assert_array_equal(alone.indices, positions.offsets[1:] - 1)
    assert alone.values.tolist() == list(range(GAMES))
    taught = [choice_of(0.3, positions, seed).indices != alone.indices for seed in range(20)]
    full = [choice_of(1.0, positions, seed).indices != alone.indices for seed in range(20)]
    assert np.mean(taught) == pytest.approx(0.3 * np.mean(full), abs=0.08)


def test_outcomes_have_the_bonus_that_is_learned(positions):
    outcomes = []
    for search in (searching(1, 0.0), searching(1, 8.0)):
        search.prepare(find_rules('taiwan'))
        hands = search.beliefs.draw(positions.observations, new_streams(1, GAMES), 1)[:, 0]
        moves = positions.moves[positions.offsets[:-1]]
        outcomes.append(
            search.outcomes(
                positions.observations, np.arange(GAMES), hands, moves, np.zeros_like(hands), new_streams(2, GAMES)
            )
        )
    payoffs, learned = outcomes
    assert 0 < (payoffs > 0).sum() < GAMES
    np.testing.assert_array_equal(learned - payoffs, np.where(payoffs > 0, 6.0, -2.0))


def test_actors_are_taught():
    config, moves = TAUGHT.changed(rules='charlesworth', teacher_share=0.02), {}
    for teacher in ('search', 'none'):
        torch.manual_seed(0)
        rows, turns, network = played(config.changed(teacher=teacher), moves=150)
        assert len(rows) > 0
        assert np.isfinite(rows['target']).all()
        moves[teacher] = np.stack([turn.moves for turn in turns])
    assert (moves['search'] != moves['none']).any()
    assert isinstance(make_players(config, network)[0], ExpertAgent)
