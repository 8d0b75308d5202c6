"""Score people's recorded games against an agent that plays the same deals in the same seats.

Most of a game's result is the luck of the cards. The agent gets the same cards, so the difference has less variance.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, MutableMapping, Sequence
from functools import lru_cache
from hashlib import sha256
from math import inf, isfinite
from typing import Any, ClassVar, NamedTuple

import numpy as np
import rlcard
from numpy.typing import NDArray

from rlcard_kit.game import CardGame
from rlcard_kit.records import Format
from rlcard_kit.statistics import Estimate, estimate
from rlcard_play.study.seated_game import play_out

MAX_PLAYERS = 32  # cached opponents
FEWEST = 5  # games for an interval
MOST_POINTS = 200  # of a curve


class Conditions(NamedTuple):
    """Conditions under which games are comparable."""

    rules: Any
    others: tuple[str, ...]  # names of the other players, the next one first
    aided: bool  # whether advice or a take-back was used


class Result(NamedTuple):
    """The result of one game of a person."""

    payoff: float
    won: bool
    agent: float  # payoff of the agent in the same seat of the same deal
    given_away: float | None  # lost by moves that are clearly not the best; None if unknown
    luck: float | None  # of the cards, 0 in the mean of all deals; None if unknown


class Summary(NamedTuple):
    """Mean results under the same conditions; margins of fewer than FEWEST games are unknown."""

    conditions: Conditions
    games: int
    won: int
    payoff: Estimate
    agent: Estimate  # of the agent in the same seats of the same deals
    difference: Estimate
    less_luck: Estimate | None  # the payoff less the luck of the cards; None if unknown
    given_away: Estimate | None  # None if unknown
    curve: list[list[float]]  # some numbers of games, with the sums of both payoffs in as many first ones

    def to_json(self) -> dict[str, Any]:
        """Return the summary as JSON; an unknown margin is None."""
        rules, others, aided = self.conditions
        names = ('payoff', 'agent', 'difference', 'less_luck', 'given_away')
        figures = {name: _figure(getattr(self, name)) for name in names}
        where = {'rules': rules.to_json(), 'title': rules.title, 'opponents': list(others), 'aided': aided}
        return {**where, 'games': self.games, 'won': self.won, **figures, 'curve': self.curve}


class Judge(ABC):
    """Scores games of a person against the advisor's agent.

    Args:
        advisor: its agent plays the same deals.
        known: results by a checksum of the game, to which new ones are added.
    """

    card: ClassVar[CardGame]
    records: ClassVar[Format[Any]]
    unit: ClassVar[str]
    """Unit of a payoff, in words."""

    def __init__(self, advisor: Any, known: MutableMapping[str, Result] | None = None) -> None:
        self.advisor = advisor
        self._known = {} if known is None else known
        self._player = lru_cache(maxsize=MAX_PLAYERS)(self.make_player)

    def against(self, others: Sequence[str]) -> str:
        """Return in words whom the person played with, by their names, the next one first."""
        return f'against {", ".join(others)}'

    @staticmethod
    @abstractmethod
    def make_player(name: str, rules: Any) -> Any:
        """Make another player from its name and the rules."""

    @abstractmethod
    def deal_of(self, game: Any) -> Hashable:
        """Return the deal of a record; None if it is not wholly known."""

    def payoff(self, payoffs: Sequence[int], seat: int) -> int:
        """Return the payoff of a seat, less that of the other side if it has one of its own."""
        return int(payoffs[seat])

    def given_away(self, game: Any, seat: int) -> float | None:
        """Return what clear mistakes of a seat cost; None if unknown."""
        return None

    def luck(self, game: Any, seat: int) -> float | None:
        """Return the luck of a seat's cards, whose mean over all deals is 0; None if unknown."""
        return None

    def result(self, game: Any, seat: int) -> Result:
        """Return the result of the person in a seat of a finished game, computed once."""
        key = sha256(self.records.to_json(game).encode()).hexdigest()[:32]
        if key not in self._known:
            payoff, agent = self.payoff(game.payoffs, seat), self.payoff(self._payoffs_of_agent(game, seat), seat)
            won = bool(self.card.wins(np.array(game.payoffs))[seat])
            self._known[key] = Result(payoff, won, agent, self.given_away(game, seat), self.luck(game, seat))
        return self._known[key]

    def _payoffs_of_agent(self, game: Any, seat: int) -> Sequence[int]:
        """Return the payoffs if the agent plays in a seat of the same deal, with the same others."""
        env = rlcard.make(self.records.key, config={'seed': 0, 'game_rules': game.rules})
        env.reset(position=game.at(0))
        others = (*game.seats[:seat], *game.seats[seat + 1 :])
        agents = [self._player(str(known.get('name')), game.rules) for known in others]
        play_out(env, [*agents[:seat], self.advisor.agent, *agents[seat:]])
        payoffs: Sequence[int] = env.get_payoffs().tolist()
        return payoffs

    def results(self, games: Iterable[Any]) -> dict[Conditions, list[Result]]:
        """Return results by conditions; each deal counts only the first time it is played."""
        found: dict[Conditions, list[Result]] = {}
        seen: set[Hashable] = set()
        for game in games:
            seat, deal = person_of(game), self.deal_of(game)
            place = game.rules, deal, seat
            if seat is None or deal is None or game.extra.get('first_time') is False or place in seen:
                continue
            seen.add(place)
            found.setdefault(_conditions(game, seat), []).append(self.result(game, seat))
        return found

    def summaries(self, games: Iterable[Any]) -> list[Summary]:
        """Summarise the results of games, one summary for each set of conditions."""
        return [_summary(conditions, group) for conditions, group in self.results(games).items()]


def person_of(game: Any) -> int | None:
    """Return the seat of the only person in a finished game, or None."""
    people = [seat for seat, known in enumerate(game.seats or ()) if known.get('kind') == 'person']
    return people[0] if game.payoffs is not None and len(people) == 1 else None


def others_of(game: Any) -> set[str]:
    """Return the names of the agents in a game."""
    return {str(seat.get('name')) for seat in game.seats or () if seat.get('kind') != 'person'}


def _conditions(game: Any, seat: int) -> Conditions:
    names = [str(known.get('name')) for known in game.seats]
    return Conditions(game.rules.after(None), (*names[seat + 1 :], *names[:seat]), bool(game.extra.get('help')))


def _summary(conditions: Conditions, group: Sequence[Result]) -> Summary:
    payoffs, agents = (np.array([getattr(one, name) for one in group]) for name in ('payoff', 'agent'))
    counts = np.unique(np.linspace(1, len(group), MOST_POINTS).round()).astype(int)
    sums = np.cumsum([payoffs, agents], axis=1)[:, counts - 1]
    lost = [one.given_away for one in group if one.given_away is not None]
    less_luck = [one.payoff - one.luck for one in group if one.luck is not None]
    return Summary(
        conditions,
        games=len(group),
        won=sum(one.won for one in group),
        payoff=_estimate(payoffs),
        agent=_estimate(agents),
        difference=_estimate(payoffs - agents),
        less_luck=_estimate(np.array(less_luck)) if less_luck else None,
        given_away=_estimate(np.array(lost)) if lost else None,
        curve=np.vstack([counts, sums]).T.tolist(),
    )


def _estimate(figures: NDArray[Any]) -> Estimate:
    found = estimate(figures)
    return found if len(figures) >= FEWEST else found._replace(margin=inf)


def _figure(figure: Estimate | None) -> dict[str, float | None] | None:
    if figure is None:
        return None
    return {'mean': figure.mean, 'margin': figure.margin if isfinite(figure.margin) else None}
