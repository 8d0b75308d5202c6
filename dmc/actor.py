"""An actor: plays games and hands over the decisions to learn from, each with its target."""

import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dmc.config import ANY, Config
from dmc.inference import Inference, NumpyValues
from dmc.opponents import PriorAgent, make_players
from dmc.workers.base import Link, ReplayRows, replay_row
from rlcard_kit.agents import Agent
from rlcard_kit.arrays import Float64Array, Int64Array, num_words, words_of
from rlcard_kit.game import CardGame
from rlcard_kit.jit import kernel
from rlcard_kit.nets.weights import load_weights
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table, Turn
from rlcard_kit.vector_env import VectorEnv, deal_streams
from training.learner import num_weights
from training.seating import OPPONENT, TRAINED, seat_trained

RENEWED = 200  # turns after which an actor draws other rules for one of its groups
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


class Group:
    """Games in lock step by the same rules, with the decisions of those in progress.

    Args:
        config: settings of the run.
        rules: of the games.
        count: of games.
        seeds: of the deals, and of the players.
        players: of the games.
    """

    def __init__(self, config: Config, rules: Any, count: int, seeds: tuple[int, int], players: list[Agent]) -> None:
        self.config = config
        self.game = config.learned.for_rules(rules)
        card = self.game.card
        env = VectorEnv(card, rules, deal_streams(count, seeds[0]))
        random = new_streams(seeds[1], count)[:, None]
        share = config.game.opponent_share if len(players) > 1 else 0.0
        seating = seat_trained(np.arange(count) < share * count, card.teams)
        opponents = OPPONENT + np.arange(count) // len(card.teams) % max(len(players) - 1, 1)  # of each game
        self.table = Table(env, players, seating * opponents[:, None], random, ask_forced=False)
        self.episodes = np.empty((count, card.max_plies), ply_record(card))
        self._row = replay_row(card)
        self.lengths = np.zeros(count, np.int64)
        self.unit = self.game.value_unit(config.settings())

    def play_moves(self, link: Link) -> ReplayRows:
        """Make one move in every game; return the decisions of the games that it ended, [K]."""
        seating = self.table.seating.copy()  # it moves on where the turn ends a game
        turn = self.table.turn()
        self._record(turn)
        ended = np.flatnonzero(turn.done)
        for player in self.table.agents:
            if isinstance(player, PriorAgent):
                player.count(len(ended))
        rows = np.empty(int(self.lengths[ended].sum()), self._row)
        collect(self.episodes, self.lengths, ended, self._returns(turn), self.config.learning.td_lambda, rows)
        if ended.size:
            payoffs = int(turn.payoffs.max(axis=1)[ended].sum())
            link.count(len(ended), payoffs, self.game.count(turn, seating == TRAINED))
        return rows

    def _returns(self, turn: Turn) -> Float64Array:
        """Return the targets of finished games, float64 [N, seats]: returns with the winners' bonus."""
        wins = self.game.card.wins(turn.payoffs)
        bonus = self.config.learning.win_bonus * (wins - wins.mean(axis=1, keepdims=True))
        result: Float64Array = self.game.returns(turn.payoffs) / self.unit + bonus
        return result

    def _record(self, turn: Turn) -> None:
        """Record the trained agent's decisions; forced ones only with `learn_forced`."""
        least_moves = 1 if self.config.learning.learn_forced else 2
        where = (turn.players == TRAINED) & (turn.positions.counts >= least_moves)
        words = words_of(turn.positions.observations)
        record(self.episodes, self.lengths, where, words, turn.moves, turn.seats, turn.values)


class Actor:
    """Plays `num_games` games with the newest weights, in a group for each of the rules.

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
        # torch copies the bfloat16 weights of an LSTM on each call, which costs a GPU little.
        warnings.filterwarnings('ignore', 'RNN module weights are not part of single contiguous chunk')
        self._seeds = config.run.seed, stream
        network = self.game.make_value_network(config.spec)
        self.network = network.to(device, inference.dtype).eval()
        self._in_numpy = NumpyValues(self.game, self.network) if inference.in_numpy else None
        self.players = make_players(config, self._in_numpy or self.network)
        self._rules = config.game.rules, *config.game.more_rules
        self._started = 0  # groups
        self._turns = 0
        self.groups = [self._start(text) for text in self._rules]
        self.weights = np.empty(num_weights(self.network), np.float32)
        self.version = 0

    def _start(self, text: str) -> Group:
        """Start a group by rules, given by their text, or drawn."""
        seeds = np.random.SeedSequence([*self._seeds, self._started] if self._started else self._seeds)
        self._started += 1
        deals, players = map(int, seeds.generate_state(2))
        rules = self.game.draw_rules(np.random.default_rng(seeds)) if text == ANY else self.game.card.find_rules(text)
        count = max(1, self.config.game.num_games // len(self._rules))
        return Group(self.config, rules, count, (deals, players), self.players)

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
        rows = np.concatenate([group.play_moves(self.link) for group in self.groups])
        self._turns += 1
        place = self._turns // RENEWED % len(self.groups)
        if self._turns % RENEWED == 0 and self._rules[place] == ANY:
            self.groups[place] = self._start(ANY)  # games in progress are dropped
        return rows


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
