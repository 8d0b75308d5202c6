"""Search agent: rollouts of a policy's likeliest moves in sampled worlds."""

from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_catch5.agents.base import Catch5Agent
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.rules import Rules
from rlcard_catch5.search.beliefs import draw_worlds
from rlcard_catch5.search.rollouts import play_out
from rlcard_kit.agents import Decision, Positions, choose_highest
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.errors import ConfigError, check_whole
from rlcard_kit.nets.agents import PolicyAgent
from rlcard_kit.rng import Streams, branch_streams

WORLDS, MOST_WORLDS = 128, 10_000  # for each decision: by default, and at most
LEAST_SHARE, CANDIDATES = 0.02, 4  # probability of a candidate, and their number at most
AT_ONCE = 16  # decisions searched
PRIOR, PRIOR_SD = 0.5, 1.0  # points by which a move e times as likely is better, and the error of that
OUTCOME_SD = 5.0  # prior of differences between worlds, in points, weighted as one world


class SearchAgent(Catch5Agent):
    """Plays the move of the best estimate, from a policy's probabilities and from rollouts in worlds.

    Args:
        base: the policy, which also plays all seats in rollouts.
        worlds: for each decision.
        seed: see `Catch5Agent`.

    Raises:
        ConfigError: if the base is no policy, or the number is out of bounds.
    """

    def __init__(self, base: PolicyAgent, worlds: int = WORLDS, seed: int | None = 0) -> None:
        if not isinstance(base, PolicyAgent):
            raise ConfigError('search needs an agent with probabilities of moves: catch5-ppo or ppo:FOLDER')
        check_whole('worlds', worlds, 1, MOST_WORLDS)
        self.base = base
        self.worlds = int(worlds)
        super().__init__(seed)

    @override
    def prepare(self, rules: Rules) -> None:
        super().prepare(rules)
        self.base.prepare(rules)
        self.trained_on = self.base.trained_on
        self._rules_arrays = tabulate(rules)

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        probabilities, values = self.base.network.probabilities(positions)
        probabilities = self.base.fold(positions, probabilities)[0]
        indices = choose_highest(probabilities, positions.offsets)
        open_cases = self._candidates(positions, probabilities)
        for first in range(0, len(open_cases), AT_ONCE):
            cases = open_cases[first : first + AT_ONCE]
            games = np.array([game for game, _ in cases])
            streams = random[games]
            outcomes = self._outcomes(positions, streams, cases)
            random[games] = streams
            for (game, moves), outcome in zip(cases, outcomes, strict=True):
                indices[game] = moves[estimate(probabilities[moves], outcome).argmax()]
        return Decision(indices, values.astype(np.float32))

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state; info['probs'] and info['value'] are the policy's."""
        told = self.base.eval_step(state)[1]
        return super().eval_step(state)[0], told

    @staticmethod
    def _candidates(positions: Positions, probabilities: Float64Array) -> list[tuple[int, Int64Array]]:
        """Return the decisions with several candidates: the game, and the indices of the moves, the likeliest first."""
        cases = []
        for game, (first, end) in enumerate(zip(positions.offsets, positions.offsets[1:], strict=False)):
            candidates = first + np.argsort(-probabilities[first:end], kind='stable')[:CANDIDATES]
            candidates = candidates[probabilities[candidates] >= LEAST_SHARE]
            if len(candidates) > 1:
                cases.append((game, candidates))
        return cases

    def _outcomes(self, positions: Positions, random: Streams, cases: list[tuple[int, Int64Array]]) -> list[Int64Array]:
        """Return the outcome of each candidate in each world, int64 [K, worlds] of each decision."""
        observations = positions.observations.take([game for game, _ in cases])
        worlds = draw_worlds(self._rules_arrays, observations, random, self.worlds, self.base.network)
        games = np.concatenate([np.tile(dealt, len(moves)) for dealt, (_, moves) in zip(worlds, cases, strict=True)])
        made = np.concatenate([np.repeat(positions.moves[moves], self.worlds) for _, moves in cases])
        branches = np.empty((len(cases), self.worlds), np.uint64)
        branch_streams(random, branches)
        tiled = [np.tile(branch, len(moves)) for branch, (_, moves) in zip(branches, cases, strict=True)]
        streams = np.concatenate(tiled)
        ahead = play_out(self._rules_arrays, games, made, self.base, streams)
        ends = np.cumsum([len(moves) * self.worlds for _, moves in cases])
        return [part.reshape(-1, self.worlds) for part in np.split(ahead, ends[:-1])]


def estimate(probabilities: Float64Array, outcomes: Int64Array) -> Float64Array:
    """Estimate by how much moves are better than the likeliest, from outcomes in the same worlds, with a prior.

    Args:
        probabilities: of the moves, the likeliest first, float64 [K].
        outcomes: int64 [K, W].
    """
    differences, count = outcomes - outcomes[0], outcomes.shape[1]
    variances = (differences.var(axis=1) + OUTCOME_SD**2 / count) / count
    prior = PRIOR * np.log(probabilities / probabilities[0])
    weights = 1 / variances, 1 / PRIOR_SD**2
    estimates: Float64Array = (differences.mean(axis=1) * weights[0] + prior * weights[1]) / sum(weights)
    estimates[0] = 0
    return estimates
