"""Score people's recorded games against an agent that plays the same deals in the same seats.

Most of a game's result is the luck of the cards. The agent gets the same cards, so the difference has less variance.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np
import rlcard
from numpy.typing import NDArray

from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.records import Record
from rlcard_big2.rules import Rules
from rlcard_big2.study.advice import CLOSE, Advisor, make_player
from rlcard_big2.study.review import review
from rlcard_kit.envs.seated_game import play_out
from rlcard_kit.statistics import Estimate, estimate

MAX_PLAYERS = 32  # cached opponents
FEWEST = 5  # games for an interval


class Conditions(NamedTuple):
    """Conditions under which games are comparable."""

    rules: Rules
    opponents: tuple[str, ...]  # the next one first
    aided: bool  # whether advice or a take-back was used


class Result(NamedTuple):
    """The result of one game of a person."""

    payoff: int
    agents: int  # payoff of the agent in the same seat of the same deal
    given_away: float | None  # cards lost by moves that are clearly not the best; None if values are not calibrated


def person_of(game: Record) -> int | None:
    """Return the seat of the only person in a finished game with all hands known, or None."""
    people = [seat for seat, known in enumerate(game.seats or ()) if known.get('kind') == 'person']
    is_whole = game.payoffs is not None and game.before is None and None not in game.hands
    return people[0] if is_whole and len(people) == 1 else None


class Judge:
    """Scores games of a person against the advisor's agent.

    Args:
        advisor: its agent plays the same deals, and its values measure the losses.
        player: makes an opponent from its name and the rules.
    """

    def __init__(self, advisor: Advisor, player: Callable[[str, Rules], Any] = make_player) -> None:
        self.advisor = advisor
        self._player = lru_cache(maxsize=MAX_PLAYERS)(player)

    def result(self, game: Record, seat: int) -> Result:
        """Return the result of the person in a seat of a finished game."""
        own = [one for one in review(game, self.advisor) if one.seat == seat and one.chosen.gap >= CLOSE]
        calibration = self.advisor.calibration(game.rules)
        lost = None if calibration is None else sum((one.best.cards or 0) - (one.chosen.cards or 0) for one in own)
        return Result((game.payoffs or ())[seat], self._agents_payoff(game, seat), lost)

    def _agents_payoff(self, game: Record, seat: int) -> int:
        """Return the payoff of the agent in the same seat of the same deal, against the same opponents."""
        env = rlcard.make('big2', config={'seed': 0, 'game_rules': game.rules})
        env.reset(position=game.at(0))
        agents: list[Any] = [
            self.advisor.agent if i == seat else self._player(str(known.get('name')), game.rules)
            for i, known in enumerate(game.seats or ())
        ]
        play_out(env, agents)
        return int(env.get_payoffs()[seat])


def results(games: Iterable[Record], judge: Judge) -> dict[Conditions, list[Result]]:
    """Return results by conditions; each deal counts only the first time it is played."""
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
    """Mean results under the same conditions; margins of fewer than FEWEST games are unknown."""

    conditions: Conditions
    games: int
    won: int
    payoff: Estimate  # cards a game
    agent: Estimate  # of the agent in the same seats of the same deals
    difference: Estimate
    given_away: Estimate | None  # cards a game; None if values are not calibrated

    def to_json(self) -> dict[str, Any]:
        """Return the summary as JSON; an unknown margin is None."""
        rules, opponents, aided = self.conditions
        figures = {name: _figure(getattr(self, name)) for name in ('payoff', 'agent', 'difference', 'given_away')}
        where = {'rules': rules.to_json(), 'title': rules.title, 'opponents': list(opponents), 'aided': aided}
        return {**where, 'games': self.games, 'won': self.won, **figures}


def _figure(figure: Estimate | None) -> dict[str, float | None] | None:
    if figure is None:
        return None
    return {'mean': figure.mean, 'margin': figure.margin if isfinite(figure.margin) else None}


def summaries(found: Mapping[Conditions, Sequence[Result]]) -> list[Summary]:
    """Summarise results, one summary for each set of conditions."""
    return [_summary(conditions, group) for conditions, group in found.items()]


def _summary(conditions: Conditions, group: Sequence[Result]) -> Summary:
    payoffs, agents = (np.array(column) for column in list(zip(*group, strict=True))[:2])
    lost = [one.given_away for one in group if one.given_away is not None]
    return Summary(
        conditions,
        games=len(group),
        won=int((payoffs > 0).sum()),
        payoff=_estimate(payoffs),
        agent=_estimate(agents),
        difference=_estimate(payoffs - agents),
        given_away=_estimate(np.array(lost)) if lost else None,
    )


def _estimate(figures: NDArray[Any]) -> Estimate:
    found = estimate(figures)
    return found if len(figures) >= FEWEST else found._replace(margin=inf)
