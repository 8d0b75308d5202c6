"""`numbers`: the game in numbers, counted over many games between copies of an agent."""

import re
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from operator import methodcaller
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from rich.progress import track
from tyro.conf import Positional

from eval.common.cli import new_console, option
from eval.counts import Counts, Figures
from eval.figures import draw_rows
from eval.game import EvaluatedGame
from eval.games import game_of, game_played, games_of
from eval.options import MOST_WORKERS
from eval.provenance import provenance
from eval.report import Report
from eval.runner import publish
from eval.workers import Pool
from rlcard_kit.agents import Agent
from rlcard_kit.arrays import Int64Array
from rlcard_kit.bounds import AtLeast, AtMost, NaturalInt, check_settings
from rlcard_kit.duplicate.deals import MOST_DEALS, deal_from_seed
from rlcard_kit.duplicate.time_limit import Watchdog
from rlcard_kit.errors import ConfigError
from rlcard_kit.process import count_cores, limit_threads
from rlcard_kit.rng import new_streams
from rlcard_kit.rules import rules_note
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv

BATCH = 1000  # games in lockstep, which take 0.1 GB, or 0.2 GB with large hands
PLACES = ('first', 'second', 'third', 'fourth')
LEGEND = (
    'Places are in the order of play from the seat that moves first. ±: half of the 95 % interval; a game, or the two '
    'games of a deal, count once.'
)


@dataclass(frozen=True, kw_only=True)
class NumbersOptions:
    """Count over many games who wins, how often moves of each kind are made, and what cards are worth.

    Copies of an agent play each other. Some deals are played twice, with moves drawn at random, which shows how much of
    a result is the deal. In games without partners, the first agent also plays among copies of the second.

    Try
      numbers big2-dmc rule greedy --rules charlesworth hong-kong
      numbers catch5-ppo --workers 1
    """

    agents: Annotated[tuple[str, ...], Positional, option('AGENT ...')]
    """The first plays all games, the others fewer, for comparison."""
    game: Annotated[str | None, option('NAME')] = None
    """The game: big2, catch5 or python:MODULE:NAME. By default that of the networks that are named, or Big 2."""
    rules: Annotated[tuple[str, ...], option('RULES ...')] = ()
    """Sets of rules; by default the first of the game's presets."""
    games: Annotated[int, AtLeast(2), AtMost(MOST_DEALS), option('N')] = 100_000
    """Games of the first agent under each set of rules, and among copies of the second."""
    others: Annotated[int, AtLeast(2), AtMost(MOST_DEALS), option('N')] = 10_000
    """Games of each other agent, and deals that are played twice."""
    epsilon: Annotated[float, AtLeast(0), AtMost(1), option('SHARE')] = 0.1
    """Share of moves that are drawn at random in deals that are played twice; 0 for an agent that draws by itself."""
    seed: Annotated[NaturalInt, option('N')] = 0
    """Seed of the deals and of all draws."""
    workers: Annotated[int | None, AtLeast(1), AtMost(MOST_WORKERS), option('N')] = None
    """Number of processes, by default the cores that this process may use; results do not depend on it."""
    out: Annotated[Path, option('FOLDER')] = Path('runs/numbers')
    """Folder for the report."""

    def __post_init__(self) -> None:
        object.__setattr__(self, 'game', game_played(games_of(self.agents), self.game))
        game = game_of(str(self.game))
        object.__setattr__(self, 'rules', tuple(game.find_rules(text).text for text in self.rules or (None,)))
        check_settings(self)
        for name, given in (('agents', self.agents), ('rules', self.rules)):
            if not given or len(set(given)) < len(given):
                raise ConfigError(f'{name}={" ".join(given) or "none"}: name at least one, all different')
        if (self.out / 'report.json').exists():
            raise ConfigError(f'out={self.out} holds a report: name another folder')


class Batch(NamedTuple):
    """Games to play in lockstep."""

    rules: str
    agents: tuple[str, ...]  # the first alone, or among copies of the second
    epsilon: float | None = None  # of deals that are played twice
    number: int = 0
    games: int = 0


