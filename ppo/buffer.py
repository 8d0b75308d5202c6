"""The buffer of a rollout: decisions with their legal moves, and the advantage of each (GAE).

A seat decides about every fourth move, so its decisions form a chain of their own, and the payoff belongs to the last
of them. The last decision of each seat in the buffer is pending until the seat's next one: it is carried over.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.agents import Positions
from rlcard_kit.arrays import BoolArray, Float32Array, Int64Array, num_words, records_of
from rlcard_kit.game import CardGame
from rlcard_kit.jit import kernel

MOST_SEATS = 8  # of any game
Decisions = NDArray[np.void]  # of `decision_dtype`


class Batch(NamedTuple):
    """B decisions to learn from."""

    positions: Positions  # [B]
    chosen: Int64Array  # index of the move among those of its decision, [B]
    log_probabilities: Float32Array  # of the moves when they were played, [B]
    values: Float32Array  # of the positions, as they were expected then, [B]
    advantages: Float32Array  # [B]

    @property
    def size(self) -> int:
        """The number of decisions, B."""
        return len(self.chosen)

    @classmethod
    def join(cls, batches: Sequence['Batch']) -> 'Batch':
        """Return the decisions of several batches as one."""
        positions = [batch.positions for batch in batches]
        counts = np.concatenate([part.counts for part in positions])
        joined = Positions(
            np.concatenate([part.observations for part in positions]),
            np.concatenate([part.moves for part in positions]),
            np.concatenate(([0], np.cumsum(counts))),
        )
        return cls(joined, *(np.concatenate(column) for column in zip(*(batch[1:] for batch in batches), strict=True)))

    def select(self, rows: Int64Array) -> 'Batch':
        """Return some of the decisions, int64 [K]."""
        return Batch(
            self.positions.select(rows),
            self.chosen[rows],
            self.log_probabilities[rows],
            self.values[rows],
            self.advantages[rows],
        )


def decision_dtype(game: CardGame) -> np.dtype[Any]:
    """Return the dtype of a decision until it is learned from; its legal moves are kept elsewhere."""
    return np.dtype(
        [
            ('observation', np.int64, num_words(game.observation)),
            ('start', np.int64),  # of its legal moves
            ('count', np.int64),  # of them
            ('chosen', np.int64),  # index among them
            ('seat', np.int64),
            ('log_probability', np.float32),
            ('value', np.float32),
            ('reward', np.float32),
            ('is_last', np.bool_),  # of its seat in this deal
            ('is_pending', np.bool_),  # waits for the next decision of its seat
            ('advantage', np.float32),
        ]
    )


class Buffer:
    """Keeps the decisions of N games in lockstep until their advantages are known.

    Args:
        game: that is played.
        num_games: N.
        num_steps: moves in each game between two batches.
    """

    def __init__(self, game: CardGame, num_games: int, num_steps: int) -> None:
        self._game = game
        self.decisions: Decisions = np.zeros((num_games, num_steps + game.num_seats), decision_dtype(game))
        self.lengths = np.zeros(num_games, np.int64)  # [N], decisions of each game
        self._last = np.full((num_games, game.num_seats), -1)  # [N, seats], index of each seat's last decision
        self._moves: list[Int64Array] = []  # legal moves of the decisions
        self._num_moves = 0

    def add(self, games: Int64Array, rows: Decisions, moves: Int64Array, offsets: Int64Array) -> None:
        """Append a decision, of rows [K], to each of some games, int64 [K].

        `moves` and `offsets` hold the legal moves of all K, see `Positions`; the rows need no index of theirs.
        """
        rows['start'] = offsets[:-1] + self._num_moves
        append(self.decisions, self.lengths, self._last, games, rows)
        self._moves.append(moves)
        self._num_moves += len(moves)

    def credit(self, done: BoolArray, rewards: Float32Array) -> None:
        """Credit the rewards of the games that ended, float32 [N, seats], to each seat's last decision."""
        credit(self.decisions, self._last, done, rewards)

    def take(self, gamma: float, gae_lambda: float) -> Batch:
        """Return the decisions whose advantage is known, and keep the others."""
        write_advantages(self.decisions, self.lengths, gamma, gae_lambda)
        moves = np.concatenate(self._moves)
        batch = self._batch(moves)
        kept = np.empty(len(moves), np.int64)
        self._num_moves = carry_over(self.decisions, self.lengths, self._last, moves, kept)
        self._moves = [kept[: self._num_moves]]
        return batch

    def _batch(self, moves: Int64Array) -> Batch:
        is_used = np.arange(self.decisions.shape[1]) < self.lengths[:, None]
        ready = self.decisions[is_used & ~self.decisions['is_pending']]
        offsets = np.concatenate(([0], np.cumsum(ready['count'])))
        indices = np.repeat(ready['start'] - offsets[:-1], ready['count']) + np.arange(offsets[-1])
        columns = ('chosen', 'log_probability', 'value', 'advantage')
        rest = (np.ascontiguousarray(ready[column]) for column in columns)
        observations = records_of(ready['observation'], self._game.observation)
        return Batch(Positions(observations, moves[indices], offsets), *rest)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the decisions and their moves, to be saved."""
        return {
            'decisions': self.decisions.view(np.uint8).reshape(len(self.lengths), -1),
            'lengths': self.lengths,
            'last': self._last,
            'kept': np.concatenate([*self._moves, np.empty(0, np.int64)]),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Set the buffer to what `arrays` returned."""
        self.decisions[:] = arrays['decisions'].reshape(-1).view(self.decisions.dtype).reshape(self.decisions.shape)
        self.lengths[:], self._last[:] = arrays['lengths'], arrays['last']
        self._moves, self._num_moves = [arrays['kept'].copy()], len(arrays['kept'])


