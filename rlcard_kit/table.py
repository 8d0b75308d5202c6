"""A table: N games in lock step, with an agent in each seat."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rlcard_kit.agents.base import Agent
from rlcard_kit.arrays import BoolArray, Float32Array, Int64Array
from rlcard_kit.errors import IllegalActionError
from rlcard_kit.positions import Decision, Positions
from rlcard_kit.rng import Streams
from rlcard_kit.vector_env import VectorEnv

TRAINED, OPPONENT = 0, 1  # players of a table at which something is trained, see `seat_trained`


def seat_trained(alone: BoolArray, teams: Sequence[Sequence[int]]) -> Int64Array:
    """Return who sits where in games to learn from, int64 [N, seats]: TRAINED or OPPONENT.

    Args:
        alone: bool [N], the games with a single trained team: in game i that is team i % teams. In all other games
            every seat is trained.
        teams: of the game, see `CardGame.teams`.
    """
    own = np.ones((len(teams), sum(map(len, teams))), np.bool_)
    for number, seats in enumerate(teams):
        own[number] = np.isin(np.arange(own.shape[1]), seats)
    is_trained = ~alone[:, None] | own[np.arange(len(alone)) % len(teams)]
    return np.where(is_trained, TRAINED, OPPONENT)


class Turn(NamedTuple):
    """One move in each of N games. Arrays of `positions` and `payoffs` are valid until the next turn."""

    positions: Positions  # before the move
    seats: Int64Array  # [N], whose turn it was
    players: Int64Array  # [N], index of the player in that seat
    indices: Int64Array  # [N], of the moves chosen, in `positions.moves`
    values: Float32Array  # [N], what the players expect, see `Decision`; NaN if nobody was asked, or said nothing
    log_probabilities: Float32Array  # [N], likewise
    moves: Int64Array  # [N], 0 in games that were over before
    done: BoolArray  # [N], games that this turn ended
    payoffs: Int64Array  # [N, seats], of the games that are over, zeros for the others


class Player:
    """An agent at a table: asks it about the games in which it is to move, and checks what it says.

    Args:
        agent: the agent.
        ask_forced: also ask in games with a single legal move.
    """

    def __init__(self, agent: Agent, ask_forced: bool = True) -> None:
        self.agent = agent
        self.least_moves = 1 if ask_forced else 2

    def choose(self, table: 'Table', games: Int64Array) -> Decision:
        """Return the agent's choice in some games, by their indices, int64 [K]; see `Table.ask`."""
        return table.ask(self.agent, games)