def batches_of(options: NumbersOptions) -> list[Batch]:
    """Return all batches of a command."""
    first, *others = options.agents
    kinds: list[tuple[int, tuple[str, ...], float | None]] = [(options.games, (first,), None)]
    kinds += [(options.others, (name,), None) for name in others]
    kinds += [(options.others, (first,), options.epsilon)]
    if all(len(team) == 1 for team in game_of(str(options.game)).card.teams):
        kinds += [(options.games, (first, name), None) for name in others[:1]]
    return [
        Batch(rules, agents, epsilon, number, min(BATCH, games - number * BATCH))
        for rules, (games, agents, epsilon) in product(options.rules, kinds)
        for number in range(-(-games // BATCH))
    ]


class Batches:
    """Plays batches of games, by number; numpy and torch use one thread from then on.

    Args:
        options: of the command.
        watchdog: unused, since agents have no time limit.
    """

    def __init__(self, options: NumbersOptions, watchdog: Watchdog) -> None:
        self._batches, self._seed = batches_of(options), options.seed
        self._game = game_of(str(options.game))
        self._agents: dict[tuple[str, str], Agent] = {}
        for rules, name in product(options.rules, options.agents):
            agent = self._game.make_agent(name, self._game.find_rules(rules))
            if not isinstance(agent, Agent):
                raise ConfigError(f'{name!r} decides for one game at a time: expected a BatchAgent')
            self._agents[rules, name] = agent
        limit_threads()

    def notes(self) -> list[str]:
        """Return a warning for each agent under rules that it was not trained on."""
        made = self._agents.items()
        notes = (rules_note(name, agent.trained_on, self._game.find_rules(rules)) for (rules, name), agent in made)
        return sorted({*notes} - {''})

    def play(self, number: int) -> Counts:
        """Play a batch and return its counts."""
        batch, counts = self._batches[number], Counts()
        rules = self._game.find_rules(batch.rules)
        game = self._game.for_rules(rules)
        agents = [self._agents[batch.rules, name] for name in batch.agents]
        if batch.epsilon:
            agents = [game.names.mixed(agents[0], batch.epsilon)]
            agents[0].prepare(rules)
        seats = np.arange(game.card.num_seats)
        singled = np.arange(batch.games)[:, None] % len(seats)  # the seat of the first agent among others
        seating = (seats != singled) * (len(agents) - 1)

        def play(draws: int) -> tuple[Int64Array, Figures]:
            deals = deal_from_seed(game.card, [self._seed, batch.number], batch.games)
            streams = new_streams([self._seed, batch.number, draws], seating.size).reshape(seating.shape)
            return _played(game, Table(VectorEnv(game.card, rules, deals), agents, seating, streams, ask_forced=False))

        payoffs, figures = play(1)
        row = f'{rules.title}, {batch.agents[0]}'
        if batch.epsilon is not None:
            row += f', {batch.epsilon:.0%} drawn' * bool(batch.epsilon)
            figures = _twice(game, payoffs, play(2)[0])
        elif len(agents) > 1:
            row += f' among {game.against(batch.agents[1])}'
            figures = _among(game, np.take_along_axis(payoffs, (singled + seats) % len(seats), axis=1))
        counts.add(row, figures)
        return counts


def _played(game: EvaluatedGame, table: Table) -> tuple[Int64Array, Figures]:
    """Play games to their end; return payoffs, int64 [N, seats], and figures."""
    env, seats = table.env, np.arange(game.card.num_seats)
    by_place = (env.players[:, None] + seats) % len(seats)
    counter = game.counter(env) if game.counter else None
    payoffs = env.new_payoffs()
    while not env.is_over:
        turn = table.turn()
        payoffs = turn.payoffs
        if counter is not None:
            counter.see(turn)
    places = {
        'share of games won by place': np.take_along_axis(game.card.wins(payoffs), by_place, axis=1),
        'payoff by place': np.take_along_axis(payoffs, by_place, axis=1),
    }
    figures = {(title, PLACES[seat]): (values[:, seat], 1) for title, values in places.items() for seat in seats}
    return payoffs.copy(), {**figures, **(counter.figures(payoffs) if counter else {})}


def _twice(game: EvaluatedGame, one: Int64Array, other: Int64Array) -> Figures:
    """Return how alike two games of each deal are, given their payoffs, int64 [N, seats].

    The correlation is of gains, whose mean over the seats is 0.
    """
    first, second = game.gains(one), game.gains(other)
    products, squares = (first * second).sum(axis=1), (first**2 + second**2).sum(axis=1)
    won = (game.card.wins(one) & game.card.wins(other)).any(axis=1)
    title = 'a deal played twice'
    return {(title, 'correlation of payoffs'): (2 * products, squares), (title, 'the same winner'): (won, 1)}


def _among(game: EvaluatedGame, payoffs: Int64Array) -> Figures:
    """Return the payoffs of an agent and of the others in the order of play, [N, seats]."""
    names = 'itself', *game.card.opponents
    title = 'payoff by seat from one stronger agent on'
    figures = {(title, name): (payoffs[:, seat], 1) for seat, name in enumerate(names)}
    return {**figures, (title, 'previous less next'): (payoffs[:, -1] - payoffs[:, 1], 1)}


def numbers_command(options: NumbersOptions) -> None:
    """Play the games and report the figures."""
    batches, total = batches_of(options), Counts()
    parts = {batch[:3]: Counts() for batch in batches}  # in an order that no process changes
    with closing(Pool(partial(Batches, options), deals_of=lambda number: f'games of {batches[number]}')) as pool:
        notes = pool.run(methodcaller('notes'), 'made the agents')
        played = pool.play(range(len(batches)), min(options.workers or count_cores(), len(batches)))
        for number, counts in track(played, 'games', len(batches), console=new_console(), transient=True):
            if isinstance(counts, Exception):
                raise counts
            parts[batches[number][:3]].join(counts)
    for part in parts.values():
        total.join(part)
    game = game_of(str(options.game))
    settings = {key: value for key, value in asdict(options).items() if key not in ('out', 'workers')}
    made_by = {**provenance(), **settings}
    report = Report(f'{game.wording.title} in numbers', made_by, total.sections(), notes=notes, legend=LEGEND)
    rows = {f'{game.find_rules(rules).title}, {options.agents[0]}' for rules in options.rules}
    drawn = {}
    for section in report.sections:
        shown = section._replace(rows=tuple(row for row in section.rows if row.name in rows))
        if len(shown.columns) > 2 and shown.rows:
            drawn[re.sub(r'\W+', '-', section.title)] = partial(draw_rows, section=shown)
    options.out.mkdir(parents=True, exist_ok=True)
    publish(report, options.out, drawn, ['png'])
