"""Deals in 18 characters."""

import base64
import re
from collections.abc import Sequence

from rlcard_big2.cards import FULL_DECK, NUM_CARDS
from rlcard_big2.engine.state import HAND_SIZE, NUM_PLAYERS
from rlcard_kit.errors import RecordError

CODE = re.compile(r'[A-Za-z0-9_-]{18}')
NUM_BYTES = 13  # two bits a card


def deal_code(hands: Sequence[int]) -> str:
    """Write a deal, four masks, as 18 characters of base64url: the seat of each card, two bits, card 0 the lowest."""
    if len(hands) != NUM_PLAYERS or [hand.bit_count() for hand in hands] != [HAND_SIZE] * NUM_PLAYERS:
        raise RecordError(f'a deal has {NUM_PLAYERS} hands of {HAND_SIZE} cards')
    if hands[0] | hands[1] | hands[2] | hands[3] != FULL_DECK:
        raise RecordError('a deal has each card once')
    owners = sum(
        seat << 2 * card for seat in range(NUM_PLAYERS) for card in range(NUM_CARDS) if hands[seat] >> card & 1
    )
    return base64.urlsafe_b64encode(owners.to_bytes(NUM_BYTES, 'big')).decode().rstrip('=')


def hands_of_code(code: str) -> tuple[int, ...]:
    """Read a code of `deal_code`; return the four hands as masks.

    Raises:
        RecordError: if it is not the code of a deal.
    """
    if not CODE.fullmatch(code):
        raise RecordError(f'{code[:40]!r} is not the code of a deal: it has 18 letters, digits, - and _')
    owners = int.from_bytes(base64.urlsafe_b64decode(code + '=='), 'big')
    seats = [owners >> 2 * card & 3 for card in range(NUM_CARDS)]
    hands = tuple(sum(1 << card for card in range(NUM_CARDS) if seats[card] == seat) for seat in range(NUM_PLAYERS))
    if any(hand.bit_count() != HAND_SIZE for hand in hands) or deal_code(hands) != code:
        raise RecordError(f'{code!r} is not the code of a deal: its hands are not {HAND_SIZE} cards each')
    return hands
