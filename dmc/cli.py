"""Deep Monte Carlo: train an agent, find out how exploitable one is, measure the training."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import tyro
from tyro.conf import Positional, arg

from dmc.bench import bench
from dmc.big2.beliefs import Beliefs
from dmc.big2.distil import Distil
from dmc.big2.refine import Refine
from dmc.config import Config
from dmc.trainer import train
from rlcard_kit.bounds import Above, AtMost, check_settings
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.agents import DMC
from training.cli import Command, Runnable, end_run, run_command
from training.export import Export


@dataclass(frozen=True)
class Train(Command[Config]):
    """Train a DMC agent, then play it against fixed opponents, the same deals in exchanged seats."""

    def run(self) -> None:
        """Train and play."""
        end_run('dmc train', self.config, train(self.config))


@dataclass(frozen=True, kw_only=True)
class Exploit(Command[Config]):
    """Train a fresh DMC agent against frozen copies of an agent, and report what it wins.

    Three copies have the other seats in Big 2, two are the other team in Catch Five. What is won is a lower bound on
    how exploitable the agent is: a longer run, or another learner, may find more. The payoffs alone are learned, unless
    a flag adds a bonus for the winner.
    """

    agent: Annotated[Positional[str], arg(metavar='AGENT')]
    """The agent to exploit, by the name that `python -m eval match --help` explains. A resumed run knows it. It is the
    opponent in training and in evaluation."""

    def run(self) -> None:
        """Train against the agent and play it."""
        config, agent = self.config, self.agent
        if config.game.opponent not in ('self', agent):
            raise ConfigError(f'opponent={config.game.opponent!r}: it is the agent to exploit, {agent!r}')
        if agent in ('self', 'prior'):
            raise ConfigError(f'agent={agent!r} cannot be exploited: it changes while it is trained against')
        against = config.changed(opponent=agent, eval_opponents=(agent,))
        end_run('dmc exploit', against, train(against))


@dataclass(frozen=True)
class Bench(Command[Config]):
    """Run each stage of training alone and all of them together, and name the bottleneck."""

    seconds: Annotated[float, Above(0), AtMost(100_000)] = 10.0
    """Seconds to run each stage for; three times that for all together."""

    def run(self) -> None:
        """Measure."""
        check_settings(self)
        bench(self.config, self.seconds)


def _commands(settings: Config) -> Mapping[str, Runnable]:
    """Return the commands by name, with settings that flags change."""
    fresh = Exploit(config=settings.changed(win_bonus=0.0), agent=tyro.MISSING)
    return {
        'train': Train(settings),
        'exploit': Exploit(config=settings, agent=settings.game.opponent) if settings.run.resume else fresh,
        'bench': Bench(settings),
        'export': Export(DMC),
        'beliefs': Beliefs(),
        'distil': Distil(),
        'refine': Refine(),
    }


def main() -> None:
    """Run a command; exit with 1 and a message if that fails."""
    run_command(Config, _commands, 'python -m dmc', __doc__)
