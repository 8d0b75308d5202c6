"""Make the shipped puzzles: python -m benchmarks.puzzles big2 FILE --count 2000; started again, it goes on.

Big 2: agents play; a candidate is a position in which the advisor prefers one move clearly, and an agent makes another.
It becomes a puzzle if rollouts of two seeds find the same move clearly best. Catch Five: see `find_puzzles` there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import rlcard
from tyro.conf import Positional

from eval.common.cli import parse
from rlcard_big2 import records
from rlcard_big2.cards import NUM_CARDS, parse_cards
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.records import Record
from rlcard_big2.search.analysis import RolloutAnalysis, analyse_moves
from rlcard_big2.search.pruning import PrunedValues
from rlcard_big2.search.zoo import load_small_networks, posterior_beliefs
from rlcard_catch5.models import WEIGHTS
from rlcard_kit.agents import Positions
from rlcard_kit.files import replace_text
from rlcard_kit.process import limit_threads
from rlcard_kit.rng import new_streams
from rlcard_kit.rollout_analysis import LEAST
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv
from rlcard_play.big2.advice import CLOSE, LOOKED_AT, Advisor
from rlcard_play.big2.review import open_position
from rlcard_play.catch5.puzzles import find_puzzles, is_confirmed, themes_of
from rlcard_play.games import GAMES as PLAYED
from rlcard_play.study.played import PlayedGame
from rlcard_play.study.puzzles import DIFFICULTIES, puzzle_of

GAMES = 32  # played at once, with one seed
FROM_ONE = 2  # puzzles of one game of Big 2, at most
GAP, LOST = 5.0, 0.1  # raw value by which the best move leads, and win probability that an agent's move loses
DEALS, SEEDS = 100, (0, 1)  # of the rollouts that confirm
CLOSEST = 3  # moves of the second, the best and those closest to it in the first
FEW_CARDS = 3  # of a player, in the endgame
TRIES = 100  # of each agent at a puzzle
SOLVERS = {  # agents of all levels below the advisor, by game
    'big2': ('random', 'greedy', 'rule', 'big2-ppo'),
    'catch5': ('random', 'rule,epsilon=0.3', 'rule', f'ppo:{WEIGHTS / "ppo"}'),
}
PLAYERS = {'big2': ('rule', 'big2-ppo', 'big2-dmc', 'big2-dmc,epsilon=0.1'), 'catch5': ('rule',) * 4}


@dataclass(frozen=True)
class Options:
    """Makes puzzles until a file has so many, and grades them by how often agents of all levels solve them."""

    game: Positional[Literal['big2', 'catch5']]
    """Whose puzzles."""
    file: Annotated[Path, Positional]
    """Of the puzzles; beside it, FILE.seed holds the seed of the games to come."""
    count: int = 2000
    """Puzzles of the file."""
    rules: str | None = None
    """Preset that they are played by, in place of the game's first; agents must know it."""
    seed: int = 0
    """Of the first games."""


def big2_puzzles(advisor: Advisor, agents: list[Any], players: list[Any], seed: int) -> Iterator[Record]:
    """Yield the puzzles of games of a seed."""
    for position in candidates(advisor, agents[1:], players, seed):
        puzzle = confirmed(position, advisor)
        if puzzle is not None:
            yield puzzle


def candidates(advisor: Advisor, agents: list[Any], players: list[Any], seed: int) -> Iterator[Record]:
    """Yield positions of games between the players, at most FROM_ONE of a game, those with the fewest solvers first."""
    rules = agents[0].rules
    deals, random = deals_from_seed(seed, GAMES, rules), np.random.default_rng(seed)
    starts, screened = records.from_deals(deals, rules), [list[tuple[int, int]]() for _ in deals]
    seating, streams = random.permuted(np.tile(np.arange(4), (GAMES, 1)), axis=1), new_streams(seed, GAMES)
    table = Table(VectorEnv(BIG2, rules, deals), players, seating, streams.reshape(-1, 1), ask_forced=False)
    while not table.env.is_over:
        positions = table.env.positions()
        rows = np.flatnonzero(positions.counts > 2)
        if rows.size:
            for row, solvers in zip(rows.tolist(), _screen(advisor, agents, positions.select(rows)), strict=True):
                if solvers is not None:
                    screened[row].append((solvers, -int(table.plies[row])))
        table.turn()
    for game, plies in enumerate(screened):
        record = replace(starts[game], moves=tuple(table.moves_of(game)))
        for _, ply in sorted(plies)[:FROM_ONE]:
            position = record.at(-ply)
            yield position.seen_by(position.player)


def _screen(advisor: Advisor, agents: list[Any], positions: Positions) -> Iterator[int | None]:
    """Yield for each position the number of agents whose move is nearly the best; None if it makes no puzzle."""
    calibration = advisor.calibration(agents[0].rules)
    assert calibration is not None
    values = advisor.agent.network.values(positions).astype(np.float64)
    streams = new_streams(0, len(positions.counts))
    made = [values[agent.choose(positions, streams.copy()).indices] for agent in agents]
    for i, of_moves in enumerate(np.split(values, positions.offsets[1:-1])):
        best, chosen = of_moves.max(), np.array([by_agent[i] for by_agent in made])
        high, low = calibration.win_chance([best, chosen.min()]).tolist()
        far = of_moves[of_moves < best - CLOSE].max(initial=-np.inf)
        yield int((chosen > best - CLOSE).sum()) if best - far >= GAP and high - low >= LOST else None


