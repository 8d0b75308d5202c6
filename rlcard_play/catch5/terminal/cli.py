"""Terminal commands: play, replay, advise, score, agent."""

import argparse
import sys

import numpy as np

from rlcard_catch5.agents.program import state_of
from rlcard_catch5.records import FORMAT
from rlcard_catch5.registry import GRAMMAR, make_agent
from rlcard_catch5.rules import MOST_TARGET, Rules, find_rules
from rlcard_kit.errors import ConfigError, check_whole
from rlcard_play.catch5.advice import ADVISOR, make_advisor, open_position
from rlcard_play.catch5.puzzles import SHIPPED, is_right
from rlcard_play.catch5.score import Judge
from rlcard_play.catch5.seated import TARGET, SeatedGame
from rlcard_play.catch5.terminal.formatting import legal_line, value_lines
from rlcard_play.catch5.terminal.move_input import explain, find_action
from rlcard_play.catch5.terminal.reports import advice_lines, position_lines, replay_lines
from rlcard_play.catch5.terminal.session import Session
from rlcard_play.study.seated_game import seats_of, warm_up
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
from rlcard_play.terminal.puzzles import Board, add_puzzle
from rlcard_play.terminal.scores import score_lines
from rlcard_play.terminal.style import Style

PUZZLES = Board(
    records=FORMAT,
    file=SHIPPED,
    make_advisor=lambda rules: make_advisor(ADVISOR, rules),
    open_position=open_position,
    is_right=lambda puzzle, move, advice: is_right(puzzle, move),
    lines=lambda puzzle, state, style: (
        *position_lines(puzzle, state, style),
        legal_line(state['raw_legal_actions'], style),
    ),
    find=lambda entry, state: find_action(entry, state['raw_legal_actions']),
    explain=lambda entry, state: explain(entry, state['raw_obs']),
    values=lambda advisor, advice, state, style: value_lines(advice, state['raw_legal_actions'], advisor.name, style),
)


def add_commands(commands: 'Commands[Parser]') -> None:
    """Add the terminal commands to a parser."""
    _add_play(commands)
    replay, advise, score = add_reports(commands, 'catch5')
    advise.add_argument('--deep', action='store_true', help='estimate the moves by rollouts; takes a second')
    for command, run in ((replay, _replay), (advise, _advise), (score, _score)):
        command.add_argument('--agent', metavar='NAME', default=ADVISOR, help='catch5-ppo, ppo:FOLDER or dmc:FOLDER')
        command.set_defaults(run=run)
    add_puzzle(commands, PUZZLES)
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


def _replay(options: argparse.Namespace) -> int:
    games, style = read_games(options.games, FORMAT), Style.of(sys.stdout)
    if len(games) > 1 and options.game is None:
        return say_all(list_lines(games, style, lambda game: ['not finished'] * (game.payoffs is None)), style)
    game = choose_game(games, options.game)
    advisor = make_advisor(options.agent, game.rules)
    return say_all(replay_lines(game, advisor, style, seconds_of(options)), style)


def _advise(options: argparse.Namespace) -> int:
    game, style = choose_game(read_games(options.games, FORMAT), options.game), Style.of(sys.stdout)
    position = game if options.ply is None else game.at(options.ply)
    return say_all(advice_lines(position, make_advisor(options.agent, game.rules), style, options.deep), style)


def _score(options: argparse.Namespace) -> int:
    np.random.seed(0)  # random agents seed themselves from it
    style, judge = Style.of(sys.stdout), Judge(make_advisor(options.agent, Rules()))
    return say_all(score_lines(read_games(options.games, FORMAT), judge, style), style)


def _new_session(options: argparse.Namespace) -> Session:
    """Make the agents, and compile all kernels before the first prompt."""
    if len(options.opponents) > 2:
        raise ConfigError(f'--opponents has {len(options.opponents)} names: give one, or two: next and previous')
    names = [options.opponents[0], options.partner, options.opponents[-1]]
    if options.target is not None:
        check_whole('--target', options.target, 1, MOST_TARGET)
    rules = find_rules(options.rules)
    file, agents = prepare_play(options, FORMAT, names, rules, make_agent)
    game = SeatedGame(seats_of(names), rules, options.seed, agents, options.target)
    advisor = make_advisor(ADVISOR, rules)
    warm_up('catch5', [*(agents[name] for name in names), advisor.agent], rules)
    advisor.look(game.state, deals=1)
    return Session(game, advisor, Style.of(sys.stdout), file=file, strict=options.strict)
