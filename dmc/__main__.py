"""Deep Monte Carlo for Big 2: train an agent, find out how exploitable one is, measure the training."""

import shlex
from dataclasses import replace
from typing import Annotated

from tyro.conf import Positional, arg

from dmc.bench import bench
from dmc.config import Config
from dmc.trainer import train
from rlcard_big2.errors import ConfigError
from rlcard_big2.nets.dmc import DMCAgent
from training.command import Commands, play_opponents, run_command, say_how_to_go_on
from training.export import export_command

AGENT = arg(metavar='AGENT', help='Whom to exploit, by the name that `big2-eval match --help` explains.')
SECONDS = arg(help='Seconds to run each stage for; three times that for all together.')


def train_and_play(config: Config) -> None:
    """Train a DMC agent, then play it against fixed opponents over the same deals in all four seats."""
    trained = train(config)
    say_how_to_go_on('dmc train', config, trained)
    play_opponents(config, trained, DMCAgent.load)


def exploit(agent: str, config: Config) -> None:
    """Train a fresh DMC agent against three frozen copies of an agent, and report the EV that it reaches.

    That EV is a lower bound on how exploitable the agent is: a longer run, or another learner, may find more. It is
    payoffs alone that are learned, unless a flag adds a bonus for the winner.
    """
    if config.opponent != 'self':
        raise ConfigError(
            f'opponent={config.opponent!r}: here it is the agent to exploit, {agent!r}; say --opponent self '
            f'where a preset names another'
        )
    if agent in ('self', 'prior'):
        raise ConfigError(f'{agent!r} is no agent to exploit: it changes while it is trained against')
    against = replace(config, opponent=agent, eval_opponents=(agent,))
    trained = train(against)
    say_how_to_go_on(f'dmc exploit {shlex.quote(agent)}', config, trained)
    play_opponents(against, trained, DMCAgent.load)


def _commands(defaults: Config) -> Commands:
    """Return the commands by name, their settings being `defaults` where a flag says nothing else."""
    Settings = Annotated[Config, arg(name='')]  # noqa: N806  # a type
    payoffs_alone = replace(defaults, win_bonus=0.0)

    def train_command(config: Settings = defaults) -> None:
        train_and_play(config)

    def exploit_command(agent: Annotated[Positional[str], AGENT], config: Settings = payoffs_alone) -> None:
        exploit(agent, config)

    def bench_command(config: Settings = defaults, seconds: Annotated[float, SECONDS] = 10.0) -> None:
        bench(config, seconds)

    train_command.__doc__, exploit_command.__doc__ = train_and_play.__doc__, exploit.__doc__
    bench_command.__doc__ = (bench.__doc__ or '').split('\n\n')[0]
    return {
        'train': train_command,
        'exploit': exploit_command,
        'bench': bench_command,
        'export': export_command(Config.agent),
    }


def main() -> None:
    """Run a command; exit with 1 and a message where it cannot be done."""
    run_command(Config, _commands, 'big2-dmc', __doc__)


if __name__ == '__main__':
    main()
