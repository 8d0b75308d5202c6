"""Search agent: rollouts of a network's best moves in sampled determinizations ('worlds')."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.engine.observation import Observations
from rlcard_big2.engine.ruleset import RuleTables, tabulate
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.rules import Rules
from rlcard_big2.search.beliefs import Beliefs, MakeBeliefs, Rounds, Uniform
from rlcard_big2.search.estimates import Case
from rlcard_big2.search.forced_wins import forced_wins
from rlcard_big2.search.opponent_model import OpponentModel, model_opponents
from rlcard_big2.search.rollouts import play_out
from rlcard_kit.agents import Agent, Decision, Positions, ValueFunction, choose_highest
from rlcard_kit.arrays import Float32Array, Float64Array, Int64Array
from rlcard_kit.errors import ConfigError, check_whole, is_number
from rlcard_kit.rng import Streams, branch_streams

GAP = 2.5  # of raw values to the best, up to which a move is a candidate
CANDIDATES = 4  # at most
MIN_ROUND = 4  # worlds of the first round if time is short, and the fewest of any
ROUND, LARGEST = 16, 128  # worlds of a round, after which candidates may be dropped: half of those before, within these

MOST_WORLDS = 1_000_000
LONGEST = 3_600_000.0  # ms
HOTTEST = 100.0  # cards


@dataclass(frozen=True)
class SearchSettings:
    """Budget of search, in worlds, which repeats the same moves, or in milliseconds, and models of the opponents.

    Raises:
        ConfigError: if both budgets or none are given, or a number is out of bounds.
    """

    worlds: int | None = None
    """Determinizations for each decision."""
    milliseconds: float | None = None
    """For each decision, by the clock; the last round of rollouts may end a little later."""
    temperature: float = 0.0
    """Of the opponents' softmax over the base's values in rollouts, in cards; 0 plays the best move. Set one against
    opponents that play less well than the base."""
    opponents: Agent | None = None
    """The agent that plays the other seats, if known; it chooses for them in rollouts. See `model_opponents`."""
    others: Sequence[Agent] = ()
    """Agents as which opponents may play in place of the base, if the beliefs find so; see `Kinds`."""

    def __post_init__(self) -> None:
        if (self.worlds is None) == (self.milliseconds is None):
            given = 'both' if self.worlds is not None else 'neither'
            raise ConfigError(f'search takes worlds or milliseconds for a decision: {given} are given')
        if self.worlds is not None:
            check_whole('worlds', self.worlds, 1, MOST_WORLDS)
        elif not (is_number(self.milliseconds) and 0 < self.milliseconds <= LONGEST):
            expected = f'expected a number above 0, at most {LONGEST:,.0f}'
            raise ConfigError(f'milliseconds={self.milliseconds!r:.80}: {expected}')
        if not (is_number(self.temperature) and 0 <= self.temperature <= HOTTEST):
            expected = f'expected a number from 0 to {HOTTEST:g}, in cards'
            raise ConfigError(f'temperature={self.temperature!r:.80}: {expected}')


class SearchAgent(BatchAgent):
    """Plays the move of the best estimate, from a network's values and from rollouts in determinizations.

    A move that wins whatever the opponents hold is played at once, see `forced_wins`.

    Args:
        base: evaluates moves; its moves are played if there is one candidate, or no time.
        settings: the budget, and models of the opponents.
        beliefs: makes the distribution of determinizations.
        small_networks: by rules; play in rollouts, in place of the base's network.
        seed: see `BatchAgent`.

    Raises:
        ConfigError: if the base has no values, or the opponents cannot be modelled.
    """

    def __init__(
        self,
        base: DMCAgent,
        settings: SearchSettings,
        beliefs: MakeBeliefs = Uniform,
        small_networks: Mapping[Rules, ValueFunction] | None = None,
        seed: int | None = 0,
    ) -> None:
        if not isinstance(base, DMCAgent):
            raise ConfigError('search needs an agent with values of moves: big2-dmc or dmc:FOLDER')
        self.base = base
        self.settings = settings
        self._small_networks = small_networks or {}
        self._make_beliefs = beliefs
        super().__init__(seed)

    @override
    def prepare(self, rules: Rules) -> None:
        super().prepare(rules)
        self.base.prepare(rules)
        settings = self.settings
        for agent in filter(None, (settings.opponents, *settings.others)):
            agent.prepare(rules)
        self.trained_on = self.base.trained_on
        self.playing = self._small_networks.get(rules, self.base.network)
        self._rules_arrays: RuleTables = tabulate(rules)
        model = OpponentModel(self.playing, settings.temperature)
        if settings.opponents is not None:
            model = model_opponents(settings.opponents, settings.temperature)
        self.models = [model, *(model_opponents(agent, 0.0) for agent in settings.others)]
        self._temperatures = np.array([each.temperature for each in self.models])
        self.beliefs: Beliefs = self._make_beliefs(rules)

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        return self.search(positions, random)[1]

    def search(self, positions: Positions, random: Streams) -> tuple[Float32Array, Decision, list[Case]]:
        """Return the network's values of all legal moves, float32 [M], the choice, and the decisions searched."""
        start = time.perf_counter()
        values, choice = self.base.evaluate(positions)
        wins = forced_wins(self.rules, positions)[0]
        indices, owners = choice.indices.copy(), positions.owners
        certain = np.unique(owners[wins])
        if len(certain):
            indices[certain] = choose_highest(np.where(wins, values, -np.inf), positions.offsets)[certain]
        cases = [case for case in self.cases(positions, values) if case.game not in certain]
        worlds, milliseconds = self.settings.worlds, self.settings.milliseconds
        if worlds is not None:
            self._search_worlds(worlds, positions, random, cases)
        elif milliseconds is not None:
            for number, case in enumerate(cases):
                begun = start if number == 0 else time.perf_counter()
                self._search_until(begun + milliseconds / 1000, positions, random, case)
        for case in cases:
            indices[case.game] = case.best
        return values, Decision(indices, values[choose_highest(values, positions.offsets)]), cases

    def _search_worlds(self, worlds: int, positions: Positions, random: Streams, cases: list[Case]) -> None:
        """Play rounds until a number of worlds is reached or every decision is settled."""
        played, rounds = 0, self.beliefs.rounds(positions.observations, worlds)
        while played < worlds and (going := [case for case in cases if not case.is_settled]):
            count = min(_round_after(played), worlds - played)
            self._play_round(positions, random, going, rounds, count)
            played += count

    def _search_until(self, end: float, positions: Positions, random: Streams, case: Case) -> None:
        """Play rounds until a time of the clock, each of as many worlds as are expected to end by then."""
        begun, played, count = time.perf_counter(), 0, MIN_ROUND
        rounds = self.beliefs.rounds(positions.observations)
        while begun < end and count >= MIN_ROUND and not case.is_settled:
            self._play_round(positions, random, [case], rounds, count)
            played, now = played + count, time.perf_counter()
            fitting = int((end - now) / (now - begun) * count)
            begun, count = now, min(_round_after(played), fitting)

    def _play_round(self, positions: Positions, random: Streams, cases: list[Case], rounds: Rounds, count: int) -> None:
        """Roll out the open candidates of some decisions in more worlds, the same for all candidates."""
        games = np.array([case.game for case in cases])
        observations, streams = positions.observations.take(games), random[games]
        worlds, draws = rounds.draw(games, streams, count), np.zeros((len(games), count), np.uint64)
        kinds = rounds.kinds(games, worlds, streams)
        if self._temperatures.any():
            branch_streams(streams, draws)
        random[games] = streams
        chosen = [case.moves[case.open] for case in cases]
        widths = [len(moves) for moves in chosen]
        owners = np.repeat(np.arange(len(cases)), np.multiply(widths, count))
        each = owners, np.arange(len(owners)) % count  # a candidate of a decision in one of its worlds
        moves = np.repeat(positions.moves[np.concatenate(chosen)], count)
        outcomes = self.outcomes(observations, owners, worlds[each], moves, kinds[each], draws[each]).reshape(-1, count)
        parts = np.split(outcomes, np.cumsum(widths)[:-1])
        for case, part in zip(cases, parts, strict=True):
            case.add(part)

    def outcomes(
        self,
        observations: Observations,
        owners: Int64Array,
        hands: Int64Array,
        moves: Int64Array,
        kinds: Int64Array,
        random: Streams,
    ) -> Float64Array:
        """Return the outcome of moves, each in a determinization, float64 [G]; see `play_out`.

        Unless an opponent draws its moves, equal moves in equal determinizations are rolled out once.
        """
        draws = np.where(self._temperatures[kinds[:, 1:]].any(axis=1), random, np.uint64(0)).view(np.int64)
        columns = np.column_stack((owners, moves, draws, hands, kinds))
        _, first, inverse = np.unique(columns, axis=0, return_index=True, return_inverse=True)
        payoffs = play_out(
            self._rules_arrays, observations, owners[first], hands[first], moves[first], self.playing, self.models,
            kinds[first], random[first],
        )[inverse.ravel()]  # fmt: skip
        return payoffs.astype(np.float64)

    def cases(self, positions: Positions, values: Float32Array) -> list[Case]:
        """Return the decisions with several candidates."""
        cases = []
        for game, (start, end) in enumerate(zip(positions.offsets[:-1], positions.offsets[1:], strict=True)):
            order = start + near_best(values[start:end], GAP)
            if len(order) > 1:
                expected, count = self._cards(values[order]), len(order)
                errors, worlds = np.full(count, np.nan), np.zeros(count, np.int64)
                cases.append(Case(game, order, expected, expected.copy(), errors, worlds, np.ones(count, np.bool_)))
        return cases

    def _cards(self, values: Float32Array) -> Float64Array:
        """Return values in cards, or unchanged if they are not calibrated under the rules."""
        calibration = self.base.calibration(self.rules)
        exact = values.astype(np.float64)
        return exact if calibration is None else calibration.expected_cards(exact)

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, with values and estimates.

        info['values'] are the network's, by raw action. Of the candidates, info['estimates'] are in cards,
        info['errors'] the standard errors of the differences to the best, None without rollouts, and info['worlds']
        the numbers of determinizations.
        """
        values, choice, cases = self.search(self.positions_of(state), self._stream)
        raw: list[str] = state['raw_legal_actions']
        info: dict[str, Any] = {'values': dict(zip(raw, values.tolist(), strict=True))}
        info |= {'estimates': {}, 'errors': {}, 'worlds': {}}
        for case in cases:
            for i, move in enumerate(case.moves):
                info['estimates'][raw[move]] = float(case.means[i])
                info['errors'][raw[move]] = None if np.isnan(case.errors[i]) else float(case.errors[i])
                info['worlds'][raw[move]] = int(case.worlds[i])
        return list(state['legal_actions'])[choice.indices[0]], info


def near_best(values: Float32Array, gap: float) -> Int64Array:
    """Return the indices of the best moves, at most `CANDIDATES` and `gap` behind the best, the highest value first."""
    order = np.argsort(-values, kind='stable')[:CANDIDATES]
    return order[values[order] >= values[order[0]] - gap]


def _round_after(played: int) -> int:
    """Return the maximum worlds of the next round: rounds grow, since many games at once are faster."""
    return min(max(ROUND, played // 2), LARGEST)
