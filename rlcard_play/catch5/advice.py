"""Advice: how a trained network judges the legal moves, from a seat's own information alone."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import rlcard

from rlcard_catch5.records import Record
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_catch5.search.analysis import MoveEstimate, roll_out
from rlcard_kit.errors import ConfigError, RecordError
from rlcard_kit.nets.agents import PolicyAgent, ValueAgent
from rlcard_kit.statistics import Estimate

ADVISOR = 'catch5-ppo'
DEALS = 200  # of the hidden cards, in a rollout analysis
ODDEST = 3  # moves of a hand that are listed
UNLIKELY, LIKELY = 0.1, 0.5  # shares: a move that the network hardly makes, and one that it prefers to all others


class MoveAdvice(NamedTuple):
    """Judgement of a move."""

    move: str
    share: float | None = None  # probability that the policy makes it
    points: float | None = None  # by which the own team is expected to be ahead at the hand's end, after it

    @property
    def rank(self) -> float:
        """The larger, the better."""
        return self.share if self.share is not None else self.points or 0.0

    def to_json(self, best: 'MoveAdvice') -> dict[str, Any]:
        """Return the judgement as JSON, graded against the best move's."""
        is_close = self.share is not None and self.share >= UNLIKELY
        grade = 'best' if self.rank == best.rank else 'good' if is_close else 'worse'
        return {**self._asdict(), 'alike': (), 'grade': grade}


class Advice(NamedTuple):
    """Judgement of a position."""

    moves: tuple[MoveAdvice, ...]  # best first
    points: float  # by which the own team is expected to be ahead at the hand's end

    def of(self, move: str) -> MoveAdvice:
        """Return the judgement of a legal move."""
        return next(one for one in self.moves if one.move == move)

    def to_json(self) -> dict[str, Any]:
        """Return the judgement of the position and of its moves as JSON."""
        return {'points': self.points, 'moves': [one.to_json(self.moves[0]) for one in self.moves]}


class Advisor:
    """Gives advice by a network.

    Args:
        agent: a policy, or a function of values.
        name: of the agent.
    """

    def __init__(self, agent: PolicyAgent | ValueAgent, name: str = ADVISOR) -> None:
        self.agent = agent
        self.name = name

    def advise(self, state: dict[str, Any]) -> Advice:
        """Return advice on a state of `rlcard.make('catch5')`, using only its packed observation and legal moves.

        Raises:
            IllegalActionError: if the seat is not to move, or the hand is over.
        """
        told = self.agent.eval_step(state)[1]
        if 'values' in told:
            moves = [MoveAdvice(move, points=points) for move, points in told['values'].items()]
        else:
            moves = [MoveAdvice(move, share) for move, share in told['probs'].items()]
        moves.sort(key=lambda one: -one.rank)
        return Advice(tuple(moves), told['value'] if 'value' in told else moves[0].rank)

    def look(self, state: dict[str, Any], deals: int = DEALS, seed: int = 0, guess: bool = True) -> list[MoveEstimate]:
        """Return estimates of all legal moves by rollouts; see `rlcard_catch5.search.analysis`."""
        return roll_out(state['raw_obs'], state['raw_legal_actions'], self.agent, deals, seed, guess)

    def compare(self, state: dict[str, Any], best: str, move: str, seed: int = 0) -> Estimate:
        """Return by how many points a move is worse than another in rollouts."""
        first, second = roll_out(state['raw_obs'], (best, move), self.agent, DEALS, seed, guess=True)
        return second.behind if first.move == best else Estimate(-second.behind.mean, second.behind.margin)


def make_advisor(name: str, rules: Rules) -> Advisor:
    """Make an advisor from an agent's name; ConfigError if the agent is not a network."""
    agent = make_agent(name, rules)
    if not isinstance(agent, PolicyAgent | ValueAgent):
        raise ConfigError(f'{name!r} does not judge moves: expected catch5-ppo, ppo:FOLDER or dmc:FOLDER')
    return Advisor(agent, name)


class ReviewedMove(NamedTuple):
    """A move chosen among at least two legal ones, with the advice for that position."""

    ply: int  # counted from 0
    seat: int
    move: str  # the chosen one
    advice: Advice

    @property
    def chosen(self) -> MoveAdvice:
        """The judgement of the chosen move."""
        return self.advice.of(self.move)

    @property
    def best(self) -> MoveAdvice:
        """The judgement of the best move."""
        return self.advice.moves[0]

    @property
    def is_odd(self) -> bool:
        """Whether the policy clearly prefers another move."""
        return (self.chosen.share or 0) < UNLIKELY and (self.best.share or 0) > LIKELY

    def to_json(self) -> dict[str, Any]:
        """Return the chosen move, the best one, and their judgements as JSON."""
        chosen, best = self.chosen, self.best
        return {
            'ply': self.ply,
            'seat': self.seat,
            'move': self.move,
            'best': best.move,
            'share': chosen.share,
            'best_share': best.share,
            'points': self.advice.points,
            'mark': 'odd' if self.is_odd else '',
        }


def review(record: Record, advisor: Advisor) -> Iterator[ReviewedMove]:
    """Yield every decision of a record, judged by the information of its seat."""
    env = rlcard.make('catch5', config={'seed': 0, 'game_rules': record.rules})
    state, _ = env.reset(position=record.at(0))
    for ply, (seat, move) in enumerate(record.trace):
        if len(state['raw_legal_actions']) > 1:
            yield ReviewedMove(ply, seat, move, advisor.advise(state))
        state, _ = env.step(move, raw_action=True)


def oddest(moves: Iterable[ReviewedMove], count: int | None = ODDEST) -> list[ReviewedMove]:
    """Return the moves that the policy would hardly have made, the least likely first; None stands for all."""
    return sorted((one for one in moves if one.is_odd), key=lambda one: one.chosen.rank)[:count]


def open_position(record: Record) -> dict[str, Any]:
    """Return the RLCard state of the seat to move in the last position of a record; RecordError if it has ended."""
    if record.payoffs is not None:
        raise RecordError(f'the hand is over: choose an earlier position, from ply 0 to {len(record.moves) - 1}')
    env = rlcard.make('catch5', config={'seed': 0, 'game_rules': record.rules})
    state: dict[str, Any] = env.reset(position=record)[0]
    return state
