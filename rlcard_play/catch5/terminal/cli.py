"""Terminal commands: play, replay, advise, score, agent."""

import argparse

from rlcard_catch5.agents.program import state_of
from rlcard_catch5.registry import GRAMMAR, make_agent
from rlcard_catch5.rules import MOST_TARGET, find_rules
from rlcard_kit.errors import ConfigError, check_whole
from rlcard_play.catch5.advice import ADVISOR, DEALS
from rlcard_play.catch5.seated import TARGET
from rlcard_play.catch5.terminal.board import BOARD
from rlcard_play.catch5.terminal.session import Session
from rlcard_play.terminal.commands import (
    Commands,
    Parser,
    add_agent,
    add_play,
    new_session,
    run_session,
)
from rlcard_play.terminal.reports import add_reports


def add_commands(commands: 'Commands[Parser]') -> None:
    """Add the terminal commands to a parser."""
    _add_play(commands)
    agents = 'advisor: catch5-ppo, the default, ppo:FOLDER or dmc:FOLDER'
    _, advise = add_reports(commands, BOARD, agents, 'estimate the moves by rollouts; takes a second')
    advise.set_defaults(deals=DEALS)
    add_agent(commands, GRAMMAR, make_agent, state_of)


def _add_play(commands: 'Commands[Parser]') -> None:
    about = 'play with a partner against two opponents'
    play = add_play(commands, BOARD.game, GRAMMAR, about, 'paper', _play)
    play.add_argument('--partner', metavar='NAME', default=ADVISOR, help=f'an agent; default: {ADVISOR}')
    opponents = f'one agent for both opponents, or two: next and previous; default: {ADVISOR}'
    play.add_argument('--opponents', nargs='+', metavar='NAME', default=[ADVISOR], help=opponents)
    target = f'points that win a match; default: those of the rules, or {TARGET}'
    play.add_argument('--target', type=int, metavar='N', help=target)


def _play(options: argparse.Namespace) -> int:
    if len(options.opponents) > 2:
        raise ConfigError(f'--opponents has {len(options.opponents)} names: give one, or two: next and previous')
    names = [options.opponents[0], options.partner, options.opponents[-1]]
    if options.target is not None:
        check_whole('--target', options.target, 1, MOST_TARGET)
    session = new_session(Session, options, names, find_rules(options.rules), target=options.target)
    session.advisor.look(session.game.state, deals=1)  # compiles the kernels of rollouts
    return run_session(session)
