"""The rule agent: it plans how to shed its hand in few plays, and weighs every move by the plan that it leaves.

A plan splits the hand into plays: five-card hands, triples, pairs and singles. Each play costs a turn, more for its
cards, which may be left at the end, and less for the tricks that it may win: so the agent sheds weak cards, keeps
strong ones and keeps combinations together. Once few plays are left, it also computes the chance of going out.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.engine.actions import PASS, STRAIGHT_OF_RANKS, TRIPLE
from rlcard_big2.engine.bitboard import all_ranks, highest, lowest, popcount, ranks_held, suit_ranks
from rlcard_big2.engine.moves import MOST_LEGAL, answers
from rlcard_big2.engine.observation import NUM_OPPONENTS, Observation, Observations
from rlcard_big2.engine.ruleset import RuleTable, RuleTables, tabulate
from rlcard_big2.engine.state import HAND_SIZE
from rlcard_big2.rules import Rules
from rlcard_kit.agents import Decision, Positions
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams

# Threats by the opponents' cards: a play wins the trick with a chance of exp(-threat). All weights are tuned by play.
SINGLE_THREAT = 0.3  # each higher card of theirs
SINGLE_POWER = 0.56  # many higher cards count less than in proportion
PAIR_THREAT = 0.15  # each rank of which they may hold a higher pair
TRIPLE_THREAT = 0.29  # each higher rank of which they have a pair
FOUR_CARD_THREAT = 0.33
STRAIGHT_THREAT = 2.13  # five cards: at the start of a game, less as cards are gone
FLUSH_THREAT = 1.15
FULL_HOUSE_THREAT = 0.14
BOMB_THREAT = 0.14

# In turns: the price of a play in hand is one turn.
KEEP = np.array([0, 2.22, 2.06, 2.06, 0, 2.23])  # [6] by size: power to win a trick later
CARD = 0.29  # each card left
CONTROL = 0.6  # winning the trick
BEATEN = 2.0  # an opponent going out on the single played
DANGER = 1.6  # leaving the trick to an opponent with one card left; with n cards, 1 / n**2 of it
OUT = 4.6  # going out

REPLY = np.array([0, 0.84, 0.32, 0.32, 0, 0.3])  # [6] by size: chance to make a strong play without control
REPLY_FADE = 0.34  # how that falls with the threat to the play

MOST_PLAYS = 8  # for which the chance of going out is reckoned
WON = 1000.0  # a score that no other move reaches


class View(NamedTuple):
    """Knowledge of the opponents."""

    hand: int
    others: int  # their cards together
    pairs: int  # 13-bit set of the ranks of which they have two
    left: tuple[np.int64, np.int64, np.int64]  # cards left of each; kernels would count references to an array
    nearness: float  # to going out of the one whose hand is on the table: 1 / cards left**2, 0 with control
    answering: int  # those who have not passed on it
    opponents: int  # all of them


class Scratch(NamedTuple):
    """Arrays that a decision works in."""

    fives: Int64Array  # [MOST_LEGAL] the hand's five-card hands
    five_costs: NDArray[np.float64]  # [MOST_LEGAL]
    rank_costs: NDArray[np.float64]  # [13 * 16] least cost of shedding a nibble of a rank, at rank * 16 + nibble
    rank_plays: Int64Array  # [13 * 16] nibble of the first play that achieves it
    plays: NDArray[np.float64]  # [2, MOST_PLAYS] chance of each play of a plan to win its trick; as a reply
    subsets: NDArray[np.float64]  # [2, 1 << MOST_PLAYS] chance to go out with some of them, leading; waiting


class RuleAgent(BatchAgent):
    """A deterministic heuristic agent: the same state gives the same move."""

    @override
    def prepare(self, rules: Rules) -> None:
        super().prepare(rules)
        self._rules_arrays = tabulate(rules)

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        out = np.empty(len(positions.offsets) - 1, np.int64)
        choose_by_plan(self._rules_arrays, positions.observations, positions.moves, positions.offsets, out)
        return Decision(out)


def price_hands(rules: Rules, hands: Int64Array) -> Float64Array:
    """Return the cost of the rule agent's plan for each hand at the deal, in turns, float64 of the shape of `hands`.

    Strong hands cost little, and the strongest less than nothing.

    Args:
        rules: to plan by.
        hands: masks of whole hands, int64.
    """
    prices = np.empty(hands.size)
    _price_hands(tabulate(rules), hands.ravel(), prices)
    return prices.reshape(hands.shape)


@kernel
def _price_hands(rules: RuleTables, hands: Int64Array, out: Float64Array) -> None:
    scratch = new_scratch()
    for i in range(hands.size):
        view = look_at_deal(rules[0], hands[i])
        out[i] = find_plan(scratch, prepare_plan(rules[0], view, scratch), hands[i])[0]


@kernel
def choose_by_plan(
    rules: RuleTables, observations: Observations, moves: Int64Array, offsets: Int64Array, out: Int64Array
) -> None:
    """Write the index of each game's best move into `out`, int64 [N]."""
    scratch = new_scratch()
    for i in range(out.size):
        legal = moves[offsets[i] : offsets[i + 1]]
        out[i] = offsets[i] + decide(rules[0], scratch, observations[i], legal)


