"""Positions as text for people."""

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


def position_text(games: Games, rules: Rules, trace: Trace, seat: int | None = None) -> str:
    """Return a game, [1] of GAME, as text, with all hands or as one seat sees it."""
    state = public_state(games, rules, trace, seat)
    hands = [
        format_cards(hand) if seat in (None, other) else f'{state["num_cards_left"][other]} cards'
        for other, hand in enumerate(games['hands'][0].tolist())
    ]
    lines = [*table_lines(state), *(_seat_line(state, number, hand) for number, hand in enumerate(hands))]
    return '\n'.join([*lines, *end_lines(games, rules)])


def public_state(games: Games, rules: Rules, trace: Trace, seat: int | None = None) -> dict[str, Any]:
    """Return what a seat sees of a game, [1] of GAME, by name; the seat to move if it is None."""
    player = int(games['player'][0])
    seen = describe(games, player if seat is None else seat, new_observations(1), np.empty(VIEW_SIZE, np.int64))
    return {**seen, 'rules': rules, 'trace': trace, 'current_player': player}


def state_text(state: Mapping[str, Any]) -> str:
    """Return the raw state of a seat as text."""
    left = state['num_cards_left']
    hands = [state['current_hand'] if seat == state['self'] else f'{left[seat]} cards' for seat in range(len(left))]
    lines = [*table_lines(state), *(_seat_line(state, seat, hand) for seat, hand in enumerate(hands))]
    if state['actions']:
        lines.append(f'legal: {", ".join(state["actions"])}')
    return '\n'.join(lines)


def table_lines(state: Mapping[str, Any]) -> list[str]:
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


def end_lines(games: Games, rules: Rules) -> list[str]:
    """Return the scores of a game, [1] of GAME, if it is over."""
    if games['ply'][0] < NUM_PLIES or games['winners'][0, 0] == NOTHING:
        return []
    scores = np.empty((1, NUM_PLAYERS), np.int64)
    settle_games(tabulate(rules), games, scores)
    return [f'over: seats 0 and 2 score {scores[0, 0]}, seats 1 and 3 score {scores[0, 1]}']


def bid_text(bid: int | None) -> str:
    """Return a seat's bid in words; empty if it has not bid."""
    return '' if bid is None else 'passed' if bid == 0 else f'bid {bid}'


def is_to_move(state: Mapping[str, Any], seat: int) -> bool:
    """Return whether a seat is to move."""
    return seat == state['current_player'] and sum(state['num_cards_left']) > 0


def _seat_line(state: Mapping[str, Any], seat: int, hand: str) -> str:
    marks = [bid_text(state['bids'][seat]), state['trick'][seat], 'to move' if is_to_move(state, seat) else '']
    notes = ', '.join(filter(None, marks))
    return f'seat {seat}: {hand or "no cards"}' + (f' ({notes})' if notes else '')
