"""The human agent: a player at the terminal."""

import re
from collections.abc import Callable
from typing import Any

from rlcard_big2.cards import parse_card
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.errors import CardError
from rlcard_big2.notation import position_text, scene_of_state

PROMPT = 'Your play (cards such as 3d 3h, or #number, p = pass, q = quit): '
NUMBER = re.compile(r'#[0-9]{1,9}')
QUIT = ('q', 'quit')
PASS = ('p', 'pass')

State = dict[str, Any]


class HumanAgent:
    """Asks a person for every move.

    An entry is an action's cards in any order and case ('Th tc'), its number in the list ('#8'), or 'p' for a pass.
    'q', the end of the input and Ctrl-C leave: `step` and `eval_step` then raise SystemExit.

    Args:
        num_actions: not used; RLCard's human agents take it, as in `HumanAgent(env.num_actions)`.
        read: shows a prompt and returns one line, as `input` does.
        write: shows one text, as `print` does.
    """

    use_raw = True

    def __init__(
        self,
        num_actions: int | None = None,
        *,
        read: Callable[[str], str] = input,
        write: Callable[[str], object] = print,
    ) -> None:
        self._read = read
        self._write = write

    def step(self, state: State) -> str:
        """Show a state of `rlcard.make('big2')` and return the text of the action that the person chose."""
        legal: list[str] = state['raw_legal_actions']
        self._write(describe(state))
        while True:
            entry = self._ask()
            index = find_action(entry, legal)
            if index is not None:
                return legal[index]
            self._write(explain(entry, state['raw_obs'], legal))

    def eval_step(self, state: State) -> tuple[str, dict[str, Any]]:
        """Return the chosen action's text as `step` does, and no information."""
        return self.step(state), {}

    def _ask(self) -> str:
        try:
            entry = self._read(PROMPT).strip().lower()
        except (EOFError, KeyboardInterrupt):
            raise SystemExit from None
        if entry in QUIT:
            raise SystemExit
        return entry


def find_action(entry: str, legal: list[str]) -> int | None:
    """Return the index of the legal action that a lower-case entry means, or None if it does not mean one."""
    if NUMBER.fullmatch(entry):
        return int(entry[1:]) if int(entry[1:]) < len(legal) else None
    words = ['pass'] if entry in PASS else sorted(_cards_of(entry))
    return next((i for i, text in enumerate(legal) if sorted(text.lower().split()) == words), None)


def explain(entry: str, seen: dict[str, Any], legal: list[str]) -> str:
    """Say why an entry, which `find_action` does not find, may not be played; `seen` is the 'raw_obs'."""
    if entry.startswith('#'):
        return f'There is no action {entry}: the numbers go from #0 to #{len(legal) - 1}.'
    if entry in PASS:
        return 'You may not pass: you lead.'
    words = _cards_of(entry)
    if not words:
        return 'Nothing entered.'
    for word in words:
        try:
            parse_card(word)
        except CardError:
            return f'{word!r} is not a card: write rank and suit, such as 3d, or an action as #0.'
    missing = [word for word in words if word not in seen['current_hand'].lower().split()]
    if missing:
        return f'You do not hold {" ".join(map(_tidy, missing))}.'
    beat = seen['hand_to_beat']
    return f'{" ".join(map(_tidy, words))} may not be played {"on " + beat if beat else "here"}.'


def _cards_of(entry: str) -> list[str]:
    """Split an entry into cards; '10h' is 'th'."""
    return entry.replace('10', 't').split()


def _tidy(card: str) -> str:
    return card[0].upper() + card[1:]


def describe(state: State) -> str:
    """Write what a seat sees, a state of `rlcard.make('big2')`, with its legal actions numbered."""
    me = state['raw_obs']['self']
    names = ['you' if seat == me else f'player {seat}' for seat in range(NUM_PLAYERS)]
    return '\n' + position_text(scene_of_state(state, names), numbered=True)
