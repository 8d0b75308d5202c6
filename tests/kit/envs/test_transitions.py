"""Transitions of each seat against the games they are of."""

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest

from rlcard_big2.rules import Rules
from rlcard_kit.envs.transitions import play_transitions
from tests.support.games import BIG2, EACH_PRESET, GameFacts


def play(env, choose, seed):
    seats = defaultdict(list)
    for agent, transition in play_transitions(env, choose, seed):
        seats[agent].append(transition)
    return seats


@EACH_PRESET
def test_every_decision_is_in_the_sequence_of_its_seat_and_the_last_has_the_payoff(game: GameFacts, rules: str) -> None:
    env, draws = game.module('pettingzoo').env(rules), np.random.default_rng(1)
    for seed in range(3):
        made = []

        def choose(agent, seen, made=made):
            made.append((agent, seen['observation'], int(draws.choice(np.flatnonzero(seen['action_mask'])))))
            return made[-1][-1]

        seats, single = play(env, choose, seed), env.unwrapped.rlcard_env
        assert sum(map(len, seats.values())) == len(made) == len(single.action_recorder)
        for agent, payoff in zip(env.possible_agents, single.get_payoffs().tolist(), strict=True):
            own = seats[agent]
            decisions = [(seen.tolist(), action) for other, seen, action in made if other == agent]
            assert [(step.observation.tolist(), step.action) for step in own] == decisions
            assert [step.reward for step in own] == [0] * (len(own) - 1) + [payoff] * bool(own)
            assert [step.is_last for step in own] == [False] * (len(own) - 1) + [True] * bool(own)
            assert all(step.mask[step.action] for step in own)
            for step, following in pairwise(own):
                assert np.array_equal(step.next_observation, following.observation)
                assert np.array_equal(step.next_mask, following.mask)
            assert not own or not own[-1].next_mask.any()


def test_a_seat_that_never_moves_has_none() -> None:
    env = BIG2.module('pettingzoo').env(Rules(players=2, hand_size=1, opening='any'))
    seats = play(env, lambda agent, seen: seen['action_mask'].argmax(), 1)
    ((transition,),) = seats.values()
    assert (transition.reward, transition.is_last) == (1, True)


@pytest.mark.parametrize('kind', ['env', 'raw_env'])
def test_an_illegal_action_ends_the_sequences_where_the_environment_does(kind: str) -> None:
    env = getattr(BIG2.module('pettingzoo'), kind)()
    if kind == 'raw_env':
        with pytest.raises(ValueError, match='is not legal'):
            play(env, lambda agent, seen: seen['action_mask'].argmin(), 1)
        return
    ((transition,),) = play(env, lambda agent, seen: seen['action_mask'].argmin(), 1).values()
    assert (transition.reward, transition.is_last) == (-13, True)