@kernel
def append(decisions: Decisions, lengths: Int64Array, last: Int64Array, games: Int64Array, rows: Decisions) -> None:
    """Append a decision, of rows [K], to each of some games, int64 [K]."""
    for k in range(games.size):
        game = games[k]
        decisions[game, lengths[game]] = rows[k]
        last[game, rows[k]['seat']] = lengths[game]
        lengths[game] += 1


@kernel
def credit(decisions: Decisions, last: Int64Array, done: NDArray[np.bool_], rewards: Float32Array) -> None:
    """Credit the rewards of the games that ended, float32 [N, seats], to each seat's last decision."""
    for game in np.flatnonzero(done):
        for seat in range(last.shape[1]):
            index = last[game, seat]
            if index >= 0:
                decisions[game, index]['reward'] = rewards[game, seat]
                decisions[game, index]['is_last'] = True
                last[game, seat] = -1


@kernel
def write_advantages(decisions: Decisions, lengths: Int64Array, gamma: float, gae_lambda: float) -> None:
    """Write the advantage of each decision by GAE over its seat's own decisions, and which ones are pending."""
    next_index = np.empty(MOST_SEATS, np.int64)  # of each seat
    for game in range(lengths.size):
        next_index[:] = -1
        for index in range(lengths[game] - 1, -1, -1):
            decision = decisions[game, index]
            after = next_index[decision['seat']]
            next_index[decision['seat']] = index
            decision['is_pending'] = not decision['is_last'] and after < 0
            decision['advantage'] = 0.0
            if decision['is_last']:
                decision['advantage'] = decision['reward'] - decision['value']
            elif after >= 0:
                successor = decisions[game, after]
                delta = gamma * successor['value'] - decision['value']
                decision['advantage'] = delta + gamma * gae_lambda * successor['advantage']


@kernel
def carry_over(decisions: Decisions, lengths: Int64Array, last: Int64Array, moves: Int64Array, kept: Int64Array) -> int:
    """Move pending decisions to the front, and their legal moves into `kept`; return the number of those."""
    end = 0
    for game in range(lengths.size):
        length = 0
        for index in range(lengths[game]):
            if decisions[game, index]['is_pending']:
                decisions[game, length] = decisions[game, index]
                decision = decisions[game, length]
                start, count = decision['start'], decision['count']
                kept[end : end + count] = moves[start : start + count]
                decision['start'] = end
                end += count
                last[game, decision['seat']] = length
                length += 1
        lengths[game] = length
    return end
