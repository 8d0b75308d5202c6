"""Posterior of determinizations, given the opponents' moves.

Each determinization is rewound through the last 16 moves, or through all if they are given. At every choice of an
opponent, a network evaluates the legal moves for the hand that it holds, and a softmax over the values gives the
likelihood of the move that it made.
Determinizations are sampled by the Metropolis algorithm, whose proposals exchange cards between opponents (Metropolis
et al., 1953). Chains continue from one round of a search to the next.
"""

import math
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from typing_extensions import override

from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.engine.moves import MAX_LEGAL, MOST_LEGAL
from rlcard_big2.engine.observation import NUM_OPPONENTS, Observation, Observations, new_observations, observe, restore
from rlcard_big2.engine.ruleset import RuleTable, RuleTables
from rlcard_big2.engine.state import (
    HISTORY,
    NUM_PLAYERS,
    OPENING_CARD,
    UNDECLARED,
    GameRecord,
    Games,
    legal_moves,
    new_games,
    play,
)
from rlcard_big2.search.beliefs import Beliefs, Rounds, draw_card, known_opener, resample
from rlcard_big2.search.opponent_model import OpponentModel
from rlcard_big2.search.rollouts import VIEWER
from rlcard_kit.agents import Positions, ValueFunction
from rlcard_kit.arrays import Float32Array, Float64Array, Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams, below, uniform

MIN_TEMPERATURE = 0.4  # an opponent may play otherwise than the network now and then
CACHE_SIZE = 1_000_000  # hands
OPPONENTS = np.arange(NUM_OPPONENTS) + 1
SAMPLES = 5  # of a chain, at least, if their number is known
NOISE = 0.02  # share of the opponents' moves that are uniformly random
BATCH_SIZE = 4096  # choices evaluated at once, so that activations stay small

Cache = dict[int, tuple[float, ...]]
"""Log-likelihoods of the moves by each model, by observation, seat and hand in one number."""


class Sampling(NamedTuple):
    """Schedule of the Metropolis chains."""

    chains: int = 32
    """Number of chains, at most."""
    init_samples: int = 4
    """Determinizations from which a chain's initial state is resampled."""
    burn_in: int = 80
    """Proposals before the first sample."""
    thinning: int = 10
    """Proposals between samples."""


SAMPLING = Sampling()
LONG_SAMPLING = Sampling(chains=1, burn_in=320)
"""By all moves of a game likelihoods are sharper, and a chain takes longer to forget where it began."""


class Hands(NamedTuple):
    """G hands of opponents, to score by their last moves."""

    observations: Observations  # packed, [N]
    owners: Int64Array  # [G], the observation of each
    deals: Int64Array  # [G, 4], determinizations that hold them
    seats: Int64Array  # [G], their holders
    trace: Int64Array  # the moves so far of the game that all are of, or none: then those that the observations have


class Choices(NamedTuple):
    """Buffers of at most C choices."""

    game: Games  # [1], scratch
    seen: Observations  # [C], what the holder saw
    moves: Int64Array  # the legal moves, as `Positions` has them
    offsets: Int64Array  # [C + 1], where each choice's moves begin
    made: Int64Array  # [C], index in `moves` of the move that was made; -1 if it was not legal
    owners: Int64Array  # [C], the hand of each


