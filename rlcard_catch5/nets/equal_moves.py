"""Equal moves: cards of one hand that count as one move of a policy, which else would divide its preference among them.

Two cards are equal if no trick and no score can tell them apart, whatever is played: they are of one suit and score the
same, and between them lies no card that another seat may hold, nor the best card of the trick if its suit can win it.
After one of them the game goes on as after the other, the two exchanged.

Discards, cards without points that do not win the trick, count as one move too if the policy hardly prefers one.
"""

import numpy as np

from rlcard_catch5.actions import FIRST_CARD
from rlcard_catch5.cards import FULL_DECK, NUM_RANKS
from rlcard_catch5.engine.observation import Observation, Observations
from rlcard_catch5.engine.play import MAX_LEGAL
from rlcard_catch5.engine.ruleset import RuleTable, RuleTables
from rlcard_catch5.engine.state import FIRST_CARD_PLY, NOTHING, NUM_PLAYERS, STOCK_SIZE
from rlcard_catch5.engine.tricks import FIVE_POINTS, TWO, points_of, suit_cards, suit_of
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.jit import kernel

NEAR = 0.5  # least probability of discards that count as the likeliest one, as a share of its


@kernel
def fold_moves(
    rules: RuleTables, observations: Observations, moves: Int64Array, offsets: Int64Array,
    probabilities: Float64Array, out: Int64Array,
) -> None:  # fmt: skip
    """Give the likeliest of the moves that count as one the sum of their probabilities, and the others 0.

    Args:
        rules: [1] from `tabulate`.
        observations: packed, [N], of seats to move; with `moves` and `offsets`, see `Positions`.
        moves: int64 [M].
        offsets: int64 [N + 1].
        probabilities: float64 [M], changed.
        out: int64 [M], receives the index of the move that stands for each, often itself.
    """
    write_equals(rules, observations, moves, offsets, out)
    for i in range(len(observations)):
        first, end = offsets[i], offsets[i + 1]
        if observations[i].ply >= FIRST_CARD_PLY:
            _join_discards(rules[0], observations[i], moves[first:end], probabilities[first:end], first, out[first:end])
        for j in range(first, end):
            if out[j] == j:
                _fold_class(j, end, probabilities, out)


@kernel
def _fold_class(first: int, end: int, probabilities: Float64Array, out: Int64Array) -> None:
    """Fold the moves from an index on that `out` says are its equals."""
    best, total = first, 0.0
    for j in range(first, end):
        if out[j] == first:
            total += probabilities[j]
            if probabilities[j] > probabilities[best]:
                best = j
    for j in range(first, end):
        if out[j] == first:
            probabilities[j] = 0.0
            out[j] = best
    probabilities[best] = total


@kernel
def _join_discards(
    rules: RuleTable, seen: Observation, moves: Int64Array, probabilities: Float64Array, first: int, out: Int64Array
) -> None:
    """Make discards that are about as likely as the likeliest one its equals, of one position."""
    sums, most, joined = np.zeros(MAX_LEGAL), 0.0, NOTHING
    for j in range(moves.size):
        if _is_discard(rules, seen, moves[j] - FIRST_CARD):
            sums[out[j] - first] += probabilities[j]
            most = max(most, sums[out[j] - first])
    for j in range(moves.size):
        place = out[j] - first
        if sums[place] > 0.0 and sums[place] >= NEAR * most:
            joined = place if joined == NOTHING else joined
            out[j] = first + joined


@kernel
def _is_discard(rules: RuleTable, seen: Observation, card: int) -> bool:
    """Return whether a card has no points and does not win the trick."""
    if seen.leader == 0 or suit_of(card) == seen.trump:
        return False
    is_led = suit_of(card) == suit_of(seen.trick[seen.leader])
    return _is_trumped(seen) or (card < _best_of(seen, suit_of(card)) if is_led else rules.last_judges == 0)


@kernel
def write_equals(
    rules: RuleTables, observations: Observations, moves: Int64Array, offsets: Int64Array, out: Int64Array
) -> None:
    """Write the index of the first move that each legal move equals, often itself, into `out`; see `fold_moves`."""
    for i in range(len(observations)):
        first, end = offsets[i], offsets[i + 1]
        for j in range(first, end):
            out[j] = j
        if observations[i].ply >= FIRST_CARD_PLY:
            others = _others(rules[0], observations[i])
            for j in range(first, end):
                for k in range(j - 1, first - 1, -1):
                    low, high = moves[k] - FIRST_CARD, moves[j] - FIRST_CARD
                    if suit_of(low) != suit_of(high) or others & ((1 << high) - (2 << low)) != 0:
                        break
                    trump = observations[i].trump
                    if _worth(rules[0], low, trump) == _worth(rules[0], high, trump):
                        out[j] = out[k]
                        break


@kernel
def _others(rules: RuleTable, seen: Observation) -> int:
    """Return the mask of the cards that those of the seat to move may meet: of other seats, and the trick's best."""
    gone, lacked = seen.hand | seen.dead, 0
    for seat in range(NUM_PLAYERS):
        gone |= seen.played[seat]
        lacked += seen.drawn[seat]
    if lacked <= STOCK_SIZE:  # else thrown cards were dealt again
        gone |= seen.thrown & ~suit_cards(seen.trump)
    others, is_trumped = FULL_DECK & ~gone, _is_trumped(seen)
    for card in seen.trick:
        if card != NOTHING and card == _best_of(seen, suit_of(card)):
            is_judged = rules.last_judges != 0 or suit_of(card) == suit_of(seen.trick[seen.leader])
            if suit_of(card) == seen.trump or (is_judged and not is_trumped):
                others |= 1 << card
    return others


@kernel
def _is_trumped(seen: Observation) -> bool:
    return _best_of(seen, seen.trump) != NOTHING


@kernel
def _best_of(seen: Observation, suit: int) -> int:
    """Return the highest card of a suit in the trick; -1 if there is none."""
    best = NOTHING
    for card in seen.trick:
        if card != NOTHING and suit_of(card) == suit:
            best = max(best, card)
    return best


@kernel
def _worth(rules: RuleTable, card: int, trump: int) -> int:
    """Return the points of a card; a number of its own for the two if it counts for the team that was dealt it."""
    is_dealt = rules.low_dealt != 0 and card == NUM_RANKS * trump + TWO
    return FIVE_POINTS + 1 if is_dealt else points_of(card, trump)
