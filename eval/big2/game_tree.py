"""The whole tree of a small game of two players, level by level, with exact best responses and CFR+.

All deals are as likely; seats see their hand and all moves. A policy has a probability for each action of each
information set, an array for each level. Values are payoffs of seat 0, in cards, but for those of `best_response`.
"""

from dataclasses import replace
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.engine.batch import list_legal, observe_games, play_moves, settle_games, start_games
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.observation import new_observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import Games, new_games
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.agents.base import Agent, RandomAgent
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.errors import RulesError
from rlcard_kit.nets.agents import PolicyAgent
from rlcard_kit.positions import Positions, select_moves
from rlcard_kit.rng import new_streams

MOST_NODES = 20_000_000  # of a tree; a million take a quarter of a gigabyte

Policy = list[Float64Array]  # by level: [A], the probability of each action


class Level(NamedTuple):
    """The nodes after as many moves, N of them, in I information sets with A actions together."""

    parents: Int64Array  # [N], index in the level before
    edges: Int64Array  # [N], index of the action there that led here
    movers: Int64Array  # [N], the seat to move, -1 at the end
    infosets: Int64Array  # [N], the information set of the seat to move, -1 at the end
    payoffs: Int64Array  # [N], of seat 0, 0 before the end
    positions: Positions  # of the information sets: its offsets, [I + 1], delimit their actions
    seats: Int64Array  # [I], the seat to move in each

    @property
    def num_actions(self) -> int:
        """A, the number of actions."""
        return len(self.positions.moves)


def small_rules(text: str, ranks: int | None, hand_size: int | None) -> Rules:
    """Return the rules that a text means, see `find_rules`, with other numbers of ranks and of cards of a hand."""
    rules = find_rules(text)
    return replace(rules, ranks=ranks or rules.ranks, hand_size=hand_size or rules.hand_size)


def all_deals(rules: Rules) -> Int64Array:
    """Return all deals of a pack to two players, masks, int64 [D, 2]."""
    first = rules.pack.bit_length() - rules.num_cards
    cards = [1 << card for card in range(first, first + rules.num_cards)]
    hands = [sum(hand) for hand in combinations(cards, rules.hand_size)]
    first_hands, other_hands = np.meshgrid(hands, hands, indexing='ij')
    return np.stack((first_hands[first_hands & other_hands == 0], other_hands[first_hands & other_hands == 0]), axis=1)


def grow(rules: Rules) -> list[Level]:
    """Return the tree of a game; RulesError if it is for more than two players, or has more than MOST_NODES."""
    if rules.players != 2 or rules.leftover != 'out':
        raise RulesError("exact solutions need players=2 and leftover='out'")
    nodes = comb(rules.num_cards, rules.hand_size) * comb(rules.num_cards - rules.hand_size, rules.hand_size)
    _check_size(nodes)
    deals = all_deals(rules)
    games = new_games(len(deals))
    start_games(tabulate(rules), games, deals)
    histories: Int64Array = games['player'].astype(np.int64)
    tree: list[Level] = []
    parents: Int64Array = np.full(len(games), -1)
    edges = parents
    while len(games):
        level, owners, moves = _level(rules, games, histories, parents, edges)
        tree.append(level)
        numbers = np.arange(len(owners)) - np.searchsorted(owners, owners)  # of the moves of each node
        parents, edges = owners, level.positions.offsets[level.infosets[owners]] + numbers
        histories = _number(histories[owners], moves)
        nodes += len(owners)
        _check_size(nodes)
        games = games[owners]
        play_moves(tabulate(rules), games, moves)
    return tree


def _check_size(nodes: int) -> None:
    if nodes > MOST_NODES:
        raise RulesError(f'the game has more than {MOST_NODES:,} nodes: choose fewer ranks or smaller hands')


