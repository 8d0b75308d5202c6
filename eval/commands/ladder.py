"""`ladder`: every pair of a folder's agents on sealed deals, under several rules."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from tyro.conf import Positional

from eval.common.cli import option
from eval.figures import Format, draw_column, draw_matrices
from eval.games import game_of, game_played, games_of
from eval.ladder.entries import read_entries
from eval.ladder.matches import BOTH_WAYS, Ladder, Played
from eval.ladder.ratings import SAMPLES
from eval.ladder.standings import Standings, arranged
from eval.ladder.terms import TERMS, Terms
from eval.options import DEALS, RULES, RunOptions
from eval.provenance import provenance
from eval.report import Report
from eval.runner import publish
from eval.store import ResumeError
from eval.tables import Listing, Section
from rlcard_kit.bounds import AtLeast, AtMost, check_settings
from rlcard_kit.duplicate.block import count_faults
from rlcard_kit.duplicate.deals import MOST_DEALS
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import locked
from rlcard_kit.rules import rules_note

RESULTS = 'results'
SCORE = 'score'
NO_CYCLE = 'No cycle of three agents, each better than the next, is significant.'
NOTE = (
    'Score of an agent against another: its mean gain in a game, in all seatings of the two. The ranking has the mean '
    'score against all others; the rating, by games won, on the scale of Elo, with a mean of 0; and the lottery, the '
    f'mixture of agents that none beats by its score, averaged over {SAMPLES:,} samples of the deals with '
    'replacement, which also give the ± of rating and lottery. Milliseconds a move are by the clock; an agent that is '
    'asked for many games at once shares them among these.'
)


@dataclass(frozen=True, kw_only=True)
class LadderOptions:
    """Play every pair of a folder's agents, alone against three and two against two, and rank them.

    The deals are sealed: the SHA-256 of their seed is written before the first game, and the seed after the last.

    Try
      ladder agents
      ladder agents --rules charlesworth hong-kong --deals 600
      ladder agents --game catch5
    """

    folder: Annotated[Path, Positional, option('FOLDER')]
    """Folder with a file for each agent, such as rule.json, see docs/ladder.md; FOLDER/results will hold the games."""
    game: Annotated[str | None, option('NAME')] = None
    """The game: big2, catch5 or python:MODULE:NAME. By default that of the networks that are named, or Big 2."""
    rules: Annotated[
        tuple[str, ...],
        option(
            'NAME ...',
            help=f'One or more of {RULES}, files of JSON, or python:MODULE:NAME. By default charlesworth and '
            f'coders-for-causes (Big 2), or paper (Catch Five).',
        ),
    ] = ()
    """The rules, each with the same weight."""
    deals: Annotated[int | None, AtLeast(2), AtMost(MOST_DEALS), option('N')] = None
    """Number of deals, each played in every seating of a pair; by default 1000."""
    keep_sealed: bool = False
    """Keep the seed secret at the end, so that agents can join, and deals be added, while nobody knows them."""
    figures: Annotated[tuple[Format, ...], option('{png,pdf,svg} ...')] = ('png',)
    """Formats of figures."""
    run: RunOptions = field(default_factory=RunOptions)

    def __post_init__(self) -> None:
        check_settings(self)
        check_settings(self.run)

    @property
    def results(self) -> Path:
        """Folder of the games and the report."""
        return self.folder / RESULTS

    def terms(self, agents: Sequence[str]) -> Terms:
        """Return the terms of the ladder in the folder, or new ones, with a new seed.

        Raises:
            ResumeError: if there are games and they are not to be resumed.
            ConfigError: if they are of another game, of other rules or of another number of deals.
            FileError: if their terms cannot be read.
        """
        is_begun = any(self.results.glob('*/*/blocks/*.npz'))
        if is_begun and not self.run.resume:
            raise ResumeError(f'{self.results} holds the games of a ladder: --resume continues it, with new agents too')
        stored = Terms.read(self.results) if is_begun or (self.results / TERMS).exists() else None
        name = game_played(games_of(agents), self.game or (stored.game if stored else None))
        game = game_of(name)
        rules = self.rules or (stored.rules if stored else game.ladder) or tuple(game.presets)[:1]
        texts = tuple(game.find_rules(text).text for text in rules)
        if len(set(texts)) < len(texts):
            raise ConfigError(f'rules={" ".join(rules)}: name different ones')
        if len({game.card.for_rules(game.find_rules(text)) for text in texts}) > 1:
            raise ConfigError(f'rules={" ".join(rules)}: name rules of one number of players and of cards')
        asked = Terms(name, texts, self.deals or (stored.deals if stored else DEALS))
        difference = stored.difference(asked) if stored else ''
        if stored is None or (difference and not is_begun):
            return asked.begin(self.results)
        if difference:
            raise ConfigError(f'{self.results} is of another ladder: {difference}')
        return stored.extend(self.results, asked.deals)


def ladder_command(options: LadderOptions) -> None:
    """Play and report a ladder."""
    entries, folder = read_entries(options.folder), options.results
    for entry in entries:
        entry.check_files()
    with locked(folder):
        terms = options.terms([entry.agent for entry in entries])
        ladder = Ladder(entries, terms, terms.open(folder))
        played = ladder.play(folder, options.run)
        if not options.keep_sealed and not terms.seed:
            terms = terms.publish(folder, ladder.seed, [entry.agent for entry in entries])
        report, draw = _reported(ladder, terms, played)
        publish(report, folder, draw, options.figures)


def _reported(ladder: Ladder, terms: Terms, played: Played) -> tuple[Report, dict[str, Callable[[Path], None]]]:
    """Return the report of a ladder, and functions that draw its figures by name."""
    words, standings = ladder.game.wording, _standings(ladder, played)
    rankings = [standing.ranking(f'ranking, {title}', SCORE) for title, standing in standings.items()]
    order = [row.name for row in rankings[0].rows]
    scores = [standing.matrix(f'{SCORE} of the row, {title}') for title, standing in standings.items()]
    scores, others = (
        [arranged(matrix, order) for matrix in matrices] for matrices in (scores, _matrices(ladder, played))
    )
    report = Report(f'Ladder of {words.title}', _provenance(ladder, terms, played), legend=f'{NOTE} {words.legend}')
    report.sections = [*rankings, *scores, *others]
    report.listings.append(_agents(ladder, played))
    pools, cycles = [], []
    for title, standing in standings.items():
        pools += [f'{title}: {note}' for note in standing.games.pool_notes(ladder.names)]
        cycles += [f'Cycle, {title}: {cycle}' for cycle in standing.cycle_notes(words.unit)]
    notes = [*_deals(ladder, terms), *pools, *(cycles or [NO_CYCLE])]
    report.notes = [*notes, *_rules_notes(ladder, played), *played.replayed]
    label = f'{SCORE} of the row against the column, {words.unit}'
    return report, {
        'ranking': partial(draw_column, rankings[0], 'rating', 'rating in points of Elo (95 % intervals)'),
        'matrix': partial(draw_matrices, sections=scores, label=label),
    }


def _standings(ladder: Ladder, played: Played) -> dict[str, Standings]:
    """Return the standings by the title of the rules, first under all of them if there are several."""
    standings = {
        rules.title: Standings.of(ladder.names, ladder.game, ladder.seatings, outcomes)
        for rules, outcomes in zip(ladder.rules, played.outcomes, strict=True)
    }
    return {'all rules': Standings.join(list(standings.values())), **standings} if len(standings) > 1 else standings


def _matrices(ladder: Ladder, played: Played) -> list[Section]:
    """Return the figures of the duels of all pairs, and of two against two, under each set of rules."""
    game, duels, matrices = ladder.game, slice(len(ladder.duels)), []
    pairs = list(combinations(range(len(ladder.names)), 2))
    for rules, outcomes in zip(ladder.rules, played.outcomes, strict=True):
        matches = {}
        for agents, outcome in zip(pairs, outcomes, strict=True):
            for (one, other), match in game.matches(BOTH_WAYS, outcome.of_seatings(duels), rules).items():
                matches[agents[one], agents[other]] = match
        for figure in game.wording.compared:
            title = f'{figure} of the row against {game.against("the column")}, {rules.title}'
            matrices.append(game.matrix(title, ladder.names, matches, figure))
        if len(ladder.mixed):
            mixed = [outcome.of_seatings(slice(len(ladder.duels), None)) for outcome in outcomes]
            title = f'{game.wording.headline} of the row, two against two of the column, {rules.title}'
            matrices.append(Standings.of(ladder.names, game, ladder.mixed, mixed).matrix(title))
    return matrices


def _agents(ladder: Ladder, played: Played) -> Listing:
    """Return a table of the agents, the time of their moves, and the moves that programs failed to make."""
    spent, faults = {name: np.zeros(2) for name in ladder.names}, {name: Counter[str]() for name in ladder.names}
    seatings = ladder.seatings
    for outcomes in played.outcomes:
        for pair, outcome in zip(combinations(ladder.names, 2), outcomes, strict=True):
            for side, name in enumerate(pair):
                spent[name] += outcome.times[:, seatings == side].sum(axis=(0, 1), dtype=np.float64)
            for fault in count_faults(outcome.faults, seatings, pair):
                faults[fault.agent][fault.kind] += fault.moves
    rows = []
    for entry in ladder.entries:
        seconds, moves = spent[entry.name]
        failed = ', '.join(f'{kind} {count:,}' for kind, count in faults[entry.name].items()) or 'none'
        measured = f'{1000 * seconds / moves:.3g}', f'{moves:,.0f}', failed
        rows.append((entry.name, entry.author, entry.agent, *measured, entry.note))
    return Listing('agents', ('', 'author', 'agent', 'ms a move', 'moves', 'replaced moves', 'note'), tuple(rows))


def _provenance(ladder: Ladder, terms: Terms, played: Played) -> dict[str, Any]:
    """Return the terms, the agents with their checksums by rules, and command, sources, versions and machine."""
    return {
        **provenance(),
        **asdict(terms),
        'agents': [asdict(entry) for entry in ladder.entries],
        'checksums': {
            rules.title: described.agents for rules, described in zip(ladder.rules, played.described, strict=True)
        },
        'sources': played.sources,
    }


def _deals(ladder: Ladder, terms: Terms) -> list[str]:
    """Return sentences on the deals and their seal."""
    late = ', '.join(entry.name for entry in ladder.entries if terms.seed and entry.agent not in terms.sealed_for)
    return [
        f'{terms.deals} deals, each in {len(ladder.seatings)} seatings of every pair.',
        f'SHA-256 of the seed, written before the first game: {terms.sha256}. Seed: {terms.seed or "still secret"}.',
        *[f'The seed was public before these joined: {late}.'] * bool(late),
    ]


def _rules_notes(ladder: Ladder, played: Played) -> list[str]:
    """Return a warning for each agent that was trained on other rules."""
    return [
        f'{rules.title}: {note}'
        for rules, described in zip(ladder.rules, played.described, strict=True)
        for entry in ladder.entries
        if (note := rules_note(entry.name, described.trained_on.get(entry.agent), rules))
    ]
