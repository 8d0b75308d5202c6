"""Deep figures of Big 2 against what is won then, by thirds of win chances: python -m benchmarks.looks hong-kong.

In positions of self-play, one a game, the advisor's best move is looked at, made, and the game is played on.
"""

import sys
from random import Random

import numpy as np
import rlcard
import tyro
from rich.console import Console
from rich.table import Table
from tyro.conf import Positional

from rlcard_big2.rules import Rules
from rlcard_kit.process import limit_threads
from rlcard_kit.statistics import estimate
from rlcard_play.big2.advice import ADVISOR, make_advisor
from rlcard_play.study.seated_game import choose_move

THIRDS, LATEST = 3, 40  # groups of positions, and the latest ply from which one is taken


def outcomes(preset: str, positions: int, seed: int) -> list[tuple[float, ...]]:
    """Return for each position: win chances at first and by rollouts, cards by rollouts, and games and cards won."""
    rules, random, found = Rules.preset(preset), Random(seed), list[tuple[float, ...]]()
    advisor, env = make_advisor(ADVISOR, rules), rlcard.make('big2', config={'seed': seed, 'game_rules': rules})
    while len(found) < positions:
        state, looked, seat, ply = env.reset()[0], tuple[float, ...](), 0, random.randrange(LATEST)
        while not env.is_over():
            move = choose_move(advisor.agent, state)
            if not looked and len(env.action_recorder) >= ply and len(state['raw_legal_actions']) > 1:
                best, seat = advisor.advise(state).moves[0], env.get_player_id()
                (look,) = advisor.look_at(state, [move := best.move], len(found))
                looked = best.win or 0.0, look.events['win'], look.payoff.mean
            state = env.step(move, raw_action=True)[0]
        payoff = float(env.get_payoffs()[seat])
        found += [(*looked, float(payoff >= rules.least_win), payoff)] if looked else []
    return sorted(found)


def main(rules: Positional[tuple[str, ...]] = ('hong-kong', 'taiwan'), positions: int = 150, seed: int = 0) -> None:
    """Compare deep figures with results; exit with 1 if a difference is significant."""
    limit_threads()
    table, is_off = (
        Table('rules', 'positions', 'first', 'deep', 'won', 'deep cards', 'cards won', 'deep less won'),
        False,
    )
    for preset in rules:
        for part in np.array_split(np.array(outcomes(preset, positions, seed)), THIRDS):
            first, deep, cards, won, payoff = part.mean(axis=0)
            shares, difference = [f'{share:.0%}' for share in (first, deep, won)], estimate(part[:, 2] - part[:, 4])
            table.add_row(preset, str(len(part)), *shares, f'{cards:+.1f}', f'{payoff:+.1f}', f'{difference:+.1f}')
            is_off |= difference.is_significant
    Console().print(table)
    if is_off:
        sys.exit('a difference is significant')


if __name__ == '__main__':
    tyro.cli(main)
