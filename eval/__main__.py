"""`python -m eval`: how much better is one agent than another, and how sure is that?"""

import sys
from collections.abc import Callable
from typing import Annotated, Any

import tyro

import eval.agents
from eval.curve import CurveOptions, curve_command
from eval.duel import MatchOptions, match_command
from eval.tournament import TournamentOptions, tournament_command
from rlcard_big2.errors import Big2Error

INTERRUPTED = 130  # the exit status of a command that Ctrl-C ended


def _flat(options: type, command: Callable[[Any], None]) -> Callable[..., None]:
    """Return a command whose flags carry no prefix."""

    def run(options: Any) -> None:
        command(options)

    run.__doc__ = f'{options.__doc__}\n\nAgents by name:\n{eval.agents.GRAMMAR}'
    run.__annotations__ = {'options': Annotated[options, tyro.conf.arg(name='')], 'return': None}
    return run


def main() -> None:
    """Run a command; exit with 1 and a message where it cannot be done."""
    commands = {
        'match': _flat(MatchOptions, match_command),
        'tournament': _flat(TournamentOptions, tournament_command),
        'curve': _flat(CurveOptions, curve_command),
    }
    try:
        tyro.extras.subcommand_cli_from_dict(commands, prog='big2-eval', description=__doc__)
    except Big2Error as error:
        sys.exit(f'big2-eval: {error}')
    except KeyboardInterrupt:
        sys.stderr.write('big2-eval: interrupted; finished games are kept, and --resume goes on from them\n')
        sys.exit(INTERRUPTED)


if __name__ == '__main__':
    main()
