"""Calibrate a network's values by self-play on fresh deals: tables of win probability and expected payoff."""

from typing import Any, NamedTuple

import numpy as np

from rlcard_kit.agents.base import Agent
from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.game import CardGame, Deals
from rlcard_kit.nets.calibration import Calibration
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv
from training.games import LearnedGame

SEED = 1802  # of the deals; others are for tests
LEAST_GAMES = 100  # or parts would be empty
LOCKSTEP = 256  # games at once
DIGITS = 4
# Shares of the decisions between which a point stands; narrow at both ends, where single points must not be clamped.
EDGES = (0.01, 0.05, 0.12, 0.23, 0.36, 0.5, 0.64, 0.77, 0.88, 0.95, 0.99)


class Decisions(NamedTuple):
    """Decisions among two legal moves or more, and how their games ended for the seat that decided."""

    values: Float64Array  # [K], the network's for its best move
    won: BoolArray  # [K]
    payoffs: Int64Array  # [K]


def play_itself(game: LearnedGame, agent: Agent, rules: Any, games: int, seed: int = SEED) -> Decisions:
    """Play games with an agent whose choices have values in all four seats; return its decisions."""
    agent.prepare(rules)
    deals = game.deal(seed, games)
    parts = [_play(game.card, agent, rules, deals[first : first + LOCKSTEP]) for first in range(0, games, LOCKSTEP)]
    return Decisions(*map(np.concatenate, zip(*parts, strict=True)))


def _play(card: CardGame, agent: Agent, rules: Any, deals: Deals) -> Decisions:
    env = VectorEnv(card, rules, deals)
    streams = new_streams(0, len(deals)).reshape(-1, 1)
    table = Table(env, [agent], np.zeros((len(deals), card.num_seats), np.int64), streams, ask_forced=False)
    values, seats = [], []
    while not env.is_over:
        turn = table.turn()
        values.append(turn.values)
        seats.append(turn.seats)
    turns, games = np.nonzero(~np.isnan(values))  # nobody is asked if there is no choice
    seat = np.array(seats)[turns, games]
    won = card.wins(turn.payoffs)
    return Decisions(np.array(values, np.float64)[turns, games], won[games, seat], turn.payoffs[games, seat])


def fit(decisions: Decisions) -> Calibration:
    """Return monotone tables of what followed values: means of twelve parts, the decisions being sorted by value."""
    order = np.argsort(decisions.values, kind='stable')
    parts = np.split(order, (np.array(EDGES) * len(order)).astype(int))
    weights = np.array([len(part) for part in parts], np.float64)
    values, won, payoffs = (np.array([column[part].mean() for part in parts], np.float64) for column in decisions)
    return Calibration(*(_rounded(table) for table in (values, monotone(won, weights), monotone(payoffs, weights))))


def monotone(means: Float64Array, weights: Float64Array) -> Float64Array:
    """Return the ascending numbers that are nearest to weighted means, by least squares, float64 [K].

    Number i is the greatest, over all beginnings up to i, of the least mean of a stretch from there that has i in it.
    """
    sums, totals = (np.concatenate(([0.0], np.cumsum(column))) for column in (means * weights, weights))
    count = len(means)
    best = [
        max(min((sums[end] - sums[start]) / (totals[end] - totals[start]) for end in range(i + 1, count + 1))
            for start in range(i + 1))
        for i in range(count)
    ]  # fmt: skip
    return np.array(best)


def _rounded(table: Float64Array) -> tuple[float, ...]:
    return tuple(np.round(table, DIGITS).tolist())
