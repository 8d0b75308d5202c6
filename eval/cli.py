"""`python -m eval`: how much better is one agent than another, and how sure is that?"""

import sys
from collections.abc import Callable
from inspect import cleandoc
from typing import Annotated, Any

import tyro

from common.cli import reported
from common.watchdog import Note
from eval.big2.explain import ExplainOptions, explain_command
from eval.commands.curve import CurveOptions, curve_command
from eval.commands.match import MatchOptions, match_command
from eval.commands.overlay import OverlayOptions, overlay_command
from eval.commands.tournament import TournamentOptions, tournament_command
from eval.options import Options
from rlcard_big2.registry import GRAMMAR
from rlcard_kit.duplicate.players import AgentFailure
from rlcard_kit.duplicate.time_limit import UNWATCHED, Watch

COMMANDS: dict[str, tuple[type, Callable[[Any, Watch], None]]] = {
    'match': (MatchOptions, match_command),
    'tournament': (TournamentOptions, tournament_command),
    'curve': (CurveOptions, curve_command),
    'explain': (ExplainOptions, explain_command),
    'overlay': (OverlayOptions, overlay_command),
}


def _flat(options: type, command: Callable[[Any, Watch], None], watch: Watch, in_full: bool) -> Callable[..., None]:
    """Return a command whose flags carry no prefix; `in_full` its help explains the names of agents."""

    def run(options: Any) -> None:
        try:
            command(options, watch)
        except SystemExit as error:  # no command ends with success in this way
            if error.code:
                raise
            raise AgentFailure('the code of an agent wanted to end the program before there was a report') from error

    text = cleandoc(options.__doc__ or '')
    if issubclass(options, Options):
        text += f'\n\nAgents by name:{GRAMMAR}'
    run.__doc__ = text if in_full else text.splitlines()[0]
    run.__annotations__ = {'options': Annotated[options, tyro.conf.arg(name='')], 'return': None}
    return run


def main(note: Note | None = None) -> None:
    """Run a command; exit with 1 and a message if it cannot be done.

    Args:
        note: is told what the command waits for.
    """
    chosen, watch = sys.argv[1:2], note or UNWATCHED
    commands = {name: _flat(*parts, watch, in_full=[name] == chosen) for name, parts in COMMANDS.items()}
    about = f'{__doc__}\n\nAgents by name:{GRAMMAR}'
    with reported('python -m eval', 'interrupted; finished games are kept, and --resume continues from them'):
        flat = (tyro.conf.OmitArgPrefixes,)
        tyro.extras.subcommand_cli_from_dict(commands, prog='python -m eval', description=about, config=flat)
