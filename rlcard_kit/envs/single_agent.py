"""N games in which one seat learns: opponents play until that seat is to move again."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.agents.base import Agent
from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.errors import OpponentError, describe
from rlcard_kit.game import CardGame
from rlcard_kit.positions import Positions
from rlcard_kit.rng import Streams, below, new_streams
from rlcard_kit.table import ask

AGENT = -1  # in `SingleAgentEnv.seating`
ROTATE, RANDOM = 'rotate', 'random'


class Opponent(Protocol):
    """Someone who sits in the other seats."""

    name: str

    def choose(self, sim: 'SingleAgentEnv', games: Int64Array, positions: Positions, random: Streams) -> Int64Array:
        """Choose in K games of a sim; return the index of each move among the game's own, int64 [K].

        Args:
            sim: the games.
            games: their indices, int64 [K], ascending.
            positions: of these games, copies; each has at least two legal moves.
            random: uint64 [K], streams to draw from.
        """
        ...


class BatchOpponent:
    """An agent that decides for many games at once.

    Args:
        agent: the agent.
        name: of the agent.
    """

    def __init__(self, agent: Agent, name: str) -> None:
        self.agent = agent
        self.name = name

    def choose(self, sim: 'SingleAgentEnv', games: Int64Array, positions: Positions, random: Streams) -> Int64Array:
        """Ask the agent once; see `Opponent.choose`."""
        return ask(self.agent, positions, random).indices


class SingleAgentEnv:
    """N games; in each, one seat is the learner's, and opponents sit in the others.

    Nothing is dealt until `seed` and `deal` are called. Game i of a seed is the same whatever runs beside it.

    Args:
        game: what is played.
        rules: to play by, as `game.find_rules` takes them.
        num_games: N.
        opponents: those who take part.
        order: index of the opponent in each other seat, in the order of play after the learner; None draws an
            opponent for each of these seats with each deal.
        seat: the learner's: 0 and up, ROTATE for the next one with each deal, or RANDOM for any with each deal.
    """

    def __init__(
        self,
        game: CardGame,
        rules: Any,
        num_games: int,
        opponents: Sequence[Opponent],
        order: Sequence[int] | None = None,
        seat: int | str = ROTATE,
    ) -> None:
        self.game = game
        self.rules = game.find_rules(rules)
        self.num_games = num_games
        self.opponents = opponents
        self.games = np.zeros(num_games, game.state)
        self.seats = np.zeros(num_games, np.int64)  # [N], the learner's
        self.seating = np.full((num_games, game.num_seats), AGENT)  # [N, seats], index of each seat's opponent
        self.payoffs = np.zeros((num_games, game.num_seats), np.int64)
        self.over: BoolArray = np.ones(num_games, np.bool_)  # or not dealt yet
        self.abandoned: BoolArray = np.zeros(num_games, np.bool_)
        self._order = None if order is None else np.array(order, np.int64)
        self._seat = seat
        self._table = game.tabulate(self.rules)
        self._log = np.zeros((num_games, game.max_plies), np.int64)
        self._plies = np.zeros(num_games, np.int64)
        self._deals = np.zeros(num_games, np.int64)  # made since `seed`
        self._all = np.arange(num_games)
        self._moves = np.empty(num_games * game.max_legal, np.int64)
        self.seed([None] * num_games)

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Seed each game: its deals, its seats its opponents' draws; None takes one from the operating system."""
        words = np.array([new_streams(seed, 2 + self.game.num_seats) for seed in seeds])
        self._deal_streams, self._seat_streams = words[:, 0].copy(), words[:, 1].copy()  # [N]
        self._agent_streams = words[:, 2:].copy()  # [N, seats]
        self._deals[:] = 0

    def deal(self, where: Int64Array) -> None:
        """Deal games anew, by their indices, int64 [K], and play until the learner is to move."""
        for i in where.tolist():
            self._seat_all(i)
        self.game.reset(self.games, where, self._deal_streams)
        self.abandoned[where] = False
        self._deals[where] += 1
        self._plies[where] = 0
        self._play_on(where)
        self._settle()

    def abandon(self, where: Int64Array) -> None:
        """End games, by their indices, int64 [K], without a payoff."""
        self.abandoned[where] = True

    def step(self, where: Int64Array, moves: Int64Array) -> None:
        """Make the learner's move in games that are not over, both int64 [K], and play until it is to move again."""
        self._make(where, moves)
        self._play_on(where)
        self._settle()

    def look(self, where: Int64Array | None = None) -> Positions:
        """Return what the learner sees of all or some games, and its legal moves: none in games that are over."""
        where = self._all if where is None else where
        return self._look(self._take(where), self.seats[where])

    def moves_of(self, game: int) -> list[int]:
        """Return all moves of a game so far."""
        moves: list[int] = self._log[game, : self._plies[game]].tolist()
        return moves

    def _seat_all(self, game: int) -> None:
        """Say who sits where in a game's next deal."""
        count, stream = self.game.num_seats, self._seat_streams[game : game + 1]
        if isinstance(self._seat, int):
            seat = self._seat
        else:
            seat = below(stream, count) if self._seat == RANDOM else int(self._deals[game]) % count
        others = self._order
        if others is None:
            others = np.array([below(stream, len(self.opponents)) for _ in range(count - 1)])
        self.seats[game] = seat
        self.seating[game, seat] = AGENT
        self.seating[game, (seat + 1 + np.arange(count - 1)) % count] = others

    def _play_on(self, where: Int64Array) -> None:
        """Have opponents move in some games until the learner is to move, or the game is over."""
        while True:
            records = self._take(where)
            seats = self.game.current_player(records)
            theirs = np.flatnonzero((seats != self.seats[where]) & ~self.game.is_terminal(records))
            if not theirs.size:
                return
            where, seats = where[theirs], seats[theirs]
            positions = self._look(records.take(theirs), seats)
            self._make(where, positions.moves[self._choose(where, seats, positions)])

    def _choose(self, where: Int64Array, seats: Int64Array, positions: Positions) -> Int64Array:
        """Return the index of each move in `positions.moves`; nobody is asked if a single move is legal."""
        chosen = positions.offsets[:-1].copy()
        players, several = self.seating[where, seats], positions.counts > 1
        for number, opponent in enumerate(self.opponents):
            asked = np.flatnonzero((players == number) & several)
            if asked.size:
                games = where[asked]
                random = self._agent_streams[games, seats[asked]]
                chosen[asked] += self._ask(opponent, games, positions.select(asked), random)
                self._agent_streams[games, seats[asked]] = random
        return chosen

    def _ask(self, opponent: Opponent, games: Int64Array, positions: Positions, random: Streams) -> Int64Array:
        try:
            return opponent.choose(self, games, positions, random)
        except Exception as error:
            seat = int(self.game.current_player(self._take(games[:1]))[0])
            where = f'seat {seat} of game {games[0]}' if len(games) == 1 else f'games {games[0]} to {games[-1]}'
            raise OpponentError(f'{opponent.name} failed in {where}: {describe(error)}') from error

    def _look(self, records: NDArray[Any], seats: Int64Array) -> Positions:
        """Return what a seat of each game sees, and the legal moves, in arrays of their own."""
        observations = np.empty(len(records), self.game.observation)
        offsets = np.empty(len(records) + 1, np.int64)
        self.game.observe(self._table, records, seats, observations)
        count = self.game.legal_actions(self._table, records, self._moves, offsets)
        return Positions(observations, self._moves[:count].copy(), offsets)

    def _take(self, where: Int64Array) -> NDArray[Any]:
        return self.games if where.size == self.num_games else self.games.take(where)

    def _make(self, where: Int64Array, moves: Int64Array) -> None:
        """Make a legal move, int64 [K], in some games that are not over."""
        records = self._take(where)
        self.game.step(self._table, records, moves)
        if records is not self.games:
            _bytes_of(self.games)[where] = _bytes_of(records)
        self._log[where, self._plies[where]] = moves
        self._plies[where] += 1

    def _settle(self) -> None:
        self.game.rewards(self._table, self.games, self.payoffs)
        self.over = self.game.is_terminal(self.games) | self.abandoned


def _bytes_of(records: NDArray[Any]) -> NDArray[np.uint8]:
    """Return a view of records as bytes, [N, size]: numpy copies those at once, and records field by field."""
    return records.view(np.uint8).reshape(len(records), records.dtype.itemsize)
