"""The rules of Big 2, as prose, as one dataclass, and as named presets.

Four players hold thirteen cards each; play passes from seat 0 to 1, 2, 3 and back to 0. The holder of
the lowest card opens. Then each player in turn beats the combination on the table with a stronger
one of the same number of cards, or passes. After three passes in a row the last to play has control and
leads any combination. Whoever sheds all cards first wins; each loser pays the winner for the cards left, so payoffs sum
to zero.

A card is worth its rank, 3 4 5 6 7 8 9 T J Q K A 2 from the lowest, then its suit. Singles and pairs
compare by their highest card, two pair by that of its higher pair, three and four of a kind and the
full house by the rank that occurs most; any four of a kind beats any two pair. Among five cards
straight < flush < full house < four of a kind with a kicker < straight flush. Straights and straight
flushes compare by their position in the order of straights, then by the suit of their highest rank, which
is the 2 in A2345 and 23456.

What differs from table to table is a field of `Rules`. Where the presets come from:

- `charlesworth`: H. Charlesworth, "Application of Self-Play Reinforcement Learning to a Four-Player Game
  of Imperfect Information", 2018.
- `hkust`: J. Chow and J. Cheng, "Deep Reinforcement Learning for Big Two", 2022.
- `hong-kong`: pagat.com/climbing/bigtwo.html and zh.wikipedia.org/wiki/鋤大弟 (suits, opening,
  combinations, playing again after a pass); jaredandersen/Big2CS on GitHub (wrapped straights on top,
  every unplayed 2 doubles). Tables disagree on thresholds (8, 10, 13 is the commonest; yawnoc/big-two-scorer
  on GitHub has 10, 13), on ranks or suit first in flushes, and on doubling for 2s.
- `taiwan`: zh.wikipedia.org/wiki/鋤大弟 (clubs are the lowest suit, a pass is final);
  ptt.cc/man/Law-Affairs/DF9E/D5BD/M.1152366041.A.63A.html (tournament rules: the opening hand holds 3C,
  no triples, no flushes, only the same kind answers, four of a kind and straight flush beat everything);
  ts5588.com.tw/twiner/boyiyousi/dalaoer/page/5.html (A2345 is the lowest straight, 23456 the highest).
  Many tables double for each unplayed 2 (FatCatIsFat0424/card-together on GitHub), and so does the preset.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from rlcard_big2.errors import ConfigError, FileError, RulesError
from rlcard_big2.files import parse_json, read_file
from rlcard_big2.lookup import OWN, NotFoundError, find_own

Straights = Literal['T2A', 'TA2', '9TA', '9AT', '89T', '9TJ', '9T2']
FlushOrder = Literal['rank', 'suit', 'card']
Opening = Literal['alone', 'holding', 'any']
Suits = Literal['dchs', 'cdhs']

# First ranks of the straights, weakest first; each order goes by its last three. J is JQKA2, 2 is 23456, A is A2345.
STRAIGHT_ORDERS = MappingProxyType(
    {
        order[-3:]: order
        for order in (
            '3456789T2A',
            '3456789TA2',
            '23456789TA',
            '23456789AT',
            'A23456789T',
            '3456789TJ',
            'A3456789T2',
        )
    }
)

RANKS = 'A23456789TJQKA2'  # in which the five of a straight are neighbours
MOST_CARDS = 52  # beyond which a threshold means nothing


@dataclass(frozen=True)
class Rules:
    """One set of rules; the defaults are the preset `charlesworth`.

    `dataclasses.replace` makes a variant. A field of a wrong type or value, and fields that contradict
    each other, raise RulesError (a ValueError) that says why.
    """

    suits: Suits = 'dchs'
    """Suits from the lowest: 'dchs' (diamonds lowest) or 'cdhs' (Taiwan)."""
    opening: Opening = 'alone'
    """First play by the lowest card's holder: that card 'alone', a combination 'holding' it, or 'any'."""
    triples: bool = True
    """Three of a kind may be played."""
    four_card_hands: bool = True
    """Two pair and four of a kind may be played, four cards each."""
    flushes: bool = True
    """Five cards of one suit may be played."""
    four_kickers: bool = False
    """Four of a kind with any fifth card may be played."""
    mixed_kinds: bool = True
    """A stronger kind of five cards beats a weaker one; if not, only the same kind answers, bombs aside."""
    bombs: bool = False
    """Four of a kind with a kicker and straight flushes beat combinations of every other kind and size."""
    straights: Straights = '9TJ'
    """The straights and their order, by the first ranks of the strongest three: a key of STRAIGHT_ORDERS."""
    flush_order: FlushOrder = 'card'
    """Flushes compare all 'rank's from the top and then the suit, the 'suit' first, or the highest 'card' alone."""
    final_pass: bool = False
    """Players who have passed may not play again in the same trick: only a pass is then legal."""
    penalty_thresholds: tuple[int, ...] = ()
    """Up to three counts of cards left, ascending, from which a loser pays x2, x3 and x4."""
    unplayed_twos: bool = False
    """A loser pays double for each 2 left."""
    unplayed_bombs: bool = False
    """A loser pays double if left with four of a kind or a straight flush."""
    final_play: bool = False
    """Every loser pays double if the winner's last play holds a 2, or is four of a kind or a straight flush."""

    def __post_init__(self) -> None:
        for field in fields(self):
            _check_value(field.name, getattr(self, field.name))
        _check_thresholds(self.penalty_thresholds)
        if self.bombs and not self.four_kickers:
            raise RulesError('bombs=True needs four_kickers=True: without it there is no four of a kind to be a bomb')
        if not self.mixed_kinds and not self.bombs:
            raise RulesError('mixed_kinds=False needs bombs=True: nothing else says what a straight flush beats')

    @classmethod
    def preset(cls, name: str) -> 'Rules':
        """Return the preset of that name; RulesError lists the names."""
        if name not in PRESETS:
            raise RulesError(f'no preset {name!r}: choose one of {", ".join(PRESETS)}')
        return PRESETS[name]

    @property
    def name(self) -> str | None:
        """The name of the preset that these rules equal, or None."""
        return next((name for name, preset in PRESETS.items() if preset == self), None)

    @property
    def title(self) -> str:
        """These rules in a few words: a preset's name, with what differs from it."""
        changes = {name: self._changes(preset) for name, preset in PRESETS.items()}
        nearest = min(changes, key=lambda name: len(changes[name]))
        return nearest + (f' with {", ".join(changes[nearest])}' if changes[nearest] else '')

    @property
    def text(self) -> str:
        """These rules in one line, which `find_rules` reads: a preset's name or JSON."""
        return self.name or json.dumps(self.to_json(), separators=(',', ':'))

    def to_json(self) -> str | dict[str, Any]:
        """Return these rules as JSON can hold them: a preset's name, or all fields."""
        return self.name or self.fields()

    def fields(self) -> dict[str, Any]:
        """Return all fields by name, as JSON can hold them."""
        return {**asdict(self), 'penalty_thresholds': list(self.penalty_thresholds)}

    @classmethod
    def from_json(cls, value: object) -> 'Rules':
        """Return the rules that `to_json` or `fields` described.

        Raises:
            RulesError: if a field is missing, unknown or of a wrong value.
        """
        if isinstance(value, str):
            return cls.preset(value)
        if not isinstance(value, Mapping):
            raise RulesError(f"expected a preset's name or an object with all fields, got {value!r:.80}")
        names = [field.name for field in fields(cls)]
        wrong = [f'{name} is missing' for name in names if name not in value]
        wrong += [f'{name} is unknown' for name in value if name not in names]
        if wrong:
            raise RulesError(f'all fields and no others are needed: {", ".join(wrong):.400}')
        thresholds = value['penalty_thresholds']
        return cls(**{**value, 'penalty_thresholds': tuple(thresholds) if isinstance(thresholds, list) else thresholds})

    def _changes(self, other: 'Rules') -> list[str]:
        """Return the fields whose values differ from those of other rules, with their values."""
        return [f'{name}={value!r}' for name, value in vars(self).items() if value != getattr(other, name)]