class Posterior(Beliefs):
    """Samples determinizations in proportion to the likelihood of the opponents' last moves.

    Args:
        beliefs: the distribution of initial states.
        network: evaluates moves.
        rules: [1] from `tabulate`.
        temperature: of the softmax over the network's values.
        sampling: schedule of the chains; by default a long one with a trace.
        trace: masks of all moves of the game, if the observations are of one position; else the last 16 moves count.
    """

    def __init__(
        self,
        beliefs: Beliefs,
        network: ValueFunction,
        rules: RuleTables,
        temperature: float,
        sampling: Sampling | None = None,
        trace: Sequence[int] = (),
    ) -> None:
        self.beliefs = beliefs
        self.sampling = sampling or (LONG_SAMPLING if trace else SAMPLING)
        self.rules = rules
        self.trace = np.array(trace, np.int64)
        self.models: Sequence[OpponentModel] = [OpponentModel(network, temperature)]

    @override
    def draw(self, observations: Observations, random: Streams, count: int) -> Int64Array:
        return self.rounds(observations, count).draw(np.arange(len(observations)), random, count)

    @override
    def rounds(self, observations: Observations, count: int | None = None) -> 'Chains':
        return Chains(self, observations, count)

    def join(self, likelihoods: Float64Array) -> Float64Array:
        """Return the log-likelihood of determinizations, float64 [K, W], given `likelihoods`."""
        return likelihoods[..., 0].sum(axis=2)

    def likelihoods(
        self,
        observations: Observations,
        worlds: Int64Array,
        which: Int64Array | None = None,
        cache: Cache | None = None,
    ) -> Float64Array:
        """Return the log-likelihood of each opponent's moves by each model, float64 [K, W, 3, models].

        Args:
            observations: packed, [N].
            worlds: int64 [K, W, 4], see `rlcard_big2.search.beliefs.sample_determinizations`.
            which: indices of their observations, int64 [K]; all if None.
            cache: what is known of hands in these observations; receives those that were not in it.
        """
        cache = {} if cache is None else cache
        count, width, _ = worlds.shape
        owners = np.repeat(np.arange(count) if which is None else which, width)
        seats, hands = np.tile(OPPONENTS, len(owners)), worlds[:, :, 1:].ravel()
        places = np.repeat(NUM_PLAYERS * owners, NUM_OPPONENTS) + seats
        keys = [place << NUM_CARDS | hand for place, hand in zip(places.tolist(), hands.tolist(), strict=True)]
        new = {key: index for index, key in enumerate(keys) if key not in cache}
        indices = np.fromiter(new.values(), np.int64, len(new))
        rows = indices // NUM_OPPONENTS
        missing = Hands(observations, owners[rows], worlds.reshape(-1, NUM_PLAYERS)[rows], seats[indices], self.trace)
        cache.update(zip(new, zip(*self._weigh(missing).tolist(), strict=True), strict=True))
        found = chain.from_iterable(cache[key] for key in keys)
        return np.fromiter(found, np.float64).reshape(count, width, NUM_OPPONENTS, len(self.models))

    def _weigh(self, hands: Hands) -> Float64Array:
        """Return the log-likelihood of the holder's moves by each model for each hand, float64 [models, G].

        It depends on no other hand.
        """
        scores, start = np.zeros((len(self.models), len(hands.owners))), 0
        plies = max(HISTORY, len(self.trace))
        size, moves = (
            min(BATCH_SIZE, plies * len(hands.owners)),
            np.empty(max(BATCH_SIZE * 64, plies * MOST_LEGAL), np.int64),
        )
        made, owners, offsets = (np.empty(size + extra, np.int64) for extra in (0, 0, 1))
        choices = Choices(new_games(1), new_observations(size), moves, offsets, made, owners)
        while start < len(hands.owners):
            start, count = list_choices(self.rules, hands, start, choices)
            if count:
                positions = Positions(choices.seen[:count], moves[: offsets[count]], offsets[: count + 1])
                for model, sums in zip(self.models, scores, strict=True):
                    values = model.network.values(positions)
                    add_likelihoods(values, positions.offsets, made, owners, model.temperature, sums)
        return scores


