"""Proximal policy optimisation: train an agent."""

from collections.abc import Mapping
from dataclasses import dataclass

from ppo.config import Config
from ppo.trainer import train
from rlcard_kit.nets.agents import PPO
from training.cli import Command, Runnable, play_opponents, print_resume_command, run_command
from training.export import Export


@dataclass(frozen=True)
class Train(Command[Config]):
    """Train a PPO agent, then play it against fixed opponents, the same deals in exchanged seats."""

    def run(self) -> None:
        """Train and play."""
        trained = train(self.config)
        print_resume_command('ppo train', self.config, trained)
        play_opponents(self.config, trained, self.config.learned.load_policy)


def _commands(settings: Config) -> Mapping[str, Runnable]:
    """Return the commands by name, with settings that flags change."""
    return {'train': Train(settings), 'export': Export(PPO)}


def main() -> None:
    """Run a command; exit with 1 and a message if that fails."""
    run_command(Config, _commands, 'python -m ppo', __doc__)
