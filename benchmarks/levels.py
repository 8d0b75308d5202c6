"""Marked moves and habits of the page's levels up to hard, for My progress: python -m benchmarks.levels big2 hong-kong.

Four copies of a level play each game. The page measures people in the same way, in `progress.js` of each game.
Expert is left out: its search finds moves that the network, which marks them, does not see.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import tyro
from rich.console import Console
from rich.table import Table
from tyro.conf import Positional

from rlcard_catch5.engine.state import FIRST_CARD_PLY, NUM_PLAYERS, TRUMP_PLY
from rlcard_kit.process import limit_threads
from rlcard_kit.statistics import estimate
from rlcard_play.games import GAMES
from rlcard_play.study.review import new_env
from rlcard_play.study.seated_game import play_out


def habit_of(key: str, choice: Any, trace: list[tuple[int, str]]) -> tuple[str, bool] | None:
    """Return the habit that a reviewed choice belongs to, and whether it shows it."""
    if key == 'big2':
        follows = any(advised.move == 'pass' for advised in choice.advice.moves)
        return ('pass', choice.move == 'pass') if follows else ('single', ' ' not in choice.move)
    if choice.ply < TRUMP_PLY:
        return 'bid', choice.move != 'pass'
    leads = choice.ply >= FIRST_CARD_PLY and (choice.ply - FIRST_CARD_PLY) % NUM_PLAYERS == 0
    return ('trump', choice.move[-1] == trace[TRUMP_PLY][1][-1].lower()) if leads else None


def figures(key: str, level: str, preset: str, games: int, seed: int) -> Iterator[tuple[str, float]]:
    """Yield the number of marked moves of each seat in each game, and of each habit's choices whether they show it."""
    played = GAMES[key]
    rules = played.rules.preset(preset)
    advisor, agent = played.make_advisor(played.advisor, rules), played.make_agent(level, rules)
    for number in range(games):
        env = new_env(key, rules)
        env.reset(position=played.deal_of_seed(seed, number, rules))
        play_out(env, [agent] * rules.players)
        record = env.to_record()
        choices = list(played.review(record, advisor))
        for seat in range(rules.players):
            yield 'marks', sum(choice.seat == seat and bool(choice.mark) for choice in choices)
        yield from filter(None, (habit_of(key, choice, record.trace) for choice in choices))


def main(game: Positional[Literal['big2', 'catch5']], rules: Positional[str], games: int = 600, seed: int = 67) -> None:
    """Print the means of each level, with 95 % intervals, from a number of games."""
    limit_threads()
    found = dict[str, dict[str, list[float]]]()
    for level in GAMES[game].agents[1:4]:
        found[level] = defaultdict(list)
        for name, value in figures(game, level, rules, games, seed):
            found[level][name].append(value)
    names = list(next(iter(found.values())))
    table = Table('level', *names)
    for level, values in found.items():
        table.add_row(level, *(f'{estimate(np.array(values[name], float)):.3f}' for name in names))
    Console().print(table)


if __name__ == '__main__':
    tyro.cli(main)
