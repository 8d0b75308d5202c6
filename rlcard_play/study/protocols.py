"""Protocols of every game for study, terminal and server: records, advisors and advice."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from typing_extensions import Self

from rlcard_kit.rules import Rulebook
from rlcard_kit.statistics import Estimate

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


class Player(Protocol):
    """An agent as RLCard knows it."""

    use_raw: bool
    """Whether its actions are texts."""

    def eval_step(self, state: State) -> tuple[Any, Json]:
        """Return its action in a state, and what it says of it."""


class Advisor(Protocol):
    """An agent that judges moves."""

    @property
    def name(self) -> str:
        """The agent's name."""

    @property
    def agent(self) -> Player:
        """The agent."""

    def advise(self, state: State) -> Advice[MoveAdvice]:
        """Return advice on a state of the seat to move."""

    def compare(self, state: State, best: str, move: str) -> Estimate:
        """Return by how much a move is worse than another in rollouts."""