def _level(
    rules: Rules, games: Games, histories: Int64Array, parents: Int64Array, edges: Int64Array
) -> tuple[Level, Int64Array, Int64Array]:
    """Return a level, and the owners and moves of its nodes' children."""
    table, going = tabulate(rules), np.flatnonzero(games['winner'] < 0)
    payoffs = np.zeros((len(games), 2), np.int64)
    settle_games(table, games, payoffs)
    movers = np.where(games['winner'] < 0, games['player'], -1)
    infosets = np.full(len(games), -1)
    hands = games['hands'][going, movers[going]]
    _, first, infosets[going] = np.unique(_number(histories[going], hands), return_index=True, return_inverse=True)
    shown = going[first]  # a node of each information set
    moves, offsets = np.empty(len(games) * MAX_LEGAL, np.int64), np.empty(len(games) + 1, np.int64)
    count = list_legal(table, games, moves, offsets)
    observations = new_observations(len(shown))
    observe_games(table, games[shown], movers[shown], observations)
    positions = Positions(observations, *select_moves(moves, offsets, shown))
    level = Level(parents, edges, movers, infosets, payoffs[:, 0], positions, movers[shown])
    return level, np.repeat(np.arange(len(games)), np.diff(offsets)), moves[:count].copy()


def _number(first: Int64Array, second: Int64Array) -> Int64Array:
    """Number the pairs of two arrays, [N]: equal pairs have equal numbers, from 0 on."""
    values, numbers = np.unique(second, return_inverse=True)
    pairs: Int64Array = np.unique(first * max(1, len(values)) + numbers, return_inverse=True)[1]
    return pairs


def policy_of(agent: Agent, tree: list[Level], draws: int = 1) -> Policy:
    """Return the policy of an agent: of one that draws its moves by unknown probabilities, the mean of some draws."""
    policy = []
    for level in tree:
        offsets = level.positions.offsets
        if isinstance(agent, RandomAgent):
            policy.append(1 / np.repeat(np.diff(offsets), np.diff(offsets)))
            continue
        if isinstance(agent, PolicyAgent) and not agent.greedy:
            policy.append(agent.probabilities(level.positions))
            continue
        shares = np.zeros(level.num_actions)
        for seed in range(draws):
            shares[agent.choose(level.positions, new_streams(seed, len(offsets) - 1)).indices] += 1 / draws
        policy.append(shares)
    return policy


def reach_probabilities(tree: list[Level], policy: Policy) -> list[Float64Array]:
    """Return the probability with which each seat's own moves lead to each node, by level, float64 [N, 2]."""
    reaches: list[Float64Array] = [np.ones((len(tree[0].movers), 2))]
    for before, level, shares in zip(tree, tree[1:], policy, strict=False):
        reach = reaches[-1][level.parents]
        reach[np.arange(len(reach)), before.movers[level.parents]] *= shares[level.edges]
        reaches.append(reach)
    return reaches


def action_values(
    tree: list[Level], policy: Policy, reach: list[Float64Array], seat: int, best: bool = False
) -> tuple[list[Float64Array], Float64Array]:
    """Evaluate a seat's actions against the other's policy.

    Args:
        tree: of the game.
        policy: of both seats.
        reach: from `reach_probabilities`, with this policy.
        seat: to evaluate.
        best: whether it plays its best actions instead of its policy.

    Returns:
        Its expected payoff by each action, weighted by the probability that chance and the other lead there, by level,
        [A], and its payoff in each deal, [D].
    """
    played = list(policy)
    by_action: list[Float64Array] = [np.zeros(0)] * len(tree)
    sign = 1 - 2 * seat
    values: Float64Array = np.zeros(0)
    for depth in reversed(range(len(tree))):
        level, below = tree[depth], values
        values = sign * level.payoffs.astype(np.float64)
        by_action[depth] = np.zeros(level.num_actions)
        if depth + 1 < len(tree):
            child = tree[depth + 1]
            weights = reach[depth][child.parents, 1 - seat] / len(tree[0].movers)
            is_own = level.movers[child.parents] == seat
            by_action[depth] = _sums(child.edges, is_own * weights * below, level.num_actions)
            if best:
                is_seats = _owners(level, level.seats) == seat
                played[depth] = np.where(is_seats, _highest(level, by_action[depth]), policy[depth])
            values += _sums(child.parents, played[depth][child.edges] * below, len(values))
    return by_action, values


