"""Ratings, maximal lotteries and cycles of cases worked by hand."""

from itertools import combinations, permutations, product
from math import inf, log, log10

import numpy as np
import pytest

from eval.ladder.ratings import Games, cycles, maximal_lottery, resampled, with_interval
from rlcard_kit.statistics import estimate


def games_of(count, seats, won, draws=1):
    """Return games at kinds of tables, [T, N], given those won by each agent, [T, N]: a game of each deal is shared."""
    won, seats = np.array(won, float), np.array(seats)
    beats = (won > 0).T.astype(int) @ (seats > 0) > 0
    return Games(seats, won.sum(axis=1), won.sum(axis=0)[None], beats, draws)


def means(games):
    return np.array([rating.mean for rating in games.ratings()])


@pytest.mark.parametrize(
    ('seats', 'won', 'games', 'odds'),
    [
        ((2, 2), 7, 9, 3),  # with the drawn game 7.5 of 10
        ((2, 2), 0, 5, 1 / 11),  # 0.5 of 6
        ((1, 3), 5 * 10**8, 10**9, 3),  # half of the games alone against three, each of whom has a third of that
        ((3, 1), 5 * 10**8, 10**9, 1 / 3),
        ((2, 2), 10**6, 10**6, 2 * 10**6 + 1),  # far apart: 10 ** 6 + 0.5 of 10 ** 6 + 1
    ],
)
def test_two_agents_are_rated_by_the_odds_of_one_seat_against_another(seats, won, games, odds):
    first, second = means(games_of(2, [seats], [(won, games - won)]))
    assert first - second == pytest.approx(400 * log10(odds), abs=1e-3)
    assert first + second == pytest.approx(0)


def test_strengths_are_found_from_the_games_that_they_win_at_all_tables():
    strengths = np.array([1.0, 2.0, 4.0])
    pairs = [(first, second) for first, second in permutations(range(3), 2)]
    seats = [np.eye(3, dtype=int)[[one, other, other, other]].sum(axis=0) for one, other in pairs]
    expected = 10**9 * strengths * seats / (strengths * seats).sum(axis=1, keepdims=True)
    assert means(games_of(3, seats, expected)) == pytest.approx(400 * log10(2) * np.array([-1, 0, 1]), abs=1e-3)


def test_groups_that_never_beat_each_other_are_as_far_apart_as_their_drawn_games_say():
    """Within each group of two, half is won; each of one wins n games from each of the other, and half of the draw."""
    n, pairs = 1000, list(combinations(range(4), 2))
    won = [
        np.eye(4)[[one, other]].sum(axis=0) * n / 2 if one // 2 == other // 2 else np.eye(4)[one] * n
        for one, other in pairs
    ]
    games = games_of(4, [np.eye(4, dtype=int)[list(pair)].sum(axis=0) for pair in pairs], won)
    apart = 400 * log10((n + 0.5) / 0.5)
    assert means(games) == pytest.approx(np.array([1, 1, -1, -1]) * apart / 2, abs=1e-6)
    assert games.pools() == [[0, 1], [2, 3]]
    (note,) = games.pool_notes('abcd')
    assert note.startswith('No result joins 2 pools: a, b; c, d.')


def likelihood(tables, wins, ratings):
    """Return the logarithm of the likelihood of games, one after the other, and of a draw for each pair."""
    strengths = 10 ** (np.array(ratings) / 400)
    total = 0.0
    for deal in wins:
        for seats, winners in zip(tables, deal, strict=True):
            total += (
                sum(log(strengths[seats[i]] / strengths[seats].sum()) for i in np.flatnonzero(winners)) / winners.sum()
            )
    for one, other in combinations(range(len(strengths)), 2):
        total += log(strengths[one] * strengths[other] / (strengths[one] + strengths[other]) ** 2) / 2
    return total


@pytest.mark.parametrize('seats', [3, 4])
def test_no_ratings_make_the_games_of_whole_tables_likelier(seats):
    generator = np.random.default_rng(seats)
    tables = np.array(list(permutations(range(4), seats)))
    winners = [[generator.choice(seats, p=(table + 1) / (table + 1).sum()) for table in tables] for _ in range(4)]
    games = Games.of(4, tables, np.eye(seats, dtype=bool)[winners])
    found = means(games)
    best = likelihood(tables, np.eye(seats, dtype=bool)[winners], found)
    for step, agent in product((-0.3, 0.3), range(4)):
        moved = found + step * (np.arange(4) == agent)
        assert likelihood(tables, np.eye(seats, dtype=bool)[winners], moved) < best
    slope = [
        likelihood(tables, np.eye(seats, dtype=bool)[winners], found + 0.01 * sign * (np.arange(4) == agent))
        for agent in range(4)
        for sign in (1, -1)
    ]
    assert np.array(slope[::2]) == pytest.approx(slope[1::2], abs=1e-6)
    assert found.sum() == pytest.approx(0, abs=1e-9)
    assert (np.diff(found) > 0).all()
    assert games.pool_notes('abcd') == []


