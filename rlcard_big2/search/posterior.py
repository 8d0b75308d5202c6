"""The posterior: worlds are likelier in which the opponents would have made the moves that they made.

Each world is followed back through the last 16 moves. At every choice that an opponent had, a network says what the
moves were worth to the hand that it holds in this world, and a softmax over the values how likely its own was.
Worlds are drawn in proportion to that by the Metropolis algorithm: opponents exchange cards (Metropolis et al., 1953).
Each chain of exchanges goes on from one round of a search to the next.
"""

import math

import numpy as np

from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.observation import NUM_OPPONENTS, Observation, Observations, new_observations, observe, restore
from rlcard_big2.engine.ruleset import RuleTables
from rlcard_big2.engine.state import HISTORY, NUM_PLAYERS, OPENING_CARD, GameRecord, Games, legal_moves, new_games, play
from rlcard_big2.search.beliefs import Beliefs, Rounds, resample
from rlcard_big2.search.determinization import draw_card, known_opener, shows_all_moves
from rlcard_big2.search.rollouts import VIEWER
from rlcard_kit.agents.base import ValueFunction
from rlcard_kit.arrays import Float32Array, Float64Array, Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.positions import Positions
from rlcard_kit.rng import Streams, below, uniform

SHARPEST = 0.4  # temperature at least: an opponent may play otherwise than the network now and then
CHAINS = 64  # of exchanges, at most
STARTS = 4  # worlds among which a chain's first is found
EXCHANGES = 20  # tried before a chain's first world counts
APART = 10  # tried between two that count
KNOWN = 2  # times as many of these if the network is the opponents' own, since few worlds are likely then
REMEMBERED = 1_000_000  # scores of hands
OPPONENTS = np.arange(NUM_OPPONENTS) + 1
SURPRISE = 0.02  # share of the moves that could be any
CHOICES = 4096  # weighed up at once, so that what is between two layers stays small
MOVES = CHOICES * 64  # legal in these, at most


Known = dict[tuple[int, int, int], float]
"""Scores by observation, seat and hand."""


class Posterior(Beliefs):
    """Draws worlds by how likely the opponents' last moves were in them.

    Args:
        beliefs: draw worlds to begin with.
        network: says how good the moves were.
        rules: [1] from `tabulate`.
        temperature: of the softmax over the network's values.
        effort: how many times `STARTS`, `EXCHANGES` and `APART` to try.
    """

    def __init__(
        self, beliefs: Beliefs, network: ValueFunction, rules: RuleTables, temperature: float, effort: int = 1
    ) -> None:
        self.beliefs = beliefs
        self.effort = effort
        self._network = network
        self._rules = rules
        self._temperature = temperature

    def draw(self, observations: Observations, random: Streams, count: int) -> Int64Array:
        """Return worlds; see `Beliefs.draw`."""
        return self.rounds(observations).draw(np.arange(len(observations)), random, count)

    def rounds(self, observations: Observations) -> 'Chains':
        """Return what draws worlds for packed observations, [N], again and again."""
        return Chains(self, observations)

    def scores(
        self,
        observations: Observations,
        worlds: Int64Array,
        which: Int64Array | None = None,
        known: Known | None = None,
    ) -> Float64Array:
        """Return the logarithm of how likely the moves were in W worlds of each of K observations, float64 [K, W].

        Args:
            observations: packed, [N].
            worlds: int64 [K, W, 4], see `rlcard_big2.search.determinization.deal_worlds`.
            which: indices of the observations that they are of, int64 [K]; if None, these are all.
            known: scores of hands in these observations, which are not computed again; receives those that are.
        """
        known = {} if known is None else known
        count, width, _ = worlds.shape
        owners = np.repeat(np.arange(count) if which is None else which, width)
        seats, hands = np.tile(OPPONENTS, len(owners)), worlds[:, :, 1:].ravel()
        names = [*zip(np.repeat(owners, NUM_OPPONENTS).tolist(), seats.tolist(), hands.tolist(), strict=True)]
        new = {name: place for place, name in enumerate(names) if name not in known}
        places = np.fromiter(new.values(), np.int64, len(new))
        found = places // NUM_OPPONENTS
        scores = self._score(observations, owners[found], worlds.reshape(-1, NUM_PLAYERS)[found], seats[places])
        known.update(zip(new, scores.tolist(), strict=True))
        return np.array([known[name] for name in names]).reshape(count, width, NUM_OPPONENTS).sum(axis=2)

    def _score(
        self, observations: Observations, owners: Int64Array, hands: Int64Array, seats: Int64Array
    ) -> Float64Array:
        """Return the logarithm of how likely the moves of one seat were in each of G worlds, float64 [G].

        What a seat saw, and so how likely its moves were, depends on no other hand.
        """
        seen, moves, offsets = new_observations(CHOICES), np.empty(MOVES, np.int64), np.empty(CHOICES + 1, np.int64)
        made, of, game = np.empty(CHOICES, np.int64), np.empty(CHOICES, np.int64), new_games(1)
        scores, start = np.zeros(len(hands)), 0
        while start < len(hands):
            start, total = _list_choices(
                self._rules, observations, owners, hands, seats, start, game, seen, moves, offsets, made, of
            )
            if total:
                bounds = offsets[: total + 1]
                values = self._network.values(Positions(seen[:total], moves[: bounds[-1]], bounds))
                _add_likelihoods(values, bounds, made, of, self._temperature, scores)
        return scores


