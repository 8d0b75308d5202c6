"""Parse moves typed by a person, and explain entries that are not legal."""

from rlcard_catch5.actions import BIDS
from rlcard_catch5.cards import NAMES, SUIT_NAMES, parse_card, parse_suit
from rlcard_kit.errors import CardError
from rlcard_play.study.protocols import Json
from rlcard_play.terminal.move_input import LETTERS, PASS, explain_number, parse_number, tidy


def find_action(entry: str, legal: list[str]) -> int | None:
    """Return the index of the legal action for a lower-case entry, or None."""
    number = parse_number(entry)
    if number is not None:
        return number if number < len(legal) else None
    word = _word_of(entry)
    return next((i for i, text in enumerate(legal) if word in _words_for(text)), None)


def _word_of(entry: str) -> str:
    """Return an entry without blanks and symbols; '10 ♥' is 'th'."""
    return ''.join(entry.translate(LETTERS).replace('10', 't').split())


def _words_for(action: str) -> tuple[str, ...]:
    """Return the entries that mean an action."""
    kind, _, rest = action.lower().partition(' ')
    if kind == 'trump':
        name = SUIT_NAMES[parse_suit(rest)]
        return rest, name, name[:-1], f'trump{rest}', f'trump{name}'
    return (rest, f'bid{rest}') if kind == 'bid' else PASS if kind == 'pass' else (kind,)


def explain(entry: str, seen: Json) -> str:
    """Return why an entry is not a legal action; `seen` is the state's 'raw_obs'."""
    legal: list[str] = seen['actions']
    word = _word_of(entry)
    if not word:
        return 'Nothing entered.'
    if entry.startswith('#'):
        return explain_number(entry, len(legal))
    if legal[-1].startswith('bid'):
        return _explain_bid(entry, word, legal)
    if legal[-1].startswith('trump'):
        return f'{entry!r} is not a suit: enter c, d, h or s.'
    return _explain_card(word, seen)


def _explain_bid(entry: str, word: str, legal: list[str]) -> str:
    bids = [text.removeprefix('bid ') for text in legal if text != 'pass']
    among = f'from {bids[0]} to {bids[-1]}' if len(bids) > 1 else bids[0]
    if word in PASS:
        return f'You cannot pass, because all others have passed: bid {among}.'
    height = word.removeprefix('bid')
    if height in map(str, BIDS):
        return f'You cannot bid {height}: bid {among}.'
    return f'{entry!r} is not a bid: enter a number {among}{", or p to pass" if "pass" in legal else ""}.'


def _explain_card(word: str, seen: Json) -> str:
    try:
        card = NAMES[parse_card(word)]
    except CardError:
        return f'{word!r} is not a card: enter rank and suit, such as 5h, or an action as #0.'
    if card not in seen['current_hand'].split():
        return f'You do not hold {tidy(word)}.'
    return f'{card} cannot be played: follow {seen["trick"][seen["leader"]]}.'
