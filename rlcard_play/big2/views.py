"""JSON views of a game: for one seat, for spectators, or of a recorded position."""

from collections.abc import Sequence
from itertools import accumulate

from rlcard_big2.notation import Scene, Trace, kind_name, scene_of_game, split_tricks
from rlcard_big2.records import Record
from rlcard_kit.errors import RecordError
from rlcard_kit.records import show_seats
from rlcard_play.big2.seated import SeatedGame
from rlcard_play.study.protocols import Json


def trick_number(trace: Trace, leads: bool, players: int) -> int:
    """Return the number of the current trick, from 1, where the seat to move may lead the next one."""
    return max(1, len(split_tricks(trace, players)) + leads)


def seat_view(game: SeatedGame, seat: int | None) -> Json:
    """Return the view of a seat, or of a spectator if it is None.

    Of the hands it uses the seat's own, and the number of cards in the others.
    """
    shown = [seat == other for other in range(game.rules.players)]
    scene = scene_of_game(game.env.game.games, game.rules, game.trace, shown)
    view = public_view(scene)
    if seat is None:
        return {**view, 'hand': None, 'legal': None, 'kinds': None}
    return {**view, 'hand': scene.hands[seat], **_moves(scene)}


def public_view(scene: Scene) -> Json:
    """Return the public part of a view: cards left, moves made, and the combination to beat."""
    tricks = split_tricks(scene.trace, scene.rules.players)
    return {
        'rules': scene.rules.to_json(),
        'title': scene.rules.title,
        'ply': len(scene.trace),
        'to_move': scene.mover,
        'left': list(scene.left),
        'last': _last_moves(scene, tricks),
        'table_hand': _table_hand(scene),
        'trick': trick_number(scene.trace, not scene.table, scene.rules.players),
        'tricks': list(accumulate(map(len, tricks), initial=0))[:-1],  # the plies they began at
        'log': [list(move) for move in scene.trace],
    }


def _table_hand(scene: Scene) -> Json | None:
    if scene.by is None:
        return None
    passes = 0 if scene.mover is None else (scene.mover - 1 - scene.by) % scene.rules.players
    return {'cards': scene.table, 'kind': kind_name(scene.table, scene.rules), 'by': scene.by, 'passes': passes}


def _last_moves(scene: Scene, tricks: Sequence[Trace]) -> list[str | None]:
    """Return the last move of each seat in the current trick."""
    last: list[str | None] = [None] * scene.rules.players
    if scene.table and scene.trace:
        for seat, text in tricks[-1]:
            last[seat] = text
    return last


def _moves(scene: Scene) -> Json:
    """Return the legal moves and their kinds, in the same order."""
    return {'legal': list(scene.legal), 'kinds': [kind_name(text, scene.rules) for text in scene.legal]}


def position_view(record: Record, seat: int | None = None) -> Json:
    """Return the position after the last move of a record, with all known hands, or that of one seat.

    Legal moves are None if the hand of the seat to move is not shown. RecordError if the hand of that seat is unknown.
    """
    if seat is not None and record.hands[seat] is None:
        raise RecordError(f'the hand of seat {seat} is unknown: choose another seat')
    scene = (record if seat is None else record.seen_by(seat)).scene()
    hidden = scene.mover is not None and scene.hands[scene.mover] is None
    return {
        **public_view(scene),
        'hands': list(scene.hands),
        **({'legal': None, 'kinds': None} if hidden else _moves(scene)),
        'seats': show_seats(record.seats, record.rules.players),
    }
