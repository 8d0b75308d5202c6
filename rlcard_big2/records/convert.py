"""Records from other forms, and as text for a mail."""

from collections.abc import Iterable, Sequence
from typing import Any

from rlcard_big2.actions import action_mask, parse_action
from rlcard_big2.cards import parse_cards
from rlcard_big2.records.parsing import to_dict
from rlcard_big2.records.record import Record
from rlcard_big2.rules import Rules, RulesLike, find_rules
from rlcard_kit.errors import RecordError
from rlcard_kit.text import pretty

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
