"""The players at an actor's table: the trained agent and its opponent."""

from collections.abc import Callable
from copy import deepcopy

import numpy as np
from typing_extensions import override

from dmc.config import Config
from rlcard_kit.agents import Agent, Decision, Positions, ValueFunction, choose_by_probability, explore
from rlcard_kit.nets.agents import GreedyValueAgent
from rlcard_kit.rng import Streams
from training.evaluator import load_opponent
from training.games import LearnedGame

OTHERS = '; or self, or prior'  # besides agents by name
PRIOR_GAMES = 1000  # of an actor after which its 'prior' is copied again


class PriorAgent(GreedyValueAgent):
    """Plays by a copy of another network's weights, refreshed after 1,000 games.

    The first copy is taken at the first decision. Games in progress continue with the new copy.

    Args:
        source: the other network.
        finished: returns the number of games that have ended.
    """

    def __init__(self, source: ValueFunction, finished: Callable[[], int]) -> None:
        super().__init__(source)
        self._source = source
        self._finished = finished
        self._until = 0  # games have ended, the copy serves

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        if self._finished() >= self._until:
            self.network = deepcopy(self._source)
            self._until = self._finished() + PRIOR_GAMES
        return super().choose(positions, random)


class ExploringAgent(GreedyValueAgent):
    """Samples moves from a softmax over their values, and now and then any legal one.

    Its decisions hold the values of the best moves, whichever moves are played.

    Args:
        network: the value network.
        epsilon: the share of moves, from 0 to 1, at which any legal one is played with equal probability.
        temperature: of the softmax, in cards or points; 0 plays the best move.
    """

    def __init__(self, network: ValueFunction, epsilon: float, temperature: float) -> None:
        super().__init__(network)
        self.epsilon = epsilon
        self.temperature = temperature

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        values, best = self.evaluate(positions)
        assert best.values is not None
        indices = best.indices
        if self.temperature:
            above = (values - np.repeat(best.values, positions.counts)).astype(np.float64)
            weights = np.exp(above / self.temperature)
            sums = np.repeat(np.add.reduceat(weights, positions.offsets[:-1]), positions.counts)
            indices = choose_by_probability(weights / sums, positions.offsets, random)
        explore(self.epsilon, positions.offsets, random, indices)
        return best._replace(indices=indices)


def make_players(config: Config, game: LearnedGame, network: ValueFunction, finished: Callable[[], int]) -> list[Agent]:
    """Return the players of an actor's games: the trained agent, and its opponents unless it plays against itself.

    Args:
        config: settings of the run.
        game: that is learned.
        network: of the trained agent.
        finished: returns the number of games that have ended.
    """

    def make(name: str) -> Agent:
        if name == 'prior':
            return PriorAgent(network, finished)
        return load_opponent(game, config.game.rules, 'opponent', name, OTHERS)

    trained = ExploringAgent(network, config.exploration.exp_epsilon, config.exploration.exp_temperature)
    names = () if config.game.opponent == 'self' else (config.game.opponent, *config.game.more_opponents)
    return [trained, *map(make, names)]
