"""Calls of the library with arguments that make no sense, after which everything must be as it was."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from operator import methodcaller
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
Call = Callable[[Env], object]
NOT_IDS: tuple[Any, ...] = (-1, 10**9, 2.5, None, '3d', 'nonsense', [], np.array([1, 2]), float('nan'), object())
NOT_TEXTS = ('', 'Xd', '3d 3d', '3d 4c', 'pass pass', 0, None, b'3d', '3d\n4d', '2s 2h 2c 2d 3d 4d')
DECK = [list(range(first, first + 13)) for first in (0, 13, 26, 39)]
NOT_DEALS: tuple[Any, ...] = (
    [], DECK[:3], [*DECK, []], [DECK[0], DECK[0], DECK[2], DECK[3]], [[*DECK[0][:12], 99], *DECK[1:]],
    [[*DECK[0][:12], -1], *DECK[1:]], [[*DECK[0][:12], 2.5], *DECK[1:]], [DECK[0][:12], [*DECK[1], 0], *DECK[2:]],
    5, 'hands', [None] * 4, [['3d'] * 13] * 4,
)  # fmt: skip
NOT_POSITIONS: tuple[Any, ...] = (
    '', '{}', '[]', 'null', '{"big2": 2}', '{"big2": 1}', {}, {'big2': 1, 'rules': 'nonsense'}, 7,
    '{"big2": 1, "rules": "charlesworth", "hands": [], "moves": []}',
    '{"big2": 1, "rules": "charlesworth", "hands": [null, null, null, null], "moves": ["3s"]}',
    '{"big2": 1, "rules": "taiwan", "hands": [null, null, null, null], "moves": []}',
)  # fmt: skip
NOT_CONFIGS: tuple[dict[str, Any], ...] = (
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
FUNCTIONS: tuple[tuple[Callable[..., object], tuple[Any, ...]], ...] = (
    (Rules.preset, ('nonsense',)), (rlcard_big2.action_mask, (-1,)), (rlcard_big2.action_id, (0b110001,)),
    (rlcard_big2.action_id, (-1,)), (charlesworth.from_index, (1695, 8191)), (charlesworth.to_index, (51, 8191)),
    (VectorEnv, (0,)), (VectorEnv, (4, 'nonsense')), (play_match, ('random', 'random', 1)),
    (play_match, ('nonsense', 'random', 2)), (play_match, (object(), 'random', 2)), (records.parse, ('[1, 2]',)),
)  # fmt: skip


def attack(random: Random, tries: int) -> Iterator[Attempt]:
    """Make each call once; `tries` below their number makes a sample of them."""
    calls = list(_calls())
    for name, call in calls if tries >= len(calls) else random.sample(calls, tries):
        yield Attempt(name, _try(call))


def _try(call: Call) -> str | None:
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


def _calls() -> Iterator[tuple[str, Call]]:
    """Yield each call with its name; it is given an environment in which one move was made."""
    methods: list[tuple[str, Sequence[Any], dict[str, Any]]] = [
        ('step', NOT_IDS, {}),
        ('get_action_feature', NOT_IDS, {}),
        ('step', NOT_TEXTS, {'raw_action': True}),
        ('get_state', NOT_SEATS, {}),
        ('reset', NOT_DEALS, {}),
    ]
    for method, values, more in methods:
        for value in values:
            yield f'{method}({value!r:.60})', methodcaller(method, value, **more)
    for position in NOT_POSITIONS:
        yield f'reset(position={position!r:.60})', methodcaller('reset', position=position)
    yield 'reset(hands, position)', lambda env: env.reset(hands=DECK, position=env.to_record())
    for config in NOT_CONFIGS:
        yield f'make({config})', _of(rlcard.make, 'big2', config=config)
    for fields in NOT_RULES:
        yield f'Rules({fields})', _of(Rules, **fields)
    for name in NOT_AGENTS:
        yield f'make_agent({name!r})', _of(rlcard_big2.make_agent, name)
    for function, arguments in FUNCTIONS:
        yield f'{function.__name__}{arguments}', _of(function, *arguments)


def _of(function: Callable[..., object], *arguments: Any, **more: Any) -> Call:
    return lambda env: function(*arguments, **more)
