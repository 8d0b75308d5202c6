"""Catch Five as people play it."""

import json
import re
from collections.abc import Hashable, Sequence
from pathlib import Path
from string import ascii_letters

from typing_extensions import override

from rlcard_catch5.deals import WORD
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.state import DEALT, NUM_PLAYERS, NUM_TEAMS
from rlcard_catch5.records import FORMAT, Record, from_deal
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_kit.duplicate.deals import deal_from_seed
from rlcard_play.catch5.advice import ADVISOR, DEALS, Advisor, make_advisor
from rlcard_play.catch5.puzzles import SHIPPED, is_right
from rlcard_play.catch5.review import oddest, open_position, review
from rlcard_play.catch5.seated import SeatedGame
from rlcard_play.catch5.views import end_view, position_view, refusal, rule_facts, seat_view
from rlcard_play.study import score
from rlcard_play.study.played import PlayedGame
from rlcard_play.study.protocols import Json, State

LEVELS = ('rule,epsilon=0.12', 'rule', f'{ADVISOR},epsilon=0.05', f'search:{ADVISOR},worlds=128')  # the page's
CODE = re.compile(rf'([0-3])-([A-Za-z]{{{NUM_PLAYERS * DEALT}}})(?:-({WORD.pattern}))?')


class Judge(score.Judge[Record]):
    """Scores hands of a person by the lead in points of the person's team."""

    card = CATCH5
    records = FORMAT
    make_player = staticmethod(make_agent)
    unit = 'points ahead per hand'

    @override
    def against(self, others: Sequence[str]) -> str:
        following, partner, previous = others
        return f'with {partner} against {following} and {previous}'

    @override
    def deal_of(self, game: Record) -> Hashable:
        return (game.deal['dealer'], *map(tuple, game.deal['hands']))

    @override
    def payoff(self, payoffs: Sequence[int], seat: int) -> int:
        team = seat % NUM_TEAMS
        return int(payoffs[team] - payoffs[1 - team])


def _deal_code(record: Record) -> str:
    """Return the dealer, the cards of each seat as letters, and the word of the refill if it is known."""
    hands = (ascii_letters[card] for hand in record.deal['hands'] for card in hand)
    return '-'.join([str(record.deal['dealer']), ''.join(hands), *filter(None, [record.deal.get('word')])])


def _deal_of_seed(seed: int, number: int, rules: Rules) -> Record:
    return from_deal(deal_from_seed(CATCH5, seed, number + 1)[number:], [], rules)


def _deal_of_code(text: str, rules: Rules) -> Record | None:
    code = CODE.fullmatch(text)
    if code is None:
        return None
    cards = [ascii_letters.index(letter) for letter in code[2]]
    hands = [cards[i : i + DEALT] for i in range(0, len(cards), DEALT)]
    return Record({'dealer': int(code[1]), 'hands': hands, 'word': code[3]}, rules=rules)


def _look(advisor: Advisor, state: State, played: str | None, deals: int = DEALS) -> Json:
    return {'deals': deals, 'guessed': True, 'moves': [move.to_json() for move in advisor.look(state, deals)]}


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
    deal_of_code=_deal_of_code,
    deal_of_seed=_deal_of_seed,
    refusal=refusal,
    open_position=open_position,
    review=review,
    graded=oddest,
    advice_json=lambda advisor, advice, rules: {'calibrated': True, **advice.to_json()},
    rule_facts=rule_facts,
    look=_look,
    judge=Judge,
    puzzles=SHIPPED,
    is_right=lambda puzzle, move, advice: is_right(puzzle, move),
)