def test_games_with_several_winners_or_none_are_shared():
    tables = np.array([[0, 1, 0, 1], [0, 1, 1, 1]])
    wins = np.array([[[1, 0, 1, 0], [0, 1, 1, 0]], [[0, 1, 1, 0], [0, 0, 0, 0]]], bool)
    games = Games.of(2, tables, wins)
    assert games.won.tolist() == [[1, 1], [0.75, 1.25]]
    assert (games.seats.tolist(), games.counts.tolist()) == ([[1, 3], [2, 2]], [1, 1])
    joined = Games.join([games, games], draws=2)
    assert means(joined) == pytest.approx(
        means(games_of(2, games.seats, 4 * np.array([[0.25, 0.75], [0.625, 0.375]]), 2))
    )


def test_an_agent_beats_those_at_the_one_table_where_it_won():
    games = Games.of(3, np.array([[0, 1], [1, 2]]), np.array([[[1, 0], [0, 1]]], bool))
    assert games.beats.tolist() == [[True, True, False], [False] * 3, [False, True, True]]


def test_the_rating_of_games_that_are_all_lost_has_no_interval():
    games = Games.of(2, np.array([[0, 1], [1, 0]]), np.tile(np.array([[1, 0], [0, 1]], bool), (50, 1, 1)))
    assert [rating.margin for rating in games.ratings()] == [inf, inf]
    assert games.pools() == [[0], [1]]


def test_pools_come_in_the_order_of_who_beats_whom():
    beats = np.zeros((5, 5), bool)
    for winner, loser in ((4, 2), (2, 4), (2, 0), (0, 1), (1, 3), (3, 1)):
        beats[winner, loser] = True
    games = Games(np.zeros((0, 5), int), np.zeros(0, int), np.zeros((1, 5)), beats)
    assert games.pools() == [[2, 4], [0], [1, 3]]
    beats[3, 2] = True
    assert games.pools() == [[0, 1, 2, 3, 4]]


def antisymmetric(upper):
    return upper - upper.T


def test_the_lottery_of_a_cycle_weighs_each_agent_by_the_margin_between_the_others():
    margins = antisymmetric(
        np.array([[0, 1, 0], [0, 0, 2], [3, 0, 0]])
    )  # 0 beats 1 by 1, 1 beats 2 by 2, 2 beats 0 by 3
    assert maximal_lottery(margins) == pytest.approx([2 / 6, 3 / 6, 1 / 6])
    beaten = np.zeros((5, 5))
    beaten[1:4, 1:4], beaten[1:4, 4], beaten[4, 1:4], beaten[0, 1:], beaten[1:, 0] = margins, 9, -9, -1, 1
    assert maximal_lottery(beaten) == pytest.approx([0, 2 / 6, 3 / 6, 1 / 6, 0])


def test_the_lottery_is_the_agent_that_beats_all_others():
    assert maximal_lottery(antisymmetric(np.array([[0, 0, 0], [1, 0, 0.1], [5, 0, 0]]))).tolist() == [0, 1, 0]


def test_no_agent_beats_a_lottery():
    generator = np.random.default_rng(0)
    for count in (2, 3, 8, 15):
        margins = antisymmetric(generator.normal(size=(count, count)))
        shares = maximal_lottery(margins)
        assert shares.min() >= 0
        assert shares.sum() == pytest.approx(1)
        assert (shares @ margins).min() >= -1e-9
    assert maximal_lottery(np.zeros((3, 3))).sum() == pytest.approx(1)


def test_each_cycle_is_named_once():
    beats = np.zeros((4, 4), bool)
    for winner, loser in ((3, 1), (1, 0), (0, 3), (0, 2), (2, 1)):
        beats[winner, loser] = True
    assert cycles(beats) == [(0, 2, 1), (0, 3, 1)]
    beats[0] = False
    assert cycles(beats) == []


def test_the_bootstrap_has_the_interval_of_a_mean():
    values = np.random.default_rng(1).normal(3, 2, (400, 1))
    found, expected = with_interval(3, resampled(values)[:, 0]), estimate(values[:, 0])
    assert found.margin == pytest.approx(expected.margin, rel=0.1)
    assert resampled(np.ones((50, 2))) == pytest.approx(1)
    assert with_interval(3, np.arange(1001.0)) == (3, 475)  # half of 975 - 25


@pytest.mark.filterwarnings('error')
def test_a_game_without_winners_is_shared_and_a_game_of_several_is_parted():
    wins = np.array([[[0, 0, 0, 0], [1, 0, 0, 1], [0, 0, 1, 1]]], bool)
    games = Games.of(2, np.array([[0, 0, 0, 1]] * 3), wins)
    assert games.won.tolist() == [[0.75 + 0.5 + 0.5, 0.25 + 0.5 + 0.5]]
    assert games.beats.all()
