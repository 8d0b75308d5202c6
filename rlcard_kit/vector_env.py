"""N games, stepped together."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.agents import Positions
from rlcard_kit.arrays import BOOL, INT64, BoolArray, Int64Array, check_array, check_buffer
from rlcard_kit.errors import IllegalActionError, check_whole
from rlcard_kit.game import CardGame, Deals
from rlcard_kit.rng import Streams, new_streams

MOST_GAMES = 1 << 20  # whose legal moves take 14 GB in Big 2


def deal_streams(num_games: int, seed: int | None = None) -> Streams:
    """Return the streams of N endless games, uint64 [N]; ConfigError if a number is out of bounds.

    Args:
        num_games: N, at most `MOST_GAMES`.
        seed: of all deals, a whole number; None takes one from the operating system.
    """
    check_whole('num_games', num_games, 1, MOST_GAMES)
    if seed is not None:
        check_whole('seed', seed, 0)
    return new_streams(seed, int(num_games))


class VectorEnv:
    """Steps N games at once.

    Every method writes into arrays of the caller's, which `new_observations` and its siblings allocate. One that does
    not fit raises ArrayError, before anything changes.

    Args:
        game: to play; `VectorEnv.game` has the size of the rules.
        rules: to play by, as `game.find_rules` accepts them.
        deals: to play, [N] of `game.deal`; a game that ends stays over. Or streams, uint64 [N], to draw deals from;
            games are then endless: one that ends is dealt again. Game i depends on its own stream alone.
    """

    def __init__(self, game: CardGame, rules: Any, deals: Deals | Streams) -> None:
        self.rules = game.find_rules(rules)
        self.game = game = game.for_rules(self.rules)
        self.num_games = len(deals)
        self.games = np.zeros(self.num_games, game.state)
        self.is_endless = deals.dtype == np.uint64
        self.streams: Streams = deals if self.is_endless else np.empty(0, np.uint64)  # of the deals to come
        base, shape = (deals.dtype, ()) if self.is_endless else game.deal.subdtype or (game.deal, ())
        check_array('deals', deals, base, self.num_games, *shape)
        self._rules_arrays = game.tabulate(self.rules)
        if not self.is_endless:
            game.init(self.games, deals)
        else:
            self.reset()

    def reset(self) -> None:
        """Deal all games again."""
        self.game.reset(self.games, np.arange(self.num_games), self.streams)

    @property
    def players(self) -> Int64Array:
        """The seat to move in each game, int64 [N]."""
        return self.game.current_player(self.games)

    @property
    def is_over(self) -> bool:
        """Whether all games are over; never if games are endless."""
        return bool(self.game.is_terminal(self.games).all())

    def new_observations(self) -> NDArray[Any]:
        """Allocate packed observations, [N] of `game.observation`."""
        return np.empty(self.num_games, self.game.observation)

    def new_legal(self) -> tuple[Int64Array, Int64Array]:
        """Allocate legal moves, int64 [N * max_legal], and their offsets, int64 [N + 1]."""
        return np.empty(self.num_games * self.game.max_legal, np.int64), np.empty(self.num_games + 1, np.int64)

    def new_payoffs(self) -> Int64Array:
        """Allocate payoffs, int64 [N, seats]."""
        return np.empty((self.num_games, self.game.num_seats), np.int64)

    def observe(self, out: NDArray[Any]) -> None:
        """Write the observations of the seats to move into `out`, packed, [N] of `game.observation`."""
        check_buffer('out', out, self.game.observation, self.num_games)
        self.game.observe(self._rules_arrays, self.games, self.players, out)

    def legal(self, moves: Int64Array, offsets: Int64Array) -> int:
        """Write the legal moves of all games, game i's to moves[offsets[i]:offsets[i + 1]]; return their number."""
        check_buffer('moves', moves, INT64, self.num_games * self.game.max_legal, longer=True)
        check_buffer('offsets', offsets, INT64, self.num_games + 1)
        return self.game.legal_actions(self._rules_arrays, self.games, moves, offsets)

    def positions(self, where: Int64Array | None = None, seats: Int64Array | None = None) -> Positions:
        """Return observations and legal moves, in new arrays.

        Args:
            where: indices of games, int64 [K]; None for all.
            seats: that observe, int64 [K]; None for those to move.
        """
        return positions_of(self.game, self._rules_arrays, self._select(where), seats)

    def step_some(self, where: Int64Array, moves: Int64Array) -> None:
        """Make a legal move, int64 [K], in some games that are not over, int64 [K]; none is dealt again."""
        games = self._select(where)
        self.game.step(self._rules_arrays, games, moves)
        if games is not self.games:
            _bytes_of(self.games)[where] = _bytes_of(games)

    def _select(self, where: Int64Array | None) -> NDArray[Any]:
        return self.games if where is None or where.size == self.num_games else self.games.take(where)

    def step(self, moves: Int64Array, payoffs: Int64Array, done: BoolArray, check: bool = True) -> None:
        """Make one move in each game that is not over.

        Args:
            moves: int64 [N], as the game has them: Big 2's are masks of cards, 0 for a pass, Catch Five's action ids.
            payoffs: int64 [N, seats], receives the payoffs of the games that are over, zeros for the others.
            done: bool [N], receives which games are over. Endless games are then dealt again.
            check: False skips the check that the moves are legal, in which no move is once a game is over.

        Raises:
            ArrayError: if an array does not fit; nothing is played.
            IllegalActionError: naming the first game whose move is not legal; nothing is played.
        """
        check_array('moves', moves, INT64, self.num_games)
        check_buffer('payoffs', payoffs, INT64, self.num_games, self.game.num_seats)
        check_buffer('done', done, BOOL, self.num_games)
        illegal = self.game.find_illegal(self._rules_arrays, self.games, moves) if check else -1
        if illegal >= 0:
            move = self._describe(int(moves[illegal]))
            raise IllegalActionError(f'in game {illegal} {move} is not legal for player {self.players[illegal]}')
        self.game.step(self._rules_arrays, self.games, moves)
        self.game.rewards(self._rules_arrays, self.games, payoffs)
        done[:] = self.game.is_terminal(self.games)
        if self.is_endless:
            ended = np.flatnonzero(done)
            if ended.size:
                self.game.reset(self.games, ended, self.streams)

    def _describe(self, move: int) -> str:
        """Return any number as text, whether or not it is a move."""
        return self.game.text(move, self.rules)


def positions_of(game: CardGame, table: Any, games: NDArray[Any], seats: Int64Array | None = None) -> Positions:
    """Return observations and legal moves of games, [N] of `game.state`, in new arrays.

    Args:
        game: of them.
        table: [1] from `game.tabulate`.
        games: to look at.
        seats: that observe, int64 [N]; None for those to move.
    """
    count = len(games)
    observations, offsets = np.empty(count, game.observation), np.empty(count + 1, np.int64)
    moves = np.empty(count * game.max_legal, np.int64)
    game.observe(table, games, game.current_player(games) if seats is None else seats, observations)
    return Positions(observations, moves[: game.legal_actions(table, games, moves, offsets)], offsets)


def _bytes_of(records: NDArray[Any]) -> NDArray[np.uint8]:
    """Return a view of records as bytes, [N, size]: numpy copies those at once, and records field by field."""
    return records.view(np.uint8).reshape(len(records), records.dtype.itemsize)