@kernel
def decide(rules: RuleTable, scratch: Scratch, observation: Observation, moves: Int64Array) -> int:
    """Return the index of the best of the legal moves; of equals the first."""
    if moves.size == 1:
        return 0
    view = look(rules, observation)
    fives = prepare_plan(rules, view, scratch)
    best, best_score = 0, -WON
    for i in range(moves.size):
        value = score(view, scratch, fives, moves[i])
        if value > best_score:
            best, best_score = i, value
    return best


@kernel
def new_scratch() -> Scratch:
    """Allocate buffers for a decision."""
    fives, ranks = np.empty(MOST_LEGAL, np.int64), np.empty(13 * 16, np.int64)
    plays, subsets = np.empty((2, MOST_PLAYS)), np.empty((2, 1 << MOST_PLAYS))
    return Scratch(fives, np.empty(fives.size), np.empty(ranks.size), ranks, plays, subsets)


@kernel
def prepare_plan(rules: RuleTable, view: View, scratch: Scratch) -> int:
    """Price all plays of a hand; return the number of its five-card hands."""
    fives = list_fives(rules, view.hand, scratch.fives)
    for i in range(fives):
        scratch.five_costs[i] = cost(view, scratch.fives[i])
    price_ranks(rules, view, scratch)
    return fives


@kernel
def look(rules: RuleTable, observation: Observation) -> View:
    """Summarise a packed observation."""
    others, opponents = observation.others, rules.players - 1
    answering, nearness = opponents, 0.0
    for i in range(NUM_OPPONENTS):
        if observation.table != 0 and observation.last[i] == observation.table:
            answering, cards = i + 1, observation.left[i]
            nearness = 1.0 / cards**2 if cards > 0 else 0.0
    left = (np.int64(observation.left[0]), np.int64(observation.left[1]), np.int64(observation.left[2]))
    pairs = suit_ranks(ranks_held(others, 2), 0)
    return View(observation.hand, others, pairs, left, nearness, answering, opponents)


@kernel
def look_at_deal(rules: RuleTable, hand: int) -> View:
    """Summarise an observation at the deal."""
    others, opponents, full = rules.pack & ~hand, rules.players - 1, rules.hand_size
    left = (np.int64(full), np.int64(full * (opponents > 1)), np.int64(full * (opponents > 2)))
    return View(hand, others, suit_ranks(ranks_held(others, 2), 0), left, 0.0, opponents, opponents)


@kernel
def list_fives(rules: RuleTable, hand: int, out: Int64Array) -> int:
    """List the combinations of five cards that a hand holds; return their number."""
    n = 0
    for mask in out[: answers(rules, hand, 0, out)]:
        if popcount(mask) == 5:
            out[n] = mask
            n += 1
    return n


@kernel
def price_ranks(rules: RuleTable, view: View, scratch: Scratch) -> None:
    """Find the cheapest split into singles, pairs and triples of each set of cards that may be left of a rank."""
    most = 3 if rules.answers[PASS] >> TRIPLE & 1 else 2  # cards of a play
    scratch.rank_costs[:] = 0.0
    for rank in range(13):
        nibble = view.hand >> 4 * rank & 15
        for part in range(1, nibble + 1):
            if part & ~nibble == 0:
                scratch.rank_costs[16 * rank + part] = math.inf
                for play in range(1, part + 1):
                    if play & ~part == 0 and popcount(play) <= most:
                        price = cost(view, play << 4 * rank) + scratch.rank_costs[16 * rank + (part ^ play)]
                        if price < scratch.rank_costs[16 * rank + part]:
                            scratch.rank_costs[16 * rank + part] = price
                            scratch.rank_plays[16 * rank + part] = play


@kernel
def cost(view: View, play: int) -> float:
    """Price a play in hand, in turns: one for itself, its cards, less its power to win a trick."""
    size = popcount(play)
    return 1.0 + CARD * size - KEEP[size] * hold_chance(view, play, view.opponents)


@kernel
def hold_chance(view: View, play: int, answering: int) -> float:
    """Estimate the chance that none of a number of opponents beats a play: 1 if none can, bombs aside."""
    size = popcount(play)
    able = (view.left[0] >= size) + (view.left[1] >= size) + (view.left[2] >= size)
    return math.exp(-threat(view, play, size) * able * answering / (3.0 * view.opponents))


@kernel
def threat(view: View, play: int, size: int) -> float:
    """Rate the opponents' possible answers to a play."""
    top = highest(play)
    rank = top >> 2
    if size == 1:
        return (SINGLE_THREAT * popcount(view.others >> top)) ** SINGLE_POWER
    if size == 2:
        higher_suit = view.others >> top & 15 >> (top & 3) != 0
        return PAIR_THREAT * (popcount(view.pairs >> rank + 1) + (view.pairs >> rank & higher_suit))
    if size == 3:
        return TRIPLE_THREAT * popcount(view.pairs >> rank)
    if size == 4:
        return FOUR_CARD_THREAT
    return five_threat(play) * popcount(view.others) / (3.0 * HAND_SIZE)


