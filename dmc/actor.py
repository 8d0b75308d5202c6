"""An actor: plays games and writes the decisions to learn from, with what followed, to its ring."""

import time
import traceback
from contextlib import closing
from multiprocessing.connection import Connection
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from common.processes import leave_with_parent
from dmc.config import Config
from dmc.fleet.shared_memory import DECISION, Decisions, SharedArrays, Sizes
from dmc.opponents import PriorAgent, make_players
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import NUM_WORDS, words_of
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.compilation import kernel
from rlcard_big2.lockstep.random import new_streams
from rlcard_big2.lockstep.table import TRAINED, Table, Turn, seat_trained
from rlcard_big2.nets.networks import make_network
from rlcard_big2.nets.value import load_weights
from rlcard_big2.vector import VectorEnv

# A decision of a game that goes on.
PLY = np.dtype(
    [
        ('observation', np.int64, NUM_WORDS),
        ('action', np.int64),
        ('seat', np.int64),
        ('expected', np.float64),  # value of the best move; NaN where there was no choice
    ]
)


class Work(NamedTuple):
    """What an actor's process is told; see `Actor`."""

    config: Config
    number: int
    stream: int
    sizes: Sizes  # of the shared arrays
    name: str  # of their block
    dtype: torch.dtype
    device: str


class Actor:
    """Plays `num_games` games in lock step with the newest weights.

    Args:
        config: of the run.
        number: of this actor, 0..num_actors - 1: its ring.
        stream: of its random draws; each actor that a run ever starts has another.
        shared: the arrays of the run.
        dtype: precision of the network.
        device: where it runs.
    """

    def __init__(
        self,
        config: Config,
        number: int,
        stream: int,
        shared: SharedArrays,
        dtype: torch.dtype,
        device: str = 'cpu',
    ) -> None:
        self.config = config
        self.number = number
        self.shared = shared
        seeds = np.random.SeedSequence([config.seed, stream]).generate_state(2)
        network = make_network(config.spec)
        self.network = network.to(device, dtype).eval()
        self.players = make_players(config, self.network)
        env = VectorEnv(config.num_games, config.rules, int(seeds[0]))
        random = new_streams(int(seeds[1]), config.num_games)[:, None]
        seating = seat_trained(np.full(config.num_games, len(self.players) > 1), BIG2.num_seats)
        self.table = Table(env, self.players, seating, random, ask_forced=False)
        self.weights = np.empty(shared.sizes.num_weights, np.float32)
        self.version = 0
        self.episodes = np.empty((config.num_games, BIG2.max_plies), PLY)
        self.lengths = np.zeros(config.num_games, np.int64)

    def run(self) -> None:
        """Play until the run stops."""
        while not self.shared.stop[0]:
            self.refresh()
            rows = self.play_moves()
            self.shared.beats[self.number] += 1
            while len(rows) and not self.shared.stop[0]:
                rows = rows[self.shared.put(self.number, rows) :]
                if len(rows):
                    self.shared.beats[self.number] += 1
                    time.sleep(0.005)

    def refresh(self) -> None:
        """Take over new weights, if there are any."""
        version = self.shared.fetch(self.version, self.weights)
        if version != self.version:
            load_weights(self.network, self.weights)
            self.version = version

    def play_moves(self) -> Decisions:
        """Make one move in every game; return the decisions of the games that it ended, [K]."""
        turn = self.table.turn()
        self._record(turn)
        ended = np.flatnonzero(turn.done)
        for player in self.players:
            if isinstance(player, PriorAgent):
                player.count(len(ended))
        rows = np.empty(int(self.lengths[ended].sum()), DECISION)
        returns = turn.payoffs + self.config.win_bonus * (BIG2.wins(turn.payoffs) - 1 / NUM_PLAYERS)
        collect(self.episodes, self.lengths, ended, returns, self.config.td_lambda, rows)
        self.shared.games[self.number] += len(ended)
        self.shared.won[self.number] += turn.payoffs.max(axis=1)[ended].sum()
        return rows

    def _record(self, turn: Turn) -> None:
        """Note the trained agent's decisions; forced ones only if they are to be learned from."""
        least_moves = 1 if self.config.learn_forced else 2
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

    `observations` are words, see `words_of`; `episodes` are PLY [N, max_plies].
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
    out: Decisions,
) -> None:
    """Move the episodes of ended games into `out`, DECISION [K], each decision with its target.

    A seat's last decision has its return, of float64 [N, 4], as target. Each one before has that of the next one,
    weighted by lambda, and what was expected of the next one's best move, by the rest (Sutton and Barto, 2018, section
    12.1); a next one that was no choice hands its own target on.
    """
    end = 0
    following = np.empty(NUM_PLAYERS)
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


def act(work: Work, errors: Connection) -> None:
    """Run an actor as a process of its own; a traceback goes through `errors` before it dies."""
    leave_with_parent()
    torch.set_num_threads(1)
    threadpool_limits(1)
    try:
        with closing(SharedArrays(work.sizes, work.name)) as shared:
            Actor(work.config, work.number, work.stream, shared, work.dtype, work.device).run()
    except BaseException:
        errors.send(traceback.format_exc())
        raise
