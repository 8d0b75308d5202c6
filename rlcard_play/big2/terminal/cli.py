"""Terminal commands: play, replay, advise, score, clone."""

import argparse
import sys
from collections.abc import Iterator
from functools import partial

from rlcard_big2.agents.program import state_of
from rlcard_big2.engine.observation import opponents_of
from rlcard_big2.models.clones import choices_of
from rlcard_big2.records import FORMAT
from rlcard_big2.registry import GRAMMAR
from rlcard_big2.rules import Rules, find_rules
from rlcard_big2.search.analysis import MOST_DEALS
from rlcard_big2.search.clone import TRAITS, Fit, fit, write_clone
from rlcard_kit.errors import ConfigError, RecordError, check_whole
from rlcard_kit.files import user_path
from rlcard_kit.statistics import Z95
from rlcard_play.big2.advice import DEALS, LEVELS, make_advisor, make_player
from rlcard_play.big2.terminal.board import BOARD
from rlcard_play.big2.terminal.session import Session
from rlcard_play.terminal.commands import (
    Commands,
    Parser,
    add_agent,
    add_play,
    new_session,
    run_session,
    say_all,
)
from rlcard_play.terminal.reports import add_reports, advice_lines, choose_game, read_games, run_advise, run_replay
from rlcard_play.terminal.style import Style


def add_commands(commands: 'Commands[Parser]') -> None:
    """Add the terminal commands to a parser."""
    _add_play(commands)
    _add_reports(commands)
    _add_clone(commands)
    add_agent(commands, GRAMMAR, lambda name: make_player(name, Rules()), state_of)


def _add_play(commands: 'Commands[Parser]') -> None:
    play = add_play(commands, BOARD.game, GRAMMAR, 'play against agents', 'hong-kong', _play)
    players = play.add_mutually_exclusive_group()
    levels = ', '.join(f'{level} ({agent})' for level, agent in LEVELS.items())
    players.add_argument('--level', choices=LEVELS, help=f'strength of the opponents: {levels}; default: hard')
    seats = 'one agent for all other seats, or one per seat, starting with the player after you'
    players.add_argument('--seats', nargs='+', metavar='NAME', help=seats)


def _add_reports(commands: 'Commands[Parser]') -> None:
    deep = 'estimate the best moves by rollouts; takes seconds'
    replay, advise = add_reports(commands, BOARD, 'advisor: big2-dmc, the default, or dmc:FOLDER', deep)
    replay.add_argument('--deep', type=int, metavar='N', help='compare move N with the best moves by rollouts')
    for command, run in ((replay, _replay), (advise, _advise)):
        text = f'sampled deals of the hidden cards for --deep; default: {DEALS}'
        command.add_argument('--deals', type=int, metavar='N', default=DEALS, help=text)
        command.set_defaults(run=run)


def _add_clone(commands: 'Commands[Parser]') -> None:
    about = 'Fit a policy to the moves of players in recorded games, and list how they differ from the network.'
    clone = commands.add_parser('clone', help='imitate players of recorded games', description=about)
    file = str(BOARD.game.games_file())
    clone.add_argument('games', metavar='FILE', nargs='?', default=file, help=f'file of records; default: {file}')
    clone.add_argument(
        '--player', nargs='+', metavar='NAME', default=[], help='names of players; default: all people, or all players'
    )
    clone.add_argument('--save', type=user_path, metavar='FILE', help='file to write, for the agent clone:FILE')
    clone.set_defaults(run=_clone)


def _play(options: argparse.Namespace) -> int:
    rules = find_rules(options.rules)
    seats = options.seats or [LEVELS[options.level or 'hard']]
    others = opponents_of(rules.players)
    names = seats * len(others) if len(seats) == 1 else seats
    if len(names) != len(others):
        raise ConfigError(f'--seats has {len(names)} names: give one, or {len(others)}: {", ".join(others)}')
    return run_session(new_session(Session, options, names, rules))


def _replay(options: argparse.Namespace) -> int:
    number, style = options.deep, Style.of(sys.stdout)
    if number is None:
        return run_replay(BOARD, options)
    game = choose_game(read_games(options.games, FORMAT), options.game)
    advisor = make_advisor(options.agent, game.rules)
    check_whole('--deals', options.deals, 1, MOST_DEALS)
    if not 1 <= number <= len(game.moves):
        raise RecordError(f'there is no move {number}: choose one from 1 to {len(game.moves)}')
    played = game.trace[number - 1][1]
    look = partial(advisor.look, deals=options.deals, played=played)
    say_all(advice_lines(BOARD, game.at(number - 1), advisor, style, look), style)
    return say_all([f' Move {number} was {style.cards(played)}'], style)


def _advise(options: argparse.Namespace) -> int:
    if options.deep:
        check_whole('--deals', options.deals, 1, MOST_DEALS)
    return run_advise(BOARD, options)


def _clone(options: argparse.Namespace) -> int:
    games, style = read_games(options.games, FORMAT), Style.of(sys.stdout)
    choices = choices_of(games, options.player)
    clone = fit(choices)
    if options.save is not None:
        write_clone(options.save, options.player, len(choices.made), clone.weights)
    return say_all(_clone_lines(clone, len(choices.made), len(games)), style)


def _clone_lines(clone: Fit, choices: int, games: int) -> Iterator[str]:
    """Write the likelihood of a clone of players, and its significant weights."""
    yield f' {choices:,} choices among several moves, games: {games:,}. A clone gives the moves made a probability of'
    yield f' {clone.likelihood:.1%} in the geometric mean, the network alone {clone.before:.1%}.'
    weights = zip(TRAITS, clone.weights, Z95 * clone.errors, strict=True)
    clear = [f' {weight:+6.2f} ± {error:.2f}  {trait}' for trait, weight, error in weights if abs(weight) > error]
    yield ' In log-odds, with 95 % intervals:' if clear else ' No trait differs clearly from 0 yet: more games tell.'
    yield from clear
