"""Playing: the decisions of many games, each with its advantage over what was expected (GAE).

A player's decisions are some four moves apart, so that each seat's are a chain of their own, and the payoff belongs
to its last decision. The last decision of each seat in the buffer waits for the next one: it is carried over.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ppo.config import Config
from rlcard_big2.agents.base import select_games
from rlcard_big2.engine.observation import PACKED_SIZE
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.compilation import kernel
from rlcard_big2.lockstep.random import Streams, new_streams
from rlcard_big2.vector import VectorEnv

Float32Array = NDArray[np.float32]


class Choice(NamedTuple):
    """Moves chosen in K games."""

    places: Int64Array  # among the legal moves, [K]
    log_probabilities: Float32Array  # [K]
    values: Float32Array  # of the positions, [K]


Choose = Callable[[Int64Array, Int64Array, Int64Array, Streams], Choice]  # observations, masks, offsets, random


class Batch(NamedTuple):
    """B decisions to learn from."""

    observations: Int64Array  # packed, [B, 27]
    masks: Int64Array  # legal moves, [M]
    offsets: Int64Array  # where each decision's begin, [B + 1]
    chosen: Int64Array  # place of the move among those of its decision, [B]
    log_probabilities: Float32Array  # of the moves when they were played, [B]
    values: Float32Array  # of the positions, as they were expected then, [B]
    advantages: Float32Array  # [B]

    def select(self, rows: Int64Array) -> 'Batch':
        """Return some of the decisions, int64 [K]."""
        masks, offsets, _ = select_games(self.masks, self.offsets, rows)
        return Batch(
            self.observations[rows],
            masks,
            offsets,
            self.chosen[rows],
            self.log_probabilities[rows],
            self.values[rows],
            self.advantages[rows],
        )


# A decision as it is kept until it is learned from; its legal moves are kept elsewhere.
DECISION = np.dtype(
    [
        ('observation', np.int64, PACKED_SIZE),
        ('start', np.int64),  # of its legal moves
        ('count', np.int64),  # of them
        ('chosen', np.int64),  # place among them
        ('seat', np.int64),
        ('log_probability', np.float32),
        ('value', np.float32),
        ('reward', np.float32),
        ('is_last', np.bool_),  # of its seat in this deal
        ('is_pending', np.bool_),  # waits for the next decision of its seat
        ('advantage', np.float32),
    ]
)


class Rollout:
    """Plays `num_games` games in lock step and keeps the decisions.

    Against earlier selves, the first games are theirs: one seat is trained there, and it moves on with every deal.

    Args:
        config: of the run.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        seeds = np.random.SeedSequence(config.seed).generate_state(2)
        self.env = VectorEnv(config.num_games, config.rules, int(seeds[0]))
        self.random = new_streams(int(seeds[1]), config.num_games)
        self.moves = self.games = self.won = 0  # played so far; won: sum of the winners' payoffs, in cards
        self._observations = self.env.new_observations()
        self._masks, self._offsets = self.env.new_legal()
        self._payoffs = self.env.new_payoffs()
        self._done = np.empty(config.num_games, np.bool_)
        self._decisions = np.zeros((config.num_games, config.num_steps + NUM_PLAYERS), DECISION)
        self._lengths = np.zeros(config.num_games, np.int64)
        self._last = np.full((config.num_games, NUM_PLAYERS), -1, np.int64)  # place of each seat's last decision
        self._kept: list[Int64Array] = []  # legal moves of the decisions
        self._num_kept = 0
        self.seats: Int64Array = np.arange(config.num_games) % NUM_PLAYERS  # trained against earlier selves, [N]
        pooled = int(config.pool_share * config.num_games) if config.opponent == 'pool' else 0
        self._has_opponents = np.arange(config.num_games) < pooled

    def collect(self, choose: Choose, opponent: Choose | None = None) -> Batch:
        """Play `num_steps` moves in each game; return the decisions whose advantage is known by now.

        Args:
            choose: for the seats that are trained.
            opponent: for the others, where there are any.
        """
        for _ in range(self.config.num_steps):
            self._play_move(choose, opponent)
        expect(self._decisions, self._lengths, self.config.gamma, self.config.gae_lambda)
        masks = np.concatenate(self._kept)
        batch = self._batch(masks)
        self._carry_over(masks)
        return batch

    def _play_move(self, choose: Choose, opponent: Choose | None) -> None:
        env, offsets = self.env, self._offsets
        env.observe(self._observations)
        masks = self._masks[: env.legal(self._masks, offsets)]
        places = offsets[:-1].copy()
        several = np.diff(offsets) > 1
        trained = ~self._has_opponents | (env.players == self.seats)
        others = np.flatnonzero(several & ~trained)
        if others.size and opponent is not None:
            places[others] += self._choose_in(others, masks, opponent)[0].places
        own = np.flatnonzero(trained & (several | self.config.learn_forced))
        if own.size:
            choice, own_masks, own_offsets = self._choose_in(own, masks, choose)
            places[own] += choice.places
            append(
                self._decisions, self._lengths, self._last, own, self._observations, env.players,
                own_offsets + self._num_kept, *choice,
            )  # fmt: skip
            self._kept.append(own_masks)
            self._num_kept += len(own_masks)
        env.step(masks[places], self._payoffs, self._done, check=False)
        rewards = (self._payoffs / self.config.payoff_unit).astype(np.float32)
        settle(self._decisions, self._last, self._done, rewards)
        self._count()

    def _choose_in(self, games: Int64Array, masks: Int64Array, choose: Choose) -> tuple[Choice, Int64Array, Int64Array]:
        """Have moves chosen in some games, int64 [K]; return them, each game's place from 0, and what was legal."""
        own_masks, own_offsets, _ = select_games(masks, self._offsets, games)
        streams = self.random[games]
        choice = choose(self._observations[games], own_masks, own_offsets, streams)
        self.random[games] = streams
        return choice._replace(places=choice.places - own_offsets[:-1]), own_masks, own_offsets

    def _count(self) -> None:
        self.seats = (self.seats + self._done) % NUM_PLAYERS
        self.moves += self.config.num_games
        self.games += int(self._done.sum())
        self.won += int(self._payoffs.max(axis=1)[self._done].sum())

    def _batch(self, masks: Int64Array) -> Batch:
        there = np.arange(self._decisions.shape[1]) < self._lengths[:, None]
        ready = self._decisions[there & ~self._decisions['is_pending']]
        offsets = np.concatenate(([0], np.cumsum(ready['count'])))
        places = np.repeat(ready['start'] - offsets[:-1], ready['count']) + np.arange(offsets[-1])
        columns = ('chosen', 'log_probability', 'value', 'advantage')
        rest = (np.ascontiguousarray(ready[column]) for column in columns)
        return Batch(np.ascontiguousarray(ready['observation']), masks[places], offsets, *rest)

    def _carry_over(self, masks: Int64Array) -> None:
        """Begin a new buffer with the decisions that wait."""
        kept = np.empty(len(masks), np.int64)
        self._num_kept = carry_over(self._decisions, self._lengths, self._last, masks, kept)
        self._kept = [kept[: self._num_kept]]

    def tensors(self) -> dict[str, Tensor]:
        """Return all that the next `collect` depends on."""
        arrays = {
            'games': self.env.games.view(np.uint8),
            'deals': self.env.streams.view(np.int64),
            'random': self.random.view(np.int64),
            'decisions': self._decisions.view(np.uint8).reshape(self.config.num_games, -1),
            'lengths': self._lengths,
            'last': self._last,
            'kept': np.concatenate([*self._kept, np.empty(0, np.int64)]),
            'seats': self.seats,
        }
        return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Go on from what `tensors` returned."""
        arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
        self.env.games[:] = arrays['games'].view(self.env.games.dtype).reshape(self.env.games.shape)
        self.env.streams[:] = arrays['deals'].view(np.uint64)
        self.random[:] = arrays['random'].view(np.uint64)
        self._decisions[:] = arrays['decisions'].reshape(-1).view(DECISION).reshape(self._decisions.shape)
        self._lengths[:], self._last[:], self.seats[:] = arrays['lengths'], arrays['last'], arrays['seats']
        self._kept, self._num_kept = [arrays['kept'].copy()], len(arrays['kept'])


Decisions = NDArray[np.void]  # [N, num_steps + 4] of DECISION


@kernel
def append(
    decisions: Decisions,
    lengths: Int64Array,
    last: Int64Array,
    where: Int64Array,
    observations: Int64Array,
    players: Int64Array,
    offsets: Int64Array,
    chosen: Int64Array,
    log_probabilities: Float32Array,
    values: Float32Array,
) -> None:
    """Append a decision to each game in `where`, int64 [K]; `observations` and `players` are of all games."""
    for k in range(where.size):
        game = where[k]
        decision = decisions[game, lengths[game]]
        decision['observation'][:] = observations[game]
        decision['start'], decision['count'] = offsets[k], offsets[k + 1] - offsets[k]
        decision['chosen'], decision['seat'] = chosen[k], players[game]
        decision['log_probability'], decision['value'] = log_probabilities[k], values[k]
        decision['reward'], decision['is_last'] = 0.0, False
        last[game, players[game]] = lengths[game]
        lengths[game] += 1


@kernel
def settle(decisions: Decisions, last: Int64Array, done: NDArray[np.bool_], payoffs: Float32Array) -> None:
    """Credit the payoffs of the games that ended, float32 [N, 4], to each seat's last decision."""
    for game in np.flatnonzero(done):
        for seat in range(NUM_PLAYERS):
            place = last[game, seat]
            if place >= 0:
                decisions[game, place]['reward'] = payoffs[game, seat]
                decisions[game, place]['is_last'] = True
                last[game, seat] = -1


@kernel
def expect(decisions: Decisions, lengths: Int64Array, gamma: float, gae_lambda: float) -> None:
    """Write the advantage of each decision by GAE over its seat's own decisions, and which ones wait."""
    following = np.empty(NUM_PLAYERS, np.int64)
    for game in range(lengths.size):
        following[:] = -1
        for place in range(lengths[game] - 1, -1, -1):
            decision = decisions[game, place]
            after = following[decision['seat']]
            following[decision['seat']] = place
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
        for place in range(lengths[game]):
            if decisions[game, place]['is_pending']:
                decisions[game, length] = decisions[game, place]
                decision = decisions[game, length]
                start, count = decision['start'], decision['count']
                kept[end : end + count] = masks[start : start + count]
                decision['start'] = end
                end += count
                last[game, decision['seat']] = length
                length += 1
        lengths[game] = length
    return end
