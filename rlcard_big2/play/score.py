"""How people did in recorded games, beside an agent in the same seats of the same deals.

The cards decide most of what a game brings. The agent gets the same ones, so the difference tells more than results do.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import rlcard

from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.intervals import Estimate, estimate
from rlcard_big2.play.advice import CLOSE, Advisor, make_player
from rlcard_big2.play.review import decisions
from rlcard_big2.play.screen import Style
from rlcard_big2.play.table import play_out
from rlcard_big2.records import Record
from rlcard_big2.rules import Rules


class Conditions(NamedTuple):
    """What makes games comparable."""

    rules: Rules
    opponents: tuple[str, ...]  # the next one first
    aided: bool  # whether advice was asked for or a move taken back


class Result(NamedTuple):
    """A game of a person."""

    payoff: int
    agents: int  # payoff of the agent in the same seat of the same deal
    given_away: float | None  # cards, by choices that can be told from the best; None if values are not calibrated


def person_of(game: Record) -> int | None:
    """Return the seat of the only person in a game that was played to its end with all hands known, or None."""
    people = [seat for seat, known in enumerate(game.seats or ()) if known.get('kind') == 'person']
    is_whole = game.payoffs is not None and game.before is None and None not in game.hands
    return people[0] if is_whole and len(people) == 1 else None


def results(games: Iterable[Record], advisor: Advisor) -> dict[Conditions, list[Result]]:
    """Return the results of people by conditions; a deal that was played before does not count again."""
    found: dict[Conditions, list[Result]] = {}
    seen: set[tuple[object, ...]] = set()
    for game in games:
        seat = person_of(game)
        if seat is None or (game.rules, game.hands, seat) in seen:
            continue
        seen.add((game.rules, game.hands, seat))
        found.setdefault(_conditions(game, seat), []).append(_result(game, seat, advisor))
    return found


def _conditions(game: Record, seat: int) -> Conditions:
    names = [str(known.get('name')) for known in game.seats or ()]
    opponents = tuple(names[(seat + i) % NUM_PLAYERS] for i in range(1, NUM_PLAYERS))
    return Conditions(game.rules, opponents, bool(game.extra.get('help')))


def _result(game: Record, seat: int, advisor: Advisor) -> Result:
    costly = [one for one in decisions(game, advisor) if one.seat == seat and one.chosen.gap >= CLOSE]
    calibration = advisor.calibration(game.rules)
    given_away = None if calibration is None else sum((one.best.cards or 0) - (one.chosen.cards or 0) for one in costly)
    return Result((game.payoffs or ())[seat], _agents_payoff(game, seat, advisor), given_away)


def _agents_payoff(game: Record, seat: int, advisor: Advisor) -> int:
    """Return what the agent wins in a seat of a deal, against the same opponents."""
    env = rlcard.make('big2', config={'seed': 0, 'game_rules': game.rules})
    env.reset(position=game.at(0))
    agents: list[Any] = [
        advisor.agent if i == seat else _opponent(str(known.get('name')), game.rules)
        for i, known in enumerate(game.seats or ())
    ]
    play_out(env, agents)
    return int(env.get_payoffs()[seat])


_opponent = cache(make_player)


def score_lines(games: list[Record], advisor: Advisor, style: Style) -> Iterator[str]:
    """Write how people did, for all conditions under which they played."""
    found = results(games, advisor)
    for conditions, group in found.items():
        yield from _group_lines(conditions, group, advisor, style)
    skipped = len(games) - sum(map(len, found.values()))
    if skipped:
        yield f' {skipped:,} records do not count: without one person and an end, or of a deal that was played before.'


def _group_lines(conditions: Conditions, group: list[Result], advisor: Advisor, style: Style) -> Iterator[str]:
    """Write how people did under some conditions."""
    payoffs, agents = (np.array(column) for column in list(zip(*group, strict=True))[:2])
    lost = [one.given_away for one in group if one.given_away is not None]
    opponents = ', '.join(conditions.opponents)
    yield f' {conditions.rules.title}, against {opponents}, with{"" if conditions.aided else "out"} help'
    figures = {
        'games won': f'{(payoffs > 0).sum():,} of {len(group):,}',
        'cards won a game': _text(estimate(payoffs)),
        f'{advisor.name} in the same seat of the same deals': _text(estimate(agents)),
        'difference': _text(estimate(payoffs - agents)),
    }
    if lost:
        figures['cards given away a game by choices'] = _text(estimate(np.array(lost)))
    for name, figure in figures.items():
        yield style.line('   ', [f'{name}:', figure], ' ')


def _text(figure: Estimate) -> str:
    margin = f'{figure.margin:.2f}' if isfinite(figure.margin) else 'unknown'
    return f'{figure.mean:+.2f} ± {margin}'
