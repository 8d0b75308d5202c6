"""`exact`: how exploitable agents are in a game that is small enough to be solved."""

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import Positional

from eval.big2.game_tree import exploitability, grow, match_value, policy_of, small_rules, solve
from eval.common.cli import new_console, option
from eval.games import game_of
from eval.tables import Listing, rich_table
from rlcard_kit.bounds import NaturalInt, PositiveInt, check_settings


@dataclass(frozen=True, kw_only=True)
class ExactOptions:
    """Look at all deals and moves of a small game of two players: what a best response wins from agents.

    Try
      exact
      exact greedy rule --iterations 200
      exact --ranks 2 --hand-size 2
    """

    agents: Annotated[tuple[str, ...], Positional, option('AGENT ...')] = ('random', 'greedy', 'rule')
    """Agents by name."""
    rules: Annotated[str, option('RULES')] = 'mini'
    """A preset, or a JSON object or file of rules, for two players."""
    ranks: PositiveInt | None = None
    """Ranks in the pack, from the 2 down, in place of those of the rules."""
    hand_size: PositiveInt | None = None
    """Cards of a hand, likewise."""
    draws: PositiveInt = 1
    """Draws of all moves, of agents that draw them by unknown probabilities, such as search. The mean of few is more
    exploitable than the agent."""
    iterations: NaturalInt = 100
    """Iterations of CFR+, which approaches an equilibrium; 0 solves nothing."""

    def __post_init__(self) -> None:
        check_settings(self)


def exact_command(options: ExactOptions) -> None:
    """Print the exploitability of agents, and what they win from an approximate equilibrium."""
    rules = small_rules(options.rules, options.ranks, options.hand_size)
    console = new_console()
    agents = {name: game_of('big2').make_agent(name, rules) for name in options.agents}
    tree = grow(rules)
    nodes, sets = (sum(len(getattr(level, part)) for level in tree) for part in ('movers', 'seats'))
    deals = len(tree[0].movers)
    console.print(f'{deals:,} deals, {nodes:,} nodes, {sets:,} information sets')
    policies = {name: policy_of(agent, tree, options.draws) for name, agent in agents.items()}
    solved = solve(tree, options.iterations) if options.iterations else None
    if solved is not None:
        policies[f'CFR+, {options.iterations}'] = solved
    rows = []
    for name, policy in policies.items():
        won = '' if solved is None else f'{match_value(tree, policy, solved):+.5f}'
        rows.append((name, f'{exploitability(tree, policy):.5f}', won))
    columns = '', 'exploitability', 'wins from CFR+'
    console.print(rich_table(Listing('cards a game, over both seats', columns, tuple(rows))))
