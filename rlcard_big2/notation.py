"""Positions as text for people: one description, of a game or of what a seat sees, and one way to write it."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from rlcard_big2.actions import PASS, action_texts
from rlcard_big2.cards import format_cards, parse_cards
from rlcard_big2.engine.batch import list_legal_ids
from rlcard_big2.engine.moves import MOST_LEGAL
from rlcard_big2.engine.ruleset import kind_of, strength, tabulate
from rlcard_big2.engine.state import NUM_PLAYERS, Games
from rlcard_big2.rules import Rules
from rlcard_kit.text import wrap

WIDTH = 100  # characters of a line
MOVES_SHOWN = 8  # two turns of each seat
SEAT_NAMES = tuple(f'seat {seat}' for seat in range(NUM_PLAYERS))
KIND_NAMES = (
    'pass', 'singles', 'pairs', 'triples', 'two pairs', 'fours', 'straights', 'flushes', 'full houses',
    'fours with a kicker', 'straight flushes',
)  # fmt: skip

Trace = Sequence[tuple[int, str]]


class Scene(NamedTuple):
    """A position to show; cards are text."""

    rules: Rules
    names: tuple[str, ...]  # of the seats
    hands: tuple[str | None, ...]  # None if hidden
    left: tuple[int, ...]  # cards left to each seat
    table: str  # the combination to beat; '' with control
    by: int | None  # the seat that played it; None with control
    passed: tuple[int, ...]  # the seats that have passed since the trick began
    mover: int | None  # the seat to move; None after the end
    trace: Trace  # (seat, text), from the first move that is known
    legal: Sequence[str]  # the actions of the seat to move, if its hand is shown
    payoffs: Sequence[int] | None = None  # after the end


def scene_of_game(
    games: Games, rules: Rules, trace: Trace, shown: Sequence[bool], names: Sequence[str] | None = None
) -> Scene:
    """Describe a game, [1] of GAME, of which the hands of some seats are shown."""
    game = games[0]
    mover = int(game['player']) if game['winner'] < 0 else None
    hands: list[int] = games['hands'][0, : rules.players].tolist()
    return Scene(
        rules=rules,
        names=tuple(names or SEAT_NAMES[: rules.players]),
        hands=tuple(format_cards(hand, rules.suits) if show else None for hand, show in zip(hands, shown, strict=True)),
        left=tuple(hand.bit_count() for hand in hands),
        table=format_cards(int(game['table']), rules.suits),
        by=int(game['player'] - 1 - game['passes']) % rules.players if game['table'] else None,
        passed=_seats_of(int(game['passed'])),
        mover=mover,
        trace=trace,
        legal=_legal_texts(games, rules) if mover is not None and shown[mover] else (),
    )


def scene_of_state(state: dict[str, Any], names: Sequence[str] | None = None) -> Scene:
    """Describe what a seat sees: a state of `rlcard.make('big2')`."""
    seen = state['raw_obs']
    seat: int = seen['self']
    packed, players = seen['packed'][0], seen['rules'].players
    return Scene(
        rules=seen['rules'],
        names=tuple(names or SEAT_NAMES[:players]),
        hands=tuple(seen['current_hand'] if other == seat else None for other in range(players)),
        left=tuple(seen['num_cards_left']),
        table=seen['hand_to_beat'],
        by=(seen['current_player'] - 1 - int(packed['passes'])) % players if seen['hand_to_beat'] else None,
        passed=tuple(sorted((seat + other) % players for other in _seats_of(int(packed['passed'])))),
        mover=seen['current_player'] if seen['winner'] is None else None,
        trace=seen['trace'],
        legal=seen['actions'],
    )


def _seats_of(bits: int) -> tuple[int, ...]:
    return tuple(seat for seat in range(NUM_PLAYERS) if bits >> seat & 1)


def _legal_texts(games: Games, rules: Rules) -> list[str]:
    ids = np.empty(MOST_LEGAL, np.int64)
    count = list_legal_ids(tabulate(rules), games, ids)
    texts = action_texts(rules.suits)
    return [texts[action] for action in ids[:count].tolist()]


def position_text(scene: Scene, width: int = WIDTH, numbered: bool = False) -> str:
    """Write a position for people: rules, hands, table, who has passed, the last moves, and the legal actions.

    Args:
        scene: what to write.
        width: of a line, in characters; lines are broken between moves.
        numbered: write its index before each legal action.
    """
    lines = list(_lines(scene, numbered))
    indent = max(len(label) for label, _ in lines) + 2
    return '\n'.join(wrap(f'{label:<{indent}}', parts, width) for label, parts in lines)


def _lines(scene: Scene, numbered: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield each line: its label, and parts between which it may be broken."""
    yield '  rules', [scene.rules.title]
    for seat, (name, hand, left) in enumerate(zip(scene.names, scene.hands, scene.left, strict=True)):
        mark = '>' if seat == scene.mover else ' '
        yield f'{mark} {name}', [f'{left:2}  {"hidden" if hand is None and left else hand or ""}']
    yield '  table', [table_text(scene)]
    if scene.passed:
        yield '  passed', [scene.names[seat] for seat in scene.passed]
    yield '  moves', [f'{scene.names[seat]} {move}' for seat, move in scene.trace[-MOVES_SHOWN:]]
    by_kind: dict[str, list[str]] = {name: [] for name in (*KIND_NAMES[1:], PASS)}  # the pass comes last
    for i, text in enumerate(scene.legal):
        by_kind[kind_name(text, scene.rules)].append(f'#{i} {text}' if numbered else text)
    yield from ((f'  {kind}', texts) for kind, texts in by_kind.items() if texts)
    if scene.payoffs is not None:
        yield '  payoffs', [f'{name} {payoff:+d}' for name, payoff in zip(scene.names, scene.payoffs, strict=True)]


def table_text(scene: Scene) -> str:
    """Write the combination to beat and its player."""
    return 'free' if scene.by is None else f'{scene.table} by {scene.names[scene.by]}'


def kind_name(text: str, rules: Rules) -> str:
    """Return the name of a combination's kind, or of the pass, of `KIND_NAMES`."""
    return PASS if text == PASS else KIND_NAMES[_kind_of(parse_cards(text, rules.suits), rules)]


@lru_cache(maxsize=4096)  # most are asked about again at the next ply
def _kind_of(mask: int, rules: Rules) -> int:
    return kind_of(strength(tabulate(rules)[0], mask))


def split_tricks(trace: Trace, players: int) -> list[list[tuple[int, str]]]:
    """Split the moves of a game into tricks, which end when all players but one have passed in a row.

    Passes of players who cannot lead belong to the trick before.
    """
    tricks: list[list[tuple[int, str]]] = []
    passes = 0
    for seat, text in trace:
        if not tricks or (passes >= players - 1 and text != PASS):
            tricks.append([])
        tricks[-1].append((seat, text))
        passes = passes + 1 if text == PASS else 0
    return tricks