def find_rules(text: 'str | Rules', name: str = 'rules') -> Rules:
    """Return the rules that a text names, wherever rules are named.

    Args:
        text: a preset's name; a file of JSON, such as rules.json; python:MODULE:NAME, a `Rules` of a module; or JSON.
            A `Rules` is returned as it is.
        name: of the setting, for the error.

    Raises:
        RulesError: if it names no rules; it says what is possible.
        ConfigError: if it is neither a text nor a `Rules`.
    """
    if isinstance(text, Rules):
        return text
    if not isinstance(text, str):
        raise ConfigError(f"{name}={text!r:.80}: give a preset's name or a rlcard_big2.Rules")
    if text in PRESETS:
        return PRESETS[text]
    try:
        if text.startswith(OWN):
            return _own(find_own(text))
        if text.startswith('{'):
            return Rules.from_json(parse_json('it', text))
        if text.endswith('.json') or '/' in text:
            return Rules.from_json(parse_json('it', read_file(Path(text))))
    except (FileError, NotFoundError, RulesError) as error:
        raise RulesError(f'rules {text!r:.200}: {error}') from error
    raise RulesError(
        f'no preset {text!r:.80}: choose one of {", ".join(PRESETS)}, a file such as rules.json, or {OWN}MODULE:NAME'
    )


