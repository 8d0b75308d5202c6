"""Positions as text for people."""

from collections.abc import Mapping
from typing import Any

from rlcard_catch5.cards import SUIT_NAMES, parse_suit
from rlcard_catch5.game import Game

TRICK = 4


def position_text(game: Game, seat: int | None = None) -> str:
    """Return a game as text, with all hands or as one seat sees it."""
    state = game.get_state(game.get_player_id() if seat is None else seat)
    hands = [
        player.current_hand
        if seat in (None, player.player_id)
        else f'{state["num_cards_left"][player.player_id]} cards'
        for player in game.players
    ]
    lines = [*_table(state), *(_seat_line(state, number, hand) for number, hand in enumerate(hands))]
    if game.is_over() and state['trick_winners']:
        scores = game.judger.judge_payoffs().tolist()
        lines.append(f'over: seats 0 and 2 score {scores[0]}, seats 1 and 3 score {scores[1]}')
    return '\n'.join(lines)


def state_text(state: Mapping[str, Any]) -> str:
    """Return what a seat sees as text."""
    left = state['num_cards_left']
    hands = [state['current_hand'] if seat == state['self'] else f'{left[seat]} cards' for seat in range(len(left))]
    lines = [*_table(state), *(_seat_line(state, seat, hand) for seat, hand in enumerate(hands))]
    if state['actions']:
        lines.append(f'legal: {", ".join(state["actions"])}')
    return '\n'.join(lines)


def _table(state: Mapping[str, Any]) -> list[str]:
    lines = [f'{state["rules"].title}; seat {state["dealer"]} deals']
    if state['bidder'] is not None:
        trumps = f', {SUIT_NAMES[parse_suit(state["trump"])]} are trumps' if state['trump'] else ''
        lines.append(f'seat {state["bidder"]} bids {state["bids"][state["bidder"]]}{trumps}')
    if state['trump']:
        own, other = state['points']
        lines.append(f'points: seats 0 and 2 {own}, seats 1 and 3 {other}')
        played = [action for _, action in state['trace'][5:]]  # after four bids and the trumps
        for number, winner in enumerate(state['trick_winners']):
            cards = ' '.join(played[TRICK * number : TRICK * number + TRICK])
            lines.append(f'trick {number + 1}: {cards}, to seat {winner}')
    return lines


def _seat_line(state: Mapping[str, Any], seat: int, hand: str) -> str:
    bid = state['bids'][seat]
    said = '' if bid is None else 'passed' if bid == 0 else f'bid {bid}'
    marks = [
        said,
        state['trick'][seat],
        'to move' if seat == state['current_player'] and sum(state['num_cards_left']) else '',
    ]
    notes = ', '.join(filter(None, marks))
    return f'seat {seat}: {hand or "no cards"}' + (f' ({notes})' if notes else '')
