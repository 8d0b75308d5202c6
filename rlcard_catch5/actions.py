"""The 64 actions: a pass, bids of 3 to 9, four suits as trumps, 52 cards; their ids, texts and features.

A move of the engine is an action id.
"""

import numpy as np

from rlcard_catch5.cards import NAMES, NUM_CARDS, NUM_SUITS, SUITS, parse_card, parse_suit
from rlcard_catch5.rules import LEAST_BID, MOST_BID
from rlcard_kit.deck import checked_action
from rlcard_kit.errors import CardError, IllegalActionError

PASS = 0
FIRST_BID = 1  # of LEAST_BID; later bids follow
FIRST_TRUMP = FIRST_BID + MOST_BID - LEAST_BID + 1  # 8
FIRST_CARD = FIRST_TRUMP + NUM_SUITS  # 12
NUM_ACTIONS = FIRST_CARD + NUM_CARDS  # 64
BID_SHIFT = LEAST_BID - FIRST_BID  # from the id of a bid to its height

BIDS = range(LEAST_BID, MOST_BID + 1)
TEXTS = ('pass', *(f'bid {bid}' for bid in BIDS), *(f'trump {suit}' for suit in SUITS.upper()), *NAMES)
ACTION_FEATURES = np.eye(NUM_ACTIONS, dtype=np.int8)  # one-hot, [64, 64]
EXAMPLES = "write text such as 'bid 4', 'pass', 'trump H' or '5h'"


def checked(action: object) -> int:
    """Return an action id as an int; IllegalActionError names the ids that exist."""
    return checked_action(action, NUM_ACTIONS, 'the ace of spades', '5h')


def action_text(action: int) -> str:
    """Return the text of an action id: 'bid 4', 'pass', 'trump H' or '5h'."""
    return TEXTS[checked(action)]


def parse_action(text: object) -> int:
    """Return the action id of a text; CardError or IllegalActionError names the fault."""
    if not isinstance(text, str):
        raise IllegalActionError(f'{text!r:.80} is not a raw action: {EXAMPLES}')
    words = text.lower().split()
    if words == ['pass']:
        return PASS
    if len(words) == 2 and words[0] == 'bid':
        return FIRST_BID + BIDS.index(_parse_bid(words[1]))
    if len(words) == 2 and words[0] == 'trump':
        return FIRST_TRUMP + parse_suit(words[1])
    if len(words) != 1:
        raise IllegalActionError(f'{text!r:.80} is not an action: {EXAMPLES}')
    try:
        return FIRST_CARD + parse_card(words[0])
    except CardError as error:
        raise CardError(f'{error}; other actions are bid 4, pass and trump H') from error


def _parse_bid(text: str) -> int:
    if text not in map(str, BIDS):
        raise IllegalActionError(f'bid {text:.80} does not exist: bids are {BIDS[0]} to {BIDS[-1]}')
    return int(text)