class Table:
    """Plays N games in lock step, a player in each seat.

    Args:
        env: the games. If they are endless, the players of a game all move one seat on with each new deal.
        players: the agents that take part, or `Player`s for those that need another way of being asked.
        seating: int64 [N, seats], index of the player in each seat of each game.
        random: of the agents' draws, uint64 [N, 1] with a stream for each game, or [N, seats] with one for each seat.
    """

    def __init__(
        self,
        env: VectorEnv,
        players: Sequence[Agent | Player],
        seating: Int64Array,
        random: Streams,
    ) -> None:
        self.env = env
        self.seat(players)
        self.seating = seating.copy()
        self.random = random.copy()
        self.positions = Positions(env.new_observations(), *env.new_legal())
        self._games = np.arange(env.num_games)
        self._seats_before = np.arange(env.game.num_seats) - 1
        self._moves = self.positions.moves
        self.log: list[Int64Array] = []  # the moves of all turns, unless games are endless
        self._payoffs = env.new_payoffs()
        self._done = np.zeros(env.num_games, np.bool_)

    def seat(self, players: Sequence[Agent | Player]) -> None:
        """Have other players continue the games; their indices in `seating` stay as they are."""
        self.players = [player if isinstance(player, Player) else Player(player) for player in players]

    def turn(self) -> Turn:
        """Make one move in every game that is not over."""
        env, (observations, _, offsets) = self.env, self.positions
        seats = env.players
        env.observe(observations)
        count = env.legal(self._moves, offsets)
        self.positions = Positions(observations, self._moves[:count], offsets)
        counts = self.positions.counts
        players = self.seating[self._games, seats]
        indices, values, log_probabilities = self._choose(players, counts)
        moves = np.zeros(env.num_games, np.int64)
        playing = counts > 0
        moves[playing] = self._moves[indices[playing]]
        env.step(moves, self._payoffs, self._done, check=False)
        done = self._done & playing
        self._note(moves, done)
        return Turn(self.positions, seats, players, indices, values, log_probabilities, moves, done, self._payoffs)

    def _note(self, moves: Int64Array, done: BoolArray) -> None:
        if not self.env.is_endless:
            self.log.append(moves)
        else:
            self.seating[done] = self.seating[done][:, self._seats_before]

    def _choose(self, players: Int64Array, counts: Int64Array) -> tuple[Int64Array, Float32Array, Float32Array]:
        """Have each player choose in its games; in games about which nobody is asked, the first legal move is made."""
        num_games = self.env.num_games
        values = np.full(num_games, np.nan, np.float32)
        indices, log_probabilities = self.positions.offsets[:-1].copy(), values.copy()
        for number, player in enumerate(self.players):
            games = np.flatnonzero((players == number) & (counts >= player.least_moves))
            if games.size:
                choice = player.choose(self, games)
                indices[games] = choice.indices
                if choice.values is not None:
                    values[games] = choice.values
                if choice.log_probabilities is not None:
                    log_probabilities[games] = choice.log_probabilities
        return indices, values, log_probabilities

    def ask(self, agent: Agent, games: Int64Array) -> Decision:
        """Have an agent choose in some games, by their indices, int64 [K]; the indices chosen are in `positions.moves`.

        The agent gets copies, and its choice is checked against what it cannot reach.

        Raises:
            IllegalActionError: if it chose anything that is not an index of a legal move.
        """
        streams = games, self.env.players[games] % self.random.shape[1]
        random = self.random[streams]
        choice = ask(agent, self.positions.select(games), random)
        self.random[streams] = random
        return choice._replace(indices=choice.indices + self.positions.offsets[games])


def ask(agent: Agent, positions: Positions, random: Streams) -> Decision:
    """Have an agent choose in N positions; return what it chose, checked, each index among the game's own moves.

    Args:
        agent: any.
        positions: copies, which are the agent's to keep.
        random: uint64 [N], the streams that it draws from.

    Raises:
        IllegalActionError: if it chose anything that is not an index of a legal move.
    """
    offsets = positions.offsets.copy()
    count = len(offsets) - 1
    choice = agent.choose(positions, random)
    indices = np.asarray(choice.indices)
    if indices.shape != (count,) or indices.dtype.kind not in 'iu':
        raise IllegalActionError(f'it chose {indices.dtype} {list(indices.shape)}, not indices int64 [{count}]')
    indices = indices.astype(np.int64, copy=False)
    if ((indices < offsets[:-1]) | (indices >= offsets[1:])).any():
        raise IllegalActionError('it chose an index that is not among the legal moves')
    opinions = (_opinion(name, getattr(choice, name), count) for name in ('values', 'log_probabilities'))
    return Decision(indices - offsets[:-1], *opinions)  # not the agent's own, which may not be a plain tuple


def _opinion(name: str, given: Any, count: int) -> Float32Array | None:
    """Return what a choice says of its moves, float32 [count]; IllegalActionError if it is anything else."""
    if given is None:
        return None
    found = np.asarray(given)
    if found.shape != (count,) or not np.issubdtype(found.dtype, np.floating):
        raise IllegalActionError(f'its {name} are {found.dtype} {list(found.shape)}, not float32 [{count}]')
    return found.astype(np.float32)
