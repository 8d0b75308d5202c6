"""Calls of the library with arguments that make no sense, after which everything must be as it was."""

import pickle
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any

import rlcard

import rlcard_big2
from benchmarks.attacks.attempt import Attempt
from rlcard_big2 import Rules, VectorEnv, charlesworth, records
from rlcard_big2.duplicate import play_match
from rlcard_big2.errors import Big2Error
from tests.misuse import Misuse, creation_misuse, game_misuse, vector_misuse

LEAST_WORDS = 3  # of an error
CALLS: tuple[Misuse, ...] = (
    ('Rules.preset(nonsense)', partial(Rules.preset, 'nonsense')),
    ('rules with straights XYZ', partial(Rules.from_json, {'straights': 'XYZ'})),
    ('rules with thresholds that fall', partial(Rules, penalty_thresholds=(10, 8))),
    ('rules with a threshold of 10**30', partial(Rules, penalty_thresholds=(10**30,))),
    ('action_mask(-1)', partial(rlcard_big2.action_mask, -1)),
    ('action_id of no combination', partial(rlcard_big2.action_id, 0b110001)),
    ('action_id(-1)', partial(rlcard_big2.action_id, -1)),
    ('from_index(1695)', partial(charlesworth.from_index, 1695, 8191)),
    ('to_index of cards not held', partial(charlesworth.to_index, 51, 8191)),
    ('a match of an object', partial(play_match, object(), 'random', 2)),
    ('a record that is a list', partial(records.parse, '[1, 2]')),
)


def attack(random: Random, tries: int) -> Iterator[Attempt]:
    """Make wrong calls, drawn from all if there are more."""
    env = rlcard.make('big2', config={'seed': 5})
    env.reset()
    games = VectorEnv(8, seed=1)
    calls = [*CALLS, *creation_misuse(), *game_misuse(env), *vector_misuse(games)]

    def everything() -> bytes:
        seen = env.get_perfect_information(), env.timestep, env.action_recorder, env.game.games.tobytes()
        return pickle.dumps((seen, games.games.tobytes(), games.streams.tobytes()))

    for name, call in random.sample(calls, min(tries, len(calls))):
        yield Attempt(name, _try(call, everything))


def _try(call: Callable[[], Any], everything: Callable[[], bytes]) -> str | None:
    before = everything()
    try:
        call()
    except Big2Error as error:
        if len(str(error).split()) < LEAST_WORDS:
            return f'it says no more than {error}'
        return None if before == everything() else 'it is refused, and yet something has changed'
    except Exception as error:  # whatever else it is, it is a finding
        return f'{type(error).__name__}: {error}'
    return 'it is accepted'
