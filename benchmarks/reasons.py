"""Share of reasons and confirmed grades that hold in a second sample: python -m benchmarks.reasons --positions 100.

A reason holds if in the second sample the event again follows the better move more often, by more than the margin.
A random move that rollouts confirm to be worse than the best one holds if it is worse again, by more than the margin.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import rlcard
from rich.console import Console
from rich.table import Table

from eval.common.cli import parse
from rlcard_kit.process import limit_threads
from rlcard_play.games import GAMES
from rlcard_play.study.played import PlayedGame
from rlcard_play.study.review import is_clear

TARGET = 0.9
FEWEST = 3  # legal moves of a position
GRADE = 'grade'
SHARE = 4  # one position of so many is looked at, and one move of so many is random


@dataclass(frozen=True)
class Options:
    """Measures the share of reasons and grades that hold in each game; exits with 1 if the target is missed."""

    positions: int = 100
    """Positions of each game."""
    seed: int = 0
    """Seed of the positions."""


def positions(game: PlayedGame, advisor: Any, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield states with a choice, of games in which the advisor makes most moves."""
    env = rlcard.make(game.key, config={'seed': seed, 'game_rules': game.default_rules})
    random, state = Random(seed), env.reset()[0]
    while count:
        texts = state['raw_legal_actions']
        if len(texts) >= FEWEST and random.randrange(SHARE) == 0:
            count -= 1
            yield state
        move = random.choice(texts) if random.randrange(SHARE) == 0 else advisor.advise(state).moves[0].move
        state = env.step(move, raw_action=True)[0]
        if env.is_over():
            state = env.reset()[0]


def check(advisor: Any, state: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Yield the event of each reason in a position, and GRADE of a move, and whether it holds in a second sample."""
    first, second = (getattr(looked, 'moves', looked) for looked in (advisor.look(state), advisor.look(state, seed=1)))
    shares = {move.move: move.events for move in second}
    for estimated in first:
        if estimated.reason is not None:
            event, *_, margin = estimated.reason
            yield event, shares[first[0].move][event] - shares[estimated.move][event] > margin
    best = first[0].move
    others = [advised.move for advised in advisor.advise(state).moves if advised.move != best]
    if is_clear(advisor.compare(state, best, move := Random(0).choice(others))):
        worse = advisor.compare(state, best, move, seed=1)
        yield GRADE, worse.mean > worse.margin


def main() -> None:
    """Measure, print the table, and exit with 1 if the target is missed."""
    options = parse(Options, description=Options.__doc__)
    limit_threads()
    table, missed = Table('game', 'event', 'shown', 'hold'), False
    for game in GAMES.values():
        advisor = game.make_advisor(game.advisor, game.rules.preset(game.default_rules))
        shown, held = Counter[str](), Counter[str]()
        for state in positions(game, advisor, options.positions, options.seed):
            for event, holds in check(advisor, state):
                for name in (event, 'all'):
                    shown[name] += 1
                    held[name] += holds
        for name, count in shown.items():
            table.add_row(game.title, name, str(count), f'{held[name] / count:.1%}')
        missed |= held['all'] < TARGET * shown['all']
    Console().print(table)
    if missed:
        sys.exit(f'fewer than {TARGET:.0%} hold')


if __name__ == '__main__':
    main()
