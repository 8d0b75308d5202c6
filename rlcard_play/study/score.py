"""Score people's recorded games against an agent that plays the same deals in the same seats.

Most of a game's result is the luck of the cards. The agent gets the same cards, so the difference has less variance.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, MutableMapping, Sequence
from functools import lru_cache
from hashlib import sha256
from math import inf, isfinite
from typing import Any, ClassVar, Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.game import CardGame
from rlcard_kit.records import Format
from rlcard_kit.rng import new_streams
from rlcard_kit.rules import Rulebook
from rlcard_kit.statistics import Estimate, estimate
from rlcard_play.study.protocols import Advisor, GameRecord, Json, Record
from rlcard_play.study.review import new_env
from rlcard_play.study.seated_game import play_out

MAX_PLAYERS = 32  # cached opponents
FEWEST = 5  # games for an interval
MOST_POINTS = 200  # of a curve
SEED = 0  # of the draws of agents that are compared with everybody's results


class Conditions(NamedTuple):
    """Conditions under which games are comparable."""

    rules: Rulebook
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

    def to_json(self) -> Json:
        """Return the summary as JSON; an unknown margin is None."""
        rules, others, aided = self.conditions
        names = ('payoff', 'agent', 'difference', 'less_luck', 'given_away')
        figures = {name: _figure(getattr(self, name)) for name in names}
        where = {'rules': rules.to_json(), 'title': rules.title, 'opponents': list(others), 'aided': aided}
        return {**where, 'games': self.games, 'won': self.won, **figures, 'curve': self.curve}


class Judge(ABC, Generic[Record]):
    """Scores games of a person against the advisor's agent.

    Args:
        advisor: its agent plays the same deals.
        known: results by a checksum of the game, to which new ones are added.
    """

    card: ClassVar[CardGame]
    records: ClassVar[Format[Any]]
    unit: ClassVar[str]
    """Unit of a payoff, in words."""

    def __init__(self, advisor: Advisor, known: MutableMapping[str, Result] | None = None) -> None:
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
    def deal_of(self, game: Record) -> Hashable:
        """Return the deal of a record; None if it is not wholly known."""

    def payoff(self, payoffs: Sequence[int], seat: int) -> int:
        """Return the payoff of a seat, less that of the other side if it has one of its own."""
        return int(payoffs[seat])

    def given_away(self, game: Record, seat: int) -> float | None:
        """Return what clear mistakes of a seat cost; None if unknown."""
        return None

    def luck(self, game: Record, seat: int) -> float | None:
        """Return the luck of a seat's cards, whose mean over all deals is 0; None if unknown."""
        return None

    def result(self, game: Record, seat: int) -> Result:
        """Return the result of the person in a seat of a finished game, computed once."""
        key = sha256(self.records.to_json(game).encode()).hexdigest()[:32]
        if key not in self._known:
            assert game.payoffs is not None
            payoff, agent = self.payoff(game.payoffs, seat), self.payoff(self._payoffs_of_agent(game, seat), seat)
            won = bool(self.card.wins(np.array(game.payoffs))[seat])
            self._known[key] = Result(payoff, won, agent, self.given_away(game, seat), self.luck(game, seat))
        return self._known[key]

    def _payoffs_of_agent(self, game: Record, seat: int) -> Sequence[int]:
        """Return the payoffs if the agent plays in a seat of the same deal, with the same others."""
        agents = [self._player(name, game.rules) for i, name in enumerate(_names(game)) if i != seat]
        return self._play(game, [*agents[:seat], self.advisor.agent, *agents[seat:]])

    def payoff_of(self, name: str, deal: Record) -> int:
        """Return the payoff of an agent in the first seat of a deal, among advisors; it is always the same, by SEED."""
        agent = _Seeded(self.make_player(name, deal.rules))
        return self.payoff(self._play(deal, [agent, *[self.advisor.agent] * (deal.rules.players - 1)]), 0)

    def _play(self, game: Record, agents: Sequence[Any]) -> Sequence[int]:
        env = new_env(self.records.key, game.rules)
        env.reset(position=game.at(0))
        play_out(env, agents)
        payoffs: Sequence[int] = env.get_payoffs().tolist()
        return payoffs

    def results(self, games: Iterable[Record]) -> dict[Conditions, list[Result]]:
        """Return results by conditions; each deal counts only the first time it is played."""
        results: dict[Conditions, list[Result]] = {}
        counted: set[Hashable] = set()
        for game in games:
            seat, deal = person_of(game), self.deal_of(game)
            played = game.rules, deal, seat
            if seat is None or deal is None or game.extra.get('first_time') is False or played in counted:
                continue
            counted.add(played)
            results.setdefault(_conditions(game, seat), []).append(self.result(game, seat))
        return results

    def summaries(self, games: Iterable[Record]) -> list[Summary]:
        """Summarise the results of games, one summary for each set of conditions."""
        return [_summary(conditions, group) for conditions, group in self.results(games).items()]


class _Seeded:
    """An agent whose draws are those of SEED."""

    use_raw = False

    def __init__(self, agent: Any) -> None:
        self._agent, self._stream = agent, new_streams(SEED, 1)

    def eval_step(self, state: Json) -> tuple[int, Json]:
        decision = self._agent.choose(self._agent.positions_of(state), self._stream)
        return list(state['legal_actions'])[decision.indices[0]], {}


def person_of(game: GameRecord) -> int | None:
    """Return the seat of the only person in a finished game, or None."""
    people = [seat for seat, known in enumerate(game.seats or ()) if known.get('kind') == 'person']
    return people[0] if game.payoffs is not None and len(people) == 1 else None


def others_of(game: GameRecord) -> set[str]:
    """Return the names of the agents in a game."""
    return {str(seat.get('name')) for seat in game.seats or () if seat.get('kind') != 'person'}


def _conditions(game: GameRecord, seat: int) -> Conditions:
    names = _names(game)
    return Conditions(game.rules.after(None), (*names[seat + 1 :], *names[:seat]), bool(game.extra.get('help')))


def _names(game: GameRecord) -> list[str]:
    return [str(player.get('name')) for player in game.seats or ()]


def _summary(conditions: Conditions, group: Sequence[Result]) -> Summary:
    payoffs, agents = (np.array([getattr(result, name) for result in group]) for name in ('payoff', 'agent'))
    counts = np.unique(np.linspace(1, len(group), MOST_POINTS).round()).astype(int)
    sums = np.cumsum([payoffs, agents], axis=1)[:, counts - 1]
    lost = [result.given_away for result in group if result.given_away is not None]
    less_luck = [result.payoff - result.luck for result in group if result.luck is not None]
    return Summary(
        conditions,
        games=len(group),
        won=sum(result.won for result in group),
        payoff=_estimate(payoffs),
        agent=_estimate(agents),
        difference=_estimate(payoffs - agents),
        less_luck=_estimate(np.array(less_luck)) if less_luck else None,
        given_away=_estimate(np.array(lost)) if lost else None,
        curve=np.vstack([counts, sums]).T.tolist(),
    )


def _estimate(figures: NDArray[Any]) -> Estimate:
    known = estimate(figures)
    return known if len(figures) >= FEWEST else known._replace(margin=inf)


def _figure(figure: Estimate | None) -> Json | None:
    if figure is None:
        return None
    return {'mean': figure.mean, 'margin': figure.margin if isfinite(figure.margin) else None}