def confirmed(position: Record, advisor: Advisor) -> Record | None:
    """Return a puzzle if one move is clearly best by the network and by rollouts of all seeds."""
    state = open_position(position)
    best, *others = advice = advisor.advise(state).moves
    if not others or others[0].gap < CLOSE:
        return None
    looks, moves, rules = [], [advised.move for advised in advice[:LOOKED_AT]], position.rules
    small, network = load_small_networks().get(rules), advisor.agent.network
    quick = DMCAgent(network if small is None else PrunedValues(small, network), rules)
    for seed in SEEDS:
        looks.append(analyse_moves(state, quick, deals=DEALS, moves=moves, seed=seed, beliefs=posterior_beliefs(quick)))
        moves = [advised.move for advised in looks[0].moves[:CLOSEST]]
        first, second, *_ = looks[-1].moves
        if first.move != best.move or second.behind.mean <= second.behind.margin:
            return None
    themes = themes_of_big2(position, (best.move, others[0].move), looks, best.grade == 'certain')
    return puzzle_of(position, best.move, others[0].gap, advisor.name, themes=themes)


def themes_of_big2(
    position: Record, moves: tuple[str, str], looks: list[RolloutAnalysis], is_certain: bool
) -> list[str]:
    """Return the themes of a puzzle, given the best move and the best wrong one."""
    hand = position.scene().hands[position.player] or ''
    broken = [_breaks(parse_cards(hand), parse_cards('' if move == 'pass' else move)) for move in moves]
    shares = [[estimate.events.get('lead', 0.0) for estimate in look.moves[:2]] for look in looks]  # no pass keeps it
    themes = {
        'break': broken[0] != broken[1],
        'control': min(best - second for best, second in shares) >= LEAST,
        'endgame': min(position.left) <= FEW_CARDS,
        'pass': (moves[0] == 'pass') != (moves[1] == 'pass'),
        'win': is_certain,
    }
    return [name for name, fits in themes.items() if fits]


def _breaks(hand: int, move: int) -> bool:
    """Return whether a move parts cards of equal rank."""
    ranks = [15 << first for first in range(0, NUM_CARDS, 4)]
    return any((hand & rank).bit_count() > 1 and 0 != move & rank != hand & rank for rank in ranks)


def catch5_puzzles(advisor: Any, agents: list[Any], players: list[Any], seed: int) -> Iterator[Any]:
    """Yield the puzzles of games of a seed."""
    env = rlcard.make('catch5', config={'seed': seed})
    env.set_agents(players)
    for _ in range(GAMES):
        env.run()
        for puzzle in find_puzzles([env.to_record()], advisor):
            if is_confirmed(puzzle, advisor):
                yield replace(puzzle, extra={**puzzle.extra, 'themes': themes_of(puzzle)})


MAKERS: dict[str, Any] = {'big2': big2_puzzles, 'catch5': catch5_puzzles}


def measured(played: PlayedGame, puzzle: Any, advisor: Any, agents: list[Any]) -> Any:
    """Return a puzzle with the share of the agents' tries that solve it."""
    state = played.open_position(puzzle)
    texts, advice = state['raw_legal_actions'], advisor.advise(state)
    right, count = [played.is_right(puzzle, text, advice) for text in texts], len(texts)
    solved = []
    for agent in agents:
        position = agent.positions_of(state)
        observations, moves = position.observations.repeat(TRIES), np.tile(position.moves, TRIES)
        many = Positions(observations, moves, np.arange(TRIES + 1) * count)
        chosen = agent.choose(many, new_streams(0, TRIES)).indices % count
        solved.append(np.array(right)[chosen].mean())
    return replace(puzzle, extra={**puzzle.extra, 'found': round(float(np.mean(solved)), 2)})


def graded(puzzles: list[Any]) -> list[Any]:
    """Return puzzles with difficulties: the third that agents solve most often is easy."""
    order = np.argsort([-puzzle.extra['found'] for puzzle in puzzles], kind='stable')
    levels = np.empty(len(puzzles), np.int64)
    levels[order] = np.arange(len(puzzles)) * len(DIFFICULTIES) // len(puzzles)
    return [
        replace(puzzle, extra={**puzzle.extra, 'difficulty': DIFFICULTIES[level]})
        for puzzle, level in zip(puzzles, levels.tolist(), strict=True)
    ]


def main() -> None:
    """Make and grade puzzles."""
    options = parse(Options, description=Options.__doc__)
    limit_threads()
    played, file = PLAYED[options.game], options.file
    rules = played.rules.preset(options.rules or played.default_rules)
    advisor = played.make_advisor(played.advisor, rules)
    agents, players = ([played.make_agent(name, rules) for name in named[options.game]] for named in (SOLVERS, PLAYERS))
    seed_file = file.with_name(f'{file.name}.seed')
    seed = int(seed_file.read_text()) if seed_file.exists() else options.seed
    made = played.records.read(file) if file.exists() else []
    while len(made) < options.count:
        new = list(MAKERS[options.game](advisor, agents, players, seed))
        new = [measured(played, puzzle, advisor, agents) for puzzle in new]
        played.records.write(file, new)
        seed += 1
        seed_file.write_text(str(seed))
        made += new
        print(f'seed {seed - 1}: {len(new)} puzzles, {len(made)} in all', flush=True)
    lines = ''.join(f'{played.records.to_json(puzzle)}\n' for puzzle in graded(made))
    replace_text(file, lines)


if __name__ == '__main__':
    main()