def _sums(indices: Int64Array, values: Float64Array, size: int) -> Float64Array:
    """Add values at indices, both [N], of an array of zeros, [size]."""
    sums: Float64Array = np.bincount(indices, values, size).astype(np.float64, copy=False)
    return sums


def _owners(level: Level, of_infosets: NDArray[Any]) -> NDArray[Any]:
    """Repeat what information sets have, [I], for their actions, [A]."""
    return np.repeat(of_infosets, np.diff(level.positions.offsets))


def _highest(level: Level, values: Float64Array) -> Float64Array:
    """Return a policy of the highest values, [A]; equal ones are as likely."""
    best = values == _owners(level, np.maximum.reduceat(values, level.positions.offsets[:-1]))
    return _matched(level, best.astype(np.float64))


def match_value(tree: list[Level], policy: Policy, other: Policy) -> float:
    """Return what a policy wins from another in cards a game, over both seats."""
    won = []
    for seat in (0, 1):
        joint: Policy = [
            np.where(_owners(level, level.seats) == seat, shares, replies)
            for level, shares, replies in zip(tree, policy, other, strict=True)
        ]
        won.append(action_values(tree, joint, reach_probabilities(tree, joint), seat)[1].mean())
    return float(np.mean(won))


def exploitability(tree: list[Level], policy: Policy) -> float:
    """Return what a best response wins from a policy in cards a game, over both seats: NashConv / 2; 0 is optimal."""
    reach = reach_probabilities(tree, policy)
    return float(np.mean([action_values(tree, policy, reach, seat, best=True)[1].mean() for seat in (0, 1)]))


def solve(tree: list[Level], iterations: int) -> Policy:
    """Return an approximate equilibrium: the average policy of CFR+ with linear weights (Tammelin, 2014)."""
    regrets: Policy = [np.zeros(level.num_actions) for level in tree]
    sums: Policy = [np.zeros(level.num_actions) for level in tree]
    policy = [_matched(level, weights) for level, weights in zip(tree, regrets, strict=True)]
    for iteration in range(1, iterations + 1):
        for seat in (0, 1):
            reach = reach_probabilities(tree, policy)
            values = action_values(tree, policy, reach, seat)[0]
            for depth, level in enumerate(tree):
                if level.num_actions == 0:
                    continue
                is_seats = _owners(level, level.seats) == seat
                mean = np.add.reduceat(values[depth] * policy[depth], level.positions.offsets[:-1])
                regret = np.maximum(regrets[depth] + values[depth] - _owners(level, mean), 0)
                regrets[depth] = np.where(is_seats, regret, regrets[depth])
                led = np.zeros(len(level.seats))
                going = level.infosets >= 0
                led[level.infosets[going]] = reach[depth][going, level.movers[going]]  # equal within a set
                sums[depth] += is_seats * iteration * policy[depth] * _owners(level, led)
                policy[depth] = np.where(is_seats, _matched(level, regrets[depth]), policy[depth])
    return [_matched(level, weights) for level, weights in zip(tree, sums, strict=True)]


def _matched(level: Level, weights: Float64Array) -> Float64Array:
    """Return a policy in proportion to weights, [A]; uniform where all are 0."""
    if level.num_actions == 0:
        return weights
    totals = _owners(level, np.add.reduceat(weights, level.positions.offsets[:-1]))
    counts = _owners(level, np.diff(level.positions.offsets))
    return np.where(totals > 0, weights / np.where(totals > 0, totals, 1), 1 / counts)