class Chains(Rounds):
    """Draws worlds round by round, each from a chain of exchanges; once there are `CHAINS`, they go on.

    Args:
        posterior: says how likely worlds are.
        observations: packed, of seats to move, [N].
    """

    def __init__(self, posterior: Posterior, observations: Observations) -> None:
        super().__init__(posterior, observations)
        self._posterior = posterior
        self._worlds: Int64Array = np.empty((len(observations), CHAINS, NUM_PLAYERS), np.int64)
        self._scores = np.empty((len(observations), CHAINS))
        self._drawn = 0
        self._known: Known = {}

    def draw(self, which: Int64Array, random: Streams, count: int) -> Int64Array:
        """Return worlds of some observations; see `Rounds.draw`."""
        worlds, end = np.empty((len(which), count, NUM_PLAYERS), np.int64), 0
        while end < count:
            first = self._drawn % CHAINS
            start, end = end, min(count, end + CHAINS - first)
            worlds[:, start:end] = self._go_on(which, random, slice(first, first + end - start))
        return worlds

    def _go_on(self, which: Int64Array, random: Streams, chains: slice) -> Int64Array:
        """Return the next worlds of some chains, int64 [K, C, 4]."""
        if len(self._known) > REMEMBERED:
            self._known.clear()
        is_new = self._drawn < CHAINS
        if is_new:
            self._begin(which, random, chains)
        worlds, scores = self._worlds[which, chains], self._scores[which, chains]
        proposed, observations = np.empty_like(worlds), self._observations[which]
        for _ in range((EXCHANGES if is_new else APART) * self._posterior.effort):
            _exchange(observations, random, worlds, proposed)
            _accept(random, self._score(which, proposed), proposed, scores, worlds)
        self._worlds[which, chains], self._scores[which, chains] = worlds, scores
        self._drawn += worlds.shape[1]
        return worlds

    def _begin(self, which: Int64Array, random: Streams, chains: slice) -> None:
        count = chains.stop - chains.start
        tried = self._posterior.beliefs.draw(self._observations[which], random, count * STARTS * self._posterior.effort)
        worlds = resample(tried, self._score(which, tried), random, count)
        self._worlds[which, chains], self._scores[which, chains] = worlds, self._score(which, worlds)

    def _score(self, which: Int64Array, worlds: Int64Array) -> Float64Array:
        return self._posterior.scores(self._observations, worlds, which, self._known)


@kernel
def _exchange(observations: Observations, random: Streams, worlds: Int64Array, out: Int64Array) -> None:
    """Have two opponents exchange a card each in every world, int64 [N, W, 4], unless one is known to hold it."""
    for i in range(len(worlds)):
        stream, opener = random[i : i + 1], known_opener(observations[i])
        for j in range(worlds.shape[1]):
            out[i, j] = worlds[i, j]
            one = 1 + below(stream, NUM_OPPONENTS)
            other = 1 + (one + below(stream, NUM_OPPONENTS - 1)) % NUM_OPPONENTS
            cards = draw_card(worlds[i, j, one], stream) | draw_card(worlds[i, j, other], stream)
            if opener == 0 or cards & OPENING_CARD == 0:
                out[i, j, one] ^= cards
                out[i, j, other] ^= cards


