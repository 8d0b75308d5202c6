"""What a card game offers to be played in lock step."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.rng import Streams

Records = NDArray[Any]  # [N] of `CardGame.record`
RuleTables = NDArray[Any]  # [1], rules as the game's kernels read them
Deals = NDArray[Any]  # [D] of `CardGame.deal`


class CardGame(Protocol):
    """A game's names, sizes and kernels.

    What a table, a match, a trainer or a report has to know of a game is here. A move is one int64, and its meaning is
    the game's own: Big 2 has masks of cards, Catch Five action ids. Kernels work on arrays of N games.
    """

    name: str
    num_seats: int
    teams: tuple[tuple[int, ...], ...]
    """The seats that win together; each seat is a team of its own if there are no partners."""
    opponents: tuple[str, ...]
    """The other seats as a seat sees them, in the order of play: 'next', ..., 'previous'."""
    record: np.dtype[Any]
    """The state of one game."""
    observation: np.dtype[Any]
    """What a seat sees of it."""
    deal: np.dtype[Any]
    """What chance decides before the first move; kernels may draw what it decides later from a word in it."""
    max_legal: int
    """The most moves that can be legal at once."""
    max_plies: int
    """The most moves that a game can take."""
    figures: tuple[str, ...]
    """What a match reports of a seat beside its payoff, see `measure`."""

    def rules(self, rules: Any) -> Any:
        """Return rules, given as such or by a preset's name; the game's error lists the names."""
        ...

    def tabulate(self, rules: Any) -> RuleTables:
        """Return rules as kernels read them."""
        ...

    def shuffle(self, random: Streams, out: Deals) -> None:
        """Write a random deal from each stream, uint64 [D], into `out`, [D] of `deal`."""
        ...

    def start(self, table: RuleTables, games: Records, deals: Deals) -> None:
        """Start game i with deal i, both [N]."""
        ...

    def deal_anew(self, table: RuleTables, games: Records, where: Int64Array, random: Streams) -> None:
        """Deal and start the games at indices `where`, int64 [K], each from its own stream in `random`, uint64 [N]."""
        ...

    def seats_to_move(self, games: Records) -> Int64Array:
        """Return the seat to move in each game, int64 [N]."""
        ...

    def are_over(self, games: Records) -> BoolArray:
        """Tell which games are over, bool [N]."""
        ...

    def observe(self, table: RuleTables, games: Records, seats: Int64Array, out: NDArray[Any]) -> None:
        """Write what seat `seats[i]` sees of game i into `out`, [N] of `observation`."""
        ...

    def list_legal(self, table: RuleTables, games: Records, moves: Int64Array, offsets: Int64Array) -> int:
        """Write the legal moves of all games as `Positions` has them; none in games that are over.

        Args:
            table: the rules.
            games: [N].
            moves: int64 [N * max_legal], receives the moves.
            offsets: int64 [N + 1], receives the index at which each game's moves begin.

        Returns:
            The number of moves written.
        """
        ...

    def find_illegal(self, table: RuleTables, games: Records, moves: Int64Array) -> int:
        """Return the first game whose move, of int64 [N], is not legal; -1 if all are."""
        ...

    def play(self, table: RuleTables, games: Records, moves: Int64Array) -> None:
        """Make one legal move, of int64 [N], in each game that is not over."""
        ...

    def settle(self, table: RuleTables, games: Records, payoffs: Int64Array) -> None:
        """Write every seat's payoff into `payoffs`, int64 [N, seats]; zeros until a game ends."""
        ...

    def text(self, move: int, rules: Any) -> str:
        """Return a move as text."""
        ...

    def seatings(self, agent: int, field: int) -> Int64Array:
        """Return the seatings of a match of one agent against a field, int64 [G, seats], by their numbers."""
        ...

    def wins(self, payoffs: Int64Array) -> BoolArray:
        """Tell which seats have won, bool [..., seats], by the payoffs of a game, int64 [..., seats]."""
        ...

    def won_from(self, own: Int64Array, others: Int64Array) -> Int64Array | None:
        """Return what a seat won from each other one, or None if payoffs do not say.

        Args:
            own: its payoffs, int64 [...].
            others: those of `opponents`, int64 [..., seats - 1].
        """
        ...

    def measure(self, games: Records) -> Int64Array:
        """Return the `figures` of finished games by seat, int64 [N, seats, figures]."""
        ...
