"""Description of a game for the people's rooms: its parts, views as JSON, and study."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_data_path

from rlcard_kit.bounds import choices_of
from rlcard_kit.errors import CardError, RecordError
from rlcard_kit.records import Format
from rlcard_kit.rules import Rulebook
from rlcard_play.study.protocols import Advisor, GameRecord, Json, State
from rlcard_play.study.review import LISTED, Reviewed, check_grades
from rlcard_play.study.score import Judge
from rlcard_play.study.seated_game import SeatedGame

SEEDED = re.compile(r'([0-9]{1,10})/([0-9]{1,5})')  # seed/number
MAX_SEED = (1 << 32) - 1
MAX_WORD = 20  # characters of an entry in a reason


class Refusal(NamedTuple):
    """Why a move is not legal.

    Args:
        reason: a code, for which the page has a sentence.
        values: of the sentence; 'cards' and 'beat' are cards as text, 'suit' is a letter.
    """

    reason: str
    values: Mapping[str, str | int] = {}


@dataclass(frozen=True, eq=False, kw_only=True)
class PlayedGame:
    """A game as server, terminal and study need it; its functions take and return the types of its own rooms."""

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
    make_advisor: Callable[[str, Any], Advisor]
    """Make an advisor, likewise."""

    seat_view: Callable[[Any, int | None], Json]
    """Return the view of a seat of a `seated` game, or of a spectator: nothing that its player may not see."""
    end_view: Callable[[Any], Json]
    """Return what everybody sees of a finished `seated` game, besides the payoffs."""
    position_view: Callable[[Any, int | None], Json]
    """Return the view of the last position of a record: all hands, or that of one seat."""

    deal_code: Callable[[Any], str]
    """Return the code of a record's deal, which `deal_of_code` reads."""
    deal_key: Callable[[Mapping[str, Any]], str]
    """Return a key of the deal of a record as JSON; '' if hands are unknown."""
    deal_of_code: Callable[[str, Any], GameRecord | None]
    """Return the deal of a code as a record of some rules; None if the text is no code."""
    deal_of_seed: Callable[[int, int, Any], GameRecord]
    """Return a deal of a seed, by its number from 0, as a record of some rules."""

    refusal: Callable[[State, str], Refusal]
    """Return why a move is not legal in a state of the seat to move, from what that seat sees."""
    open_position: Callable[[Any], State]
    """Return the state of the seat to move in the last position of a record; RecordError if there is none."""
    review: Callable[[Any, Any], Iterable[Reviewed[Any]]]
    """Return the reviewed moves of a record, given an advisor."""
    graded: Callable[[Iterable[Any]], Sequence[Reviewed[Any]]]
    """Return the reviewed moves whose grades rollouts check, the worst first, without any that is close to the best."""
    advice_json: Callable[[Any, Any, Any], Json]
    """Return advice as JSON with 'moves', the best first, given the advisor, the advice and the rules."""
    look: Callable[[Any, State, str | None], Json]
    """Return a rollout analysis of a state as JSON, given an advisor and a legal move to include, or None."""

    plays: Callable[[str, Any], bool] = lambda name, rules: True
    """Return whether an agent plays by some rules."""
    rule_facts: Callable[[Any], Json]
    """Return what the page of some rules shows, besides their fields."""
    judge: type[Judge[Any]]
    """Scores games, given an advisor."""
    puzzles: Path
    """File of the puzzles."""
    is_right: Callable[[Any, str, Any], bool]
    """Return whether a move solves a puzzle, given advice on it; RecordError if it is not legal."""

    def worst(self, reviewed: Iterable[Reviewed[Any]], seat: int) -> Sequence[Reviewed[Any]]:
        """Return the worst reviewed moves of a seat."""
        return self.graded(move for move in reviewed if move.seat == seat)[:LISTED]

    def refuted(self, advisor: Advisor, record: GameRecord) -> frozenset[int]:
        """Return the plies of a record's moves whose marks rollouts refute, given an advisor."""
        marked = [choice for choice in self.review(record, advisor) if choice.mark]
        return check_grades(advisor, record, marked, self.open_position).refuted

    def confirmed_worst(self, advisor: Advisor, record: GameRecord, seats: Iterable[int]) -> dict[int, list[Json]]:
        """Return the costliest moves of some seats of a record that rollouts confirm, if there are any, as JSON."""
        reviewed = list(self.review(record, advisor))
        worst = {seat: self.worst(reviewed, seat) for seat in seats}
        checked = check_grades(advisor, record, list(chain(*worst.values())), self.open_position)
        told = {ply: loss.to_json() for ply, loss in checked.losses.items()}
        return {
            seat: [{**move.to_json(), **told.get(move.ply, {})} for move in moves if move.ply in checked.confirmed]
            for seat, moves in worst.items()
        }

    def find_deal(self, text: str, rules: Rulebook) -> GameRecord | None:
        """Return the deal of a code, or of `seed/number`, as a record of some rules; None if the text is neither.

        Raises:
            RecordError: if the seed is too large.
        """
        seeded = SEEDED.fullmatch(text)
        if seeded is None:
            return self.deal_of_code(text, rules)
        seed, number = map(int, seeded.groups())
        if seed > MAX_SEED:
            raise RecordError(f'the seed {seed} is too large: the maximum is {MAX_SEED}')
        return self.deal_of_seed(seed, number, rules)

    def games_file(self, folder: Path | None = None) -> Path:
        """Return the file of recorded games in a folder, the user's by default; it may not exist yet."""
        return (folder or user_data_path(self.key, appauthor=False)) / f'games.{self.key}.jsonl'

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

    def agents_for(self, rules: Rulebook) -> list[str]:
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
        return {
            **about,
            'rules': rules,
            'choices': choices_of(self.rules),
            'agents': list(self.agents),
            'advisor': self.advisor,
        }


def refusal_of_cards(text: str, hand: str, parse_card: Callable[[str], Any]) -> Refusal | None:
    """Return why cards are not those of a hand, or None if they are."""
    words = text.split() or ['']
    for word in words:
        try:
            parse_card(word)
        except CardError:
            return Refusal('no card', {'text': word[:MAX_WORD]})
    missing = [card for card in (word[0].upper() + word[1].lower() for word in words) if card not in hand.split()]
    return Refusal('not held', {'cards': ' '.join(missing)}) if missing else None
