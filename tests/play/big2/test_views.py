"""Views of games."""

from rlcard_big2 import Rules
from rlcard_big2.notation import split_tricks
from rlcard_play.big2.seated import SeatedGame
from rlcard_play.big2.views import seat_view, trick_number
from rlcard_play.study.seated_game import Seat


def test_three_passes_end_a_trick():
    trace = [(0, '3d'), (1, 'pass'), (2, '4d'), (3, 'pass'), (0, 'pass'), (1, 'pass'), (2, '5d 5c')]
    assert split_tricks(trace, 4) == [trace[:6], trace[6:]]
    assert [trick_number(trace[:n], leads, 4) for n, leads in ((0, True), (5, False), (6, True), (7, False))] == [
        1, 1, 2, 2,
    ]  # fmt: skip
    cannot_lead = [*trace[:6], (2, 'pass'), (3, '6d')]
    assert split_tricks(cannot_lead, 4) == [cannot_lead[:7], cannot_lead[7:]]


def test_a_view_has_the_last_move_of_each_seat_in_the_trick():
    game = SeatedGame([Seat('rule', 'rule')] * 4, Rules.preset('hkust'), seed=1)
    for index in (0, 0, -1):
        game.play(game.state['raw_legal_actions'][index], chosen=False)
    played, view = dict(game.trace), seat_view(game, None)
    assert view['last'] == [played.get(seat) for seat in range(4)]
    assert game.trace[2][1] == 'pass'
    assert (view['table_hand']['by'], view['table_hand']['passes']) == (game.trace[1][0], 1)


def test_a_view_has_the_plies_at_which_tricks_began():
    game = SeatedGame([Seat('rule', 'rule')] * 2, Rules.preset('two'), seed=1)
    while not game.is_over:
        game.play(game.state['raw_legal_actions'][-1], chosen=False)
        lengths = [len(trick) for trick in split_tricks(game.trace, 2)]
        assert seat_view(game, None)['tricks'] == [sum(lengths[:i]) for i in range(len(lengths))]
    assert len(lengths) > 3
