"""Description of a game for the server and its page."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from rlcard_kit.errors import RecordError
from rlcard_kit.records import Format
from rlcard_kit.rules import Rulebook
from rlcard_play.study.grades import check_grades
from rlcard_play.study.refusals import Refusal
from rlcard_play.study.score import Judge
from rlcard_play.study.seated_game import SeatedGame

SEEDED = re.compile(r'([0-9]{1,10})/([0-9]{1,5})')  # seed/number
MAX_SEED = (1 << 32) - 1

Json = dict[str, Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class PlayedGame:
    """A game as the server needs it: its parts, views as JSON, and study.

    Its own advisor has `advise(state)`; a reviewed move has `ply`, `seat`, `advice` and `to_json()`.
    """

    title: str
    seated: type[SeatedGame]
    rules: type[Rulebook]
    default_rules: str
    """Preset of requests without rules."""
    free_rules: str
    """Preset by which the first move is a choice, to warm agents up."""
    agents: tuple[str, ...]
    """Names of the agents that may be seated; the first is the advisor's."""
    static: Path
    """Folder of the page's modules and strings of this game."""

    make_agent: Callable[[str, Any], Any]
    """Make an agent from its name and the rules."""
    make_advisor: Callable[[str, Any], Any]
    """Make an advisor, likewise."""

    seat_view: Callable[[Any, int | None], Json]
    """Return the view of a seat of a `seated` game, or of a spectator: nothing that its player may not see."""
    end_view: Callable[[Any], Json]
    """Return what everybody sees of a finished `seated` game, besides the payoffs."""
    position_view: Callable[[Any, int | None], Json]
    """Return the view of the last position of a record: all hands, or that of one seat."""

    deal_code: Callable[[Any], str]
    """Return the code of a record's deal, which `find_deal` reads."""
    deal_key: Callable[[Mapping[str, Any]], str]
    """Return a key of the deal of a record as JSON; '' if hands are unknown."""
    find_deal: Callable[[str, Any], Any]
    """Return the deal of a code, or of `seed/number`, as a record of some rules; None if the text is neither."""

    refusal: Callable[[Json, str], Refusal]
    """Return why a move is not legal in a state of the seat to move, from what that seat sees."""
    open_position: Callable[[Any], Json]
    """Return the state of the seat to move in the last position of a record; RecordError if there is none."""
    review: Callable[[Any, Any], Iterable[Any]]
    """Return the reviewed moves of a record, given an advisor."""
    worst: Callable[[Iterable[Any]], Sequence[Any]]
    """Return the worst of reviewed moves, without any that is close to the best."""
    advice_json: Callable[[Any, Any, Any], Json]
    """Return advice as JSON with 'moves', the best first, given the advisor, the advice and the rules."""
    look: Callable[[Any, Json], Json]
    """Return a rollout analysis of a state as JSON, given an advisor."""

    plays: Callable[[str, Any], bool] = lambda name, rules: True
    """Return whether an agent plays by some rules."""
    rule_facts: Callable[[Any], Json]
    """Return what the page of some rules shows, besides their fields."""
    judge: type[Judge]
    """Scores games, given an advisor."""
    puzzles: Path
    """File of the puzzles."""
    is_right: Callable[[Any, str, Any], bool]
    """Return whether a move solves a puzzle, given advice on it; RecordError if it is not legal."""

    def refuted(self, advisor: Any, record: Any) -> frozenset[int]:
        """Return the plies of a record's moves whose marks rollouts refute, given an advisor."""
        marked = [one for one in self.review(record, advisor) if one.to_json()['mark']]
        return check_grades(advisor, record, marked, self.open_position).refuted

    def confirmed_worst(self, advisor: Any, record: Any, seats: Iterable[int]) -> dict[int, list[Json]]:
        """Return the costliest moves of some seats of a record as JSON, if rollouts confirm them."""
        reviewed = list(self.review(record, advisor))
        worst = {seat: self.worst(one for one in reviewed if one.seat == seat) for seat in seats}
        checked = check_grades(advisor, record, list(chain.from_iterable(worst.values())), self.open_position)
        return {seat: [one.to_json() for one in own if one.ply in checked.confirmed] for seat, own in worst.items()}

    @property
    def records(self) -> Format[Any]:
        """The format of its records."""
        return self.seated.records

    @property
    def key(self) -> str:
        """The name of its environment."""
        return self.records.key

    @property
    def advisor(self) -> str:
        """The agent that gives advice, and stands in for people."""
        return self.agents[0]

    def agents_for(self, rules: Any) -> list[str]:
        """Return the agents that play by some rules."""
        return [name for name in self.agents if self.plays(name, rules)]

    def options(self) -> Json:
        """Return the options of new tables."""
        rules = [
            {
                'name': name,
                'title': rules.title,
                'fields': rules.fields(),
                'seats': rules.players,
                'agents': self.agents_for(rules),
            }
            for name, rules in self.rules.presets().items()
        ]
        about = {'game': self.key, 'title': self.title, 'default_rules': self.default_rules}
        return {**about, 'rules': rules, 'agents': list(self.agents), 'advisor': self.advisor}


def game_of(record: object, games: Mapping[str, PlayedGame]) -> PlayedGame:
    """Return the game that a record as JSON names by a key; the default if it names none."""
    named = [game for key, game in games.items() if isinstance(record, Mapping) and key in record]
    return (named or list(games.values()))[0]


def parse_seeded(text: str) -> tuple[int, int] | None:
    """Return the seed and the number of a deal `seed/number`, or None; RecordError if the seed is too large."""
    found = SEEDED.fullmatch(text)
    if found is None:
        return None
    seed, number = map(int, found.groups())
    if seed > MAX_SEED:
        raise RecordError(f'the seed {seed} is too large: the maximum is {MAX_SEED}')
    return seed, number
