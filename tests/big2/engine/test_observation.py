"""A position is enough to continue a game from: `restore` is the inverse of `observe`."""

import numpy as np
import pytest

from rlcard_big2.engine.batch import deal_games, list_legal, observe_games, play_moves, settle_games
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.observation import OBSERVATION, new_observations, restore
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import GAME, new_games
from rlcard_big2.rules import PRESETS
from rlcard_kit.rng import new_streams

N = 8


def seen(table, games, seat):
    """Return what a seat sees of all games."""
    out = new_observations(len(games))
    observe_games(table, games, np.full(len(games), seat), out)
    return out


def restored(observations, hands, seat):
    """Return games from what a seat sees and all hands by seat, int64 [N, 4]; all bytes are set at first."""
    games = np.frombuffer(bytearray(b'\xa5' * GAME.itemsize * len(hands)), GAME)
    relative = np.roll(hands, -seat, axis=1)
    for game, observation, own in zip(games, observations, relative, strict=True):
        restore(observation, own, seat, game)
    return games


def legal(table, games):
    moves, offsets = np.empty(len(games) * MAX_LEGAL, np.int64), np.empty(len(games) + 1, np.int64)
    return moves[: list_legal(table, games, moves, offsets)], offsets


def random_moves(table, games, generator):
    """Return a random legal move of each game, 0 in those that are over."""
    moves, offsets = legal(table, games)
    chosen = np.zeros(len(games), np.int64)
    playing = np.diff(offsets) > 0
    chosen[playing] = moves[(offsets[:-1] + generator.random(len(games)) * np.diff(offsets)).astype(int)[playing]]
    return chosen


def dealt(seed):
    games = new_games(N)
    deal_games(games, np.arange(N), new_streams(seed, N))
    return games


def assert_equal(games, others):
    for name in GAME.names:
        assert np.array_equal(games[name], others[name]), name


@pytest.mark.parametrize('rules', PRESETS)
def test_what_any_seat_sees_gives_the_game_back_at_every_ply(rules):
    table, games, generator = tabulate(PRESETS[rules]), dealt(1), np.random.default_rng(2)
    passed = plies = 0
    while (games['winner'] < 0).any():
        playing = games[games['winner'] < 0]
        for seat in range(4):
            assert_equal(restored(seen(table, playing, seat), playing['hands'], seat), playing)
        passed |= np.bitwise_or.reduce(playing['passed'])
        play_moves(table, games, random_moves(table, games, generator))
        plies += 1
    assert passed == 15, 'each seat has passed'
    assert plies > 32, 'histories went round'


@pytest.mark.parametrize('seat', range(4))
@pytest.mark.parametrize('rules', PRESETS)
def test_a_restored_game_goes_on_as_the_game_itself(rules, seat):
    table, games, generator = tabulate(PRESETS[rules]), dealt(3 + seat), np.random.default_rng(seat)
    for _ in range(5 + 6 * seat):
        play_moves(table, games, random_moves(table, games, generator))
    games = games[games['winner'] < 0]
    copies = restored(seen(table, games, seat), games['hands'], seat)
    assert len(games) > 3
    while (games['winner'] < 0).any():
        for own, other in zip(legal(table, games), legal(table, copies), strict=True):
            assert np.array_equal(own, other)
        moves = random_moves(table, games, generator)
        play_moves(table, games, moves)
        play_moves(table, copies, moves)
    payoffs, others = np.empty((2, len(games), 4), np.int64)
    settle_games(table, games, payoffs)
    settle_games(table, copies, others)
    assert (payoffs.max(axis=1) > 0).all()
    assert np.array_equal(payoffs, others)
    assert_equal(games, copies)


def shuffled_between(hands, seat, generator):
    """Deal the cards of a seat's opponents among them anew, each as many as before."""
    out = hands.copy()
    cards = generator.permutation([card for card in range(52) if (hands.sum() - hands[seat]) >> card & 1])
    for other in range(4):
        if other != seat:
            count = int(hands[other]).bit_count()
            out[other] = sum(1 << int(card) for card in cards[:count])
            cards = cards[count:]
    return out


@pytest.mark.parametrize('seat', range(4))
@pytest.mark.parametrize('rules', PRESETS)
def test_sampled_hands_leave_what_the_seat_sees(rules, seat):
    table, games, generator = tabulate(PRESETS[rules]), dealt(8), np.random.default_rng(seat)
    while (games['winner'] < 0).any():
        games = games[games['winner'] < 0]
        observations = seen(table, games, seat)
        hands = np.array([shuffled_between(own, seat, generator) for own in games['hands']])
        sampled = restored(observations, hands, seat)
        assert (sampled['hands'] == hands).all()
        again = seen(table, sampled, seat)
        for name in OBSERVATION.names:
            assert np.array_equal(again[name], observations[name]), name
        mine = games['player'] == seat
        for own, other in zip(legal(table, games[mine]), legal(table, sampled[mine]), strict=True):
            assert np.array_equal(own, other)
        play_moves(table, games, random_moves(table, games, generator))
