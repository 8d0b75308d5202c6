"""Rollouts: many games in lockstep, and their decisions to learn from."""

import numpy as np
import torch
from torch import Tensor

from ppo.buffer import Batch, Buffer
from ppo.config import Config
from rlcard_kit.agents import Agent, select_moves
from rlcard_kit.arrays import Int64Array, words_of
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table, Turn
from rlcard_kit.vector_env import VectorEnv, deal_streams
from training.games import LearnedGame
from training.workers import TRAINED, Counts, seat_trained

GAE_LAMBDA = 0.95  # how far advantages look ahead: 0 to the next value, 1 to the payoff (Schulman et al. 2016)
TRIED_GAMES, TRIED_MOVES = 32, 8  # see `try_out`


class Rollout:
    """Plays `num_games` games in lockstep and keeps the decisions.

    Against earlier selves, the first games are theirs: one team is trained there, and it moves on with every deal.

    Args:
        config: of the run.
        game: to learn.
        stream: of the random draws; 0 is that of a run that plays in one process.
    """

    def __init__(self, config: Config, game: LearnedGame, stream: int = 0) -> None:
        self.settings, self._learning = config.game, config.learning
        self.game, card, count = game, game.card, config.game.num_games
        seeds = np.random.SeedSequence([config.run.seed, stream] if stream else config.run.seed).generate_state(2)
        self.env = VectorEnv(card, config.game.rules, deal_streams(count, int(seeds[0])))
        self.counts = Counts(0, 0, 0, game.no_statistics())  # so far
        self.buffer = Buffer(card, count, config.game.num_steps)
        pooled = np.arange(count) < int(config.game.pool_share * count)
        random = new_streams(int(seeds[1]), count)[:, None]
        self.table = Table(self.env, [], seat_trained(pooled, card.teams), random)

    def collect(self, learner: Agent, opponent: Agent | None = None) -> Batch:
        """Play `num_steps` moves in each game; return the decisions whose advantage is known by now.

        Args:
            learner: plays the seats that are trained, and returns values and log-probabilities.
            opponent: plays the others, if there are any.
        """
        agents = [learner] if opponent is None else [learner, opponent]
        self.table.seat(agents, [self._learning.learn_forced, False][: len(agents)])
        for _ in range(self.settings.num_steps):
            seating = self.table.seating.copy()  # it moves on where the turn ends a game
            turn = self.table.turn()
            self._keep(turn)
            self._count(turn, seating)
        return self.buffer.take(self._learning.gamma, GAE_LAMBDA)

    def _keep(self, turn: Turn) -> None:
        """Keep the decisions of a turn, and credit the payoffs of the games that it ended."""
        least_moves, positions = 1 if self._learning.learn_forced else 2, turn.positions
        games = np.flatnonzero((turn.players == TRAINED) & (positions.counts >= least_moves))
        if games.size:
            rows = np.zeros(len(games), self.buffer.decisions.dtype)
            rows['observation'] = words_of(positions.observations)[games]
            rows['count'] = positions.counts[games]
            rows['chosen'] = (turn.indices - positions.offsets[:-1])[games]
            rows['seat'] = turn.seats[games]
            rows['log_probability'], rows['value'] = turn.log_probabilities[games], turn.values[games]
            self.buffer.add(games, rows, *select_moves(positions.moves, positions.offsets, games))
        returns = self.game.returns(turn.payoffs) if self._learning.target == 'difference' else turn.payoffs
        self.buffer.credit(turn.done, (returns / self._learning.payoff_unit).astype(np.float32))

    def _count(self, turn: Turn, seating: Int64Array) -> None:
        won = int(turn.payoffs.max(axis=1)[turn.done].sum())
        ended = int(turn.done.sum())
        statistics = self.game.count(turn, seating == TRAINED) if ended else self.game.no_statistics()
        self.counts = self.counts.plus(Counts(len(turn.done), ended, won, statistics))

    def tensors(self) -> dict[str, Tensor]:
        """Return all that the next `collect` depends on."""
        arrays = {
            'games': self.env.games.view(np.uint8),
            'deals': self.env.streams.view(np.int64),
            'random': self.table.random[:, 0].view(np.int64),
            **self.buffer.arrays(),
            'seating': self.table.seating,
        }
        return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Continue from what `tensors` returned."""
        arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
        self.env.games[:] = arrays['games'].view(self.env.games.dtype).reshape(self.env.games.shape)
        self.env.streams[:] = arrays['deals'].view(np.uint64)
        self.table.random[:, 0] = arrays['random'].view(np.uint64)
        self.table.seating[:] = arrays['seating']
        self.buffer.restore(arrays)


def try_out(config: Config, game: LearnedGame, learner: Agent) -> Batch:
    """Play a few moves in a few games, as a run would in self-play; return the decisions."""
    tried = config.changed(
        num_games=TRIED_GAMES, num_steps=TRIED_MOVES, num_actors=None, pool_share=0.0, pool_agents=()
    )
    return Rollout(tried, game).collect(learner)