@kernel
def five_threat(play: int) -> float:
    """Rate the answers of full hands to a hand of five cards."""
    ranks = all_ranks(play)
    if popcount(ranks) == 2:
        lower = popcount(play & 15 << 4 * (lowest(play) >> 2))
        return FULL_HOUSE_THREAT if lower == 2 or lower == 3 else BOMB_THREAT
    if suit_ranks(play, lowest(play) & 3) != ranks:
        return STRAIGHT_THREAT
    return BOMB_THREAT if STRAIGHT_OF_RANKS[ranks] >= 0 else FLUSH_THREAT


@kernel
def score(view: View, scratch: Scratch, fives: int, move: int) -> float:
    """Weigh a move by the hand that it leaves and the trick that it may win."""
    left = view.hand & ~move
    price, first, second = find_plan(scratch, fives, left)
    leading, waiting = out_chances(scratch, list_plays(view, scratch, left, first, second))
    if move == 0:
        return OUT * waiting - price - DANGER * view.nearness
    hold = hold_chance(view, move, view.answering)
    chance = hold * leading + (1.0 - hold) * waiting
    if chance > 1.0 - 1e-9:
        return WON + popcount(move)
    return OUT * chance - price + CONTROL * hold - BEATEN * beaten_chance(view, move)


@kernel
def find_plan(scratch: Scratch, fives: int, left: int) -> tuple[float, int, int]:
    """Return the least cost of shedding the cards left, and the up to two five-card hands in that plan."""
    best, first = find_five(scratch, 0, fives, left)
    second = 0
    if 10 <= popcount(left) <= HAND_SIZE:  # of larger hands, pairs of five-card hands are too many
        for i in range(fives):
            five = scratch.fives[i]
            if five & ~left == 0:
                price, other = find_five(scratch, i + 1, fives, left ^ five)
                if price + scratch.five_costs[i] < best:
                    best, first, second = price + scratch.five_costs[i], five, other
    return best, first, second


@kernel
def find_five(scratch: Scratch, start: int, fives: int, left: int) -> tuple[float, int]:
    """Return the least cost of shedding the cards left with at most one five-card hand, and that hand or 0."""
    best = rest_cost(scratch, left)
    chosen = 0
    for i in range(start, fives):
        five = scratch.fives[i]
        if five & ~left == 0:
            price = scratch.five_costs[i] + rest_cost(scratch, left ^ five)
            if price < best:
                best, chosen = price, five
    return best, chosen


@kernel
def rest_cost(scratch: Scratch, left: int) -> float:
    """Return the least cost of shedding the cards left by ranks."""
    total = 0.0
    for rank in range(13):
        total += scratch.rank_costs[16 * rank + (left >> 4 * rank & 15)]
    return total


@kernel
def list_plays(view: View, scratch: Scratch, left: int, first: int, second: int) -> int:
    """Note the chances of each play of a plan; return their number, or -1 if they are too many."""
    n = 0
    while left != 0:
        if n == MOST_PLAYS:
            return -1
        play = first if n == 0 and first != 0 else second
        if n >= (first != 0) + (second != 0):
            rank = lowest(left) >> 2
            play = scratch.rank_plays[16 * rank + (left >> 4 * rank & 15)] << 4 * rank
        left &= ~play
        size = popcount(play)
        scratch.plays[0, n] = hold_chance(view, play, view.opponents)
        scratch.plays[1, n] = REPLY[size] * math.exp(-REPLY_FADE * threat(view, play, size))
        n += 1
    return n


@kernel
def out_chances(scratch: Scratch, n: int) -> tuple[float, float]:
    """Return the chance to go out with n plays in their best order, with control and without."""
    if n < 0:
        return 0.0, 0.0
    leading, waiting = scratch.subsets
    leading[0] = waiting[0] = 1.0
    for plays in range(1, 1 << n):
        leading[plays] = waiting[plays] = 0.0
        for i in range(n):
            if plays >> i & 1:
                hold, rest = scratch.plays[0, i], plays ^ 1 << i
                chance = hold * leading[rest] + (1.0 - hold) * waiting[rest]
                leading[plays] = max(leading[plays], chance)
                waiting[plays] = max(waiting[plays], chance * scratch.plays[1, i])
    return leading[(1 << n) - 1], waiting[(1 << n) - 1]


@kernel
def beaten_chance(view: View, move: int) -> float:
    """Return the expected number of opponents who go out on a single by their one card left."""
    if popcount(move) != 1:
        return 0.0
    lasts = (view.left[0] == 1) + (view.left[1] == 1) + (view.left[2] == 1)
    return lasts * popcount(view.others >> highest(move)) / popcount(view.others)
