"""Terminal commands: play, replay, advise, score, clone."""

import argparse
import sys
from pathlib import Path

import numpy as np

from rlcard_big2.agents.program import state_of
from rlcard_big2.engine.observation import opponents_of
from rlcard_big2.models.clones import choices_of
from rlcard_big2.records import FORMAT, Record
from rlcard_big2.registry import GRAMMAR
from rlcard_big2.rules import Rules, find_rules
from rlcard_big2.search.analysis import MOST_DEALS
from rlcard_big2.search.clone import fit, write_clone
from rlcard_kit.errors import ConfigError, check_whole
from rlcard_play.big2.advice import ADVISOR, DEALS, LEVELS, make_advisor, make_player
from rlcard_play.big2.puzzles import SHIPPED, is_right
from rlcard_play.big2.review import open_position
from rlcard_play.big2.score import Judge
from rlcard_play.big2.seated import seat_person
from rlcard_play.big2.terminal.formatting import move_lines, value_lines
from rlcard_play.big2.terminal.move_input import explain, find_action
from rlcard_play.big2.terminal.reports import advice_lines, clone_lines, deep_lines, position_lines, replay_lines
from rlcard_play.big2.terminal.session import Session
from rlcard_play.study.seated_game import warm_up
from rlcard_play.terminal.commands import (
    Commands,
    Parser,
    add_agent,
    add_command,
    add_play_options,
    add_reports,
    choose_game,
    list_lines,
    prepare_play,
    read_games,
    run_session,
    say_all,
    seconds_of,
)
from rlcard_play.terminal.paths import games_file
from rlcard_play.terminal.puzzles import Board, add_puzzle
from rlcard_play.terminal.scores import score_lines
from rlcard_play.terminal.style import Style

PUZZLES = Board(
    records=FORMAT,
    file=SHIPPED,
    make_advisor=lambda rules: make_advisor(ADVISOR, rules),
    open_position=open_position,
    is_right=is_right,
    lines=lambda puzzle, state, style: (
        *position_lines(puzzle, state, style),
        *move_lines(state['raw_legal_actions'], puzzle.rules, style, folded=True),
    ),
    find=lambda entry, state: find_action(entry, state['raw_legal_actions']),
    explain=lambda entry, state: explain(entry, state['raw_obs'], state['raw_legal_actions']),
    values=lambda advisor, advice, state, style: value_lines(advice, state['raw_legal_actions'], style),
)


def add_commands(commands: 'Commands[Parser]') -> None:
    """Add the terminal commands to a parser."""
    _add_play(commands)
    _add_reports(commands)
    _add_clone(commands)
    add_agent(commands, GRAMMAR, lambda name: make_player(name, Rules()), state_of)
    add_puzzle(commands, PUZZLES)


def _add_play(commands: 'Commands[Parser]') -> None:
    play = add_command(commands, 'play', GRAMMAR, help='play against agents', description='Play against agents.')
    players = play.add_mutually_exclusive_group()
    levels = ', '.join(f'{level} ({agent})' for level, agent in LEVELS.items())
    players.add_argument('--level', choices=LEVELS, help=f'of the agents: {levels}; default: hard')
    seats = 'one agent for all other seats, or one for each, from the next on'
    players.add_argument('--seats', nargs='+', metavar='NAME', help=seats)
    add_play_options(play, 'big2', 'hong-kong')
    play.set_defaults(run=lambda options: run_session(_new_session(options)))


def _add_reports(commands: 'Commands[Parser]') -> None:
    replay, advise, score = add_reports(commands, 'big2')
    replay.add_argument('--deep', type=int, metavar='N', help='compare move N with the best moves by rollouts')
    advise.add_argument('--deep', action='store_true', help='estimate the best moves by rollouts; takes seconds')
    for command in (replay, advise):
        deals = f'sampled deals of the hidden cards for --deep; default: {DEALS}'
        command.add_argument('--deals', type=int, metavar='N', default=DEALS, help=deals)
    for command, run in ((replay, _replay), (advise, _advise), (score, _score)):
        command.add_argument('--agent', metavar='NAME', default=ADVISOR, help='big2-dmc or dmc:FOLDER')
        command.set_defaults(run=run)


def _add_clone(commands: 'Commands[Parser]') -> None:
    about = 'Fit a policy to the moves of players in recorded games, and list how they differ from the network.'
    clone = commands.add_parser('clone', help='imitate players of recorded games', description=about)
    own = str(games_file('big2'))
    clone.add_argument('games', metavar='FILE', nargs='?', default=own, help=f'file of records; default: {own}')
    clone.add_argument(
        '--player', nargs='+', metavar='NAME', default=[], help='default: the people, or all if there are none'
    )
    clone.add_argument('--save', type=Path, metavar='FILE', help='file to write, for the agent clone:FILE')
    clone.set_defaults(run=_clone)


def _clone(options: argparse.Namespace) -> int:
    games, style = read_games(options.games, FORMAT), Style.of(sys.stdout)
    choices = choices_of(games, options.player)
    found = fit(choices)
    if options.save is not None:
        write_clone(options.save, options.player, len(choices.made), found.weights)
    return say_all(clone_lines(found, len(choices.made), len(games)), style)


def _replay(options: argparse.Namespace) -> int:
    games, style = read_games(options.games, FORMAT), Style.of(sys.stdout)
    if len(games) > 1 and options.game is None and options.deep is None:
        return say_all(list_lines(games, style, _end_of), style)
    game = choose_game(games, options.game)
    advisor = make_advisor(options.agent, game.rules)
    if options.deep is None:
        return say_all(replay_lines(game, advisor, style, seconds_of(options)), style)
    return say_all(deep_lines(game, options.deep, advisor, style, _deals(options)), style)


def _end_of(game: Record) -> list[str]:
    return ['not finished' if game.winner is None else f'{len(game.moves)} moves']


def _advise(options: argparse.Namespace) -> int:
    game, style = choose_game(read_games(options.games, FORMAT), options.game), Style.of(sys.stdout)
    position = game if options.ply is None else game.at(options.ply)
    deals = _deals(options) if options.deep else 0
    return say_all(advice_lines(position, make_advisor(options.agent, game.rules), style, deals), style)


def _deals(options: argparse.Namespace) -> int:
    check_whole('--deals', options.deals, 1, MOST_DEALS)
    return int(options.deals)


def _score(options: argparse.Namespace) -> int:
    np.random.seed(0)  # random agents seed themselves from it
    style, judge = Style.of(sys.stdout), Judge(make_advisor(options.agent, Rules()))
    return say_all(score_lines(read_games(options.games, FORMAT), judge, style), style)


def _new_session(options: argparse.Namespace) -> Session:
    """Make the agents, and compile all kernels before the first prompt."""
    rules = find_rules(options.rules)
    level = options.level or 'hard'
    seats = options.seats or [LEVELS[level]]
    others = opponents_of(rules.players)
    names = seats * len(others) if len(seats) == 1 else seats
    if len(names) != len(others):
        raise ConfigError(f'--seats has {len(names)} names: give one, or {len(others)}: {", ".join(others)}')
    file, agents = prepare_play(options, FORMAT, names, rules, make_player)
    game, advisor = seat_person(names, rules, options.seed, agents), make_advisor(ADVISOR, rules)
    warm_up('big2', [*(agents[name] for name in names), agents[names[0]]], rules)
    advisor.advise(game.state)
    return Session(game, advisor, Style.of(sys.stdout), file=file, strict=options.strict)
