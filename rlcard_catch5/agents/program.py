"""Programs as agents of Catch Five, and the states that questions to a program describe."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rlcard_catch5.actions import ACTION_FEATURES, parse_action
from rlcard_catch5.cards import parse_card, parse_cards, parse_suit
from rlcard_catch5.engine.batch import unpack_observations
from rlcard_catch5.engine.observation import OBSERVATION_SIZE, PAST_TRICKS, Observations, new_observations
from rlcard_catch5.engine.state import NOTHING, NUM_PLAYERS, NUM_TEAMS
from rlcard_catch5.env import State
from rlcard_catch5.rules import Rules
from rlcard_kit.programs.agent import ProgramAgent

BEFORE_TRICKS = NUM_PLAYERS + 1  # moves: the bids and the trumps


class Catch5Program(ProgramAgent):
    """A program that plays Catch Five, see `rlcard_kit.programs.agent.ProgramAgent`."""

    game = 'catch5'
    default_rules = Rules()


def state_of(question: Mapping[str, Any]) -> State:
    """Return the state of the environment that a question describes, which is a raw observation.

    Raises:
        CardError, IllegalActionError: if a card or an action does not exist.
        RulesError: if the rules are not valid.
    """
    seen = {**question, 'rules': Rules.from_json(question['rules']), 'packed': pack(question)}
    legal = sorted((parse_action(text), text) for text in seen['actions'])
    obs = np.empty((1, OBSERVATION_SIZE), np.int8)
    unpack_observations(seen['packed'], obs)
    return State(
        obs=obs[0],
        legal_actions={action: ACTION_FEATURES[action] for action, _ in legal},
        raw_obs=seen,
        raw_legal_actions=[text for _, text in legal],
        action_record=seen['trace'],
    )


def pack(seen: Mapping[str, Any]) -> Observations:
    """Return a raw observation as a packed one, [1] of OBSERVATION."""
    seat, played = seen['self'], [text for _, text in seen['trace'][BEFORE_TRICKS:]]
    tricks = [played[first : first + NUM_PLAYERS] for first in range(0, PAST_TRICKS * NUM_PLAYERS, NUM_PLAYERS)]
    winners = [_relative(winner, seat) for winner in seen['trick_winners']][:PAST_TRICKS]
    fields = {
        'hand': parse_cards(seen['current_hand']),
        'thrown': parse_cards(seen['thrown_cards']),
        'dead': parse_cards(seen['dead_cards']),
        'played': [parse_cards(text) for text in _turned(seen['played_cards'], seat)],
        'tricks': [parse_cards(' '.join(cards)) if i < len(winners) else 0 for i, cards in enumerate(tricks)],
        'winners': winners + [NOTHING] * (PAST_TRICKS - len(winners)),
        'bids': [NOTHING if bid is None else bid for bid in _turned(seen['bids'], seat)],
        'trick': [parse_card(text) if text else NOTHING for text in _turned(seen['trick'], seat)],
        'drawn': _turned(seen['num_cards_lacked'], seat),
        'points': _turned(seen['points'], seat % NUM_TEAMS),
        'dealer': _relative(seen['dealer'], seat),
        'bidder': _relative(seen['bidder'], seat),
        'trump': NOTHING if seen['trump'] is None else parse_suit(seen['trump']),
        'leader': _relative(seen['leader'], seat),
        'mover': _relative(seen['current_player'], seat),
        'ply': len(seen['trace']),
    }
    packed = new_observations(1)
    for name, value in fields.items():
        packed[name] = value
    return packed


def _turned(by_seat: list[Any], seat: int) -> list[Any]:
    """Return a list by seat or team in the order of play from a seat."""
    return by_seat[seat:] + by_seat[:seat]


def _relative(other: int | None, seat: int) -> int:
    return NOTHING if other is None else (other - seat) % NUM_PLAYERS
