"""Records from other forms, and as text for a mail; deals in 18 characters, or 22 if four leave cards out of play."""

import base64
import re
from collections.abc import Iterable, Sequence
from typing import Any

from rlcard_big2.actions import action_mask, parse_action
from rlcard_big2.cards import FULL_DECK, NUM_CARDS, parse_cards
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.records.parsing import to_dict
from rlcard_big2.records.record import Record
from rlcard_big2.rules import Rules, RulesLike, find_rules
from rlcard_kit.errors import RecordError
from rlcard_kit.text import pretty

CODE = re.compile(r'[A-Za-z0-9_-]{18}|[A-Za-z0-9_-]{22}')
SHORT = 18  # characters, for numbers of base 4

Trace = Sequence[tuple[int, str]]


def moves_of(trace: Trace, rules: Rules) -> tuple[int, ...]:
    """Return the masks of a trace, (seat, text) from the first move."""
    return tuple(action_mask(parse_action(text, rules.suits)) for _, text in trace)


def from_trajectories(trajectories: Sequence[Sequence[Any]], rules: RulesLike = 'charlesworth') -> Record:
    """Make the record of a game from the trajectories that RLCard's `env.run()` returns.

    Args:
        trajectories: one list of states and actions for each seat, the last state after the end of the game.
        rules: a preset's name or a `Rules`.

    Raises:
        RecordError: if the last states are not of one game from its deal on.
    """
    rules = find_rules(rules)
    seen = [states[-1]['raw_obs'] for states in trajectories]
    hands = tuple(
        parse_cards(f'{state["current_hand"]} {state["played_cards"][seat]}', rules.suits)
        for seat, state in enumerate(seen)
    )
    trace = seen[0]['trace']
    if any(state['trace'] != trace for state in seen):
        raise RecordError('the last states of the trajectories are not of one game')
    return Record(hands=hands, moves=moves_of(trace, rules), rules=rules)


def from_deals(deals: Iterable[Sequence[int]], rules: RulesLike = 'charlesworth') -> list[Record]:
    """Make a record without moves of each deal, such as those of `rlcard_big2.duplicate.deals`: masks [D, seats]."""
    rules = find_rules(rules)
    return [Record(hands=tuple(int(hand) for hand in hands), rules=rules) for hands in deals]


def mail_text(record: Record) -> str:
    """Write a record for people to read, in the shape of a chess game in PGN; it is not meant to be read back."""
    data = to_dict(record)
    tags = {'Id': data.get('id'), 'Rules': data['rules'] if isinstance(data['rules'], str) else 'own'}
    for seat, hand in enumerate(data['hands']):
        tags[f'Hand{seat}'] = '?' if hand is None else pretty(hand)
    tags |= {f'Seat{i}': seat.get('name') for i, seat in enumerate(record.seats or ())}
    tags['Payoffs'] = None if record.payoffs is None else ' '.join(f'{payoff:+d}' for payoff in record.payoffs)
    lines = [f'[{key} "{_quoted(value)}"]' for key, value in tags.items() if value is not None]
    return '\n'.join([*lines, '', *_rounds(record)]) + '\n'


def _quoted(value: str) -> str:
    return ' '.join(value.split()).replace('\\', '\\\\').replace('"', '\\"')


def _rounds(record: Record) -> list[str]:
    """Number the moves, one of each seat a line, beginning with the seat that opens."""
    texts = [pretty(text).replace(' ', '') for _, text in record.trace]
    count = record.rules.players
    return [f'{start // count + 1}. {" ".join(texts[start : start + count])}' for start in range(0, len(texts), count)]


def deal_code(hands: Sequence[int]) -> str:
    """Write a deal, two to four masks, as base64url of a number: the seat of each card by digit, card 0 the lowest.

    Its base is 4, where 3 stands for cards out of play of fewer than four players, or else 5, where 4 does.
    """
    sizes = [hand.bit_count() for hand in hands]
    if not 2 <= len(hands) <= NUM_PLAYERS or min(sizes) == 0 or max(sizes) - min(sizes) >= len(hands):
        raise RecordError(f'a deal has two to four hands of as many cards, but for cards left over, not {sizes}')
    base = 4 if len(hands) < NUM_PLAYERS or sum(sizes) == NUM_CARDS else 5
    owners = [base - 1] * NUM_CARDS
    for seat, hand in enumerate(hands):
        for card in range(NUM_CARDS):
            if hand >> card & 1:
                owners[card] = seat
    if sum(hands) & ~FULL_DECK or sum(sizes) != sum(hands).bit_count():
        raise RecordError('a deal has each card at most once')
    number = sum(owner * base**card for card, owner in enumerate(owners))
    return base64.urlsafe_b64encode(number.to_bytes(13 if base == 4 else 16, 'big')).decode().rstrip('=')


def hands_of_code(code: str, players: int = NUM_PLAYERS) -> tuple[int, ...]:
    """Read a code of `deal_code`; return the hands of a number of players as masks.

    Raises:
        RecordError: if it is not the code of a deal to so many.
    """
    if not CODE.fullmatch(code):
        raise RecordError(f'{code[:40]!r} is not the code of a deal: it has 18 or 22 letters, digits, - and _')
    number, base = int.from_bytes(base64.urlsafe_b64decode(code + '=='), 'big'), 4 if len(code) == SHORT else 5
    owners = [number // base**card % base for card in range(NUM_CARDS)]
    hands = tuple(sum(1 << card for card in range(NUM_CARDS) if owners[card] == seat) for seat in range(players))
    try:
        if deal_code(hands) == code:
            return hands
    except RecordError:
        pass
    raise RecordError(f'{code!r} is not the code of a deal to {players} players')
