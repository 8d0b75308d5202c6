"""The conformance test passes the agents of the library, and tells what is wrong with others."""

import numpy as np
import pytest

from rlcard_big2.agents.base import EpsilonAgent, RandomAgent
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.registry import make_agent
from rlcard_big2.testing import check_agent
from rlcard_kit.positions import Decision


@pytest.mark.parametrize(
    'agent', [RandomAgent(1), GreedyAgent(1), RuleAgent(1), EpsilonAgent(GreedyAgent(), 0.3, 1)], ids=type
)
def test_agents_of_the_library_conform(agent):
    check_agent(agent)


@pytest.mark.usefixtures('one_thread')
@pytest.mark.parametrize('name', ['big2-dmc', 'big2-ppo'])
def test_shipped_models_conform(name):
    check_agent(make_agent(name), rules=['charlesworth'])


class Illegal(GreedyAgent):
    def choose(self, positions, random):
        return Decision(positions.offsets[1:].copy())


class Overwriting(GreedyAgent):
    def choose(self, positions, random):
        positions.moves[:] = 0
        return Decision(positions.offsets[:-1].copy())


class Remembering(GreedyAgent):
    calls = 0

    def choose(self, positions, random):
        self.calls += 1
        return Decision(positions.offsets[:-1] + self.calls % positions.counts)


class LookingAround(GreedyAgent):
    def choose(self, positions, random):
        return Decision(positions.offsets[:-1] + len(positions.moves) % positions.counts)


class Shapeless(GreedyAgent):
    def choose(self, positions, random):
        return Decision(np.zeros(1, np.int64))


class Floating(GreedyAgent):
    def choose(self, positions, random):
        return Decision(positions.offsets[:-1] / 1)


class OfRLCard:
    use_raw = False

    def step(self, state):
        return 23739  # the pass, legal or not

    def eval_step(self, state):
        return next(iter(state['legal_actions'])), {}


@pytest.mark.parametrize(
    ('agent', 'problem'),
    [
        (Illegal(), 'no legal move at index'),
        (Overwriting(), 'changed the moves'),
        (Remembering(), 'the same stream gave another choice'),
        (LookingAround(), 'than in the batch'),
        (Shapeless(), r'shape \(24,\), not \(1,\)'),
        (Floating(), 'whole numbers, not float64'),
        (OfRLCard(), 'step chose 23739'),
    ],
    ids=lambda value: type(value).__name__,
)
def test_it_tells_what_is_wrong(agent, problem):
    with pytest.raises(AssertionError, match=problem):
        check_agent(agent, rules=['hkust'])
