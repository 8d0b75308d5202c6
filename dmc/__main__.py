"""`python -m dmc train`: learn Big 2 by self-play."""

import argparse
import sys
from typing import Annotated

import tyro
from rich.console import Console

from dmc.actors import ActorError
from dmc.agent import DMCAgent
from dmc.config import SETTINGS, Config, preset
from dmc.trainer import train
from eval.match import play_match
from eval.report import LEGEND, match_note, match_section, rich_table
from rlcard_big2.agents.random import RandomAgent
from rlcard_big2.errors import Big2Error
from rlcard_big2.rules import Rules

EVAL_SEED = 1_000_003  # of the deals of the closing match, which no actor plays


def train_and_play(config: Config) -> None:
    """Train a DMC agent by self-play, then play it against three random agents over the same deals in all seats."""
    network, interrupted = train(config)
    console = Console()
    console.print(f'saved in {config.savedir}; to go on: python -m dmc train --resume {config.flags()}', soft_wrap=True)
    if config.eval_deals and not interrupted:
        agent = DMCAgent(network)
        match = play_match(agent, RandomAgent(), Rules.preset(config.rules), config.eval_deals, EVAL_SEED)
        title = f'DMC against three random agents, {config.eval_deals} deals in all four seats'
        console.print(rich_table(match_section(title, match)))
        console.print(match_note(match), LEGEND, sep='\n')


def main() -> None:
    """Run a command; exit with 1 and a message where it cannot be done."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument('--preset', default='default')
    known, arguments = parser.parse_known_args()
    try:
        defaults = preset(known.preset)

        def train_command(config: Annotated[Config, tyro.conf.arg(name='')] = defaults) -> None:
            train_and_play(config)

        train_command.__doc__ = f'{train_and_play.__doc__}\n\n--preset NAME sets other defaults: {", ".join(SETTINGS)}.'
        tyro.extras.subcommand_cli_from_dict(
            {'train': train_command}, prog='big2-dmc', description=__doc__, args=arguments
        )
    except (Big2Error, ActorError, FloatingPointError) as error:
        sys.exit(f'big2-dmc: {error}')


if __name__ == '__main__':
    main()
