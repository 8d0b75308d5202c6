"""Positions as text for people: one description, of a game or of what a seat sees, and one way to write it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rlcard_catch5.actions import BID_SHIFT, FIRST_CARD, FIRST_TRUMP, PASS, TEXTS
from rlcard_catch5.cards import NUM_RANKS, SUIT_NAMES, format_cards, parse_suit
from rlcard_catch5.engine.batch import settle_games
from rlcard_catch5.engine.observation import new_observations
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.engine.state import NOTHING, NUM_PLAYERS, NUM_PLIES, Games
from rlcard_catch5.engine.tricks import SUIT_CARDS
from rlcard_catch5.engine.views import VIEW_SIZE, describe
from rlcard_catch5.rules import Rules

Trace = Sequence[tuple[int, str]]
Scene = Mapping[str, Any]  # a raw state with 'hands', None for those that are hidden, and 'scores', None before the end


def suit_mask(suit: str) -> int:
    """Return the mask of the cards of a suit such as 'H' or 'h'."""
    return SUIT_CARDS << NUM_RANKS * parse_suit(suit)


def trace_of(games: Games) -> list[tuple[int, str]]:
    """Return the moves of a game, [1] of GAME, as (player, text)."""
    game = games[0]
    trace = []
    for i in range(1, NUM_PLAYERS + 1):
        seat = (int(game['dealer']) + i) % NUM_PLAYERS
        bid = int(game['bids'][seat])
        if bid != NOTHING:
            trace.append((seat, TEXTS[bid - BID_SHIFT if bid else PASS]))
    if game['trump'] != NOTHING:
        trace.append((int(game['bidder']), TEXTS[FIRST_TRUMP + int(game['trump'])]))
    leaders = [int(game['bidder']), *game['winners'].tolist()]
    for i, card in enumerate(game['order'].tolist()):
        if card != NOTHING:
            trace.append(((leaders[i // NUM_PLAYERS] + i) % NUM_PLAYERS, TEXTS[FIRST_CARD + card]))
    return trace


def scene_of_game(games: Games, rules: Rules, trace: Trace, seat: int | None = None) -> Scene:
    """Describe a game, [1] of GAME, with all hands or as one seat sees it."""
    player, masks = int(games['player'][0]), enumerate(games['hands'][0].tolist())
    seen = describe(games, player if seat is None else seat, new_observations(1), np.empty(VIEW_SIZE, np.int64))
    hands = tuple(format_cards(hand) if seat in (None, other) else None for other, hand in masks)
    about = {'rules': rules, 'trace': trace, 'current_player': player, 'scores': scores_of(games, rules)}
    return {**seen, **about, 'hands': hands, 'actions': ()}


def scene_of_state(state: Mapping[str, Any]) -> Scene:
    """Describe what a seat sees: a raw state of `rlcard.make('catch5')`."""
    seats = range(len(state['num_cards_left']))
    hands = tuple(state['current_hand'] if seat == state['self'] else None for seat in seats)
    return {**state, 'hands': hands, 'scores': None}


def position_text(scene: Scene) -> str:
    """Write a position for people: table, hands, scores at the end, and the legal actions."""
    hands = [_seat_line(scene, seat, hand) for seat, hand in enumerate(scene['hands'])]
    legal = [f'legal: {", ".join(scene["actions"])}'] if scene['actions'] else []
    return '\n'.join([*table_lines(scene), *hands, *end_lines(scene), *legal])


def table_lines(state: Scene) -> list[str]:
    """Return the dealer, the bid, the points and the tricks, a line each."""
    lines = [f'{state["rules"].title}; seat {state["dealer"]} deals']
    if state['bidder'] is not None:
        trumps = f', {SUIT_NAMES[parse_suit(state["trump"])]} are trumps' if state['trump'] else ''
        lines.append(f'seat {state["bidder"]} bids {state["bids"][state["bidder"]]}{trumps}')
    if state['trump']:
        own, other = state['points']
        lines.append(f'points: seats 0 and 2 {own}, seats 1 and 3 {other}')
        played = [action for _, action in state['trace'][5:]]  # after four bids and the trumps
        for number, winner in enumerate(state['trick_winners']):
            cards = ' '.join(played[NUM_PLAYERS * number : NUM_PLAYERS * (number + 1)])
            lines.append(f'trick {number + 1}: {cards}, to seat {winner}')
    return lines


def end_lines(scene: Scene) -> list[str]:
    """Return the scores, if the game is over."""
    scores = scene['scores']
    return [] if scores is None else [f'over: seats 0 and 2 score {scores[0]}, seats 1 and 3 score {scores[1]}']


def scores_of(games: Games, rules: Rules) -> tuple[int, ...] | None:
    """Return the score of each seat of a game, [1] of GAME; None if it is not over."""
    if games['ply'][0] < NUM_PLIES or games['winners'][0, 0] == NOTHING:
        return None
    scores = np.empty((1, NUM_PLAYERS), np.int64)
    settle_games(tabulate(rules), games, scores)
    return tuple(scores[0].tolist())


def bid_text(bid: int | None) -> str:
    """Return a seat's bid in words; empty if it has not bid."""
    return '' if bid is None else 'passed' if bid == 0 else f'bid {bid}'


def is_to_move(scene: Scene, seat: int) -> bool:
    """Return whether a seat is to move."""
    return seat == scene['current_player'] and sum(scene['num_cards_left']) > 0


def _seat_line(scene: Scene, seat: int, hand: str | None) -> str:
    marks = [bid_text(scene['bids'][seat]), scene['trick'][seat], 'to move' if is_to_move(scene, seat) else '']
    notes = ', '.join(filter(None, marks))
    held = f'{scene["num_cards_left"][seat]} cards' if hand is None else hand or 'no cards'
    return f'seat {seat}: {held}' + (f' ({notes})' if notes else '')
