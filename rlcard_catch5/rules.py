"""The rules of Catch Five, as prose, as one dataclass, and as named presets.

Four players in two partnerships, seats 0 and 2 against 1 and 3, are dealt nine cards each; sixteen are left as the
stock. Left of the dealer first and the dealer last, each passes or bids how many of nine points its team will take.
If all others pass, the dealer must bid. The highest bidder names trumps. Everyone keeps its trumps, throws the rest
away and is filled up to six from the stock; if it runs out, from the thrown cards, the highest id first. The bidder
leads to the first of six tricks; whoever can must follow suit. The highest trump takes a trick, or the highest card
of the suit led, and its player leads to the next. The 2 is low, the ace high.

The nine points are in trumps: the five is worth five, the ace, jack, ten and two one each. A team that bid and took
fewer points than its bid scores minus the bid; otherwise each team scores what it took. So a hand is not zero-sum.

What differs from table to table is a field of `Rules`. Where the presets come from:

- `paper`: M. Von York, "Catch Five", report for Stanford's CS230, March 2020. Where the report leaves a choice, the
  program decides: the dealer may also raise.
- `march`: the program of March 2020, which the report's figures and published weights come from. It judges a trick as
  if the last card's suit had been led, and pays 18 for nine points that were bid.
- `newest`: the program's last version, May 2020. Any bid may be made at any time; one that is too low acts as a pass.
- `table`: the game of Pitch and Pedro players, as far as descriptions agree. From Cinch and Pedro (Hoyle's Games;
  en.wikipedia.org/wiki/Pedro_(card_game)), which also deal nine and fill up to six: the dealer is filled up last and
  takes the trumps that are left, trumps beyond six are dead. From Pitch (en.wikipedia.org/wiki/Pitch_(card_game)): a
  player may trump although it could follow suit, and a match is to 31, the bidder's team counting first.

Tables disagree on who has the point of the low trump: whoever takes it, or in older Pitch whoever was dealt it; on
whether the dealer may take the bid at its height; and on the least bid, which is 2 at some tables. There is no action
for 2.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from rlcard_kit.bounds import AtLeast, AtMost
from rlcard_kit.errors import RulesError
from rlcard_kit.rules import Rulebook, find_rules_of

Bidding = Literal['match', 'raise', 'outbid', 'free']
Served = Literal['first', 'last']
Excess = Literal['stock', 'dead']
Following = Literal['strict', 'trump']
Judging = Literal['led', 'last']
Low = Literal['taken', 'dealt']

LEAST_BID, MOST_BID = 3, 9
MOST_TARGET = 1000

# What the words mean, for errors and pages.
MEANINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        'bidding': {
            'match': 'the dealer may take the highest bid at its height, or pass',
            'raise': 'the dealer may take the highest bid at its height, or raise it',
            'outbid': 'the dealer must raise too',
            'free': 'any bid at any time; the first of equals wins, the dealer before all',
        },
        'dealer_served': {
            'first': 'the dealer first, the seat before it last',
            'last': 'the seat after the dealer first, the dealer last',
        },
        'excess': {'stock': 'back into the stock', 'dead': 'shown, and out of play'},
        'following': {
            'strict': 'follow suit if able, else any card',
            'trump': 'follow suit or trump if able to follow, else any card',
        },
        'judging': {'led': 'the suit that was led', 'last': "the suit of the trick's last card"},
        'low': {'taken': 'the team that takes it in a trick', 'dealt': 'the team that was dealt it'},
    }
)


@dataclass(frozen=True)
class Rules(Rulebook):
    """One set of rules; the defaults are the preset `paper`.

    `dataclasses.replace` makes a variant. A field of a wrong type or value, and fields that contradict
    each other, raise RulesError (a ValueError) that says why.
    """

    WORDS: ClassVar[Mapping[str, Mapping[str, str]]] = MEANINGS

    bidding: Bidding = 'raise'
    """Dealer's right against the highest bid: 'match', 'raise' or 'outbid'; 'free': all may bid anything."""
    least_bid: Annotated[int, AtLeast(LEAST_BID), AtMost(MOST_BID)] = 3
    """The lowest bid, from 3 to 9."""
    dealer_served: Served = 'first'
    """The dealer refills 'first' (program) or 'last' (Pedro). The last seat takes trumps left in the stock."""
    excess: Excess = 'stock'
    """Trumps beyond six, the lowest without points, go back into the 'stock' (program) or are 'dead' (Pedro)."""
    following: Following = 'strict'
    """A player able to follow suit must do so ('strict'), or may also 'trump' (Pitch)."""
    judging: Judging = 'led'
    """Without trumps a trick goes to the highest card of the suit 'led', or of the suit of the 'last' card (March)."""
    low: Low = 'taken'
    """The point of the two of trumps goes to the team that has 'taken' it, or that was 'dealt' it (Pitch)."""
    nine_doubled: bool = False
    """Nine points that were bid and made score 18 (March)."""
    target: Annotated[int, AtLeast(0), AtMost(MOST_TARGET)] = 0
    """Points that win a match (Pitch: 31, 25 at some tables); 0 for single hands. Play within a hand is the same."""
    bidder_first: bool = False
    """If both teams reach the target in one hand, the bidder's wins; if not, the team with more points."""

    def __post_init__(self) -> None:
        self._check_values()
        if self.bidding == 'free' and self.least_bid != LEAST_BID:
            raise RulesError(f"least_bid={self.least_bid} contradicts bidding='free', in which any bid may be made")
        if self.bidder_first and not self.target:
            raise RulesError('bidder_first=True needs a target above 0: without one there is no match to count for')

    @classmethod
    def presets(cls) -> Mapping[str, 'Rules']:
        """Return the presets by name."""
        return PRESETS


RulesLike: TypeAlias = str | Rules | Mapping[str, Any]
"""Rules, or what `find_rules` reads: a text, or all fields by name."""


def find_rules(text: RulesLike, name: str = 'rules') -> Rules:
    """Return rules by text or fields, wherever rules are named; see `rlcard_kit.rules.find_rules_of`."""
    return find_rules_of(Rules, text, name)


PRESETS = MappingProxyType(
    {
        'paper': Rules(),
        'march': Rules(judging='last', nine_doubled=True),
        'newest': Rules(bidding='free'),
        'table': Rules(dealer_served='last', excess='dead', following='trump', target=31, bidder_first=True),
    }
)
