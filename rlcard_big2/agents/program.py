"""Programs as agents of Big 2, and the states that questions to a program describe."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import rlcard

from rlcard_big2.actions import PASS
from rlcard_big2.env import Big2Env, State
from rlcard_big2.rules import Rules
from rlcard_kit.errors import RulesError
from rlcard_kit.programs.agent import ProgramAgent


class Big2Program(ProgramAgent):
    """A program that plays Big 2, see `rlcard_kit.programs.agent.ProgramAgent`."""

    game = 'big2'
    default_rules = Rules()


def state_of(question: Mapping[str, Any]) -> State:
    """Return the state of the environment that a question describes.

    It reads 'rules', 'self', 'current_hand', 'trace' and 'actions' of the raw observation.

    Raises:
        RecordError: if there is no such position.
        RulesError: if the rules are not valid, or the legal moves are not those of the rules.
    """
    rules, seat, trace = Rules.from_json(question['rules']), question['self'], question['trace']
    cards = [question['current_hand'], *(text for player, text in trace if player == seat and text != PASS)]
    position = {
        'big2': 1,
        'rules': question['rules'],
        'hands': [' '.join(cards) if other == seat else None for other in range(rules.players)],
        'view': seat,
        'opener': trace[0][0] if trace else seat,
        'moves': [text for _, text in trace],
    }
    state, _ = _environment(rules).reset(position=position)
    differing = set(state['raw_legal_actions']) ^ set(question['actions'])
    if differing:
        raise RulesError(f'{min(differing)!r} is not legal both in the question and by the rules {rules.title}')
    return state


@cache
def _environment(rules: Rules) -> Big2Env:
    env: Big2Env = rlcard.make('big2', config={'seed': 0, 'game_rules': rules})
    return env
