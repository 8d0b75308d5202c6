"""Worlds that agree with bids and play: determinizations drawn by the likelihood of the other seats' choices."""

import numpy as np

from rlcard_catch5.actions import BID_SHIFT, FIRST_CARD, FIRST_TRUMP, PASS
from rlcard_catch5.engine.batch import start_games
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.observation import Observations
from rlcard_catch5.engine.ruleset import RuleTables
from rlcard_catch5.engine.state import DEAL, FIRST_CARD_PLY, GAME, NOTHING, NUM_PLAYERS, TRUMP_PLY, Games
from rlcard_catch5.search.worlds import sample_worlds
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.nets.agents import Policy
from rlcard_kit.rng import Streams, draw_indices
from rlcard_kit.vector_env import positions_of

PROPOSALS = 4  # for each world
ERROR = 0.1  # probability of a choice that the policy would not make, any with equal probability


def draw_worlds(rules: RuleTables, observations: Observations, random: Streams, count: int, policy: Policy) -> Games:
    """Draw worlds in proportion to the likelihood of the other seats' bids, trumps and cards.

    Args:
        rules: [1] from `tabulate`.
        observations: packed, [N], of seats to move.
        random: uint64 [N], each observation's own stream.
        count: of each observation.
        policy: of the other seats.

    Returns:
        Games in which the viewer is seat 0, [N, count] of GAME.
    """
    size = len(observations) * count * PROPOSALS
    games, dealt = np.zeros(size, GAME), np.zeros((size, NUM_PLAYERS), np.int64)
    sample_worlds(rules, observations, random, games, dealt)
    logs = log_likelihoods(rules, games, dealt, policy).reshape(len(observations), -1)
    totals = np.exp(logs - logs.max(axis=1, keepdims=True)).cumsum(axis=1)
    chosen = np.empty((len(observations), count), np.int64)
    draw_indices(totals, random, chosen)
    drawn: Games = np.take_along_axis(games.reshape(logs.shape), chosen, axis=1)
    return drawn


def log_likelihoods(rules: RuleTables, games: Games, dealt: Int64Array, policy: Policy) -> Float64Array:
    """Return the logarithm of the likelihood of the other seats' choices so far, float64 [G]; see `sample_worlds`."""
    total, auction = np.zeros(len(games)), _before_bids(games, dealt)
    for ply in range(FIRST_CARD_PLY):
        rows = np.flatnonzero(games['ply'] > ply)
        if ply < TRUMP_PLY:
            bids = games['bids'][rows, auction['player'][rows]].astype(np.int64)
            made = np.where(bids == 0, PASS, bids - BID_SHIFT)
        else:
            made = games['trump'][rows].astype(np.int64) + FIRST_TRUMP
        _make(rules, auction, rows, made, policy, total)
    play = _before_cards(games)
    for number, cards in enumerate(games['order'].T):
        rows = np.flatnonzero(games['ply'] > FIRST_CARD_PLY + number)
        _make(rules, play, rows, cards[rows].astype(np.int64) + FIRST_CARD, policy, total)
    return total


def _before_bids(games: Games, dealt: Int64Array) -> Games:
    deals, begun = np.zeros(len(games), DEAL), np.empty_like(games)
    deals['hands'], deals['dealer'] = dealt, games['dealer']
    deals['redeal'] = deals['leftover'] = NOTHING
    start_games(begun, deals)
    return begun


def _before_cards(games: Games) -> Games:
    begun = games.copy()
    begun['hands'] |= begun['played']
    begun['played'] = begun['points'] = 0
    for name in ('order', 'winners', 'trick'):
        begun[name] = NOTHING
    begun['player'] = begun['leader'] = games['bidder']
    begun['ply'] = FIRST_CARD_PLY
    return begun


def _make(
    rules: RuleTables, games: Games, rows: Int64Array, made: Int64Array, policy: Policy, total: Float64Array
) -> None:
    """Make moves, int64 [K], in some games, int64 [K], and add the log-probabilities of the others' to `total`."""
    if not rows.size:
        return
    own = games[rows]
    positions = positions_of(CATCH5, rules, own)
    asked = np.flatnonzero((own['player'] != 0) & (positions.counts > 1))
    if asked.size:
        part = positions.select(asked)
        is_made = part.moves == made[asked][part.owners]
        chances = np.add.reduceat(np.where(is_made, policy.probabilities(part)[0], 0.0), part.offsets[:-1])
        total[rows[asked]] += np.log((1 - ERROR) * chances + ERROR / part.counts)
    CATCH5.step(rules, own, made)
    games[rows] = own
