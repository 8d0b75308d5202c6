"""A table: N games in lockstep, with an agent in each seat."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rlcard_kit.agents import Agent, Decision, Positions
from rlcard_kit.arrays import BoolArray, Float32Array, Int64Array
from rlcard_kit.errors import IllegalActionError
from rlcard_kit.rng import Streams
from rlcard_kit.vector_env import VectorEnv


class Turn(NamedTuple):
    """One move in each of N games. Arrays of `positions` and `payoffs` are valid until the next turn."""

    positions: Positions  # before the move
    seats: Int64Array  # [N], to move
    players: Int64Array  # [N], index of the agent in that seat
    indices: Int64Array  # [N], of the moves chosen, in `positions.moves`
    values: Float32Array  # [N], see `Decision`; NaN if no agent was asked or it gave none
    log_probabilities: Float32Array  # [N], likewise
    moves: Int64Array  # [N], 0 in games that were over before
    done: BoolArray  # [N], games that this turn ended
    payoffs: Int64Array  # [N, seats], of the games that are over, zeros for the others


class Player(ABC):
    """An agent, or a wrapper around one, that needs the table: states of games, or their numbers for messages."""

    @abstractmethod
    def choose(self, table: 'Table', rows: Int64Array) -> Decision:
        """Return the decision in some of the table's current games; see `Table.ask`."""


class Table:
    """Plays N games in lockstep, an agent in each seat.

    Args:
        env: the games. If they are endless, the agents of a game all move one seat on with each new deal.
        agents: an `Agent` or a `Player` for each number in `seating`.
        seating: int64 [N, seats], index of the agent in each seat of each game.
        random: streams for the agents, uint64 [N, 1], one for each game, or [N, seats], one for each seat.
        ask_forced: whether agents are also asked in games with a single legal move, of all or of each.
    """

    games: Int64Array
    """Indices of the games with a decision to make, [K]; agents are asked for some of these rows."""
    seats: Int64Array
    """The seats to move in them, [K]."""
    positions: Positions
    """Of them."""

    def __init__(
        self,
        env: VectorEnv,
        agents: Sequence[Agent | Player],
        seating: Int64Array,
        random: Streams,
        ask_forced: bool | Sequence[bool] = True,
    ) -> None:
        self.env = env
        self.seat(agents, ask_forced)
        self.seating = seating.copy()
        self.random = random.copy()
        self._all = np.arange(env.num_games)
        self._seats_before = np.arange(env.game.num_seats) - 1
        self._buffers = Positions(env.new_observations(), *env.new_legal())
        self._payoffs = env.new_payoffs()
        self._done = np.zeros(env.num_games, np.bool_)
        self.log = np.zeros((env.num_games, env.game.max_plies), np.int64)  # the moves of each game, if noted
        self.plies = np.zeros(env.num_games, np.int64)  # noted so far

    def seat(self, agents: Sequence[Agent | Player], ask_forced: bool | Sequence[bool] = True) -> None:
        """Replace the agents; their indices in `seating` stay as they are."""
        self.agents = list(agents)
        self._least_moves = np.broadcast_to(np.where(ask_forced, 1, 2), len(self.agents))

    def turn(self) -> Turn:
        """Make one move in every game that is not over."""
        env, (observations, moves, offsets) = self.env, self._buffers
        seats = env.players
        env.observe(observations)
        count = env.legal(moves, offsets)
        positions = Positions(observations, moves[:count], offsets)
        indices, values, log_probabilities = self.decide(self._all, seats, positions)
        players = self.seating[self._all, seats]
        made = np.zeros(env.num_games, np.int64)
        playing = positions.counts > 0
        made[playing] = moves[indices[playing]]
        env.step(made, self._payoffs, self._done, check=False)
        done = self._done & playing
        if env.is_endless:
            self.seating[done] = self.seating[done][:, self._seats_before]
        else:
            self.note(np.flatnonzero(playing), made[playing])
        return Turn(positions, seats, players, indices, values, log_probabilities, made, done, self._payoffs)

    def note(self, games: Int64Array, moves: Int64Array) -> None:
        """Add a move, int64 [K], to the log of some games, int64 [K]."""
        self.log[games, self.plies[games]] = moves
        self.plies[games] += 1

    def moves_of(self, game: int) -> list[int]:
        """Return the moves of a game so far."""
        moves: list[int] = self.log[game, : self.plies[game]].tolist()
        return moves

    def decide(
        self, games: Int64Array, seats: Int64Array, positions: Positions
    ) -> tuple[Int64Array, Float32Array, Float32Array]:
        """Ask the agents in some games; if none is asked, the first legal move is chosen.

        Args:
            games: indices, int64 [K].
            seats: to move, int64 [K].
            positions: of the games.

        Returns:
            indices in `positions.moves`, values and log-probabilities, each [K], see `Turn`.
        """
        self.games, self.seats, self.positions = games, seats, positions
        players, counts = self.seating[games, seats], positions.counts
        values = np.full(len(games), np.nan, np.float32)
        indices, log_probabilities = positions.offsets[:-1].copy(), values.copy()
        for number, agent in enumerate(self.agents):
            rows = np.flatnonzero((players == number) & (counts >= self._least_moves[number]))
            if rows.size:
                decision = self.ask(agent, rows)
                indices[rows] += decision.indices
                if decision.values is not None:
                    values[rows] = decision.values
                if decision.log_probabilities is not None:
                    log_probabilities[rows] = decision.log_probabilities
        return indices, values, log_probabilities

    def ask(self, agent: Agent | Player, rows: Int64Array) -> Decision:
        """Return an agent's decision in some rows of `games`, int64 [K]; each index is among the game's own moves.

        An `Agent` gets copies; a `Player` the table. IllegalActionError as of the function `ask`.
        """
        if isinstance(agent, Player):
            return agent.choose(self, rows)
        streams = self.games[rows], self.seats[rows] % self.random.shape[1]
        random = self.random[streams]
        decision = ask(agent, self.positions.select(rows), random)
        self.random[streams] = random
        return decision


