"""Deep figures of Big 2 against what is won then, by thirds of win chances: python -m benchmarks.looks hong-kong.

In positions of self-play, one a game, the advisor's best move is made, and the game is played on. In the first ones it
is looked at. What a game brings is mostly luck, so deep figures are compared with the network's in these positions, and
the network's with results in all the others, which are many (a control variate).
"""

import math
import sys
from random import Random

import numpy as np
import rlcard
import tyro
from rich.console import Console
from rich.table import Table
from tyro.conf import Positional

from rlcard_big2.rules import Rules
from rlcard_kit.arrays import Float64Array
from rlcard_kit.process import limit_threads
from rlcard_kit.statistics import Estimate, estimate
from rlcard_play.big2.advice import ADVISOR, make_advisor
from rlcard_play.study.seated_game import choose_move

THIRDS, LATEST = 3, 40  # groups of positions, and the latest ply from which one is taken


def outcomes(preset: str, positions: int, looked_at: int, seed: int) -> Float64Array:
    """Return wins and cards of each position, [positions, 3, 2]: by the network, by rollouts if looked at, in play."""
    rules, random, found = Rules.preset(preset), Random(seed), list[Float64Array]()
    advisor, env = make_advisor(ADVISOR, rules), rlcard.make('big2', config={'seed': seed, 'game_rules': rules})
    while len(found) < positions:
        state, seat, ply, row = env.reset()[0], -1, random.randrange(LATEST), np.full((3, 2), math.nan)
        while not env.is_over():
            move = choose_move(advisor.agent, state)
            if seat < 0 and len(env.action_recorder) >= ply and len(state['raw_legal_actions']) > 1:
                best, seat = advisor.advise(state).moves[0], env.get_player_id()
                move, row[0] = best.move, (best.win or 0.0, best.cards)
                if len(found) < looked_at:
                    (look,) = advisor.look_at(state, [move], len(found))
                    row[1] = look.events['win'], look.payoff.mean
            state = env.step(move, raw_action=True)[0]
        if seat >= 0:
            payoff = float(env.get_payoffs()[seat])
            row[2] = payoff >= rules.least_win, payoff
            found.append(row)
    return np.array(found)


def difference(looked: Float64Array, others: Float64Array) -> Estimate:
    """Estimate deep figures less results, from those of the network, by rollouts and in play, [N, 3] and [M, 3]."""
    deeper, first = estimate(looked[:, 1] - looked[:, 0]), estimate(others[:, 0] - others[:, 2])
    return Estimate(deeper.mean + first.mean, math.hypot(deeper.margin, first.margin))


def main(
    rules: Positional[tuple[str, ...]] = ('hong-kong', 'taiwan'),
    positions: int = 300,
    others: int = 6000,
    seed: int = 0,
) -> None:
    """Compare deep figures with results; exit with 1 if a difference is significant.

    Args:
        rules: names of presets.
        positions: to look at.
        others: to play on alone.
        seed: of the deals.
    """
    limit_threads()
    table, is_off = Table('rules', 'won', 'network', 'looked at', 'network', 'deep', 'wins', 'cards'), False
    for preset in rules:
        found = outcomes(preset, positions + others, positions, seed)
        bounds = np.quantile(found[:, 0, 0], np.arange(1, THIRDS) / THIRDS)
        parts = np.searchsorted(bounds, found[:, 0, 0], side='right')
        for part in range(THIRDS):
            looked, rest = found[:positions][parts[:positions] == part], found[positions:][parts[positions:] == part]
            off = [difference(looked[:, :, i], rest[:, :, i]) for i in (0, 1)]
            won, first = rest[:, 2, 0].mean(), rest[:, 0, 0].mean()
            shares = [f'{share:.0%}' for share in (won, first, looked[:, 0, 0].mean(), looked[:, 1, 0].mean())]
            table.add_row(preset, *shares[:2], str(len(looked)), *shares[2:], f'{off[0]:+.3f}', f'{off[1]:+.2f}')
            is_off |= any(one.is_significant for one in off)
    Console().print(table)
    if is_off:
        sys.exit('a difference is significant')


if __name__ == '__main__':
    tyro.cli(main)
