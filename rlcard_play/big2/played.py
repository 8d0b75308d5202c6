"""Big 2 as people play it."""

from collections.abc import Hashable
from pathlib import Path

import numpy as np
from typing_extensions import override

from rlcard_big2 import records
from rlcard_big2.actions import PASS
from rlcard_big2.agents.base import EpsilonAgent
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.records import FORMAT, Record
from rlcard_big2.records.convert import CODE
from rlcard_big2.registry import weights_file
from rlcard_big2.rules import Rules
from rlcard_kit.errors import IllegalActionError, RecordError
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv
from rlcard_play.big2.advice import (
    ADVISOR,
    CLOSE,
    DEALS,
    LEVELS,
    Advice,
    Advisor,
    make_advisor,
    make_player,
    rollout_mark,
)
from rlcard_play.big2.review import graded, open_position, review
from rlcard_play.big2.views import position_view, refusal, rule_facts, seat_view
from rlcard_play.study import score, seated_game
from rlcard_play.study.played import PlayedGame
from rlcard_play.study.protocols import Json, State

PLAYOUTS, EPSILON = 16, 0.05  # of a deal, and the share of random moves in them
LUCK = 0.6  # of what its cards win in these; chosen on deals 0 to 199 of seed 779, `benchmarks.luck` at f2cb7b0


class SeatedGame(seated_game.SeatedGame):
    """A game of Big 2 with its players."""

    records = FORMAT
    weights_file = staticmethod(weights_file)

    @property
    @override
    def is_forced(self) -> bool:
        return self.legal == [PASS]


class Judge(score.Judge[Record]):
    """Scores games of a person by the cards won."""

    advisor: Advisor

    card = BIG2
    records = FORMAT
    make_player = staticmethod(make_player)
    unit = 'cards won per game'

    @override
    def deal_of(self, game: Record) -> Hashable:
        return game.hands if game.before is None and None not in game.hands else None

    @override
    def given_away(self, game: Record, seat: int) -> float | None:
        if self.advisor.calibration(game.rules) is None:
            return None
        moves = [move for move in review(game, self.advisor) if move.seat == seat and move.chosen.gap >= CLOSE]
        return sum((move.best.cards or 0) - (move.chosen.cards or 0) for move in moves)

    @override
    def luck(self, game: Record, seat: int) -> float:
        """Return a share of what copies of the agent win with these cards, in the mean of some games that they play.

        The share makes the variance of payoffs less luck small. The mean of all seats is subtracted: whatever the agent
        and the share, luck is 0 in the mean, since each seat is as likely to hold any of a deal's hands.
        """
        env = VectorEnv(BIG2, game.rules, np.repeat(np.array([game.hands]), PLAYOUTS, axis=0))
        agent = EpsilonAgent(self.advisor.agent, EPSILON)
        agent.prepare(game.rules)
        payoffs = env.new_payoffs()
        table = Table(env, [agent], np.zeros_like(payoffs), new_streams(0, PLAYOUTS)[:, None], ask_forced=False)
        while not env.is_over:
            payoffs = table.turn().payoffs
        return LUCK * float(payoffs[:, seat].mean() - payoffs.mean())


def is_right(puzzle: Record, move: str, advice: Advice) -> bool:
    """Return whether a legal move solves a puzzle: the answer, or a move too close to the best to call.

    Raises:
        RecordError: if the move is not legal.
    """
    try:
        return move == puzzle.extra['best'] or advice.of(move).gap < CLOSE
    except IllegalActionError:
        raise RecordError(f'{move!r} is not legal in this position') from None


def _deal_code(record: Record) -> str:
    """Return the deal code of a game with all hands known."""
    before = record.before
    played = (0,) * len(record.hands) if before is None else before.played
    return records.deal_code([int(hand or 0) | gone for hand, gone in zip(record.hands, played, strict=True)])


def _deal_of_code(code: str, rules: Rules) -> Record | None:
    return Record(records.hands_of_code(code, rules.players), rules=rules) if CODE.fullmatch(code) else None


def _deal_of_seed(seed: int, number: int, rules: Rules) -> Record:
    return records.from_deals(deals_from_seed(seed, number + 1, rules)[number:], rules)[0]


def _advice_json(advisor: Advisor, advice: Advice, rules: Rules) -> Json:
    calibrated = advisor.calibration(rules) is not None
    return {'calibrated': calibrated, 'moves': [move.to_json() for move in advice.moves]}


def _look(advisor: Advisor, state: State, played: str | None, deals: int = DEALS) -> Json:
    look = advisor.look(state, deals, played)
    moves = [{**one.to_json(), 'mark': rollout_mark(look.moves[0], one)} for one in look.moves]
    return {**look.to_json(), 'moves': moves}


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
    deal_of_code=_deal_of_code,
    deal_of_seed=_deal_of_seed,
    refusal=refusal,
    open_position=open_position,
    review=review,
    graded=graded,
    advice_json=_advice_json,
    look=_look,
    plays=lambda name, rules: rules.is_usual_size or not name.startswith('published-ppo:'),
    rule_facts=rule_facts,
    judge=Judge,
    puzzles=Path(__file__).with_name('puzzles.big2.jsonl'),
    is_right=is_right,
)
