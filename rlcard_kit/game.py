"""Description of a card game for the vectorised core."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.rng import Streams

States = NDArray[Any]  # [N] of `CardGame.state`
Observations = NDArray[Any]  # [N] of `CardGame.observation`
RuleTables = NDArray[Any]  # [1], rules in the form that kernels read
Deals = NDArray[Any]  # [D] of `CardGame.deal`


def current_player(games: States) -> Int64Array:
    """Return the field 'player' of each game, int64 [N]."""
    return games['player'].astype(np.int64)


@dataclass(frozen=True, eq=False, kw_only=True)
class CardGame:
    """A game's name, sizes, dtypes and kernels, for tables, matches, trainers and reports.

    A move is one int64 whose meaning is the game's own: Big 2 has masks of cards, Catch Five action ids. Kernels work
    on N games at once, compiled or not.
    """

    name: str
    """Of its environment in RLCard."""
    num_seats: int
    teams: tuple[tuple[int, ...], ...]
    """The seats of each team; each seat is a team of its own if there are no partners."""
    opponents: tuple[str, ...]
    """Names of the other seats relative to a seat, in the order of play: 'next', ..., 'previous'."""
    state: np.dtype[Any]
    """Of one game."""
    observation: np.dtype[Any]
    """Of one seat's view of a game."""
    deal: np.dtype[Any]
    """Of the chance events before the first move; it may hold a seed for later ones."""
    max_legal: int
    """Largest number of legal moves at once."""
    max_plies: int
    """Largest number of moves in a game."""
    figures: tuple[str, ...]
    """Names of the statistics of a seat that `measure` returns."""

    find_rules: Callable[[Any], Any]
    """Return rules, given as such or by a preset's name; ConfigError or RulesError otherwise."""
    tabulate: Callable[[Any], RuleTables]
    """Return rules in the form that kernels read."""
    shuffle: Callable[[Streams, Deals], None]
    """Write a random deal from each stream, uint64 [D], into the second argument, [D] of `deal`."""
    init: Callable[[States, Deals], None]
    """Start game i with deal i, both [N]."""
    reset: Callable[[States, Int64Array, Streams], None]
    """Deal and start the games at some indices, int64 [K], each from its own stream, uint64 [N]."""
    current_player: Callable[[States], Int64Array] = current_player
    """Return the seat to move in each game, int64 [N]."""
    is_terminal: Callable[[States], BoolArray]
    """Return whether each game is over, bool [N]."""
    observe: Callable[[RuleTables, States, Int64Array, Observations], None]
    """Write the observation of one seat of each game, int64 [N], into the last argument."""
    legal_actions: Callable[[RuleTables, States, Int64Array, Int64Array], int]
    """Write the legal moves of all games; return their number.

    Game i's are moves[offsets[i]:offsets[i + 1]] of the last two arguments, int64 [N * max_legal] and int64 [N + 1],
    as in `Positions`; a game that is over has none.
    """
    find_illegal: Callable[[RuleTables, States, Int64Array], int]
    """Return the index of the first game whose move, of int64 [N], is not legal; -1 if all are."""
    step: Callable[[RuleTables, States, Int64Array], None]
    """Make one legal move, of int64 [N], in each game that is not over."""
    rewards: Callable[[RuleTables, States, Int64Array], None]
    """Write every seat's payoff into int64 [N, seats]; zeros until a game ends."""

    text: Callable[[int, Any], str]
    """Return a move as text, under some rules."""
    seatings: Callable[[int, int], Int64Array]
    """Return the seatings of a match of one agent against a field, int64 [G, seats], given their two numbers."""
    wins: Callable[[Int64Array], BoolArray]
    """Return whether each seat has won, bool [..., seats], given the payoffs of a game, int64 [..., seats]."""
    won_from: Callable[[Int64Array, Int64Array], Float64Array] | None = None
    """Return the amounts won from each of `opponents`, float64 [..., seats - 1], given a seat's payoff, int64 [...],
    and theirs, int64 [..., seats - 1]. None if payoffs do not determine them."""
    measure: Callable[[States], Int64Array]
    """Return the `figures` of finished games by seat, int64 [N, seats, figures]."""
    size_for: Callable[[Any], 'CardGame'] | None = None
    """Return this game in the size that some rules need, if sizes differ; see `for_rules`."""

    def for_rules(self, rules: Any) -> 'CardGame':
        """Return this game with the seats and cards of some rules: most games have one size alone."""
        return self if self.size_for is None else self.size_for(rules)

    def __deepcopy__(self, memo: dict[int, Any]) -> 'CardGame':
        """Return itself, since it never changes: a copy of a state that holds it needs no copies of its kernels."""
        return self
