"""Suit symmetry: the game does not change if suits are permuted in observations and moves.

A network that is shown sorted suits learns once what it would otherwise learn for each suit: trumps come first, and the
others follow by the number of cards that the seat holds in them, then by their ranks.
"""

import numpy as np

from rlcard_catch5.actions import FIRST_CARD, FIRST_TRUMP
from rlcard_catch5.cards import NUM_RANKS, NUM_SUITS
from rlcard_catch5.engine.observation import OBSERVATION, OBSERVATION_SIZE, Observation, Observations, unpack
from rlcard_catch5.engine.state import NOTHING
from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Int8Array, Int64Array
from rlcard_kit.deck import popcount
from rlcard_kit.jit import kernel

RANKS = (1 << NUM_RANKS) - 1
FIRST = 1 << 2 * NUM_RANKS  # above the order of any suit that is not trumps


def sorted_inputs(observations: Observations) -> tuple[Int8Array, Int8Array]:
    """Return packed observations, [N], as zeros and ones with their suits sorted, and where each suit went.

    Returns:
        Features, int8 [N, 948], and the new suit of each suit, int8 [N, 4].
    """
    inputs = np.empty((len(observations), OBSERVATION_SIZE), np.int8)
    new_suits = np.empty((len(observations), NUM_SUITS), np.int8)
    write_sorted(observations, inputs, new_suits)
    return inputs, new_suits


@kernel
def write_sorted(observations: Observations, out: Int8Array, new_suits: Int8Array) -> None:
    """Write packed observations, [N], as zeros and ones with their suits sorted.

    Args:
        observations: [N].
        out: int8 [N, 948], receives the features.
        new_suits: int8 [N, 4], receives the new suit of each suit.
    """
    scratch = np.zeros(1, OBSERVATION)
    for i in range(len(observations)):
        sort_suits(observations[i], new_suits[i])
        rename(observations[i], new_suits[i], scratch[0])
        unpack(scratch[0], out[i])


@kernel
def sort_suits(seen: Observation, new_suits: Int8Array) -> None:
    """Write the new suit of each suit, by the order of a seat, int8 [4]; of equals, the first suit comes first."""
    for suit in range(NUM_SUITS):
        new_suits[suit] = 0
        for other in range(NUM_SUITS):
            rank, other_rank = _rank_of(seen, suit), _rank_of(seen, other)
            new_suits[suit] += other_rank > rank or (other_rank == rank and other < suit)


@kernel
def _rank_of(seen: Observation, suit: int) -> int:
    ranks = seen.hand >> NUM_RANKS * suit & RANKS
    return (FIRST if suit == seen.trump else 0) + (popcount(ranks) << NUM_RANKS) + ranks


@kernel
def rename(seen: Observation, new_suits: Int8Array, out: Observation) -> None:
    """Write an observation into `out` with its suits permuted, int8 [4]."""
    out.hand = _rename_cards(seen.hand, new_suits)
    out.thrown = _rename_cards(seen.thrown, new_suits)
    out.dead = _rename_cards(seen.dead, new_suits)
    for i in range(len(seen.played)):
        out.played[i] = _rename_cards(seen.played[i], new_suits)
        card: int = seen.trick[i]
        out.trick[i] = new_suits[card // NUM_RANKS] * NUM_RANKS + card % NUM_RANKS if card != NOTHING else NOTHING
    for i in range(len(seen.tricks)):
        out.tricks[i] = _rename_cards(seen.tricks[i], new_suits)
    out.winners[:] = seen.winners
    out.bids[:] = seen.bids
    out.drawn[:] = seen.drawn
    out.points[:] = seen.points
    out.dealer = seen.dealer
    out.bidder = seen.bidder
    out.trump = new_suits[seen.trump] if seen.trump != NOTHING else NOTHING
    out.leader = seen.leader
    out.mover = seen.mover
    out.ply = seen.ply


@kernel
def _rename_cards(mask: int, new_suits: Int8Array) -> int:
    out = 0
    for suit in range(NUM_SUITS):
        out |= (mask >> NUM_RANKS * suit & RANKS) << NUM_RANKS * new_suits[suit]
    return out


def rename_moves(moves: Int64Array, owners: Int64Array, new_suits: Int8Array) -> Int64Array:
    """Return action ids, int64 [M], each under the names of its owner's suits, int8 [N, 4]."""
    out = np.empty(moves.size, np.int64)
    write_renamed(moves, owners, new_suits, out)
    return out


@kernel
def write_renamed(moves: Int64Array, owners: Int64Array, new_suits: Int8Array, out: Int64Array) -> None:
    """Write action ids under the names of their owners' suits into `out`, see `rename_moves`."""
    for j in range(moves.size):
        renamed, move = new_suits[owners[j]], moves[j]
        if move >= FIRST_CARD:
            card = move - FIRST_CARD
            out[j] = FIRST_CARD + renamed[card // NUM_RANKS] * NUM_RANKS + card % NUM_RANKS
        elif move >= FIRST_TRUMP:
            out[j] = FIRST_TRUMP + renamed[move - FIRST_TRUMP]
        else:
            out[j] = move


@kernel
def _rename_all(observations: Observations, new_suits: Int8Array, out: Observations) -> None:
    for i in range(len(observations)):
        rename(observations[i], new_suits[i], out[i])


def shuffled(positions: Positions, generator: np.random.Generator) -> Positions:
    """Return positions with their suits exchanged at random, each game's for itself; moves keep their order."""
    observations, moves, offsets = positions
    new_suits = generator.permuted(np.tile(np.arange(NUM_SUITS, dtype=np.int8), (len(observations), 1)), axis=1)
    out = np.zeros(len(observations), OBSERVATION)
    _rename_all(observations, new_suits, out)
    return Positions(out, rename_moves(moves, positions.owners, new_suits), offsets)
