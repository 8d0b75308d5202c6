"""Proximal policy optimisation for Big 2: train an agent."""

from typing import Annotated

from tyro.conf import arg

from ppo.config import Config
from ppo.trainer import train
from rlcard_big2.nets.ppo import load_greedy
from training.command import Commands, play_opponents, run_command, say_how_to_go_on
from training.export import export_command


def train_and_play(config: Config) -> None:
    """Train a PPO agent, then play it against fixed opponents over the same deals in all four seats."""
    trained = train(config)
    say_how_to_go_on('ppo train', config, trained)
    play_opponents(config, trained, load_greedy)


def _commands(defaults: Config) -> Commands:
    """Return the commands by name, their settings being `defaults` where a flag says nothing else."""
    Settings = Annotated[Config, arg(name='')]  # noqa: N806  # a type

    def train_command(config: Settings = defaults) -> None:
        train_and_play(config)

    train_command.__doc__ = train_and_play.__doc__
    return {'train': train_command, 'export': export_command(Config.agent)}


def main() -> None:
    """Run a command; exit with 1 and a message where it cannot be done."""
    run_command(Config, _commands, 'big2-ppo', __doc__)


if __name__ == '__main__':
    main()
