"""Advice for a seat: what each legal move is worth to it, as far as that can be told from noise.

Played out, second-best moves whose values were less than 1.5 below the best one's lost 0.4 cards on average
(`python -m benchmarks.second_best`). That is too little to tell of a single one: they are close, and never mistakes.
"""

from typing import Any, NamedTuple

import numpy as np

from rlcard_big2.models import posterior_beliefs
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.notation import kind_name
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import Rules
from rlcard_big2.search.analysis import Look, look
from rlcard_kit.errors import ConfigError, IllegalActionError
from rlcard_kit.nets.calibration import Calibration

EQUAL, CLOSE = 0.25, 1.5  # gaps between raw values below which moves are equal, or cannot be told apart
MARKS = ((0.20, 'blunder'), (0.10, 'mistake'), (0.05, 'doubtful'))  # by the loss of win chance, from which on
ADVISOR = 'big2-dmc'
DEALS, LOOKED_AT = 200, 5  # of a deep look: deals of the hidden cards, and moves


class MoveAdvice(NamedTuple):
    """What a move is worth."""

    move: str  # as in `raw_legal_actions`
    kind: str  # of `rlcard_big2.notation.KIND_NAMES`
    alike: tuple[str, ...]  # moves of the same kind and ranks that are worth the same
    gap: float  # between its raw value and the best one's
    grade: str  # 'best', 'close' or 'worse'
    win: float | None  # chance of winning; None if values are not calibrated
    cards: float | None  # expected payoff, likewise
    lost: float | None  # chance of winning that it gives away, likewise
    mark: str  # '', 'doubtful', 'mistake' or 'blunder'

    def to_json(self) -> dict[str, Any]:
        """Return it by name, without the gap of raw values, which says nothing to people."""
        return {name: value for name, value in self._asdict().items() if name != 'gap'}


class Advice(NamedTuple):
    """What all legal moves of a position are worth, the best first."""

    moves: tuple[MoveAdvice, ...]

    def of(self, move: str) -> MoveAdvice:
        """Return the advice on a legal move, by its text; IllegalActionError for another one."""
        for advice in self.moves:
            if move == advice.move or move in advice.alike:
                return advice
        legal = ', '.join(advice.move for advice in self.moves)
        raise IllegalActionError(f'{move!r} is not legal here: choose one of {legal:.400}')


class Advisor:
    """Gives advice by an agent's values.

    Args:
        agent: that says values.
        name: of the agent.
    """

    def __init__(self, agent: DMCAgent, name: str = ADVISOR) -> None:
        self.agent = agent
        self.name = name

    def calibration(self, rules: Rules) -> Calibration | None:
        """Return what the agent's values mean under these rules, if that is known."""
        return self.agent.calibration(rules)

    def advise(self, state: dict[str, Any]) -> Advice:
        """Return advice on a state of `rlcard.make('big2')`: on its packed observation and legal moves alone.

        Raises:
            IllegalActionError: if the seat is not to move, or the game is over.
        """
        values = self.agent.evaluate(self.agent.positions_of(state))[0].astype(np.float64)
        rules: Rules = state['raw_obs']['rules']
        order = np.argsort(-values, kind='stable')
        texts: list[str] = [state['raw_legal_actions'][i] for i in order]
        folded = _fold(texts, values[order].tolist(), rules)
        grader = _Grader(float(values.max()), self.calibration(rules), rules)
        return Advice(tuple(grader.grade(value, moves) for value, moves in folded))

    def look(self, state: dict[str, Any], deals: int = DEALS, played: str | None = None) -> Look:
        """Play a position on from its best moves, in many deals of the hidden cards; see `rlcard_big2.search.analysis`.

        They are guessed from the opponents' last moves.

        Args:
            state: as `advise` takes it.
            deals: of the hidden cards.
            played: a legal move to look at beside the best ones, by its text.
        """
        advice = self.advise(state)
        moves = [one.move for one in advice.moves[:LOOKED_AT]]
        also = [] if played is None else [advice.of(played).move]
        named = list(dict.fromkeys(moves + also))
        return look(state, self.agent, deals=deals, moves=named, beliefs=posterior_beliefs(self.agent))


def _fold(texts: list[str], values: list[float], rules: Rules) -> list[tuple[float, list[str]]]:
    """Join moves of the same kind and ranks whose values are equal; the best of each comes first."""
    folded: list[tuple[float, list[str]]] = []
    newest: dict[tuple[str, ...], int] = {}
    for text, value in zip(texts, values, strict=True):
        ranks = (kind_name(text, rules), *(card[0] for card in text.split()))
        i = newest.get(ranks)
        if i is not None and folded[i][0] - value < EQUAL:
            folded[i][1].append(text)
        else:
            newest[ranks] = len(folded)
            folded.append((value, [text]))
    return folded


class _Grader(NamedTuple):
    """Grades moves beside the best one."""

    best: float  # raw value of the best move
    calibration: Calibration | None
    rules: Rules

    def grade(self, value: float, moves: list[str]) -> MoveAdvice:
        gap = self.best - value
        grade = 'best' if gap < EQUAL else 'close' if gap < CLOSE else 'worse'
        what = (moves[0], kind_name(moves[0], self.rules), tuple(moves[1:]), gap, grade)
        if self.calibration is None:
            return MoveAdvice(*what, None, None, None, '')
        highest, win = self.calibration.win_chance([self.best, value]).tolist()
        cards = float(self.calibration.expected_cards([value])[0])
        lost = highest - win
        return MoveAdvice(*what, win, cards, lost, mark(gap, lost))


def mark(gap: float, lost: float) -> str:
    """Return what a move is called, given its gap to the best raw value and the win chance that it gives away."""
    if gap < CLOSE:
        return ''
    return next((name for least, name in MARKS if lost >= least), '')


def make_player(name: str, rules: Rules) -> Any:
    """Make an agent by name, as `rlcard_big2.make_agent` does, without torch if it can do without."""
    return make_agent(name, rules, light=True)


def make_advisor(name: str, rules: Rules) -> Advisor:
    """Make the advisor that an agent's name means; ConfigError if the agent does not say values of moves."""
    agent = make_player(name, rules)
    if not isinstance(agent, DMCAgent):
        raise ConfigError(f'{name!r} does not say what moves are worth: expected big2-dmc or dmc:FOLDER')
    return Advisor(agent, name)
