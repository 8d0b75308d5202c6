"""`explain`: differences between two agents, and the decisions that caused them."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from typing_extensions import override
from tyro.conf import Positional, arg

from eval.big2.explanation import MOST_DEALS, MOST_SWINGS, Explanation, ask_agents, seatings_of
from eval.big2.pairs import Pairs
from eval.big2.swings import SWINGS
from eval.big2.values import CARDS, ERROR, PREDICTED, Errors
from eval.figures import draw_lines
from eval.games import GAMES
from eval.options import Options
from eval.players import Players
from eval.report import draw_column
from eval.runner import run_match
from eval.tables import DIFFERENCE, Section, paired
from eval.workers import Pool
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.bounds import AtLeast, AtMost
from rlcard_kit.duplicate.match import matches_of
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import replace
from rlcard_kit.statistics import Estimate

DIVERGENCE_NOTE = (
    'Games of the same deal and seat diverge at the first move that differs. The part of the whole is the share of the '
    'games times their difference: its sum is the difference in EV.'
)
SWING_NOTE = (
    f'Of each swing, {SWINGS} holds the game of the first agent and then that of the second: big2 replay {SWINGS} '
    '--game 1. Opinions are the values of the two moves or their probabilities. A swing includes the '
    'luck of the cards that follow.'
)
HAND_NOTE = "A hand's strength is the cost of the rule agent's plan for it, in turns; see price_hands in agents/rule.py"


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(Options):
    """Compare A and B by the hand, the turn, the phase of the game and their values, and list the biggest swings.

    Each plays every deal in each of the four seats, among three of the same field.

    Try
      explain rule big2-dmc
      explain dmc:runs/one dmc:runs/two --against big2-dmc --deals 3000
      big2 replay FOLDER/swings.big2.jsonl --game 1
    """

    agents: Annotated[tuple[str, str], Positional, arg(metavar='A B')]
    """The two agents, different."""
    against: Annotated[str | None, arg(metavar='AGENT')] = None
    """The field, in the other three seats; by default B."""
    swings: Annotated[int, AtLeast(0), AtMost(MOST_SWINGS), arg(metavar='N')] = 20
    """Number of swings to keep as games: half of those in which A did better, and half of the others."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.rules, Rules):
            raise ConfigError(f'game={self.game.game}: explain knows {GAMES["big2"].title} alone')
        self.rules.need_usual_size('explain')
        if self.agents[0] == self.agents[1]:
            raise ConfigError(f'agents={" ".join(self.agents)}: name two that differ')
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
    place = names.index(options.against or options.agents[1])
    one, other, field = called[0], called[1], called[place]
    deals = options.game.make_deals()
    if len(deals) > MOST_DEALS:
        raise ConfigError(f'{options.game.deals_file} holds {len(deals):,} deals: explain takes at most {MOST_DEALS:,}')
    plan = options.plan(names, seatings_of(place), deals, keep_moves=True)
    title = f'{one} and {other}, each against three of {field}'
    result = run_match(plan, options, title)
    outcome, report, folder, _ = result
    pairs = Pairs.from_outcome((one, other, field), find_rules(plan.rules.text), plan.deals, outcome)
    with closing(Pool(partial(Players, plan))) as pool:
        answers = pool.run(partial(_ask, pairs, options.swings), 'explained the games')
    found = Explanation(pairs, matches_of(BIG2, outcome), *answers)
    groups = found.groups
    results = paired('the same deals in the same seats', (one, other), *map(options.evaluated.by_deal, found.matches))
    report.sections = [results, *groups.values(), *found.calibration]
    report.listings.append(found.listing)
    report.notes += [f'{len(plan.deals)} deals, each in all four seats.', HAND_NOTE, DIVERGENCE_NOTE, *_notes(found)]
    replace(folder / 'decisions.csv', found.write_decisions)
    if found.swings:
        replace(folder / SWINGS, found.write_swings)
    result.publish(_figures(found, groups, options.report.figures))


def _ask(pairs: Pairs, swings: int, players: Players) -> Any:
    return ask_agents(pairs, swings, players.players[:2])


def _notes(found: Explanation) -> list[str]:
    """Return notes on values and swings."""
    notes = [f'{name} has no values.' for name in found.pairs.names[:2] if name not in found.predictions]
    notes += [_value_note(name, errors) for name, errors in found.errors.items()]
    return [*notes, *[SWING_NOTE] * bool(found.swings)]


def _value_note(name: str, errors: dict[str, Errors]) -> str:
    luck = ' and '.join(f'{found.by_chance:.3f} in {what}' for what, found in errors.items())
    text = f'{name}: by chance alone, the ECE of this number of deals would be {luck}.'
    if len(errors) > 1:
        return f'{text} Its values are calibrated on games against itself.'
    return f'{text} Its values are read as cards; they include a bonus for winning if it was trained with one.'


def _figures(
    found: Explanation, groups: dict[str, Section], formats: tuple[str, ...]
) -> dict[str, Callable[[Path], bool]]:
    """Return functions that draw the differences by groups, and the calibration."""
    draw: dict[str, Callable[[Path], bool]] = {
        name: partial(draw_column, section, DIFFERENCE, GAMES['big2'].axis) for name, section in groups.items()
    }
    if found.predictions:
        lines = {name: _line(section) for name, section in zip(found.predictions, found.calibration, strict=False)}
        label = 'predicted less actual cards (95 % intervals)'
        draw['calibration'] = partial(draw_lines, lines=lines, across='predicted cards', label=label)
    return {f'{name}.{kind}': function for name, function in draw.items() for kind in formats}


def _line(section: Section) -> list[tuple[float, Estimate]]:
    """Return the errors of predictions by the predictions, from a table of `calibration_table`."""
    predicted, error = (section.columns.index(f'{CARDS} {word}') for word in (PREDICTED, ERROR))
    pairs = [(row.cells[predicted], row.cells[error]) for row in section.rows]
    return [(mean.mean, error) for mean, error in pairs if mean is not None and error is not None]
