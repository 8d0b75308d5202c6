"""`explain`: differences between two agents, and the decisions that caused them."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from typing_extensions import override
from tyro.conf import Positional

from eval.common.cli import option
from eval.explain.explanation import MOST_DEALS, MOST_SWINGS, Answers, Explanation, ask_agents, seatings_of
from eval.explain.values import ERROR, PREDICTED, Errors
from eval.figures import draw_column, draw_lines
from eval.options import Options
from eval.pairs import Pairs
from eval.plan import Players
from eval.runner import run_match
from eval.tables import DIFFERENCE, Section, paired
from eval.workers import Pool
from rlcard_kit.bounds import AtLeast, AtMost
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import replace
from rlcard_kit.statistics import Estimate

DIVERGENCE_NOTE = (
    'Games of the same deal and seats diverge at the first move that differs. The part of the whole is the share of '
    'the games times their difference: its sum is the whole difference.'
)
SWING_NOTE = (
    'Of each swing, {} holds the game of the first agent and then that of the second. Opinions are the values of the '
    'two moves or their probabilities. A swing includes the luck of the cards that follow.'
)


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(Options):
    """Compare A and B by the hand, the turn, the phase of the game and their values, and list the biggest swings.

    Each plays every deal in every seat against the same field: in Big 2 alone, in Catch Five with a copy as partner.

    Try
      explain rule big2-dmc
      explain rule catch5-ppo --game catch5
      explain dmc:runs/one dmc:runs/two --against big2-dmc --deals 3000
      explain rule big2-dmc --rules hong-kong-3
      big2 replay FOLDER/swings.big2.jsonl --game 1
    """

    agents: Annotated[tuple[str, str], Positional, option('A B')]
    """The two agents, different."""
    against: Annotated[str | None, option('AGENT')] = None
    """The field, in the other seats; by default B."""
    swings: Annotated[int, AtLeast(0), AtMost(MOST_SWINGS), option('N')] = 20
    """Number of swings to keep as games: half of those in which A did better, and half of the others."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.agents[0] == self.agents[1]:
            raise ConfigError(f'agents={" ".join(self.agents)}: name two that differ')
        if self.swings:
            self.evaluated.require('records', f'swings={self.swings} (0 needs none)')
        if (self.game.deals or 0) > MOST_DEALS:
            raise ConfigError(
                f'deals={self.game.deals}: explain keeps all games in memory, at most {MOST_DEALS:,} deals'
            )

    @property
    @override
    def names(self) -> tuple[str, ...]:
        """The agents that play: A, B, and the field if it is neither."""
        return tuple(dict.fromkeys((*self.agents, self.against or self.agents[1])))


def explain_command(options: ExplainOptions) -> None:
    """Play two agents in the same seats of the same deals, and report their differences."""
    names = options.names
    called = options.report.labels(names)
    field_agent = names.index(options.against or options.agents[1])
    one, other, field = called[0], called[1], called[field_agent]
    deals = options.game.make_deals()
    if len(deals) > MOST_DEALS:
        raise ConfigError(f'{options.game.deals_file} holds {len(deals):,} deals: explain takes at most {MOST_DEALS:,}')
    game = options.evaluated
    plan = options.plan(names, seatings_of(game, field_agent), deals, keep_moves=True)
    result = run_match(plan, options, f'{one} and {other}, each against {game.against(field)}')
    outcome, report, folder = result.outcome, result.report, result.folder
    pairs = Pairs.from_outcome((one, other, field), game.card, game.gains, plan.rules, plan.deals, outcome)
    with closing(Pool(partial(Players, plan, expected=result.agents))) as pool:
        answers = pool.run(partial(_ask, pairs, options.swings), 'explained the games')
    explanation = Explanation.of(game, pairs, outcome, answers)
    groups = explanation.groups
    figures = [game.by_deal(match) for match in explanation.matches]
    results = paired('the same deals in the same seats', (one, other), figures, game.wording.shares)
    report.sections = [results, *groups.values(), *explanation.calibration]
    report.listings.append(explanation.listing)
    report.notes += [f'{len(plan.deals)} deals, each {game.wording.seated}.', *_notes(explanation)]
    replace(folder / 'decisions.csv', explanation.write_decisions)
    if explanation.swings:
        replace(folder / explanation.file, explanation.write_swings)
    result.publish(_figures(explanation, groups), options.report.figures)


def _ask(pairs: Pairs, swings: int, players: Players) -> Answers:
    return ask_agents(players.game, pairs, swings, players.players[:2])


def _notes(explanation: Explanation) -> list[str]:
    """Return notes on groups, values and swings."""
    notes = [*explanation.game.wording.explained, DIVERGENCE_NOTE]
    notes += [f'{name} has no values.' for name in explanation.pairs.names[:2] if name not in explanation.predictions]
    notes += [
        _value_note(explanation.game.wording.counted, name, errors) for name, errors in explanation.errors.items()
    ]
    return [*notes, *[SWING_NOTE.format(explanation.file)] * bool(explanation.swings)]


def _value_note(unit: str, name: str, errors: dict[str, Errors]) -> str:
    luck = ' and '.join(f'{error.by_chance:.3f} in {what}' for what, error in errors.items())
    text = f'{name}: by chance alone, the ECE of this number of deals would be {luck}.'
    if len(errors) > 1:
        return f'{text} Its values are calibrated on games against itself.'
    return f'{text} Its values are read as {unit}; they include a bonus for winning if it was trained with one.'


def _figures(explanation: Explanation, groups: dict[str, Section]) -> dict[str, Callable[[Path], None]]:
    """Return functions that draw the differences by groups, and the calibration."""
    draw: dict[str, Callable[[Path], None]] = {
        name: partial(draw_column, section, DIFFERENCE, explanation.game.wording.axis)
        for name, section in groups.items()
    }
    if explanation.predictions:
        unit = explanation.game.wording.counted
        lines = {
            name: _line(section, unit)
            for name, section in zip(explanation.predictions, explanation.calibration, strict=False)
        }
        label = f'predicted less actual {unit} (95 % intervals)'
        draw['calibration'] = partial(draw_lines, lines=lines, across=f'predicted {unit}', label=label)
    return draw


def _line(section: Section, unit: str) -> list[tuple[float, Estimate]]:
    """Return the errors of predictions by the predictions, from a table of `calibration_table`."""
    predicted, error = (section.columns.index(f'{unit} {word}') for word in (PREDICTED, ERROR))
    pairs = [(row.cells[predicted], row.cells[error]) for row in section.rows]
    return [(mean.mean, error) for mean, error in pairs if mean is not None and error is not None]