def ask(agent: Agent, positions: Positions, random: Streams) -> Decision:
    """Return an agent's decision in N positions, checked; each index is among the game's own moves.

    Args:
        agent: any.
        positions: copies, which the agent may change.
        random: streams for the agent, uint64 [N].

    Raises:
        IllegalActionError: if the decision is not the index of a legal move in each game.
    """
    offsets = positions.offsets.copy()
    count = len(offsets) - 1
    decision = agent.choose(positions, random)
    indices = np.asarray(decision.indices)
    if indices.shape != (count,) or indices.dtype.kind not in 'iu':
        raise IllegalActionError(f'it chose {indices.dtype} {list(indices.shape)}, not indices int64 [{count}]')
    indices = indices.astype(np.int64, copy=False)
    wrong = (indices < offsets[:-1]) | (indices >= offsets[1:])
    if wrong.any():
        first, end = offsets[wrong.argmax() :][:2]
        found = f'{indices[wrong.argmax()]} is not from {first} to {end - 1}'
        raise IllegalActionError(f'it chose an index that is not among the legal moves: {found}')
    extras = (_checked_extra(name, getattr(decision, name), count) for name in ('values', 'log_probabilities'))
    return Decision(indices - offsets[:-1], *extras)  # not the agent's own, which may not be a plain tuple


def _checked_extra(name: str, given: Any, count: int) -> Float32Array | None:
    if given is None:
        return None
    array = np.asarray(given)
    if array.shape != (count,) or not np.issubdtype(array.dtype, np.floating):
        raise IllegalActionError(f'its {name} are {array.dtype} {list(array.shape)}, not float32 [{count}]')
    return array.astype(np.float32)
