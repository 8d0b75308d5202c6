"""Calibrate a network's values by self-play on fresh deals: tables of win probability and expected payoff."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

from rlcard_kit.agents import Agent
from rlcard_kit.arrays import BoolArray, Float64Array, Int8Array, Int64Array
from rlcard_kit.game import CardGame, Deals
from rlcard_kit.nets.calibration import UNIT, Calibration, CalibrationByRules
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv
from training.games import LearnedGame

SEED = 1802  # of the deals; others are for tests
LEAST_GAMES = 100  # or parts would be empty
GAMES_BY_RULES = 128  # each, if the network is told the rules
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
    """Play games with an agent whose choices have values in all seats; return its decisions."""
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


PARTS = 24  # of the decisions by each of the rules
SIZES = 16, 32  # of the layers
STEPS = 3000
CARDS = 0.01  # weight of the squared error of payoffs


def fit_by_rules(played: Sequence[tuple[Int8Array, float, Decisions]]) -> CalibrationByRules:
    """Return what followed values under any rules, by layers that are fitted to means of parts of the decisions.

    Args:
        played: by each of several rules: the rules as inputs, a value of 1 in payoff, and the decisions.
    """
    rows = []
    for _, stake, decisions in played:
        for part in np.array_split(np.argsort(decisions.values, kind='stable'), PARTS):
            values, won, payoffs = (column[part].mean() for column in decisions)
            rows.append((values / stake, won, payoffs / stake, len(part)))
    rules_inputs = torch.from_numpy(np.array([rules for rules, *_ in played], np.float32))
    value, won, payoff, weight = torch.from_numpy(np.array(rows, np.float32).T)
    weight = weight / weight.sum()
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(SEED)
        sizes = (rules_inputs.shape[1], SIZES[0]), (SIZES[0] + 1, SIZES[1]), (SIZES[1], 2)
        layers = [nn.Linear(*size, dtype=torch.float32) for size in sizes]
    parameters = [weights for layer in layers for weights in layer.parameters()]
    optimizer = torch.optim.AdamW(parameters, 1e-2, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    for _ in range(STEPS):
        hidden = torch.column_stack([torch.tanh(layers[0](rules_inputs)).repeat_interleave(PARTS, dim=0), value / UNIT])
        odds, more = layers[2](torch.tanh(layers[1](hidden))).T
        cross_entropy = binary_cross_entropy_with_logits(odds, won, weight, reduction='sum')
        loss = cross_entropy + CARDS * (weight * (value + UNIT * more - payoff) ** 2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return CalibrationByRules(*(_with_bias(layer) for layer in layers))


def _with_bias(layer: nn.Linear) -> Float64Array:
    weights: Float64Array = torch.column_stack([layer.weight, layer.bias]).detach().double().numpy()
    return np.round(weights, DIGITS)


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
