"""Files of the Coders for Causes contest: a class `Algorithm` whose `getAction(state)` returns cards and a text.

A file runs in a process of its own: `python -m rlcard_big2.agents.coders FILE` is a program for `Big2Program`. As in
the contest, each move is made by a new `Algorithm`, whose only memory is the text that the last one returned.
"""

import sys
from collections import defaultdict
from contextlib import redirect_stdout
from dataclasses import make_dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from rlcard_big2.actions import PASS
from rlcard_big2.agents.program import Big2Program
from rlcard_big2.notation import split_tricks
from rlcard_big2.rules import PRESETS
from rlcard_kit.errors import FileError, KitError, describe
from rlcard_kit.programs.serve import serve

# The contest's module `classes`, which the files import.
Trick = make_dataclass('Trick', ['playerNum', 'cards'])
GameHistory = make_dataclass('GameHistory', ['finished', 'winnerPlayerNum', 'gameHistory'])
Player = make_dataclass('Player', ['points', 'handSize'])
MatchState = make_dataclass('MatchState', ['myPlayerNum', 'players', 'myHand', 'toBeat', 'matchHistory', 'myData'])


class CodersAgent(Big2Program):
    """An agent of the contest.

    Args:
        file: Python source with the class `Algorithm`.
        limits: see `ProgramAgent`.
    """

    trained_on = PRESETS['coders-for-causes']

    def __init__(self, file: Path, **limits: float) -> None:
        if not file.is_file():
            raise FileError(f'{file} is not a file')
        super().__init__([sys.executable, '-m', __name__, str(file)], **limits)


def match_state(question: dict[str, Any], data: str) -> Any:
    """Return the state that `getAction` takes.

    Args:
        question: to a program.
        data: the text that the last `getAction` of this game returned.
    """
    left = question['num_cards_left']
    rounds = [
        [Trick(seat, _cards(text)) for seat, text in trick] for trick in split_tricks(question['trace'], len(left))
    ]
    to_beat = next(trick for trick in reversed(rounds[-1]) if trick.cards) if question['hand_to_beat'] else None
    return MatchState(
        question['self'],
        [Player(0, count) for count in left],
        _cards(question['current_hand']),
        to_beat,
        [GameHistory(False, -1, rounds)],
        data,
    )


def _cards(text: str) -> list[str]:
    return [] if text == PASS else text.upper().split()


def load(file: Path) -> ModuleType:
    """Import a file of the contest, which may import its neighbours."""
    classes = ModuleType('classes')
    vars(classes).update(Trick=Trick, GameHistory=GameHistory, Player=Player, MatchState=MatchState, List=list)
    sys.modules['classes'] = classes
    sys.path.insert(0, str(file.parent))
    spec = spec_from_file_location('algorithm', file)
    if spec is None or spec.loader is None:
        raise FileError(f'{file} is not a file of Python')
    module = module_from_spec(spec)
    with redirect_stdout(sys.stderr):
        spec.loader.exec_module(module)
    return module


def main() -> None:
    """Play by a file of the contest."""
    module = load(Path(sys.argv[1]))
    kept: defaultdict[int, str] = defaultdict(str)  # by game

    def choose(question: dict[str, Any]) -> str:
        try:
            cards, kept[question['id']] = module.Algorithm().getAction(match_state(question, kept[question['id']]))
            return ' '.join(cards) or PASS
        except Exception as error:  # the file may raise anything
            raise KitError(f'getAction failed: {describe(error)}') from error

    serve(choose)


if __name__ == '__main__':
    main()
