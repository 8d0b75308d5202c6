"""Binary features of candidate opponent hands: moves that each hand allowed but its holder declined.

A hand is rewound to each of its holder's last moves. For a pass, the features are the answers that the hand had; for a
single or a pair, its alternatives.
"""

import numpy as np

from rlcard_big2.cards import NUM_CARDS, RANKS
from rlcard_big2.engine.bitboard import highest, lowest, popcount, ranks_held
from rlcard_big2.engine.moves import MAX_LEGAL, answers
from rlcard_big2.engine.observation import NUM_OPPONENTS, Observation, Observations, write_cards
from rlcard_big2.engine.ruleset import RuleTable, RuleTables, strength
from rlcard_big2.engine.state import HISTORY, NUM_PLAYERS
from rlcard_kit.arrays import Int8Array, Int64Array
from rlcard_kit.jit import kernel

NUM_RANKS = len(RANKS)
HANDS = NUM_OPPONENTS * (NUM_CARDS + NUM_RANKS)  # the cards, and the ranks of which there are two or more
LEVELS = 4  # of the lowest single or pair that would have answered: up to 9, up to Q, up to A, 2
OTHER = 2 * LEVELS  # any other combination would have answered
LOWER = OTHER + 1  # there was a lower single
BROKEN = LOWER + 1  # the single was of a pair
LOWER_PAIR = BROKEN + 1
BROKEN_TRIPLE = LOWER_PAIR + 1
PER_MOVE = BROKEN_TRIPLE + 1
HANDS_SIZE = HANDS + HISTORY * PER_MOVE


def hands_inputs(rules: RuleTables, observations: Observations, owners: Int64Array, worlds: Int64Array) -> Int8Array:
    """Write the opponents' hands of determinizations as zeros and ones, int8 [G, HANDS_SIZE].

    Args:
        rules: [1] from `ruleset`.
        observations: packed, [N].
        owners: the observation that each world is of, int64 [G].
        worlds: int64 [G, 4], see `rlcard_big2.search.beliefs.sample_determinizations`.
    """
    out = np.zeros((len(worlds), HANDS_SIZE), np.int8)
    write_hands(rules, observations, owners, worlds, out)
    return out


@kernel
def write_hands(
    rules: RuleTables, observations: Observations, owners: Int64Array, worlds: Int64Array, out: Int8Array
) -> None:
    """Write the opponents' hands into `out`, zeros, see `hands_inputs`."""
    scratch, hands = np.empty(MAX_LEGAL, np.int64), np.empty(NUM_PLAYERS, np.int64)
    for i in range(len(worlds)):
        for j in range(NUM_OPPONENTS):
            write_cards(worlds[i, j + 1], out[i, j * NUM_CARDS : (j + 1) * NUM_CARDS])
            pairs = ranks_held(worlds[i, j + 1], 2)
            while pairs != 0:
                out[i, NUM_OPPONENTS * NUM_CARDS + j * NUM_RANKS + lowest(pairs) // 4] = 1
                pairs &= pairs - 1
        for j in range(NUM_PLAYERS):
            hands[j] = worlds[i, j]
        _write_moves(rules[0], observations[owners[i]], hands, out[i, HANDS:], scratch)


@kernel
def _write_moves(
    rules: RuleTable, observation: Observation, hands: Int64Array, out: Int8Array, scratch: Int64Array
) -> None:
    """Write the features of each move, the last first, and put its cards back into `hands`."""
    for age in range(1, min(HISTORY, observation.ply) + 1):
        move = observation.history[HISTORY - age]
        seat = (observation.mover - age) % NUM_PLAYERS
        hands[seat] |= move
        if seat != 0:
            row = out[(HISTORY - age) * PER_MOVE : (HISTORY - age + 1) * PER_MOVE]
            table = _table(observation, age)
            if move == 0 and table > 0:
                _write_pass(rules, hands[seat], table, row, scratch)
            elif move != 0 and table >= 0:
                _write_play(hands[seat], move, table, row)


@kernel
def _table(observation: Observation, age: int) -> int:
    """Return the combination that was to beat before a move; 0 with control, -1 if that is too long ago."""
    for before in range(age + 1, age + NUM_PLAYERS):
        if before > observation.ply:
            return 0
        if before > HISTORY:
            return -1
        if observation.history[HISTORY - before] != 0:
            return observation.history[HISTORY - before]
    return 0


@kernel
def _write_pass(rules: RuleTable, hand: int, table: int, out: Int8Array, scratch: Int64Array) -> None:
    size = popcount(table)
    if size == 1:
        above = hand & -(2 << highest(table))
        if above != 0:
            out[_level(lowest(above))] = 1
    elif size == 2:
        pair = _lowest_pair(hand, table)
        if pair >= 0:
            out[LEVELS + _level(pair)] = 1
    elif answers(rules, hand, strength(rules, table), scratch) > 0:
        out[OTHER] = 1


@kernel
def _lowest_pair(hand: int, table: int) -> int:
    """Return a card of the lowest pair that beats what is on the table, which may be nothing; -1 if there is none."""
    pairs = ranks_held(hand, 2)
    while pairs != 0:
        card = lowest(pairs)
        if hand & 15 << card > table:  # by their highest cards
            return card
        pairs &= pairs - 1
    return -1


@kernel
def _level(card: int) -> int:
    rank = card // 4
    return 0 if rank < 7 else 1 if rank < 10 else 2 if rank < 12 else 3


@kernel
def _write_play(hand: int, move: int, table: int, out: Int8Array) -> None:
    size, rank = popcount(move), lowest(move) // 4
    same = popcount(hand >> 4 * rank & 15)
    if size == 1:
        lower = hand & move - 1
        out[LOWER] = lower > table  # by the highest card
        out[BROKEN] = same > 1
    elif size == 2:
        out[LOWER_PAIR] = _lowest_pair(hand & (1 << 4 * rank) - 1, table) >= 0
        out[BROKEN_TRIPLE] = same > 2
