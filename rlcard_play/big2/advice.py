"""Advice: the estimated value of each legal move, graded only where the difference exceeds the noise.

Second-best moves with values less than 1.5 below the best one lost 0.4 cards on average when the games were played on
(docs/play.md). That is too little to judge a single move, so these moves are graded 'good', and are never mistakes.
"""

from collections.abc import Mapping, Sequence
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np
from typing_extensions import override

from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.notation import kind_name
from rlcard_big2.records import moves_of
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import Rules
from rlcard_big2.search.analysis import MoveEstimate, RolloutAnalysis, analyse_moves
from rlcard_big2.search.forced_wins import forced_wins
from rlcard_big2.search.zoo import posterior_beliefs
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.calibration import Calibration
from rlcard_play.study import protocols
from rlcard_play.study.protocols import Json, State
from rlcard_play.study.review import is_clear

EQUAL, CLOSE = 0.25, 1.5  # gaps between raw values below which moves are equal, or too close to call
MARKS = ((0.20, 'blunder'), (0.10, 'mistake'), (0.05, 'inaccuracy'))  # least loss of win probability of each
ADVISOR = 'big2-dmc'
LEVELS = {  # of the page and the terminal
    'easy': 'rule,epsilon=0.15',
    'medium': 'rule,epsilon=0.02',
    'hard': f'{ADVISOR},epsilon=0.06',
    'expert': f'search:{ADVISOR},worlds=96',
}
DEALS, LOOKED_AT = 200, 5  # of a rollout analysis: deals of the hidden cards, and moves
COMPARED = 100  # deals in which a move is compared with the best one


class MoveAdvice(NamedTuple):
    """Estimated value of a move."""

    move: str  # as in `raw_legal_actions`
    kind: str  # of `rlcard_big2.notation.KIND_NAMES`
    alike: tuple[str, ...]  # moves of the same kind and ranks with an equal value
    gap: float  # raw value of the best move minus its own
    grade: str  # 'certain' if it wins whatever the opponents hold, 'best', 'good' or 'worse'
    win: float | None  # win probability; None if values are not calibrated
    cards: float | None  # expected payoff, likewise
    lost: float | None  # loss of win probability against the best move, likewise
    mark: str  # '', 'inaccuracy', 'mistake' or 'blunder'

    def to_json(self) -> Json:
        """Return the advice as JSON, without the gap of raw values, which has no unit."""
        return {name: value for name, value in self._asdict().items() if name != 'gap'}


Advice = protocols.Advice[MoveAdvice]


class Advisor(protocols.Advisor):
    """Gives advice from the values of an agent, by default `big2-dmc`."""

    agent: DMCAgent

    def calibration(self, rules: Rules) -> Calibration | None:
        """Return the calibration of the agent's values under these rules, or None."""
        return self.agent.calibration(rules)

    @override
    def advise(self, state: State) -> Advice:
        rules: Rules = state['raw_obs']['rules']
        positions = self.agent.positions_of(state)
        values = self.agent.evaluate(positions)[0].astype(np.float64)
        wins, payoffs = forced_wins(rules, positions)
        order, best = np.lexsort((-values, ~wins)), float(values.max())
        values[wins] = best
        texts: list[str] = [state['raw_legal_actions'][i] for i in order]
        certain = {text: payoff for text, payoff, wins in zip(texts, payoffs[order], wins[order], strict=True) if wins}
        folded = _fold(texts, values[order].tolist(), rules, certain)
        calibration = self.calibration(rules)
        return Advice(tuple(_grade(best, value, moves, rules, calibration, certain) for value, moves in folded))

    def look(self, state: State, deals: int = DEALS, played: str | None = None, seed: int = 0) -> RolloutAnalysis:
        """Estimate the best moves by rollouts over sampled deals; see `rlcard_big2.search.analysis`.

        The deals are sampled from beliefs, given the opponents' moves.

        Args:
            state: as in `advise`.
            deals: number of sampled deals.
            played: a legal move to include besides the best ones, as text.
            seed: of the deals.
        """
        advice = self.advise(state)
        moves = [judged.move for judged in advice.moves[:LOOKED_AT]]
        also = [] if played is None else [advice.of(played).move]
        return self._roll_out(state, deals, list(dict.fromkeys(moves + also)), seed)

    @override
    def look_at(self, state: State, moves: Sequence[str], seed: int) -> Sequence[MoveEstimate]:
        return self._roll_out(state, COMPARED, moves, seed).moves

    def _roll_out(self, state: State, deals: int, moves: Sequence[str], seed: int) -> RolloutAnalysis:
        seen = state['raw_obs']
        beliefs = posterior_beliefs(self.agent, trace=moves_of(seen['trace'], seen['rules']))
        return analyse_moves(state, self.agent, deals=deals, moves=moves, seed=seed, beliefs=beliefs)


def _fold(
    texts: list[str], values: list[float], rules: Rules, certain: Mapping[str, float]
) -> list[tuple[float, list[str]]]:
    """Group moves of the same kind and ranks with equal values, best first, apart from moves that certainly win."""
    folded: list[tuple[float, list[str]]] = []
    newest: dict[tuple[object, ...], int] = {}
    for text, value in zip(texts, values, strict=True):
        ranks = (text in certain, kind_name(text, rules), *(card[0] for card in text.split()))
        i = newest.get(ranks)
        if i is not None and folded[i][0] - value < EQUAL:
            folded[i][1].append(text)
        else:
            newest[ranks] = len(folded)
            folded.append((value, [text]))
    return folded


def _grade(
    best: float,
    value: float,
    moves: list[str],
    rules: Rules,
    calibration: Calibration | None,
    certain: Mapping[str, float],
) -> MoveAdvice:
    """Grade equal moves, given the raw values of the best move and theirs, and the payoffs of certain wins."""
    gap = best - value
    is_certain = moves[0] in certain
    grade = 'certain' if is_certain else 'best' if gap < EQUAL else 'good' if gap < CLOSE else 'worse'
    known = (moves[0], kind_name(moves[0], rules), tuple(moves[1:]), gap, grade)
    if calibration is None:
        return MoveAdvice(*known, None, None, None, '')
    highest, win = calibration.win_chance([best, value]).tolist()
    cards = float(calibration.expected_cards([value])[0])
    if is_certain:
        win, cards = 1.0, certain[moves[0]] if isfinite(certain[moves[0]]) else cards
    lost = (1.0 if certain else highest) - win
    return MoveAdvice(*known, win, cards, lost, mark(gap, lost))


def mark(gap: float, lost: float) -> str:
    """Return the mark of a move, given its gap to the best raw value and its loss of win probability."""
    if gap < CLOSE:
        return ''
    return next((name for least, name in MARKS if lost >= least), '')


def rollout_mark(best: MoveEstimate, one: MoveEstimate) -> str:
    """Return the mark of a move by rollouts, if they find it clearly worse than the best one."""
    return mark(inf if is_clear(one.behind) else 0.0, best.win - one.win)


def make_player(name: str, rules: Rules) -> Any:
    """Make an agent by name, as `rlcard_big2.make_agent` does, without torch where possible."""
    return make_agent(name, rules, light=True)


def make_advisor(name: str, rules: Rules) -> Advisor:
    """Make an advisor from an agent's name; ConfigError if the agent does not estimate values of moves."""
    agent = make_agent(name, rules, light=True)
    if not isinstance(agent, DMCAgent):
        raise ConfigError(f'{name!r} does not estimate the values of moves: expected big2-dmc or dmc:FOLDER')
    return Advisor(agent, name)
