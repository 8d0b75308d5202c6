"""Types of every game for study, terminal and server: records, advisors and advice."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from typing_extensions import Self

from rlcard_kit.rollout_analysis import MoveEstimate, Reason
from rlcard_kit.rules import Rulebook

State = dict[str, Any]  # of a seat, as environments return it
Json = dict[str, Any]


class GameRecord(Protocol):
    """A game, or a position if it has not ended; see `Record` of each game."""

    @property
    def rules(self) -> Rulebook:
        """The rules of the game."""

    @property
    def seats(self) -> Sequence[Json] | None:
        """The players."""

    @property
    def payoffs(self) -> Sequence[int] | None:
        """The payoffs of the seats, once the game has ended."""

    @property
    def extra(self) -> Json:
        """All other keys."""

    @property
    def player(self) -> int:
        """The seat to move after the last move."""

    @property
    def moves(self) -> Sequence[int]:
        """The moves as numbers."""

    @property
    def trace(self) -> Sequence[tuple[int, str]]:
        """The moves as (seat, text)."""

    def at(self, ply: int) -> Self:
        """Return the position before a move, counted from 0."""


Record = TypeVar('Record', bound=GameRecord)


class MoveAdvice(Protocol):
    """Judgement of a move."""

    @property
    def move(self) -> str:
        """Its text."""


Move = TypeVar('Move', bound=MoveAdvice, covariant=True)


class Advice(Protocol[Move]):
    """Judgement of a position."""

    @property
    def moves(self) -> Sequence[Move]:
        """Judgements of the moves, the best first."""

    def of(self, move: str) -> Move:
        """Return the judgement of a legal move."""


class Loss(NamedTuple):
    """By how much a move is worse than another in rollouts, with its margin, and why."""

    mean: float
    margin: float
    reason: Reason | None = None

    def to_json(self) -> Json:
        """Return it under the names of rollout analyses."""
        reason = None if self.reason is None else self.reason._asdict()
        return {'behind': self.mean, 'behind_margin': self.margin, 'reason': reason}


class Advisor(ABC):
    """Judges moves by an agent.

    Args:
        agent: judges them.
        name: of the agent.
    """

    def __init__(self, agent: Any, name: str) -> None:
        self.agent = agent
        self.name = name

    @abstractmethod
    def advise(self, state: State) -> Advice[MoveAdvice]:
        """Return advice on a state of the seat to move, from its packed observation and legal moves alone.

        Raises:
            IllegalActionError: if the seat is not to move, or the game is over.
        """

    @abstractmethod
    def look_at(self, state: State, moves: Sequence[str], seed: int) -> Sequence[MoveEstimate]:
        """Return estimates of two moves by rollouts, the better first."""

    def compare(self, state: State, best: str, move: str, seed: int = 0) -> Loss:
        """Return by how much a move is worse than another in rollouts."""
        first, second = self.look_at(state, (best, move), seed)
        mean, margin = second.behind
        return Loss(mean, margin, second.reason) if first.move == best else Loss(-mean, margin)
