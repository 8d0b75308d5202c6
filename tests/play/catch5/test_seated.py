"""Matches of a person: scores, dealers and records."""

import pytest

from rlcard_catch5 import records
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import PRESETS
from rlcard_play.catch5.seated import SeatedGame
from rlcard_play.study.seated_game import Seat

SEATS = [Seat('rule', 'rule')] * 4


def play_hand(game):
    while not game.is_over:
        game.play_agent()


@pytest.mark.parametrize('rules', PRESETS.values(), ids=PRESETS)
def test_hands_follow_until_a_team_reaches_the_target(rules):
    game = SeatedGame(SEATS, rules, 1, {'rule': make_agent('rule', rules)})
    totals, dealers = [(0, 0)], []
    while True:
        assert (game.number, game.totals) == (len(totals), totals[-1])
        dealers.append(int(game.env.game.games['dealer'][0]))
        play_hand(game)
        own, other = game.env.get_payoffs().tolist()[:2]
        totals.append((totals[-1][0] + own, totals[-1][1] + other))
        record = game.record()
        assert records.parse(records.to_json(record)) == record
        assert record.extra['match'] == {'hand': game.number, 'totals': list(totals[-2]), 'target': 31}
        if game.winner is not None:
            break
        game.deal()
    assert totals[-1][game.winner] >= 31
    assert len(totals) > 4
    assert dealers == [(dealers[0] + i) % 4 for i in range(len(dealers))]
    game.deal()
    assert (game.number, game.totals) == (1, (0, 0))


def test_the_same_seed_gives_the_same_match():
    def hands(seed):
        game = SeatedGame(SEATS, PRESETS['paper'], seed, {'rule': make_agent('rule')}, target=9)
        played = []
        for _ in range(3):
            play_hand(game)
            played.append((game.record().deal, game.record().moves))
            game.deal()
        return played

    assert hands(4) == hands(4)
    assert hands(4) != hands(5)
