"""Calls of the library with arguments that make no sense, after which everything must be as it was."""

import pickle
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import rlcard

import rlcard_big2
from benchmarks.attacks.attempt import Attempt
from rlcard_big2 import Rules, VectorEnv, charlesworth, records
from rlcard_big2.duplicate import play_match
from rlcard_big2.errors import Big2Error

Env = Any  # what rlcard.make returns
NOT_IDS = (-1, 10**9, 2.5, None, '3d', 'nonsense', [], np.array([1, 2]), float('nan'), object())
NOT_TEXTS = ('', 'Xd', '3d 3d', '3d 4c', 'pass pass', 0, None, b'3d', '3d\n4d', '2s 2h 2c 2d 3d 4d')
DECK = [list(range(first, first + 13)) for first in (0, 13, 26, 39)]
NOT_DEALS = (
    [], DECK[:3], [*DECK, []], [DECK[0], DECK[0], DECK[2], DECK[3]], [[*DECK[0][:12], 99], *DECK[1:]],
    [[*DECK[0][:12], -1], *DECK[1:]], [[*DECK[0][:12], 2.5], *DECK[1:]], [DECK[0][:12], [*DECK[1], 0], *DECK[2:]],
    5, 'hands', [None] * 4, [['3d'] * 13] * 4,
)  # fmt: skip
NOT_POSITIONS = (
    '', '{}', '[]', 'null', '{"big2": 2}', '{"big2": 1}', {}, {'big2': 1, 'rules': 'nonsense'}, 7,
    '{"big2": 1, "rules": "charlesworth", "hands": [], "moves": []}',
    '{"big2": 1, "rules": "charlesworth", "hands": [null, null, null, null], "moves": ["3s"]}',
    '{"big2": 1, "rules": "taiwan", "hands": [null, null, null, null], "moves": []}',
)  # fmt: skip
NOT_CONFIGS = (
    {'game_rules': 'nonsense'}, {'game_rules': 7}, {'game_rules': None}, {'game_num_players': 3}, {'seed': -1},
    {'seed': 'x'}, {'game_nonsense': 1}, {'seed': 2.5},
)  # fmt: skip
NOT_RULES: tuple[dict[str, Any], ...] = (
    {'straights': 'XYZ'}, {'flush_order': 'colour'}, {'penalty_thresholds': (10, 8)}, {'penalty_thresholds': (0,)},
    {'penalty_thresholds': 8}, {'suits': 'abcd'}, {'suits': 'dchh'}, {'opening': 'never'}, {'triples': 'maybe'},
    {'penalty_thresholds': (10**30,)}, {'straights': None}, {'bombs': 2},
)  # fmt: skip
NOT_AGENTS = (
    '', 'nonsense', 'dmc', 'dmc:', 'dmc:/nowhere', 'ppo:/nowhere,greedy', 'rule,greedy', 'random,epsilon=2',
    'python:', 'python:nowhere:agent', 'python:os:system', 'published-ppo:/dev/null', 'greedy,epsilon=x', 'big2-dmc:x',
)  # fmt: skip
NOT_SEATS = (-1, 4, 2.5, 'x', None)


def attack(random: Random, tries: int) -> Iterator[Attempt]:
    """Make each call once; `tries` below their number makes a sample of them."""
    calls = list(_calls())
    for name, call in calls if tries >= len(calls) else random.sample(calls, tries):
        yield Attempt(name, _try(call))


def _try(call: Callable[[Env], object]) -> str | None:
    env = rlcard.make('big2', config={'seed': 5, 'allow_step_back': True})
    env.step(next(iter(env.reset()[0]['legal_actions'])))
    before = _all_of(env)
    try:
        call(env)
    except Big2Error as error:
        problem = None if len(str(error)) > 10 else f'it says no more than {error}'
    except Exception as error:  # whatever else it is, it is a finding
        return f'{type(error).__name__}: {error}'
    else:
        return 'it is accepted'
    return problem if before == _all_of(env) else 'it is refused, and yet something has changed'


def _all_of(env: Env) -> bytes:
    return pickle.dumps((env.get_perfect_information(), env.timestep, env.action_recorder, env.game.games.tobytes()))


def _calls() -> Iterator[tuple[str, Callable[[Env], object]]]:
    """Yield each call with its name; it is given an environment in which one move was made."""
    for value in NOT_IDS:
        yield f'step({value!r})', lambda env, value=value: env.step(value)
        yield f'get_action_feature({value!r})', lambda env, value=value: env.get_action_feature(value)
    for text in NOT_TEXTS:
        yield f'step({text!r}, raw)', lambda env, text=text: env.step(text, raw_action=True)
    for hands in NOT_DEALS:
        yield f'reset(hands={hands!r:.40})', lambda env, hands=hands: env.reset(hands=hands)
    for position in NOT_POSITIONS:
        yield f'reset(position={position!r:.40})', lambda env, position=position: env.reset(position=position)
    for config in NOT_CONFIGS:
        yield f'make({config})', lambda env, config=config: rlcard.make('big2', config=config)
    for fields in NOT_RULES:
        yield f'Rules({fields})', lambda env, fields=fields: Rules(**fields)
    for name in NOT_AGENTS:
        yield f'make_agent({name!r})', lambda env, name=name: rlcard_big2.make_agent(name)
    for seat in NOT_SEATS:
        yield f'get_state({seat!r})', lambda env, seat=seat: env.get_state(seat)
    yield 'reset(hands, position)', lambda env: env.reset(hands=DECK, position=env.to_record())
    yield 'Rules.preset(nonsense)', lambda env: Rules.preset('nonsense')
    yield 'action_mask(-1)', lambda env: rlcard_big2.action_mask(-1)
    yield 'action_id(0b10001)', lambda env: rlcard_big2.action_id(0b110001)
    yield 'action_id(-1)', lambda env: rlcard_big2.action_id(-1)
    yield 'from_index(1695)', lambda env: charlesworth.from_index(1695, 8191)
    yield 'to_index of cards not held', lambda env: charlesworth.to_index(51, 8191)
    yield 'VectorEnv(0)', lambda env: VectorEnv(0)
    yield 'VectorEnv(4, nonsense)', lambda env: VectorEnv(4, rules='nonsense')
    yield 'play_match with one deal', lambda env: play_match('random', 'random', deals=1)
    yield 'play_match of nobody', lambda env: play_match('nonsense', 'random', deals=2)
    yield 'play_match with an object', lambda env: play_match(object(), 'random', deals=2)
    yield 'parse of a list', lambda env: records.parse('[1, 2]')
