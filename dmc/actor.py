"""An actor: plays games and hands over the decisions to learn from, each with its target."""

import time
import warnings
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dmc.config import ANY, Config, DMCLearningSettings
from dmc.inference import TORCH, CopiedValues, Inference
from dmc.opponents import make_players
from dmc.workers.base import Link, ReplayRows, replay_dtype
from rlcard_kit.arrays import Float64Array, Int64Array, num_words, words_of
from rlcard_kit.game import CardGame
from rlcard_kit.jit import kernel
from rlcard_kit.nets.weights import load_weights
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table, Turn
from rlcard_kit.vector_env import VectorEnv, deal_streams
from training.games import LearnedGame
from training.learner import num_weights
from training.workers import OPPONENT, TRAINED, seat_trained

TURNS_BETWEEN_RULES = 200  # after which an actor draws other rules for one of its groups
FULL_RING_WAIT = 0.005  # seconds, if there is no room for more rows


def ply_dtype(game: CardGame) -> np.dtype[Any]:
    """Return the dtype of a decision of a game in progress."""
    return np.dtype(
        [
            ('observation', np.int64, num_words(game.observation)),
            ('action', np.int64),
            ('seat', np.int64),
            ('expected', np.float64),  # value of the best move; NaN if there was no choice
        ]
    )


class Group:
    """Games in lockstep by the same rules; with `--more-rules`, an actor has a group for each.

    Args:
        game: for the rules.
        table: of the games; the trained agent is its first.
        unit: payoff that a value of 1 stands for.
        settings: of the targets.
    """

    def __init__(self, game: LearnedGame, table: Table, unit: float, settings: DMCLearningSettings) -> None:
        self.game, self.table = game, table
        count = len(table.seating)
        self.episodes = np.empty((count, game.card.max_plies), ply_dtype(game.card))  # decisions of games in progress
        self.lengths = np.zeros(count, np.int64)  # [count], of the episodes
        self._row = replay_dtype(game.card)
        self._unit, self._settings = unit, settings

    def play_moves(self, link: Link) -> tuple[ReplayRows, int]:
        """Make one move in every game; return the decisions, [K], and the number of the games that it ended."""
        seating = self.table.seating.copy()  # it moves on where the turn ends a game
        turn = self.table.turn()
        self._append(turn)
        ended = np.flatnonzero(turn.done)
        rows = np.empty(int(self.lengths[ended].sum()), self._row)
        lambda_returns(self.episodes, self.lengths, ended, self._returns(turn), self._settings.td_lambda, rows)
        if ended.size:
            payoffs = int(turn.payoffs.max(axis=1)[ended].sum())
            link.report(len(ended), payoffs, self.game.count(turn, seating == TRAINED))
        return rows, len(ended)

    def _returns(self, turn: Turn) -> Float64Array:
        """Return the returns of finished games, float64 [N, seats], with the winners' bonus."""
        wins = self.game.card.wins(turn.payoffs)
        bonus = self._settings.win_bonus * (wins - wins.mean(axis=1, keepdims=True))
        result: Float64Array = self.game.returns(turn.payoffs) / self._unit + bonus
        return result

    def _append(self, turn: Turn) -> None:
        """Append the trained agent's decisions to the episodes; forced ones only with `learn_forced`."""
        least_moves = 1 if self._settings.learn_forced else 2
        where = (turn.players == TRAINED) & (turn.positions.counts >= least_moves)
        words = words_of(turn.positions.observations)
        append_plies(self.episodes, self.lengths, where, words, turn.moves, turn.seats, turn.values)


