"""Parse moves typed by a person, and explain entries that are not legal."""

from rlcard_big2.cards import parse_card
from rlcard_kit.errors import CardError
from rlcard_play.study.protocols import Json
from rlcard_play.terminal.move_input import PASS, explain_number, parse_number, split_cards, tidy


def find_action(entry: str, legal: list[str]) -> int | None:
    """Return the index of the legal action for a lower-case entry, or None."""
    number = parse_number(entry)
    if number is not None:
        return number if number < len(legal) else None
    words = ['pass'] if entry in PASS else sorted(split_cards(entry))
    return next((i for i, text in enumerate(legal) if sorted(text.lower().split()) == words), None)


def explain(entry: str, seen: Json, legal: list[str]) -> str:
    """Return why an entry is not a legal action; `seen` is the state's 'raw_obs'."""
    if entry.startswith('#'):
        return explain_number(entry, len(legal))
    if entry in PASS:
        return 'You cannot pass: you lead.'
    words = split_cards(entry)
    if not words:
        return 'Nothing entered.'
    for word in words:
        try:
            parse_card(word)
        except CardError:
            return f'{word!r} is not a card: enter rank and suit, such as 3d, or an action as #0.'
    missing = [word for word in words if word not in seen['current_hand'].lower().split()]
    if missing:
        return f'You do not hold {" ".join(map(tidy, missing))}.'
    beat = seen['hand_to_beat']
    return f'{" ".join(map(tidy, words))} cannot be played {"on " + beat if beat else "here"}.'
