"""How people did in recorded games, beside an agent in the same seats of the same deals.

The cards decide most of what a game brings. The agent gets the same ones, so the difference tells more than results do.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import rlcard

from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.records import Record
from rlcard_big2.rules import Rules
from rlcard_big2.study.advice import CLOSE, Advisor, make_player
from rlcard_big2.study.game import play_out
from rlcard_big2.study.review import decisions
from rlcard_big2.terminal.formatting import Style
from rlcard_kit.statistics import Estimate, estimate

MOST_PLAYERS = 32  # opponents that are kept for the next game


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


class Judge:
    """Says how a person did in a game, beside an agent.

    Args:
        advisor: whose agent plays the same deals, and whose values say what choices gave away.
        player: makes an opponent by its name, for rules.
    """

    def __init__(self, advisor: Advisor, player: Callable[[str, Rules], Any] = make_player) -> None:
        self.advisor = advisor
        self._player = lru_cache(maxsize=MOST_PLAYERS)(player)

    def result(self, game: Record, seat: int) -> Result:
        """Return the result of the person in a seat of a game that has ended."""
        own = [one for one in decisions(game, self.advisor) if one.seat == seat and one.chosen.gap >= CLOSE]
        calibration = self.advisor.calibration(game.rules)
        lost = None if calibration is None else sum((one.best.cards or 0) - (one.chosen.cards or 0) for one in own)
        return Result((game.payoffs or ())[seat], self._agents_payoff(game, seat), lost)

    def _agents_payoff(self, game: Record, seat: int) -> int:
        """Return what the agent wins in a seat of a deal, against the same opponents."""
        env = rlcard.make('big2', config={'seed': 0, 'game_rules': game.rules})
        env.reset(position=game.at(0))
        agents: list[Any] = [
            self.advisor.agent if i == seat else self._player(str(known.get('name')), game.rules)
            for i, known in enumerate(game.seats or ())
        ]
        play_out(env, agents)
        return int(env.get_payoffs()[seat])


def results(games: Iterable[Record], judge: Judge) -> dict[Conditions, list[Result]]:
    """Return the results of people by conditions; a deal that was played before does not count again."""
    found: dict[Conditions, list[Result]] = {}
    seen: set[tuple[object, ...]] = set()
    for game in games:
        seat = person_of(game)
        played_before = game.extra.get('first_time') is False
        if seat is None or played_before or (game.rules, game.hands, seat) in seen:
            continue
        seen.add((game.rules, game.hands, seat))
        found.setdefault(_conditions(game, seat), []).append(judge.result(game, seat))
    return found


def _conditions(game: Record, seat: int) -> Conditions:
    names = [str(known.get('name')) for known in game.seats or ()]
    opponents = tuple(names[(seat + i) % NUM_PLAYERS] for i in range(1, NUM_PLAYERS))
    return Conditions(game.rules, opponents, bool(game.extra.get('help')))


class Summary(NamedTuple):
    """How people did under some conditions."""

    conditions: Conditions
    games: int
    won: int
    payoff: Estimate  # cards a game
    agent: Estimate  # what the agent won in the same seats of the same deals
    difference: Estimate
    given_away: Estimate | None  # cards a game, by choices; None if values are not calibrated

    def to_json(self) -> dict[str, Any]:
        """Return it by name; a margin that is unknown is None."""
        rules, opponents, aided = self.conditions
        figures = {name: _figure(getattr(self, name)) for name in ('payoff', 'agent', 'difference', 'given_away')}
        where = {'rules': rules.to_json(), 'title': rules.title, 'opponents': list(opponents), 'aided': aided}
        return {**where, 'games': self.games, 'won': self.won, **figures}


def _figure(figure: Estimate | None) -> dict[str, float | None] | None:
    if figure is None:
        return None
    return {'mean': figure.mean, 'margin': figure.margin if isfinite(figure.margin) else None}


def summaries(found: Mapping[Conditions, Sequence[Result]]) -> list[Summary]:
    """Return how people did, for all conditions under which they played."""
    return [_summary(conditions, group) for conditions, group in found.items()]


def _summary(conditions: Conditions, group: Sequence[Result]) -> Summary:
    payoffs, agents = (np.array(column) for column in list(zip(*group, strict=True))[:2])
    lost = [one.given_away for one in group if one.given_away is not None]
    return Summary(
        conditions,
        games=len(group),
        won=int((payoffs > 0).sum()),
        payoff=estimate(payoffs),
        agent=estimate(agents),
        difference=estimate(payoffs - agents),
        given_away=estimate(np.array(lost)) if lost else None,
    )


def score_lines(games: list[Record], advisor: Advisor, style: Style) -> Iterator[str]:
    """Write how people did, for all conditions under which they played."""
    found = summaries(results(games, Judge(advisor)))
    for group in found:
        yield from _group_lines(group, advisor, style)
    skipped = len(games) - sum(group.games for group in found)
    if skipped:
        yield f' {skipped:,} records do not count: without one person and an end, or of a deal that was played before.'


def _group_lines(group: Summary, advisor: Advisor, style: Style) -> Iterator[str]:
    """Write how people did under some conditions."""
    rules, opponents, aided = group.conditions
    yield f' {rules.title}, against {", ".join(opponents)}, with{"" if aided else "out"} help'
    figures = {
        'games won': f'{group.won:,} of {group.games:,}',
        'cards won a game': _text(group.payoff),
        f'{advisor.name} in the same seat of the same deals': _text(group.agent),
        'difference': _text(group.difference),
    }
    if group.given_away is not None:
        figures['cards given away a game by choices'] = _text(group.given_away)
    for name, figure in figures.items():
        yield style.line('   ', [f'{name}:', figure], ' ')


def _text(figure: Estimate) -> str:
    margin = f'{figure.margin:.2f}' if isfinite(figure.margin) else 'unknown'
    return f'{figure.mean:+.2f} ± {margin}'
