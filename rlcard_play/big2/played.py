"""Big 2 as the server plays it."""

from pathlib import Path
from typing import Any

from rlcard_big2 import records
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.records import Record
from rlcard_big2.records.codes import CODE
from rlcard_big2.rules import Rules
from rlcard_play.big2.advice import ADVISOR, LEVELS, Advice, Advisor, make_advisor, make_player
from rlcard_play.big2.puzzles import SHIPPED, is_right
from rlcard_play.big2.refusals import refusal
from rlcard_play.big2.review import costliest, open_position, review
from rlcard_play.big2.rule_facts import rule_facts
from rlcard_play.big2.score import Judge
from rlcard_play.big2.seated import SeatedGame
from rlcard_play.big2.views import position_view, seat_view
from rlcard_play.web.played import PlayedGame, parse_seeded


def _deal_code(record: Record) -> str:
    """Return the deal code of a game with all hands known."""
    before = record.before
    played = (0,) * len(record.hands) if before is None else before.played
    return records.deal_code([int(hand or 0) | gone for hand, gone in zip(record.hands, played, strict=True)])


def _find_deal(text: str, rules: Rules) -> Record | None:
    if seeded := parse_seeded(text):
        seed, number = seeded
        return records.from_deals(deals_from_seed(seed, number + 1, rules)[number:], rules)[0]
    return Record(records.hands_of_code(text, rules.players), rules=rules) if CODE.fullmatch(text) else None


def _advice_json(advisor: Advisor, advice: Advice, rules: Rules) -> dict[str, Any]:
    return {'calibrated': advisor.calibration(rules) is not None, 'moves': [move.to_json() for move in advice.moves]}


GAME = PlayedGame(
    title='Big 2',
    seated=SeatedGame,
    rules=Rules,
    default_rules='charlesworth',
    free_rules='hkust',
    agents=(ADVISOR, *LEVELS.values(), 'rule', 'greedy', 'random'),
    static=Path(__file__).with_name('static'),
    make_agent=make_player,
    make_advisor=make_advisor,
    seat_view=seat_view,
    end_view=lambda game: {'hands': [player.current_hand for player in game.env.game.players]},
    position_view=position_view,
    deal_code=_deal_code,
    deal_key=lambda record: '|'.join(record['hands']) if None not in record['hands'] else '',
    find_deal=_find_deal,
    refusal=refusal,
    open_position=open_position,
    review=review,
    worst=costliest,
    advice_json=_advice_json,
    look=lambda advisor, state: advisor.look(state).to_json(),
    plays=lambda name, rules: rules.is_usual_size or not name.startswith('published-ppo:'),
    rule_facts=rule_facts,
    judge=Judge,
    puzzles=SHIPPED,
    is_right=is_right,
)
