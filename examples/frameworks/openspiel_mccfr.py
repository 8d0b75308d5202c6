"""Train OpenSpiel's external-sampling MCCFR on a small game of two, until its policy clearly beats random agents.

    pip install '.[openspiel]'
    python examples/frameworks/openspiel_mccfr.py

A tabular algorithm of OpenSpiel, in C++, walks the game `mini` of 12 cards, with the 43 actions of `actions=compact`.
Its average policy is seated beside an agent of this package; each deal is played in both seats.
After 2,500 iterations and 40 seconds of one core it won 0.41 ± 0.08 cards a game from random agents, and lost
0.67 ± 0.06 to the rule agent.
"""

from shared import check_versions

check_versions(__file__)

import time

import numpy as np
import pyspiel

from rlcard_big2.openspiel import AgentBot

game = pyspiel.load_game('python_big2(rules=mini,actions=compact)')


def match(policy, opponent, deals, seed=7):
    """Return the mean payoff of a policy in cards a game, and its 95 % margin."""
    payoffs = np.zeros(deals)
    for seat in range(2):
        bots = [AgentBot(opponent, 'mini', seed=seed), AgentBot(opponent, 'mini', seed=seed)]
        bots[seat] = pyspiel.make_policy_bot(game, seat, seed, policy)
        for deal in range(deals):
            payoffs[deal] += pyspiel.evaluate_bots(game.new_initial_state(), bots, seed + deal)[seat] / 2
    return payoffs.mean(), 1.96 * payoffs.std(ddof=1) / deals**0.5


solver = pyspiel.ExternalSamplingMCCFRSolver(game, seed=7)
start = time.process_time()
for round_ in range(1, 21):
    for _ in range(500):
        solver.run_iteration()
    mean, margin = match(solver.average_policy(), 'random', deals=500)
    print(f'{500 * round_} iterations, {time.process_time() - start:.0f} s: EV {mean:+.2f} ± {margin:.2f}', flush=True)
    if mean - margin > 0.3:
        break
else:
    raise SystemExit('the policy does not beat random agents')
for opponent in ('random', 'rule'):
    mean, margin = match(solver.average_policy(), opponent, deals=1000, seed=10_007)
    print(f'against {opponent}: EV {mean:+.3f} ± {margin:.3f}')
