"""The constants of the page's JavaScript, beyond those of the engine."""

from string import ascii_letters
from typing import Any

from rlcard_big2 import actions, cards
from rlcard_big2.records import convert, parsing, record
from rlcard_catch5 import cards as catch5_cards
from rlcard_catch5.records import parsing as catch5_parsing
from rlcard_kit import statistics
from rlcard_play.big2 import advice
from rlcard_play.catch5 import advice as catch5_advice
from rlcard_play.catch5 import review as catch5_review
from rlcard_play.study import played, review, score, seated_game
from rlcard_play.web import analysis, archive, tables
from wasm.constants import constants_of

PART = 50  # puzzles of a file
CONSTANTS: dict[str, dict[str, Any]] = {
    'constants.js': {
        'PART': PART,
        **constants_of(seated_game, 'ID_BYTES'),
        **constants_of(statistics, 'HALVINGS'),
        **constants_of(review, 'CONFIRMING LISTED'),
        **constants_of(played, 'MAX_WORD MAX_SEED'),
        **constants_of(analysis, 'CACHED'),
        **constants_of(archive, 'PAGE'),
        **constants_of(tables, 'MAX_NAME EARLY'),
        **constants_of(score, 'FEWEST MOST_POINTS SEED'),
    },
    'constants.big2.js': {
        **constants_of(record, 'MAX_MOVES'),
        **constants_of(actions, 'PASS'),
        **constants_of(cards, 'RANKS'),
        **constants_of(convert, 'SHORT'),
        **constants_of(parsing, 'ORDER BEFORE_KEYS'),
        **constants_of(advice, 'EQUAL CLOSE MARKS DEALS LOOKED_AT COMPARED'),
    },
    'constants.catch5.js': {
        'LETTERS': ascii_letters,
        **constants_of(catch5_parsing, 'ORDER'),
        **constants_of(catch5_cards, 'SUITS RANKS'),
        **constants_of(catch5_advice, 'UNLIKELY DEALS'),
        **constants_of(catch5_review, 'LIKELY'),
    },
}
"""Of both games, and of each."""
