"""Deals in 18 characters, or 22 if four players leave cards out of play."""

import base64
import re
from collections.abc import Sequence

from rlcard_big2.cards import FULL_DECK, NUM_CARDS
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_kit.errors import RecordError

CODE = re.compile(r'[A-Za-z0-9_-]{18}|[A-Za-z0-9_-]{22}')
SHORT = 18  # characters, for numbers of base 4


def deal_code(hands: Sequence[int]) -> str:
    """Write a deal, two to four masks, as base64url of a number: the seat of each card by digit, card 0 the lowest.

    Its base is 4, where 3 stands for cards out of play of fewer than four players, or else 5, where 4 does.
    """
    sizes = [hand.bit_count() for hand in hands]
    if not 2 <= len(hands) <= NUM_PLAYERS or min(sizes) == 0 or max(sizes) - min(sizes) >= len(hands):
        raise RecordError(f'a deal has two to four hands of as many cards, but for cards left over, not {sizes}')
    base = 4 if len(hands) < NUM_PLAYERS or sum(sizes) == NUM_CARDS else 5
    owners = [base - 1] * NUM_CARDS
    for seat, hand in enumerate(hands):
        for card in range(NUM_CARDS):
            if hand >> card & 1:
                owners[card] = seat
    if sum(hands) & ~FULL_DECK or sum(sizes) != sum(hands).bit_count():
        raise RecordError('a deal has each card at most once')
    number = sum(owner * base**card for card, owner in enumerate(owners))
    return base64.urlsafe_b64encode(number.to_bytes(13 if base == 4 else 16, 'big')).decode().rstrip('=')


def hands_of_code(code: str, players: int = NUM_PLAYERS) -> tuple[int, ...]:
    """Read a code of `deal_code`; return the hands of a number of players as masks.

    Raises:
        RecordError: if it is not the code of a deal to so many.
    """
    if not CODE.fullmatch(code):
        raise RecordError(f'{code[:40]!r} is not the code of a deal: it has 18 or 22 letters, digits, - and _')
    number, base = int.from_bytes(base64.urlsafe_b64decode(code + '=='), 'big'), 4 if len(code) == SHORT else 5
    owners = [number // base**card % base for card in range(NUM_CARDS)]
    hands = tuple(sum(1 << card for card in range(NUM_CARDS) if owners[card] == seat) for seat in range(players))
    try:
        if deal_code(hands) == code:
            return hands
    except RecordError:
        pass
    raise RecordError(f'{code!r} is not the code of a deal to {players} players')
