"""The constants of the page's JavaScript, beyond those of the engine."""

from string import ascii_letters
from typing import Any

from rlcard_big2 import actions, cards
from rlcard_big2.records import convert, parsing
from rlcard_big2.records.record import MAX_MOVES
from rlcard_catch5 import cards as catch5_cards
from rlcard_catch5.records.parsing import ORDER as CATCH5_ORDER
from rlcard_kit.statistics import HALVINGS
from rlcard_play.big2 import advice
from rlcard_play.catch5 import advice as catch5_advice
from rlcard_play.catch5 import review
from rlcard_play.study import score
from rlcard_play.study.played import MAX_SEED, MAX_WORD
from rlcard_play.study.review import CONFIRMING, LISTED
from rlcard_play.study.seated_game import ID_BYTES
from rlcard_play.web.analysis import CACHED
from rlcard_play.web.archive import PAGE
from rlcard_play.web.tables import EARLY, MAX_NAME
from wasm.constants import constants_of

PART = 50  # puzzles of a file
CONSTANTS: dict[str, dict[str, Any]] = {
    'constants.js': {
        'PART': PART,
        'ID_BYTES': ID_BYTES,
        'HALVINGS': HALVINGS,
        'CONFIRMING': CONFIRMING,
        'LISTED': LISTED,
        'MAX_WORD': MAX_WORD,
        'CACHED': CACHED,
        'MAX_SEED': MAX_SEED,
        'PAGE': PAGE,
        'MAX_NAME': MAX_NAME,
        'EARLY': EARLY,
        **constants_of(score, 'FEWEST MOST_POINTS SEED'),
    },
    'constants.big2.js': {
        'MAX_MOVES': MAX_MOVES,
        **constants_of(actions, 'PASS'),
        **constants_of(cards, 'RANKS'),
        **constants_of(convert, 'SHORT'),
        **constants_of(parsing, 'ORDER BEFORE_KEYS'),
        **constants_of(advice, 'EQUAL CLOSE MARKS DEALS LOOKED_AT COMPARED'),
    },
    'constants.catch5.js': {
        'LETTERS': ascii_letters,
        'ORDER': CATCH5_ORDER,
        **constants_of(catch5_cards, 'SUITS RANKS'),
        **constants_of(catch5_advice, 'UNLIKELY DEALS'),
        **constants_of(review, 'LIKELY'),
    },
}
"""Of both games, and of each."""