class Actor:
    """Plays `num_games` games with the newest weights, in a group for each of the rules.

    Args:
        config: settings of the run.
        game: that is learned.
        stream: of its random draws; each actor that a run ever starts has its own.
        link: to the learner.
        inference: how values are computed.
        device: that the network runs on.
    """

    def __init__(
        self, config: Config, game: LearnedGame, stream: int, link: Link, inference: Inference, device: str = 'cpu'
    ) -> None:
        self.game, self.link = game, link
        self._settings, self._learning = config.game, config.learning
        # torch copies the bfloat16 weights of an LSTM on each call, which costs a GPU little.
        warnings.filterwarnings('ignore', 'RNN module weights are not part of single contiguous chunk')
        self._seeds = config.run.seed, stream
        network = game.make_network(config.spec)
        in_torch = inference.library == TORCH
        self.network = network.to(device, inference.dtype if in_torch else torch.float32).eval()
        self._copied = None if in_torch else CopiedValues(game, self.network, inference)
        self._finished = 0  # games
        self.players = make_players(config, game, self._copied or self.network, lambda: self._finished)
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
        deals, draws = map(int, seeds.generate_state(2))
        rules = self.game.draw_rules(np.random.default_rng(seeds)) if text == ANY else self.game.find_rules(text)
        game, count = self.game.for_rules(rules), max(1, self._settings.num_games // len(self._rules))
        teams, env = game.card.teams, VectorEnv(game.card, rules, deal_streams(count, deals))
        share = self._settings.opponent_share if len(self.players) > 1 else 0.0
        seating = seat_trained(np.arange(count) < share * count, teams)
        opponents = OPPONENT + np.arange(count) // len(teams) % max(len(self.players) - 1, 1)  # of each game
        random = new_streams(draws, count)[:, None]
        table = Table(env, self.players, seating * opponents[:, None], random, ask_forced=False)
        return Group(game, table, game.value_unit(self.network.spec), self._learning)

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
                    time.sleep(FULL_RING_WAIT)

    def refresh(self) -> None:
        """Load newer weights, if there are any."""
        version = self.link.fetch(self.version, self.weights)
        if version != self.version:
            load_weights(self.network, self.weights)
            if self._copied is not None:
                self._copied.renew(self.network)
            self.version = version

    def play_moves(self) -> ReplayRows:
        """Make one move in every game; return the decisions of the games that it ended, [K]."""
        parts = []
        for group in self.groups:
            rows, ended = group.play_moves(self.link)
            parts.append(rows)
            self._finished += ended
        self._turns += 1
        index = self._turns // TURNS_BETWEEN_RULES % len(self.groups)
        if self._turns % TURNS_BETWEEN_RULES == 0 and self._rules[index] == ANY:
            self.groups[index] = self._start(ANY)  # games in progress are dropped
        return np.concatenate(parts)


@kernel
def append_plies(
    episodes: NDArray[np.void],
    lengths: Int64Array,
    where: NDArray[np.bool_],
    observations: Int64Array,
    moves: Int64Array,
    seats: Int64Array,
    expected: NDArray[np.float32],
) -> None:
    """Append a decision to the episode of each game in `where`, bool [N].

    `observations` are words, see `words_of`; `episodes` are [N, max_plies] of `ply_dtype`.
    """
    for i in np.flatnonzero(where):
        ply = episodes[i, lengths[i]]
        ply.observation[:] = observations[i]
        ply.action = moves[i]
        ply.seat = seats[i]
        ply.expected = expected[i]
        lengths[i] += 1


@kernel
def lambda_returns(
    episodes: NDArray[np.void],
    lengths: Int64Array,
    ended: Int64Array,
    returns: NDArray[np.float64],
    td_lambda: float,
    out: ReplayRows,
) -> None:
    """Move the episodes of ended games into `out`, [K], each decision with its lambda-return as target.

    A seat's last decision has its return, of float64 [N, seats], as target. Each one before has that of the next one,
    weighted by lambda, and the value of the next one's best move, weighted by the rest (Sutton and Barto, 2018, section
    12.1); a next one that was no choice passes its own target on.
    """
    end = 0
    target = np.empty(returns.shape[1])  # of each seat's next decision
    for i in ended:
        target[:] = returns[i]
        for index in range(lengths[i] - 1, -1, -1):
            ply, decision = episodes[i, index], out[end + index]
            decision.observation[:] = ply.observation
            decision.action = ply.action
            decision.target = target[ply.seat]
            if not np.isnan(ply.expected):
                target[ply.seat] += (1 - td_lambda) * (ply.expected - target[ply.seat])
        end += lengths[i]
        lengths[i] = 0
