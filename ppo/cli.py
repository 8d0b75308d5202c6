"""Proximal policy optimisation: train an agent."""

from collections.abc import Mapping
from dataclasses import dataclass

from ppo.config import Config
from ppo.trainer import train
from rlcard_kit.nets.agents import PPO
from training.cli import Command, Runnable, end_run, run_command
from training.export import Export


@dataclass(frozen=True)
class Train(Command[Config]):
    """Train a PPO agent, then play it against fixed opponents, the same deals in exchanged seats."""

    def run(self) -> None:
        """Train and play."""
        end_run('ppo train', self.config, train(self.config))


def _commands(settings: Config) -> Mapping[str, Runnable]:
    """Return the commands by name, with settings that flags change."""
    return {'train': Train(settings), 'export': Export(PPO)}


def main() -> None:
    """Run a command; exit with 1 and a message if that fails."""
    run_command(Config, _commands, 'python -m ppo', __doc__)
