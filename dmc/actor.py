"""An actor: plays games and hands over the decisions to learn from, each with its target."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dmc.config import Config
from dmc.inference import Inference, NumpyValues
from dmc.opponents import PriorAgent, make_players
from dmc.workers.base import Link, ReplayRows, replay_row
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.dtypes import num_words, words_of
from rlcard_kit.game import CardGame
from rlcard_kit.jit import kernel
from rlcard_kit.nets.weights import load_weights
from rlcard_kit.rng import new_streams
from rlcard_kit.table import TRAINED, Table, Turn, seat_trained
from rlcard_kit.vector_env import VectorEnv, deal_streams
from training.learner import num_weights

FULL_SECONDS = 0.005  # to wait if there is no room for more rows


def ply_record(game: CardGame) -> np.dtype[Any]:
    """Return the record of a decision of a game in progress."""
    return np.dtype(
        [
            ('observation', np.int64, num_words(game.observation)),
            ('action', np.int64),
            ('seat', np.int64),
            ('expected', np.float64),  # value of the best move; NaN if there was no choice
        ]
    )


class Actor:
    """Plays `num_games` games in lock step with the newest weights.

    Args:
        config: settings of the run.
        stream: of its random draws; each actor that a run ever starts has its own.
        link: to the learner.
        inference: how values are computed.
        device: that the network runs on.
    """

    def __init__(self, config: Config, stream: int, link: Link, inference: Inference, device: str = 'cpu') -> None:
        self.config = config
        self.link = link
        self.game = config.learned
        card = self.game.card
        seeds = np.random.SeedSequence([config.run.seed, stream]).generate_state(2)
        network = self.game.make_value_network(config.spec)
        self.network = network.to(device, inference.dtype).eval()
        self._in_numpy = NumpyValues(self.game, self.network) if inference.in_numpy else None
        self.players = make_players(config, self._in_numpy or self.network)
        env = VectorEnv(card, config.game.rules, deal_streams(config.game.num_games, int(seeds[0])))
        random = new_streams(int(seeds[1]), config.game.num_games)[:, None]
        share = config.game.opponent_share if len(self.players) > 1 else 0.0
        seating = seat_trained(np.arange(config.game.num_games) < share * config.game.num_games, card.teams)
        self.table = Table(env, self.players, seating, random, ask_forced=False)
        self.weights = np.empty(num_weights(self.network), np.float32)
        self.version = 0
        self.episodes = np.empty((config.game.num_games, card.max_plies), ply_record(card))
        self._row = replay_row(card)
        self.lengths = np.zeros(config.game.num_games, np.int64)

    def run(self) -> None:
        """Play until the run stops."""
        while not self.link.stopped:
            self.refresh()
            rows = self.play_moves()
            self.link.beat()
            while len(rows) and not self.link.stopped:
                rows = rows[self.link.put(rows) :]
                if len(rows):
                    self.link.beat()
                    time.sleep(FULL_SECONDS)

    def refresh(self) -> None:
        """Load newer weights, if there are any."""
        version = self.link.fetch(self.version, self.weights)
        if version != self.version:
            load_weights(self.network, self.weights)
            if self._in_numpy is not None:
                self._in_numpy.renew(self.network)
            self.version = version

    def play_moves(self) -> ReplayRows:
        """Make one move in every game; return the decisions of the games that it ended, [K]."""
        seating = self.table.seating.copy()  # it moves on where the turn ends a game
        turn = self.table.turn()
        self._record(turn)
        ended = np.flatnonzero(turn.done)
        for player in self.players:
            if isinstance(player, PriorAgent):
                player.count(len(ended))
        rows = np.empty(int(self.lengths[ended].sum()), self._row)
        collect(self.episodes, self.lengths, ended, self._returns(turn), self.config.learning.td_lambda, rows)
        if ended.size:
            payoffs = int(turn.payoffs.max(axis=1)[ended].sum())
            self.link.count(len(ended), payoffs, self.game.count(turn, seating == TRAINED))
        return rows

    def _returns(self, turn: Turn) -> Float64Array:
        """Return the targets of finished games, float64 [N, seats]: returns with the winners' bonus."""
        wins = self.game.card.wins(turn.payoffs)
        bonus = self.config.learning.win_bonus * (wins - wins.mean(axis=1, keepdims=True))
        result: Float64Array = self.game.returns(turn.payoffs) + bonus
        return result

    def _record(self, turn: Turn) -> None:
        """Record the trained agent's decisions; forced ones only with `learn_forced`."""
        least_moves = 1 if self.config.learning.learn_forced else 2
        where = (turn.players == TRAINED) & (turn.positions.counts >= least_moves)
        words = words_of(turn.positions.observations)
        record(self.episodes, self.lengths, where, words, turn.moves, turn.seats, turn.values)


@kernel
def record(
    episodes: NDArray[np.void],
    lengths: Int64Array,
    where: NDArray[np.bool_],
    observations: Int64Array,
    moves: Int64Array,
    seats: Int64Array,
    expected: NDArray[np.float32],
) -> None:
    """Append a decision to the episode of each game in `where`, bool [N].

    `observations` are words, see `words_of`; `episodes` are [N, max_plies] of `ply_record`.
    """
    for i in np.flatnonzero(where):
        ply = episodes[i, lengths[i]]
        ply.observation[:] = observations[i]
        ply.action = moves[i]
        ply.seat = seats[i]
        ply.expected = expected[i]
        lengths[i] += 1


@kernel
def collect(
    episodes: NDArray[np.void],
    lengths: Int64Array,
    ended: Int64Array,
    returns: NDArray[np.float64],
    td_lambda: float,
    out: ReplayRows,
) -> None:
    """Move the episodes of ended games into `out`, [K], each decision with its target.

    A seat's last decision has its return, of float64 [N, 4], as target. Each one before has that of the next one,
    weighted by lambda, and what was expected of the next one's best move, by the rest (Sutton and Barto, 2018, section
    12.1); a next one that was no choice hands its own target on.
    """
    end = 0
    following = np.empty(returns.shape[1])
    for i in ended:
        following[:] = returns[i]
        for place in range(lengths[i] - 1, -1, -1):
            ply, decision = episodes[i, place], out[end + place]
            decision.observation[:] = ply.observation
            decision.action = ply.action
            decision.target = following[ply.seat]
            if not np.isnan(ply.expected):
                following[ply.seat] += (1 - td_lambda) * (ply.expected - following[ply.seat])
        end += lengths[i]
        lengths[i] = 0
