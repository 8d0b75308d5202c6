"""A position is enough to continue a game from: `restore` is the inverse of `observe`."""

import numpy as np
import pytest

from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import new_observations, restore
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import GAME, NUM_PLAYERS
from rlcard_big2.rules import PRESETS, Rules
from tests.support.random_games import table_of

RULES = {**PRESETS, 'places': Rules(places=True)}


def seen(rules, games, seat):
    """Return what a seat sees of all games."""
    out = new_observations(len(games))
    BIG2.observe(tabulate(rules), games, np.full(len(games), seat), out)
    return out


def restored(rules, observations, hands, seat):
    """Return games from what a seat sees and all hands by seat, int64 [N, 4]; all bytes are set at first."""
    games = np.frombuffer(bytearray(b'\xa5' * GAME.itemsize * len(hands)), GAME)
    order = [*np.roll(np.arange(rules.players), -seat), *range(rules.players, NUM_PLAYERS)]
    for game, observation, own in zip(games, observations, hands[:, order], strict=True):
        restore(tabulate(rules)[0], observation, own, seat, game)
    return games


@pytest.mark.parametrize('rules', RULES.values(), ids=RULES)
def test_what_any_seat_sees_gives_the_game_back_at_every_ply(rules):
    table, passed, plies = table_of(rules, 8, seed=1), 0, 0
    while not table.env.is_over:
        playing = table.env.games[table.env.games['winner'] < 0]
        for seat in range(rules.players):
            again = restored(rules, seen(rules, playing, seat), playing['hands'], seat)
            np.testing.assert_array_equal(again, playing)
        passed |= np.bitwise_or.reduce(playing['passed'])
        table.turn()
        plies += 1
    assert passed == ((1 << rules.players) - 1 if rules.players > 2 else 0), 'of two, one that passes ends the trick'
    assert plies > 32 or rules.hand_size < 13, 'histories went round'