@kernel
def _accept(
    random: Streams, proposed_scores: Float64Array, proposed: Int64Array, scores: Float64Array, worlds: Int64Array
) -> None:
    """Replace worlds, int64 [N, W, 4], by those proposed: by likelier ones always, by others by how likely they are."""
    for i in range(len(worlds)):
        for j in range(worlds.shape[1]):
            if uniform(random[i : i + 1]) < math.exp(min(0.0, proposed_scores[i, j] - scores[i, j])):
                scores[i, j], worlds[i, j] = proposed_scores[i, j], proposed[i, j]


@kernel
def _list_choices(
    rules: RuleTables,
    observations: Observations,
    owners: Int64Array,
    worlds: Int64Array,
    seats: Int64Array,
    start: int,
    games: Games,
    seen: Observations,
    moves: Int64Array,
    offsets: Int64Array,
    made: Int64Array,
    of: Int64Array,
) -> tuple[int, int]:
    """List the choices that a seat had among the last moves in some worlds, as many as there is room for.

    Args:
        rules: [1].
        observations: packed, [N].
        owners: the observation that each world is of, int64 [G].
        worlds: int64 [G, 4].
        seats: in each, int64 [G].
        start: the world to begin with.
        games: [1] of GAME, for what happened.
        seen: [CHOICES], receives what the seat saw at each choice.
        moves: int64 [MOVES], receives the legal moves, as `Positions` has them.
        offsets: int64 [CHOICES + 1], receives the index at which each choice's moves begin.
        made: int64 [CHOICES], receives the index in `moves` of the move that was made, -1 if it was not legal.
        of: int64 [CHOICES], receives the world of each choice.

    Returns:
        The world to go on with, and how many choices were listed.
    """
    count, end, last = 0, 0, np.empty(HISTORY, np.int64)
    for world in range(start, len(worlds)):
        if count + HISTORY > len(made) or end + HISTORY * MAX_LEGAL > len(moves):
            return world, count
        observation, game = observations[owners[world]], games[0]
        plies = _rewind(observation, worlds[world], game, last)
        # before the first cards it is not known what was to beat, and before a new trick not who had passed
        is_known, is_played = shows_all_moves(observation), False
        if is_known:
            game.kinds[:] = 0
        for move in last[:plies]:
            if is_known and game.player == seats[world]:
                found = legal_moves(rules[0], game, game.hands[game.player], moves[end:])
                if found > 1:
                    observe(rules[0], game, game.player, seen[count])
                    offsets[count], made[count], of[count] = end, -1, world
                    for i in range(end, end + found):
                        if moves[i] == move:
                            made[count] = i
                    count += 1
                    end += found
            play(rules[0], game, move)
            is_played = is_played or move != 0
            is_known = is_known or (is_played and (rules[0].final_pass == 0 or game.table == 0))
        offsets[count] = end
    return len(worlds), count


@kernel
def _rewind(observation: Observation, hands: Int64Array, game: GameRecord, moves: Int64Array) -> int:
    """Write the game as it was before the moves that an observation shows, and these moves; return how many."""
    restore(observation, hands, VIEWER, game)
    plies = min(HISTORY, game.ply)
    for i in range(plies - 1, -1, -1):
        game.ply -= 1
        game.player = (game.player - 1) % NUM_PLAYERS
        moves[i] = game.history[game.ply % HISTORY]
        game.history[game.ply % HISTORY] = 0
        game.hands[game.player] |= moves[i]
        game.played[game.player] &= ~moves[i]
    game.table = game.beat = game.passes = game.passed = 0
    return plies


@kernel
def _add_likelihoods(
    values: Float32Array, offsets: Int64Array, made: Int64Array, of: Int64Array, temperature: float, out: Float64Array
) -> None:
    """Add the logarithm of how likely each move was to its world's, float64 [G]."""
    for i in range(len(offsets) - 1):
        own, total = values[offsets[i] : offsets[i + 1]], 0.0
        best = own.max()
        for value in own:
            total += math.exp((value - best) / temperature)
        chance = math.exp((values[made[i]] - best) / temperature) / total if made[i] >= 0 else 0.0
        out[of[i]] += math.log((1 - SURPRISE) * chance + SURPRISE / len(own))
