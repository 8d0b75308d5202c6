"""Advice: how a trained network judges the legal moves, from a seat's own information alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from typing_extensions import override

from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_catch5.search.analysis import MoveEstimate, roll_out
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.agents import PolicyAgent, ValueAgent
from rlcard_play.study import protocols
from rlcard_play.study.protocols import Json, State

ADVISOR = 'catch5-ppo'
DEALS = 200  # of the hidden cards, in a rollout analysis
UNLIKELY = 0.1  # share of a move that the network hardly makes


class MoveAdvice(NamedTuple):
    """Judgement of a move."""

    move: str
    share: float | None = None  # probability that the policy makes it, or a move that counts as the same
    points: float | None = None  # by which the mover's team is expected to be ahead at the hand's end, after it
    alike: tuple[str, ...] = ()  # moves that count as the same, whose probabilities are in its share

    @property
    def rank(self) -> float:
        """The larger, the better."""
        return self.share if self.share is not None else self.points or 0.0

    def to_json(self, best: 'MoveAdvice') -> Json:
        """Return the judgement as JSON, graded against the best move's."""
        is_close = self.share is not None and self.share >= UNLIKELY
        grade = 'best' if self.rank == best.rank else 'good' if is_close else 'worse'
        return {**self._asdict(), 'grade': grade}


@dataclass(frozen=True)
class Advice(protocols.Advice[MoveAdvice]):
    """Judgement of a position."""

    points: float  # by which the mover's team is expected to be ahead at the hand's end

    def to_json(self) -> Json:
        """Return the judgement of the position and of its moves as JSON."""
        return {'points': self.points, 'moves': [advice.to_json(self.moves[0]) for advice in self.moves]}


class Advisor(protocols.Advisor):
    """Gives advice by a network: a policy, or a function of values."""

    agent: PolicyAgent | ValueAgent

    @override
    def advise(self, state: State) -> Advice:
        told = self.agent.eval_step(state)[1]
        if isinstance(self.agent, PolicyAgent):
            shares, chosen = self.agent.fold(self.agent.positions_of(state), np.array(list(told['probs'].values())))
            moves = [
                MoveAdvice(
                    move,
                    float(shares[i]),
                    alike=tuple(same for j, same in enumerate(told['probs']) if i == chosen[j] != j),
                )
                for i, move in enumerate(told['probs'])
                if chosen[i] == i
            ]
        else:
            moves = [MoveAdvice(move, points=points) for move, points in told['values'].items()]
        moves.sort(key=lambda advice: -advice.rank)
        return Advice(tuple(moves), told['value'] if 'value' in told else moves[0].rank)

    def look(self, state: State, deals: int = DEALS, seed: int = 0, guess: bool = True) -> list[MoveEstimate]:
        """Return estimates of all legal moves by rollouts; see `rlcard_catch5.search.analysis`."""
        return roll_out(state['raw_obs'], state['raw_legal_actions'], self.agent, deals, seed, guess)

    @override
    def look_at(self, state: State, moves: Sequence[str], seed: int) -> list[MoveEstimate]:
        return roll_out(state['raw_obs'], moves, self.agent, DEALS, seed, guess=True)


def make_advisor(name: str, rules: Rules) -> Advisor:
    """Make an advisor from an agent's name; ConfigError if the agent is not a network."""
    agent = make_agent(name, rules)
    if not isinstance(agent, PolicyAgent | ValueAgent):
        raise ConfigError(f'{name!r} does not judge moves: expected catch5-ppo, ppo:FOLDER or dmc:FOLDER')
    return Advisor(agent, name)
