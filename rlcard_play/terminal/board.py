"""A game as text in the terminal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rlcard_play.study.played import PlayedGame
from rlcard_play.study.protocols import State
from rlcard_play.study.review import Checked
from rlcard_play.terminal.style import Style


@dataclass(frozen=True, eq=False, kw_only=True)
class Board:
    """Entries, positions, moves and advice of a game; `legal` are the texts of legal moves."""

    game: PlayedGame
    payoffs: str
    """Name of the payoffs."""
    grades: str
    """Name of what rollouts confirm."""
    mistakes: str
    """Name of the confirmed moves that are listed, with {} for the agent that judges them."""
    no_mistakes: str
    """Name of what a person's game lacks who made no such move."""

    find: Callable[[str, list[str]], int | None]
    """Return the index of the legal move that a lower-case entry means, or None; given the entry and `legal`."""
    explain: Callable[[str, State], str]
    """Return why an entry is not a legal move."""
    position: Callable[[Any, State, Style], Iterable[str]]
    """Return the lines of a position as seen by the seat to move, given its record."""
    legal: Callable[[State, Style], Iterable[str]]
    """Return the lines of the legal moves, if `position` lacks them."""
    hint: Callable[[Any, Style], str]
    """Return the line of the best moves, given advice."""
    values: Callable[[Any, Any, Sequence[str], Style], Iterable[str]]
    """Return the lines of the values of the moves, given the advisor, the advice and `legal`."""
    rollouts: Callable[[Any, Sequence[str], Style], Iterable[str]]
    """Return the lines of a rollout analysis, given `legal`."""
    review: Callable[[Any, Style], str]
    """Return the line of a reviewed move."""
    moves: Callable[[Any, Sequence[str], Mapping[int, Any], Checked, Style], Iterable[str]]
    """Return the lines of a record's hands and moves, given names of the seats, reviewed moves by ply, and grades."""
    ending: Callable[[Any], list[str]]
    """Return how a game of a list ended, given its record."""
    caveats: Callable[[Any, str], Iterable[str]] = lambda record, name: ()
    """Return what the advisor of a name does not know of a position."""
