"""`python -m eval`: how much better is one agent than another, and how sure is that?"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import tyro

from eval.common.cli import PATHS, description_of, fitted, parse, reported
from eval.games import GAMES
from eval.options import Options

COMMANDS = ('match', 'tournament', 'ladder', 'curve', 'decisions', 'explain', 'exact', 'numbers')
"""The modules in `eval.commands`: each has `NAMEOptions` and `NAME_command`."""
AGENTS = ''.join(f'\n\nAgents of {game.wording.title} by name:{game.names.grammar.rstrip()}' for game in GAMES.values())
KEPT = 'interrupted; finished games are kept, and --resume continues from them'
NOT_RESUMED = ('decisions', 'exact', 'numbers')
FLAT = (tyro.conf.OmitArgPrefixes,)


def _load(name: str, in_full: bool) -> Callable[..., None]:
    """Import a command; its flags carry no prefix, and `in_full` its help explains the names of agents."""
    module = import_module(f'eval.commands.{name}')
    options, command = getattr(module, f'{name.title()}Options'), getattr(module, f'{name}_command')

    def run(options: Any) -> None:
        command(options)

    text = description_of(options)
    if issubclass(options, Options):
        text += AGENTS
    run.__doc__ = text if in_full else text.partition('\n')[0]
    run.__annotations__ = {'options': Annotated[options, tyro.conf.arg(name='')], 'return': None}
    return run


def main() -> None:
    """Run a command; exit with 1 and a message if it cannot be done."""
    chosen = sys.argv[1] if len(sys.argv) > 1 else ''
    with reported('python -m eval', 'interrupted' if chosen in NOT_RESUMED else KEPT):
        if chosen in COMMANDS:
            parse(_load(chosen, in_full=True), prog=f'python -m eval {chosen}', args=sys.argv[2:], config=FLAT)
        else:
            commands = {name: _load(name, in_full=False) for name in COMMANDS}
            about: dict[str, Any] = {'prog': 'python -m eval', 'description': fitted(f'{__doc__ or ""}{AGENTS}')}
            tyro.extras.subcommand_cli_from_dict(commands, registry=PATHS, config=FLAT, **about)
