"""Rollouts: the decisions of many games, each with its advantage (GAE).

A seat decides about every fourth move, so its decisions form a chain of their own, and the payoff belongs to the last
of them. The last decision of each seat in the buffer is pending until the seat's next one: it is carried over.
"""

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ppo.config import Config
from rlcard_kit.agents import Agent, Positions, select_moves
from rlcard_kit.arrays import Float32Array, Int64Array, num_words, records_of, words_of
from rlcard_kit.game import CardGame
from rlcard_kit.jit import kernel
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table, Turn
from rlcard_kit.vector_env import VectorEnv, deal_streams
from training.games import LearnedGame
from training.seating import TRAINED, seat_trained
from training.workers import Counts

GAE_LAMBDA = 0.95


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
        counts = np.concatenate([one.counts for one in positions])
        joined = Positions(
            np.concatenate([one.observations for one in positions]),
            np.concatenate([one.moves for one in positions]),
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


def decision_record(game: CardGame) -> np.dtype[Any]:
    """Return the record of a decision as it is kept until it is learned from; its legal moves are kept elsewhere."""
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


TRIED_GAMES, TRIED_MOVES = 32, 8  # see `try_out`
Decisions = NDArray[np.void]  # [N, num_steps + seats] of the game's decision record
MOST_SEATS = 8  # of any game


class Rollout:
    """Plays `num_games` games in lock step and keeps the decisions.

    Against earlier selves, the first games are theirs: one team is trained there, and it moves on with every deal.

    Args:
        config: of the run.
        stream: of the random draws; 0 is that of a run that plays in one process.
        gae_lambda: how far advantages look ahead: 0 to the next value, 1 to the payoff (Schulman et al. 2016).
    """

    def __init__(self, config: Config, stream: int = 0, gae_lambda: float = GAE_LAMBDA) -> None:
        self.config = config
        self._gae_lambda = gae_lambda
        self.game: LearnedGame = config.learned
        card, record = self.game.card, decision_record(self.game.card)
        seeds = np.random.SeedSequence([config.run.seed, stream] if stream else config.run.seed).generate_state(2)
        self.env = VectorEnv(card, config.game.rules, deal_streams(config.game.num_games, int(seeds[0])))
        self.counts = Counts(0, 0, 0, self.game.no_statistics())  # so far
        self._decisions = np.zeros((config.game.num_games, config.game.num_steps + card.num_seats), record)
        self._lengths = np.zeros(config.game.num_games, np.int64)
        self._last = np.full((config.game.num_games, card.num_seats), -1)  # index of each seat's last decision
        self._kept: list[Int64Array] = []  # legal moves of the decisions
        self._num_kept = 0
        share = config.game.pool_share
        pooled = np.arange(config.game.num_games) < int(share * config.game.num_games)
        random = new_streams(int(seeds[1]), config.game.num_games)[:, None]
        self.table = Table(self.env, [], seat_trained(pooled, card.teams), random)

    def collect(self, learner: Agent, opponent: Agent | None = None) -> Batch:
        """Play `num_steps` moves in each game; return the decisions whose advantage is known by now.

        Args:
            learner: plays the seats that are trained, and says values and log-probabilities.
            opponent: plays the others, if there are any.
        """
        agents = [learner] if opponent is None else [learner, opponent]
        self.table.seat(agents, [self.config.learning.learn_forced, False][: len(agents)])
        for _ in range(self.config.game.num_steps):
            seating = self.table.seating.copy()  # it moves on where the turn ends a game
            turn = self.table.turn()
            self._note(turn)
            self._count(turn, seating)
        expect(self._decisions, self._lengths, self.config.learning.gamma, self._gae_lambda)
        moves = np.concatenate(self._kept)
        batch = self._batch(moves)
        self._carry_over(moves)
        return batch

    def _note(self, turn: Turn) -> None:
        """Keep the decisions of a turn, and credit the payoffs of the games that it ended."""
        least_moves = 1 if self.config.learning.learn_forced else 2
        where = np.flatnonzero((turn.players == TRAINED) & (turn.positions.counts >= least_moves))
        if where.size:
            moves, offsets = select_moves(turn.positions.moves, turn.positions.offsets, where)
            rows = self._new_rows(turn, where)
            rows['start'] = offsets[:-1] + self._num_kept
            append(self._decisions, self._lengths, self._last, where, rows)
            self._kept.append(moves)
            self._num_kept += len(moves)
        returns = self.game.returns(turn.payoffs) if self.config.learning.target == 'difference' else turn.payoffs
        rewards = (returns / self.config.learning.payoff_unit).astype(np.float32)
        settle(self._decisions, self._last, turn.done, rewards)

    def _new_rows(self, turn: Turn, where: Int64Array) -> Decisions:
        """Return the decisions of some games, int64 [K], as they are kept, but for where their legal moves are."""
        positions = turn.positions
        rows = np.zeros_like(self._decisions, shape=len(where))
        rows['observation'] = words_of(positions.observations)[where]
        rows['count'] = positions.counts[where]
        rows['chosen'] = (turn.indices - positions.offsets[:-1])[where]
        rows['seat'] = turn.seats[where]
        rows['log_probability'], rows['value'] = turn.log_probabilities[where], turn.values[where]
        return rows

    def _count(self, turn: Turn, seating: Int64Array) -> None:
        won = int(turn.payoffs.max(axis=1)[turn.done].sum())
        ended = int(turn.done.sum())
        statistics = self.game.count(turn, seating == TRAINED) if ended else self.game.no_statistics()
        self.counts = self.counts.plus(Counts(len(turn.done), ended, won, statistics))

    def _batch(self, moves: Int64Array) -> Batch:
        there = np.arange(self._decisions.shape[1]) < self._lengths[:, None]
        ready = self._decisions[there & ~self._decisions['is_pending']]
        offsets = np.concatenate(([0], np.cumsum(ready['count'])))
        indices = np.repeat(ready['start'] - offsets[:-1], ready['count']) + np.arange(offsets[-1])
        columns = ('chosen', 'log_probability', 'value', 'advantage')
        rest = (np.ascontiguousarray(ready[column]) for column in columns)
        observations = records_of(ready['observation'], self.game.card.observation)
        return Batch(Positions(observations, moves[indices], offsets), *rest)

    def _carry_over(self, moves: Int64Array) -> None:
        """Begin a new buffer with the decisions that wait."""
        kept = np.empty(len(moves), np.int64)
        self._num_kept = carry_over(self._decisions, self._lengths, self._last, moves, kept)
        self._kept = [kept[: self._num_kept]]

    def tensors(self) -> dict[str, Tensor]:
        """Return all that the next `collect` depends on."""
        arrays = {
            'games': self.env.games.view(np.uint8),
            'deals': self.env.streams.view(np.int64),
            'random': self.table.random[:, 0].view(np.int64),
            'decisions': self._decisions.view(np.uint8).reshape(self.config.game.num_games, -1),
            'lengths': self._lengths,
            'last': self._last,
            'kept': np.concatenate([*self._kept, np.empty(0, np.int64)]),
            'seating': self.table.seating,
        }
        return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Continue from what `tensors` returned.

        Games in progress that an earlier version saved are dealt again, with a warning: they cannot be continued.
        """
        if tensors.keys() != self.tensors().keys() or tensors['decisions'].shape != self.tensors()['decisions'].shape:
            warnings.warn('an earlier version saved the games in progress: they are dealt again', stacklevel=2)
            return
        arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
        self.env.games[:] = arrays['games'].view(self.env.games.dtype).reshape(self.env.games.shape)
        self.env.streams[:] = arrays['deals'].view(np.uint64)
        self.table.random[:, 0] = arrays['random'].view(np.uint64)
        self._decisions[:] = arrays['decisions'].reshape(-1).view(self._decisions.dtype).reshape(self._decisions.shape)
        self._lengths[:], self._last[:], self.table.seating[:] = arrays['lengths'], arrays['last'], arrays['seating']
        self._kept, self._num_kept = [arrays['kept'].copy()], len(arrays['kept'])


def try_out(config: Config, learner: Agent) -> Batch:
    """Play a few moves in a few games, as a run would in self-play; return the decisions."""
    tried = config.changed(
        num_games=TRIED_GAMES, num_steps=TRIED_MOVES, num_actors=None, pool_share=0.0, pool_agents=()
    )
    return Rollout(tried).collect(learner)


@kernel
def append(decisions: Decisions, lengths: Int64Array, last: Int64Array, where: Int64Array, rows: Decisions) -> None:
    """Append a decision, of rows [K], to each game in `where`, int64 [K]."""
    for k in range(where.size):
        game = where[k]
        decisions[game, lengths[game]] = rows[k]
        last[game, rows[k]['seat']] = lengths[game]
        lengths[game] += 1


@kernel
def settle(decisions: Decisions, last: Int64Array, done: NDArray[np.bool_], payoffs: Float32Array) -> None:
    """Credit the payoffs of the games that ended, float32 [N, 4], to each seat's last decision."""
    for game in np.flatnonzero(done):
        for seat in range(last.shape[1]):
            index = last[game, seat]
            if index >= 0:
                decisions[game, index]['reward'] = payoffs[game, seat]
                decisions[game, index]['is_last'] = True
                last[game, seat] = -1


@kernel
def expect(decisions: Decisions, lengths: Int64Array, gamma: float, gae_lambda: float) -> None:
    """Write the advantage of each decision by GAE over its seat's own decisions, and which ones wait."""
    following = np.empty(MOST_SEATS, np.int64)
    for game in range(lengths.size):
        following[:] = -1
        for index in range(lengths[game] - 1, -1, -1):
            decision = decisions[game, index]
            after = following[decision['seat']]
            following[decision['seat']] = index
            decision['is_pending'] = not decision['is_last'] and after < 0
            decision['advantage'] = 0.0
            if decision['is_last']:
                decision['advantage'] = decision['reward'] - decision['value']
            elif after >= 0:
                successor = decisions[game, after]
                surprise = gamma * successor['value'] - decision['value']
                decision['advantage'] = surprise + gamma * gae_lambda * successor['advantage']


@kernel
def carry_over(decisions: Decisions, lengths: Int64Array, last: Int64Array, masks: Int64Array, kept: Int64Array) -> int:
    """Move the decisions that wait to the front, and their legal moves into `kept`; return how many those are."""
    end = 0
    for game in range(lengths.size):
        length = 0
        for index in range(lengths[game]):
            if decisions[game, index]['is_pending']:
                decisions[game, length] = decisions[game, index]
                decision = decisions[game, length]
                start, count = decision['start'], decision['count']
                kept[end : end + count] = masks[start : start + count]
                decision['start'] = end
                end += count
                last[game, decision['seat']] = length
                length += 1
        lengths[game] = length
    return end
