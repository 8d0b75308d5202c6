"""Terminal commands: play, replay, advise, score, clone."""

import argparse
import sys

from rlcard_big2.agents.program import state_of
from rlcard_big2.engine.observation import opponents_of
from rlcard_big2.models.clones import choices_of
from rlcard_big2.records import FORMAT
from rlcard_big2.registry import GRAMMAR
from rlcard_big2.rules import Rules, find_rules
from rlcard_big2.search.analysis import MOST_DEALS
from rlcard_big2.search.clone import fit, write_clone
from rlcard_kit.errors import ConfigError, check_whole
from rlcard_kit.files import user_path
from rlcard_play.big2.advice import ADVISOR, DEALS, LEVELS, make_advisor, make_player
from rlcard_play.big2.seated import SeatedGame
from rlcard_play.big2.terminal.reports import BOARD, clone_lines, deep_lines
from rlcard_play.big2.terminal.session import Session
from rlcard_play.study.seated_game import seats_of, warm_up
from rlcard_play.terminal.commands import (
    Commands,
    Parser,
    add_agent,
    add_command,
    add_play_options,
    prepare_play,
    run_session,
    say_all,
)
from rlcard_play.terminal.paths import games_file
from rlcard_play.terminal.puzzles import add_puzzle
from rlcard_play.terminal.reports import add_reports, choose_game, read_games, run_advise, run_replay
from rlcard_play.terminal.style import Style


def add_commands(commands: 'Commands[Parser]') -> None:
    """Add the terminal commands to a parser."""
    _add_play(commands)
    _add_reports(commands)
    _add_clone(commands)
    add_agent(commands, GRAMMAR, lambda name: make_player(name, Rules()), state_of)
    add_puzzle(commands, BOARD)


def _add_play(commands: 'Commands[Parser]') -> None:
    play = add_command(commands, 'play', GRAMMAR, help='play against agents', description='Play against agents.')
    players = play.add_mutually_exclusive_group()
    levels = ', '.join(f'{level} ({agent})' for level, agent in LEVELS.items())
    players.add_argument('--level', choices=LEVELS, help=f'strength of the opponents: {levels}; default: hard')
    seats = 'one agent for all other seats, or one per seat, starting with the player after you'
    players.add_argument('--seats', nargs='+', metavar='NAME', help=seats)
    add_play_options(play, 'big2', 'hong-kong')
    play.set_defaults(run=lambda options: run_session(_new_session(options)))


def _add_reports(commands: 'Commands[Parser]') -> None:
    deep = 'estimate the best moves by rollouts; takes seconds'
    replay, advise = add_reports(commands, BOARD, 'big2-dmc or dmc:FOLDER', deep)
    replay.add_argument('--deep', type=int, metavar='N', help='compare move N with the best moves by rollouts')
    for command, run in ((replay, _replay), (advise, _advise)):
        text = f'sampled deals of the hidden cards for --deep; default: {DEALS}'
        command.add_argument('--deals', type=int, metavar='N', default=DEALS, help=text)
        command.set_defaults(run=run)


def _add_clone(commands: 'Commands[Parser]') -> None:
    about = 'Fit a policy to the moves of players in recorded games, and list how they differ from the network.'
    clone = commands.add_parser('clone', help='imitate players of recorded games', description=about)
    file = str(games_file('big2'))
    clone.add_argument('games', metavar='FILE', nargs='?', default=file, help=f'file of records; default: {file}')
    clone.add_argument(
        '--player', nargs='+', metavar='NAME', default=[], help='default: the people, or all if there are none'
    )
    clone.add_argument('--save', type=user_path, metavar='FILE', help='file to write, for the agent clone:FILE')
    clone.set_defaults(run=_clone)


def _clone(options: argparse.Namespace) -> int:
    games, style = read_games(options.games, FORMAT), Style.of(sys.stdout)
    choices = choices_of(games, options.player)
    clone = fit(choices)
    if options.save is not None:
        write_clone(options.save, options.player, len(choices.made), clone.weights)
    return say_all(clone_lines(clone, len(choices.made), len(games)), style)


def _replay(options: argparse.Namespace) -> int:
    if options.deep is None:
        return run_replay(BOARD, options)
    game = choose_game(read_games(options.games, FORMAT), options.game)
    advisor = make_advisor(options.agent, game.rules)
    check_whole('--deals', options.deals, 1, MOST_DEALS)
    style = Style.of(sys.stdout)
    return say_all(deep_lines(game, options.deep, advisor, style, options.deals), style)


def _advise(options: argparse.Namespace) -> int:
    if options.deep:
        check_whole('--deals', options.deals, 1, MOST_DEALS)
    return run_advise(BOARD, options)


def _new_session(options: argparse.Namespace) -> Session:
    """Make the agents, and compile all kernels before the first prompt."""
    rules = find_rules(options.rules)
    level = options.level or 'hard'
    seats = options.seats or [LEVELS[level]]
    others = opponents_of(rules.players)
    names = seats * len(others) if len(seats) == 1 else seats
    if len(names) != len(others):
        raise ConfigError(f'--seats has {len(names)} names: give one, or {len(others)}: {", ".join(others)}')
    file, agents = prepare_play(options, BOARD.game, names, rules)
    game, advisor = SeatedGame(seats_of(names), rules, options.seed, agents), make_advisor(ADVISOR, rules)
    warm_up('big2', [*(agents[name] for name in names), agents[names[0]]], rules)
    advisor.advise(game.state)
    return Session(game, advisor, Style.of(sys.stdout), file=file, strict=options.strict)
