"""Ids and masks of the cards of a deck of 52, in any order of the cards: arithmetic for kernels, and checks.

Masks are int64: 52 bits never reach the sign, and numba keeps int64 whole numbers when they meet
literals, where uint64 would turn into floats.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import index

from rlcard_kit.errors import CardError, HandsError, IllegalActionError
from rlcard_kit.jit import kernel

NUM_CARDS = 52
FULL_DECK = (1 << NUM_CARDS) - 1


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


def checked_card(card: object) -> int:
    """Return a card id as an int; CardError names the ids that exist."""
    number = _whole(card)
    if not 0 <= number < NUM_CARDS:
        raise CardError(f'{card!r} is not a card id: ids are whole numbers from 0 to {NUM_CARDS - 1}')
    return number


def checked_action(action: object, count: int, last: str, example: str) -> int:
    """Return an action id as an int; IllegalActionError names the ids that exist.

    Args:
        action: to check.
        count: of the ids.
        last: the meaning of the last id.
        example: an action as text.
    """
    number = _whole(action)
    if not 0 <= number < count:
        raise IllegalActionError(
            f'{action!r:.80} is not an action id: ids are whole numbers from 0 to {count - 1}, {last}; '
            f'text such as {example} is a raw action: step(text, raw_action=True)'
        )
    return number


def _whole(number: object) -> int:
    """Return a whole number as an int; -1 for anything else."""
    try:
        return index(number)  # type: ignore[arg-type]
    except TypeError:
        return -1


def part_texts(names: Sequence[str]) -> list[list[str]]:
    """Return the texts of all sets of each eight neighbouring cards, for `mask_text`; a blank precedes a card."""
    parts = []
    for first in range(0, NUM_CARDS, 8):
        texts = ['']
        for name in names[first : first + 8]:
            texts += [f'{text} {name}' for text in texts]
        parts.append(texts)
    return parts


def mask_text(mask: int, parts: list[list[str]]) -> str:
    """Write a mask as text, cards ascending, given the `part_texts` of their names; CardError if it is none."""
    if not 0 <= mask <= FULL_DECK:
        raise CardError(f'{mask!r} is not a mask of cards: expected 0 <= mask < 2**{NUM_CARDS}')
    a, b, c, d, e, f, g = parts
    low = f'{a[mask & 255]}{b[mask >> 8 & 255]}{c[mask >> 16 & 255]}{d[mask >> 24 & 255]}'
    return f'{low}{e[mask >> 32 & 255]}{f[mask >> 40 & 255]}{g[mask >> 48]}'[1:]


def join_cards(cards: Iterable[int], text: Callable[[int], str]) -> int:
    """Join distinct card ids into a mask; CardError names a repeated or unknown card.

    Args:
        cards: ids.
        text: of a card, for the error.
    """
    mask = 0
    for card in cards:
        bit = 1 << checked_card(card)
        if mask & bit:
            raise CardError(f'card {card} ({text(int(card))}) occurs twice')
        mask |= bit
    return mask


def join_hands(
    hands: Sequence[Iterable[int]],
    size: int,
    count: int,
    text: Callable[[int], str],
    sizes: Callable[[list[int]], list[int]] | None = None,
) -> list[int]:
    """Return hands of card ids as masks; HandsError names the fault if they are not hands of one deal.

    Args:
        hands: to check.
        size: of each.
        count: of the hands.
        text: see `join_cards`.
        sizes: returns the size of each, given masks, if they differ.
    """
    try:
        masks = [join_cards(hand, text) for hand in hands]
    except (CardError, TypeError) as error:
        raise HandsError(f'hands must be {count} lists of {size} card ids: {error}') from error
    counts = [mask.bit_count() for mask in masks]
    if len(masks) != count or counts != ([size] * count if sizes is None else sizes(masks)):
        raise HandsError(f'hands must be {count} times {size} cards, not {counts}')
    shared = [card for card in range(NUM_CARDS) if sum(mask >> card & 1 for mask in masks) > 1]
    if shared:
        raise HandsError(f'each card must be dealt once, but these card ids are in two hands: {shared}')
    return masks
