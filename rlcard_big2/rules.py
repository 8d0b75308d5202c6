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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from types import MappingProxyType
from typing import Any, ClassVar, Literal, get_args, get_origin

from rlcard_kit.errors import RulesError
from rlcard_kit.rules import Rulebook, find_rules_of, types_of

Straights = Literal['T2A', 'TA2', '9TA', '9AT', '89T', '9TJ', '9T2']
FlushOrder = Literal['rank', 'suit', 'card']
Opening = Literal['alone', 'holding', 'any']
Suits = Literal['dchs', 'cdhs']

# First ranks of the straights, weakest first; each order goes by its last three. J is JQKA2, 2 is 23456, A is A2345.
_ORDERS = '3456789T2A', '3456789TA2', '23456789TA', '23456789AT', 'A23456789T', '3456789TJ', 'A3456789T2'
STRAIGHT_ORDERS = MappingProxyType({order[-3:]: order for order in _ORDERS})

RANKS = 'A23456789TJQKA2'  # in which the five of a straight are neighbours
MOST_CARDS = 52  # beyond which a threshold means nothing


def _straights_in_words(order: str) -> str:
    """Return the three strongest straights of an order, the strongest first."""
    starts = [RANKS.index(rank) for rank in reversed(order[-3:])]
    return ' over '.join(RANKS[start : start + 5] for start in starts)


MEANINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
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


@dataclass(frozen=True)
class Rules(Rulebook):
    """One set of rules; the defaults are the preset `charlesworth`.

    `dataclasses.replace` makes a variant. A field of a wrong type or value, and fields that contradict
    each other, raise RulesError (a ValueError) that says why.
    """

    WORDS: ClassVar[Mapping[str, Mapping[str, str]]] = MEANINGS

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
        self._check_values()
        _check_thresholds(self.penalty_thresholds)
        if self.bombs and not self.four_kickers:
            raise RulesError('bombs=True needs four_kickers=True: without it there is no four of a kind to be a bomb')
        if not self.mixed_kinds and not self.bombs:
            raise RulesError('mixed_kinds=False needs bombs=True: nothing else says what a straight flush beats')

    @classmethod
    def presets(cls) -> Mapping[str, 'Rules']:
        """Return the presets by name."""
        return PRESETS

    @property
    def number(self) -> int:
        """These rules as one number below 2 ** 32, for packed observations; `of_number` is the inverse."""
        number = 0
        for name, values in _values().items():
            number = number * len(values) + values.index(getattr(self, name))
        return number

    @classmethod
    def of_number(cls, number: int) -> 'Rules':
        """Return the rules of a number; RulesError if there are none."""
        found = {}
        for name, values in reversed(_values().items()):
            number, place = divmod(number, len(values))
            found[name] = values[place]
        if number != 0:
            raise RulesError('this is not the number of any rules')
        return cls(**found)


@cache
def _values() -> dict[str, Sequence[Any]]:
    """Return all values of each field."""
    values: dict[str, Sequence[Any]] = {
        name: get_args(kind) if get_origin(kind) is Literal else (False, True) for name, kind in types_of(Rules).items()
    }
    counts = range(1, MOST_CARDS + 1)
    values['penalty_thresholds'] = [some for number in range(4) for some in combinations(counts, number)]
    return values


def find_rules(text: 'str | Rules', name: str = 'rules') -> Rules:
    """Return rules by text; see `rlcard_kit.rules.find_rules_of`."""
    return find_rules_of(Rules, text, name)


def _check_thresholds(thresholds: tuple[int, ...]) -> None:
    counts = range(1, MOST_CARDS + 1)
    if not isinstance(thresholds, tuple) or not all(type(t) is int for t in thresholds):
        expected = 'a tuple of whole numbers'
    elif len(thresholds) > 3 or not set(thresholds) <= set(counts) or list(thresholds) != sorted(set(thresholds)):
        expected = f'at most three ascending numbers from 1 to {MOST_CARDS}'
    else:
        return
    raise RulesError(f'penalty_thresholds={thresholds!r:.80}: expected {expected}, such as (8, 10, 13)')


HKUST = Rules(opening='any', four_card_hands=False, four_kickers=True, straights='T2A', flush_order='rank')
PRESETS = MappingProxyType(
    {
        'charlesworth': Rules(),
        'hkust': HKUST,
        'hong-kong': replace(HKUST, opening='holding', penalty_thresholds=(8, 10, 13), unplayed_twos=True),
        'taiwan': Rules(
            suits='cdhs', opening='holding', triples=False, four_card_hands=False, flushes=False, four_kickers=True,
            mixed_kinds=False, bombs=True, straights='9T2', final_pass=True, unplayed_twos=True,
        ),
    }
)  # fmt: skip
