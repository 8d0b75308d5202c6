"""Compare the three ways to number the moves of Big 2: the same learner, the same processor time, the same deals.

    pip install tyro '.[gymnasium,torch]'
    python examples/action_sets.py

Trains `ppo_in_one_file.py` with `slots`, `scored` and `reduced`, one after the other on one core, and plays
matches between them. At the end it prints a table, with 95 % intervals.
"""

from dataclasses import dataclass, field, replace

import ppo_in_one_file as ppo
import tyro

from rlcard_big2.duplicate import Match, difference, play_match
from rlcard_big2.gymnasium import PolicyAgent

SETS = ('slots', 'scored', 'reduced')


@dataclass(frozen=True)
class Options:
    """Options."""

    minutes: float = 10.0
    """Of processor time for each of the three."""
    deals: int = 1000
    """Of each match, each played in all four seats."""
    training: ppo.Args = field(default_factory=lambda: ppo.Args(total_timesteps=10**9))
    """Settings that the three share."""


def train(actions: str, options: Options) -> tuple[PolicyAgent, int]:
    """Train with one set of actions; return the agent, and how many decisions it learned from."""
    args = replace(options.training, actions=actions, cpu_minutes=options.minutes)
    ppo.Run(replace(args, total_timesteps=1)).train()  # compiles, and reads what the process needs
    run = ppo.Run(args)
    return ppo.make_agent(run.train(), args), run.decisions


def match(options: Options, agent: PolicyAgent, others: PolicyAgent | str) -> Match:
    """Play an agent against three of another, always in the same deals."""
    return play_match(agent, others, deals=options.deals, rules=options.training.rules)


def main(options: Options) -> None:
    """Train, play, and print the table."""
    opponents, agents, lines, first = options.training.opponents, {}, {}, None
    for actions in SETS:
        agents[actions], decisions = train(actions, options)
        found = match(options, agents[actions], opponents)
        first = first or found
        margin = difference(found, first).ev if found is not first else ''
        lines[actions] = [f"`'{actions}'`", f'{decisions:,}', str(found.wp), str(found.ev), str(margin)]
        print(f'{actions}: against three of {opponents}:', found, flush=True)
    for actions in SETS:
        rivals = (agents[other] if other != actions else None for other in SETS)
        lines[actions] += [str(match(options, agents[actions], rival).ev) if rival else '' for rival in rivals]
    heads = ['`actions`', 'decisions', f'WP, three of `{opponents}`', 'EV', f"EV less that of `'{SETS[0]}'`"]
    print(' | '.join(heads + [f"EV, three of `'{other}'`" for other in SETS]))
    print('\n'.join(' | '.join(lines[actions]) for actions in SETS))


if __name__ == '__main__':
    main(tyro.cli(Options, description=__doc__))
