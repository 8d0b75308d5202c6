"""Catch Five as the server plays it."""

import json
import re
from pathlib import Path
from string import ascii_letters

from rlcard_catch5.deals import WORD
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.state import DEALT, NUM_PLAYERS
from rlcard_catch5.records import Record, from_deal
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_kit.duplicate.deals import deal_from_seed
from rlcard_play.catch5.advice import ADVISOR, DEALS, make_advisor, oddest, open_position, review
from rlcard_play.catch5.puzzles import SHIPPED, is_right
from rlcard_play.catch5.refusals import refusal
from rlcard_play.catch5.rule_facts import rule_facts
from rlcard_play.catch5.score import Judge
from rlcard_play.catch5.seated import SeatedGame
from rlcard_play.catch5.views import end_view, position_view, seat_view
from rlcard_play.web.played import PlayedGame, parse_seeded

LEVELS = ('rule,epsilon=0.12', 'rule', f'{ADVISOR},epsilon=0.05', f'search:{ADVISOR},worlds=128')  # the page's
CODE = re.compile(rf'([0-3])-([A-Za-z]{{{NUM_PLAYERS * DEALT}}})(?:-({WORD.pattern}))?')


def _deal_code(record: Record) -> str:
    """Return the dealer, the cards of each seat as letters, and the word of the refill if it is known."""
    hands = (ascii_letters[card] for hand in record.deal['hands'] for card in hand)
    return '-'.join([str(record.deal['dealer']), ''.join(hands), *filter(None, [record.deal.get('word')])])


def _find_deal(text: str, rules: Rules) -> Record | None:
    if seeded := parse_seeded(text):
        seed, number = seeded
        return from_deal(deal_from_seed(CATCH5, seed, number + 1)[number:], [], rules)
    code = CODE.fullmatch(text)
    if code is None:
        return None
    cards = [ascii_letters.index(letter) for letter in code[2]]
    hands = [cards[i : i + DEALT] for i in range(0, len(cards), DEALT)]
    return Record({'dealer': int(code[1]), 'hands': hands, 'word': code[3]}, rules=rules)


GAME = PlayedGame(
    title='Catch Five',
    seated=SeatedGame,
    rules=Rules,
    default_rules='paper',
    free_rules='paper',
    agents=(ADVISOR, *LEVELS, 'random'),
    static=Path(__file__).with_name('static'),
    make_agent=make_agent,
    make_advisor=make_advisor,
    seat_view=seat_view,
    end_view=end_view,
    position_view=position_view,
    deal_code=_deal_code,
    deal_key=lambda record: json.dumps([record['deal'][name] for name in ('dealer', 'hands')]),
    find_deal=_find_deal,
    refusal=refusal,
    open_position=open_position,
    review=review,
    worst=oddest,
    advice_json=lambda advisor, advice, rules: {'calibrated': True, **advice.to_json()},
    rule_facts=rule_facts,
    look=lambda advisor, state: {
        'deals': DEALS,
        'guessed': True,
        'moves': [one.to_json() for one in advisor.look(state)],
    },
    judge=Judge,
    puzzles=SHIPPED,
    is_right=lambda puzzle, move, advice: is_right(puzzle, move),
)
