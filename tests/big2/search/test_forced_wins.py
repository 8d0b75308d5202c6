"""Proofs of wins: whatever the opponents hold, they can only pass."""

import numpy as np
import pytest

from rlcard_big2.cards import FULL_DECK, format_cards, parse_cards
from rlcard_big2.engine.batch import play_moves, settle_games
from rlcard_big2.engine.observation import restore
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import new_games, start
from rlcard_big2.rules import FOUR_PLAYERS, Rules
from rlcard_big2.search.beliefs import Uniform
from rlcard_big2.search.forced_wins import forced_wins
from rlcard_kit.rng import new_streams
from tests.support.positions import random_positions
from tests.support.random_games import positions_of

WORLDS = 8  # deals of the hidden cards that each proof is tried in


def play_on(rules, games, move):
    """Play a proof out in several games, the viewer in seat 0; return the payoffs of the viewer."""
    table, payoffs = tabulate(rules), np.zeros((len(games), 4), np.int64)
    moves = np.full(len(games), move)
    while True:
        play_moves(table, games, moves)
        if (games['winner'] >= 0).all():
            break
        assert (games['winner'] < 0).all()
        positions = positions_of(games, rules)
        if games['player'][0] == 0:
            proved, _ = forced_wins(rules, positions)
            first = proved[positions.offsets[0] : positions.offsets[1]].argmax()
            moves = positions.moves[positions.offsets[:-1] + first]
            assert proved[positions.offsets[:-1] + first].all()
        else:
            assert (positions.counts == 1).all(), 'no opponent can do but pass'
            moves = positions.moves
            assert (moves == 0).all()
    settle_games(table, games, payoffs)
    assert (games['winner'] == 0).all()
    return payoffs[:, 0]


@pytest.mark.parametrize('preset', FOUR_PLAYERS)
def test_a_proof_holds_whatever_the_opponents_hold(preset):
    rules, count = FOUR_PLAYERS[preset], 100
    tries = long = exact = 0
    for positions in random_positions(count, rules, 120):
        proved, payoffs = forced_wins(rules, positions)
        assert not (np.isfinite(payoffs) & ~proved).any()
        for i in np.flatnonzero(proved)[::3]:
            viewer = positions.owners[i]
            observations = positions.observations[viewer : viewer + 1]
            games = new_games(WORLDS)
            worlds = Uniform(rules).draw(observations, new_streams(int(i), 1), WORLDS)[0]
            for game, hands in zip(games, worlds, strict=True):
                restore(tabulate(rules)[0], observations[0], hands, 0, game)
            tries += 1
            long += positions.moves[i] != observations['hand'][0]
            won = play_on(rules, games, positions.moves[i])
            assert (won > 0).all()
            if np.isfinite(payoffs[i]):
                exact += 1
                assert (won == payoffs[i]).all()
    assert tries > 100
    assert long > 20
    assert exact in (0, tries)


@pytest.mark.parametrize(
    ('hand', 'others', 'changes', 'winning'),
    [
        ('2s 3d', '2h Ad 4c', {}, ['2s']),  # nobody answers the highest card, and the other is the last
        ('2s 3d 4d', '2h Ad 4c', {}, []),
        ('Ks Kh 3d', '2h Ad 4c', {}, ['Kh Ks']),  # there is no pair against it
        ('Ks Kh 3d', '2h 2c 4c', {}, []),
        ('2s 3d', '8d 8c 8h 8s 4d 9s', {'bombs': True, 'four_kickers': True}, []),
        ('2s 3d', '2h Ad 4c', {'last_card': 'highest'}, ['2s']),
        ('2s 3d', '2h Ad 4c', {'no_lone_two': True}, ['2s']),
        ('2s', '2h Ad 4c', {'no_lone_two': True}, []),
        ('2s 3d', '2h Ad 4c', {'places': True}, ['2s']),
    ],
)
def test_a_proof_is_by_the_rules(hand, others, changes, winning):
    rules = Rules(**changes)
    games = new_games(1)
    hands = [parse_cards(hand), parse_cards(others), 1 << 5, 1 << 9]
    start(tabulate(rules)[0], games[0], np.array(hands))
    games['played'][0, 3] = FULL_DECK & ~sum(hands)
    games['ply'], games['player'] = 4, 0
    positions = positions_of(games, rules)
    proved, _ = forced_wins(rules, positions)
    assert [format_cards(move) for move in positions.moves[proved].tolist()] == winning
    games['places'][0, 3] = 1  # another seat has won
    assert not forced_wins(rules, positions_of(games, rules))[0].any()