def rules_note(name: str, trained_on: Rules | None, rules: Rules) -> str:
    """Return what has to be said of an agent that plays by other rules than it was trained on, or nothing."""
    if trained_on is None or trained_on == rules:
        return ''
    return f'{name} was not trained on these rules: it knows {trained_on.title}'


def _own(found: object) -> Rules:
    if not isinstance(found, Rules):
        raise RulesError(f'it is of type {type(found).__name__}: expected a rlcard_big2.Rules')
    return found


_TYPES = get_type_hints(Rules)


def _straights_in_words(order: str) -> str:
    """Return the three strongest straights of an order, the strongest first."""
    starts = [RANKS.index(rank) for rank in reversed(order[-3:])]
    return ' over '.join(RANKS[start : start + 5] for start in starts)


# What the values mean, for the errors.
WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        'suits': {'dchs': 'diamonds lowest', 'cdhs': 'clubs lowest'},
        'opening': {
            'alone': 'the lowest card alone',
            'holding': 'a combination with the lowest card',
            'any': 'any combination',
        },
        'straights': {key: _straights_in_words(order) for key, order in STRAIGHT_ORDERS.items()},
        'flush_order': {
            'rank': 'all ranks from the top, then the suit',
            'suit': 'the suit first',
            'card': 'the highest card alone',
        },
    }
)


def _check_value(name: str, value: object) -> None:
    expected = _TYPES[name]
    if get_origin(expected) is Literal and value not in get_args(expected):
        choices = ', '.join(f'{word!r} ({WORDS[name][word]})' for word in get_args(expected))
        raise RulesError(f'{name}={value!r:.80}: choose one of {choices}')
    if expected is bool and not isinstance(value, bool):
        raise RulesError(f'{name}={value!r:.80}: choose True or False')


def _check_thresholds(thresholds: tuple[int, ...]) -> None:
    if not isinstance(thresholds, tuple) or not all(type(t) is int for t in thresholds):
        raise RulesError(
            f'penalty_thresholds={thresholds!r:.80}: expected a tuple of whole numbers, such as (8, 10, 13)'
        )
    counts = range(1, MOST_CARDS + 1)
    if len(thresholds) > 3 or not set(thresholds) <= set(counts) or list(thresholds) != sorted(set(thresholds)):
        raise RulesError(
            f'penalty_thresholds={thresholds!r:.80}: expected at most three ascending numbers from 1 to {MOST_CARDS}, '
            'such as (8, 10, 13)'
        )


PRESETS = MappingProxyType(
    {
        'charlesworth': Rules(),
        'hkust': Rules(opening='any', four_card_hands=False, four_kickers=True, straights='T2A', flush_order='rank'),
        'hong-kong': Rules(
            opening='holding',
            four_card_hands=False,
            four_kickers=True,
            straights='T2A',
            flush_order='rank',
            penalty_thresholds=(8, 10, 13),
            unplayed_twos=True,
        ),
        'taiwan': Rules(
            suits='cdhs',
            opening='holding',
            triples=False,
            four_card_hands=False,
            flushes=False,
            four_kickers=True,
            mixed_kinds=False,
            bombs=True,
            straights='9T2',
            final_pass=True,
            unplayed_twos=True,
        ),
    }
)
