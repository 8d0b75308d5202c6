"""What a seat, a spectator or a reader of records may see of a game, as JSON."""

from itertools import accumulate
from typing import Any

from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.notation import Scene, kind_name, scene_of_game
from rlcard_big2.records import Record
from rlcard_big2.study.game import Table
from rlcard_big2.terminal.formatting import number_of, tricks


def table_view(table: Table, seat: int | None) -> dict[str, Any]:
    """Return what a seat sees of a game, or a spectator if it is None.

    The only hand that it is made from is the seat's own; of the others it tells the number of cards.
    """
    shown = [seat == other for other in range(NUM_PLAYERS)]
    scene = scene_of_game(table.env.game.games, table.rules, table.trace, shown)
    view = public_view(scene)
    if seat is None:
        return {**view, 'hand': None, 'legal': None, 'kinds': None}
    return {**view, 'hand': scene.hands[seat], **_moves(scene)}


def public_view(scene: Scene) -> dict[str, Any]:
    """Return what everybody sees: cards left and played, and the combination to beat."""
    return {
        'rules': scene.rules.to_json(),
        'title': scene.rules.title,
        'ply': len(scene.trace),
        'to_move': scene.mover,
        'left': list(scene.left),
        'last': _last_moves(scene),
        'table_hand': _table_hand(scene),
        'trick': number_of(scene.trace, leads=not scene.table),
        'tricks': list(accumulate(map(len, tricks(scene.trace)), initial=0))[:-1],  # plies at which they began
        'log': [list(move) for move in scene.trace],
    }


def _table_hand(scene: Scene) -> dict[str, Any] | None:
    if scene.by is None:
        return None
    passes = 0 if scene.mover is None else (scene.mover - 1 - scene.by) % NUM_PLAYERS
    return {'cards': scene.table, 'kind': kind_name(scene.table, scene.rules), 'by': scene.by, 'passes': passes}


def _last_moves(scene: Scene) -> list[str | None]:
    """Return the last move of each seat in this trick."""
    last: list[str | None] = [None] * NUM_PLAYERS
    if scene.table and scene.trace:
        for seat, text in tricks(scene.trace)[-1]:
            last[seat] = text
    return last


def _moves(scene: Scene) -> dict[str, Any]:
    """Return the legal moves and their kinds, in the same order."""
    return {'legal': list(scene.legal), 'kinds': [kind_name(text, scene.rules) for text in scene.legal]}


def position_view(record: Record, seat: int | None = None) -> dict[str, Any]:
    """Return the position after the last move of a record, with all hands that are known, or one seat's alone.

    Legal moves are None if the hand of the seat to move is not shown.
    """
    known = record.seats or ({},) * NUM_PLAYERS
    names = [str(one.get('name') or '') for one in known]
    scene = (record if seat is None else record.seen_by(seat)).scene()
    hidden = scene.mover is not None and scene.hands[scene.mover] is None
    return {
        **public_view(scene),
        'hands': list(scene.hands),
        **({'legal': None, 'kinds': None} if hidden else _moves(scene)),
        'seats': [
            {'name': name, 'agent': name if one.get('kind') == 'agent' else None}
            for name, one in zip(names, known, strict=True)
        ],
    }
