"""What is sent names no hidden card: whole games, every byte."""

import asyncio

import pytest

from rlcard_big2.study.views import seat_view
from rlcard_big2.web import tables
from tests.support.web_client import serving
from tests.support.web_wire import LeakError, play_games

GAMES = 15  # in a CI run; 300 in the slow one


async def play(folder, count, seed=1):
    async with serving(folder) as (lobby, app):
        return await play_games(lobby, app, count, seed)


def test_nobody_is_sent_a_hidden_card(tmp_path):
    assert asyncio.run(play(tmp_path, GAMES)) > GAMES * 10_000


@pytest.mark.slow
def test_nor_in_300_games(tmp_path):
    asyncio.run(play(tmp_path, 300, seed=2))


def next_hand(game, seat):
    """Leak the next seat's hand, or one to a spectator."""
    other = 0 if seat is None else (seat + 1) % 4
    return {**seat_view(game, seat), 'note': game.env.game.players[other].current_hand}


def legal_of_all(game, seat):
    """Leak what the seat to move may play."""
    return {**seat_view(game, seat), 'legal': game.legal}


def lowest_card(game, seat):
    """Leak one card of the seat across, in words, late in the game."""
    hand = game.env.game.players[((seat or 0) + 2) % 4].current_hand
    return {**seat_view(game, seat), 'title': f'somebody holds {hand[:2].lower()}' if game.ply > 30 else ''}


@pytest.mark.parametrize('leak', [next_hand, legal_of_all, lowest_card])
def test_a_server_that_leaks_is_caught(tmp_path, monkeypatch, leak):
    monkeypatch.setattr(tables, 'seat_view', leak)
    with pytest.raises(LeakError):
        asyncio.run(play(tmp_path, 20))
