"""Terminal commands: play, replay, advise, score, agent."""

import argparse
import sys

from rlcard_catch5.agents.program import state_of
from rlcard_catch5.registry import GRAMMAR, make_agent
from rlcard_catch5.rules import MOST_TARGET, find_rules
from rlcard_kit.errors import ConfigError, check_whole
from rlcard_play.catch5.advice import ADVISOR, DEALS, make_advisor
from rlcard_play.catch5.seated import TARGET, SeatedGame
from rlcard_play.catch5.terminal.reports import BOARD
from rlcard_play.catch5.terminal.session import Session
from rlcard_play.study.seated_game import seats_of, warm_up
from rlcard_play.terminal.commands import (
    Commands,
    Parser,
    add_agent,
    add_command,
    add_play_options,
    prepare_play,
    run_session,
)
from rlcard_play.terminal.puzzles import add_puzzle
from rlcard_play.terminal.reports import add_reports
from rlcard_play.terminal.style import Style


def add_commands(commands: 'Commands[Parser]') -> None:
    """Add the terminal commands to a parser."""
    _add_play(commands)
    agents, deep = 'catch5-ppo, ppo:FOLDER or dmc:FOLDER', 'estimate the moves by rollouts; takes a second'
    _, advise = add_reports(commands, BOARD, agents, deep)
    advise.set_defaults(deals=DEALS)
    add_puzzle(commands, BOARD)
    add_agent(commands, GRAMMAR, make_agent, state_of)


def _add_play(commands: 'Commands[Parser]') -> None:
    play = add_command(
        commands,
        'play',
        GRAMMAR,
        help='play with a partner against two opponents',
        description='Play with a partner against two opponents.',
    )
    play.add_argument('--partner', metavar='NAME', default=ADVISOR, help=f'an agent; default: {ADVISOR}')
    opponents = f'one agent for both opponents, or two: next and previous; default: {ADVISOR}'
    play.add_argument('--opponents', nargs='+', metavar='NAME', default=[ADVISOR], help=opponents)
    add_play_options(play, 'catch5', 'paper')
    target = f'points that win a match; default: those of the rules, or {TARGET}'
    play.add_argument('--target', type=int, metavar='N', help=target)
    play.set_defaults(run=lambda options: run_session(_new_session(options)))


def _new_session(options: argparse.Namespace) -> Session:
    """Make the agents, and compile all kernels before the first prompt."""
    if len(options.opponents) > 2:
        raise ConfigError(f'--opponents has {len(options.opponents)} names: give one, or two: next and previous')
    names = [options.opponents[0], options.partner, options.opponents[-1]]
    if options.target is not None:
        check_whole('--target', options.target, 1, MOST_TARGET)
    rules = find_rules(options.rules)
    file, agents = prepare_play(options, BOARD.game, names, rules)
    game = SeatedGame(seats_of(names), rules, options.seed, agents, options.target)
    advisor = make_advisor(ADVISOR, rules)
    warm_up('catch5', [*(agents[name] for name in names), advisor.agent], rules)
    advisor.look(game.state, deals=1)
    return Session(game, advisor, Style.of(sys.stdout), file=file, strict=options.strict)