class Chains(Rounds):
    """Draws each sample of a round from a Metropolis chain of its own, up to the number of chains.

    Args:
        posterior: scores determinizations.
        observations: packed, of seats to move, [N].
        count: of determinizations that will be drawn for each at most, if known: few need few chains.
    """

    def __init__(self, posterior: Posterior, observations: Observations, count: int | None = None) -> None:
        super().__init__(posterior, observations)
        self._posterior = posterior
        self._sampling = posterior.sampling
        most = self._sampling.chains
        self._chains = most if count is None else min(most, -(-count // SAMPLES))
        self._worlds: Int64Array = np.empty((len(observations), self._chains, NUM_PLAYERS), np.int64)
        self._scores = np.empty((len(observations), self._chains))
        self._drawn = 0
        self._cache: Cache = {}

    @override
    def draw(self, which: Int64Array, random: Streams, count: int) -> Int64Array:
        worlds, end, chains = np.empty((len(which), count, NUM_PLAYERS), np.int64), 0, self._chains
        while end < count:
            first = self._drawn % chains
            start, end = end, min(count, end + chains - first)
            worlds[:, start:end] = self._advance(which, random, slice(first, first + end - start))
        return worlds

    def likelihoods(self, which: Int64Array, worlds: Int64Array) -> Float64Array:
        """Return `Posterior.likelihoods` of determinizations of some observations, int64 [K, W, 4]."""
        return self._posterior.likelihoods(self._observations, worlds, which, self._cache)

    def _advance(self, which: Int64Array, random: Streams, chains: slice) -> Int64Array:
        """Return the next samples of some chains, int64 [K, C, 4]."""
        if len(self._cache) > CACHE_SIZE:
            self._cache.clear()
        is_new = self._drawn < self._chains
        if is_new:
            self._init(which, random, chains)
        worlds, scores = self._worlds[which, chains], self._scores[which, chains]
        proposed, observations = np.empty_like(worlds), self._observations[which]
        for _ in range(self._sampling.burn_in if is_new else self._sampling.thinning):
            propose(self._posterior.rules, observations, random, worlds, proposed)
            accept(random, self._score(which, proposed), proposed, scores, worlds)
        self._worlds[which, chains], self._scores[which, chains] = worlds, scores
        self._drawn += worlds.shape[1]
        return worlds

    def _init(self, which: Int64Array, random: Streams, chains: slice) -> None:
        count = chains.stop - chains.start
        drawn = self._posterior.beliefs.draw(self._observations[which], random, count * self._sampling.init_samples)
        worlds = resample(drawn, self._score(which, drawn), random, count)
        self._worlds[which, chains], self._scores[which, chains] = worlds, self._score(which, worlds)

    def _score(self, which: Int64Array, worlds: Int64Array) -> Float64Array:
        return self._posterior.join(self.likelihoods(which, worlds))


@kernel
def propose(
    rules: RuleTables, observations: Observations, random: Streams, worlds: Int64Array, out: Int64Array
) -> None:
    """Exchange a card between two opponents in each of `worlds`, int64 [N, W, 4], unless one is known to hold it.

    The cards out of play, if there are any, are exchanged like an opponent's.
    """
    for i in range(len(worlds)):
        stream, opener, players = random[i : i + 1], known_opener(rules[0], observations[i]), rules[0].players
        holders = players - 1 + (popcount(observations[i].others) > observations[i].left.sum())
        for j in range(worlds.shape[1]):
            out[i, j, 0] = observations[i].others  # less the opponents' cards: those out of play
            for k in range(1, NUM_PLAYERS):
                out[i, j, k] = worlds[i, j, k]
                out[i, j, 0] ^= worlds[i, j, k]
            giver = below(stream, holders)
            other = (giver + 1 + below(stream, holders - 1)) % holders
            giver, other = (giver + 1) % players, (other + 1) % players
            given, taken = draw_card(out[i, j, giver], stream), draw_card(out[i, j, other], stream)
            cards = given | taken
            if given != 0 and taken != 0 and (opener == 0 or cards & OPENING_CARD == 0):
                out[i, j, giver] ^= cards
                out[i, j, other] ^= cards
            out[i, j, 0] = worlds[i, j, 0]


@kernel
def accept(
    random: Streams, proposed_scores: Float64Array, proposed: Int64Array, scores: Float64Array, worlds: Int64Array
) -> None:
    """Replace each of `worlds`, int64 [N, W, 4], by its proposal with probability min(1, likelihood ratio)."""
    for i in range(len(worlds)):
        for j in range(worlds.shape[1]):
            if uniform(random[i : i + 1]) < math.exp(min(0.0, proposed_scores[i, j] - scores[i, j])):
                scores[i, j] = proposed_scores[i, j]
                for k in range(NUM_PLAYERS):
                    worlds[i, j, k] = proposed[i, j, k]


@kernel
def list_choices(rules: RuleTables, hands: Hands, start: int, out: Choices) -> tuple[int, int]:
    """List the choices that the holders of some hands had among the moves, as many as fit into `out`.

    Args:
        rules: [1].
        hands: G of them.
        start: the hand to begin with.
        out: receives the choices.

    Returns:
        The hand to continue with, and the number of choices.
    """
    (observations, owners, deals, seats, trace), (games, seen, moves, offsets, made, listed) = hands, out
    count, end, last = 0, 0, np.empty(max(HISTORY, len(trace)), np.int64)  # a kernel for each choice is 15 % slower
    game, most = games[0], len(last) * (MAX_LEGAL if rules[0].players == NUM_PLAYERS else MOST_LEGAL)
    for index in range(start, len(owners)):
        if count + len(last) > len(made) or end + most > len(moves):
            return index, count
        plies = _rewind(rules[0], observations[owners[index]], deals[index], trace, game, last)
        # before the first cards the combination to beat is unknown, and before a new trick the seats that had passed
        is_known, is_played = game.ply == 0 and game.played.sum() == 0, False
        if is_known:
            game.kinds[:] = 0
        for move in last[:plies]:
            if is_known and game.player == seats[index]:
                added = legal_moves(rules[0], game, game.hands[game.player], moves[end:])
                if added > 1:
                    observe(rules[0], game, game.player, seen[count])
                    offsets[count], made[count], listed[count] = end, -1, index
                    for i in range(end, end + added):
                        if moves[i] == move:
                            made[count] = i
                    count += 1
                    end += added
            play(rules[0], game, move)
            is_played = is_played or move != 0
            is_known = is_known or (is_played and (rules[0].final_pass == 0 or game.table == 0))
        offsets[count] = end
    return len(owners), count


@kernel
def _rewind(
    rules: RuleTable,
    observation: Observation,
    hands: Int64Array,
    trace: Int64Array,
    game: GameRecord,
    moves: Int64Array,
) -> int:
    """Write the game before its trace, or the moves that an observation shows, and these; return their number."""
    restore(rules, observation, hands, VIEWER, game)
    plies = len(trace) if len(trace) > 0 else min(HISTORY, game.ply)
    for i in range(plies - 1, -1, -1):
        game.ply -= 1
        game.player = (game.player - 1) % rules.players
        moves[i] = trace[i] if len(trace) > 0 else game.history[game.ply % HISTORY]
        game.history[game.ply % HISTORY] = 0
        game.hands[game.player] |= moves[i]
        game.played[game.player] &= ~moves[i]
        if moves[i] != 0:  # it was not out yet
            game.places[game.player] = 0
    game.table = game.beat = game.passes = game.passed = 0
    game.winner = UNDECLARED
    return plies


@kernel
def add_likelihoods(
    values: Float32Array,
    offsets: Int64Array,
    made: Int64Array,
    owners: Int64Array,
    temperature: float,
    out: Float64Array,
) -> None:
    """Add the log-likelihood of the move at each choice to its hand's, float64 [G]."""
    for i in range(len(offsets) - 1):
        legal, total = values[offsets[i] : offsets[i + 1]], 0.0
        best = max(legal)
        for value in legal:
            total += math.exp((value - best) / temperature)
        chance = math.exp((values[made[i]] - best) / temperature) / total if made[i] >= 0 else 0.0
        out[owners[i]] += math.log((1 - NOISE) * chance + NOISE / len(legal))
