"""Arithmetic on masks of 52 cards, in any order of the cards.

Masks are int64: 52 bits never reach the sign, and numba keeps int64 whole numbers when they meet
literals, where uint64 would turn into floats.
"""

from rlcard_kit.jit import kernel


@kernel
def popcount(mask: int) -> int:
    """Count the cards of a mask."""
    mask = mask - ((mask >> 1) & 0x5555555555555555)
    mask = (mask & 0x3333333333333333) + ((mask >> 2) & 0x3333333333333333)
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (mask * 0x0101010101010101) >> 56


@kernel
def lowest(mask: int) -> int:
    """Return the id of the lowest card of a mask that is not empty."""
    return popcount((mask & -mask) - 1)


@kernel
def highest(mask: int) -> int:
    """Return the id of the highest card of a mask that is not empty."""
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    mask |= mask >> 16
    mask |= mask >> 32
    return popcount(mask) - 1
