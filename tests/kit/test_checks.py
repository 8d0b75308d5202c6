"""The check of agents passes those of the library and names the faults of others."""

import pytest

from rlcard_big2.agents.base import GreedyAgent
from rlcard_kit.agents import Decision
from tests.support.games import BIG2, CATCH5

NAMES = [(BIG2, name) for name in ('random', 'greedy', 'rule', 'greedy,epsilon=0.3', 'big2-dmc', 'big2-ppo')]
NAMES += [pytest.param(BIG2, 'search:big2-dmc,worlds=1', marks=pytest.mark.slow)]
NAMES += [(CATCH5, name) for name in ('random', 'pass', 'suit', 'rule', 'rule,epsilon=0.2', 'catch5-ppo')]


@pytest.mark.parametrize(('game', 'name'), NAMES, ids=lambda value: getattr(value, 'name', value))
def test_agents_of_the_library_conform(game, name):
    is_trained = 'big2-' in name  # and slow
    rules = game.presets[:1] if is_trained else game.presets
    game.module('testing').check_agent(game.module().make_agent(name), rules)


class Faulty(GreedyAgent):
    """Chooses the indices that a function of itself and the positions returns."""

    calls = 0

    def __init__(self, fault):
        super().__init__()
        self.fault = fault

    def choose(self, positions, random):
        self.calls += 1
        return Decision(self.fault(self, positions))


def overwrite(agent, positions):
    positions.moves[:] = 0
    return positions.offsets[:-1].copy()


class OfRLCard:
    use_raw = False

    def step(self, state):
        return 23739  # the pass, legal or not

    def eval_step(self, state):
        return next(iter(state['legal_actions'])), {}


FAULTS = {
    'an index that is not among the legal moves: ': Faulty(lambda agent, positions: positions.offsets[1:].copy()),
    'changed the moves': Faulty(overwrite),
    'the same stream': Faulty(lambda agent, positions: positions.offsets[:-1] + agent.calls % positions.counts),
    'in the batch': Faulty(lambda agent, positions: positions.offsets[:-1] + len(positions.moves) % positions.counts),
    'step chose 23739': OfRLCard(),
}


@pytest.mark.parametrize(('problem', 'agent'), FAULTS.items(), ids=FAULTS)
def test_faults_are_named(problem, agent):
    with pytest.raises(AssertionError, match=problem):
        BIG2.module('testing').check_agent(agent, rules=['hkust'])
