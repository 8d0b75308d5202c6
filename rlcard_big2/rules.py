"""The rules of Big 2, as prose, as one dataclass, and as named presets.

Four players hold thirteen cards each; play passes from seat 0 to 1, 2, 3 and back to 0. The holder of
the lowest card opens. Then each player in turn beats the combination on the table with a stronger
one of the same number of cards, or passes. After three passes in a row the last to play has control and
leads any combination. Whoever sheds all cards first wins; each loser pays the winner for the cards left, so payoffs sum
to zero. Two or three players play likewise. Cards that are not dealt are out of play and unseen; the lowest card is
then the lowest in play.

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
- `game-sofa`: the Taiwanese server of that name, as ShuKaiHu/AlphaBig2-claude on GitHub describes it (`rules.md`,
  `docs/paper/OUR_RULES_AND_ARCH.md` and `big2Game.py`, whose settlement agrees with 4,412 games of the server).
- `pusoy-dos`: pinoygame.net/news/detail/79 and primidi.com/pusoy_dos/rules/card_combinations (suits, combinations,
  flushes by suit, a royal flush on top, no straights across the 2); chuodaidi.net/pusoy-dos.html (face values).
- `coders-for-causes`: a contest, wooden-temper-dc4.notion.site/Big-Two-3a6f7464c1274cc6b6d6552fb43aad49, and
  tommyjqliu/bigtwo-zero on GitHub, a program written for it.
- `bluo42`: the house rules of bluo42/big2-ai on GitHub (`big2/combos.py`, `big2/game.py`).

Where other rules come from:

- Low 2s in straights, a royal flush, no end on a single 2: Hackari/wholesome on GitHub (`docs/README.md`).
- The last card: AlphaBig2-claude, as above, restricts the moves; in yawnoc/big-two-scorer the seat that failed to stop
  it pays for all, and each pair of players settles.
- Two and three players: academickids.com/encyclopedia/index.php/Big_Two (seventeen cards each and the last one to the
  holder of the lowest card, or thirteen each) and amarilloslim.com/poker_games/big2.php (thirteen each). The presets
  have the penalties of `hong-kong`.
- A dragon: play.google.com/store/apps/details?id=com.poesysoul.big2_anzhuo. Four 2s: Thirteen, the sister game, as in
  everything2.com/user/Fryed/writeups/Thirteen.
- 2s that add to the factor, or count once: bluo42/big2-ai (`ScoringConfig` in `big2/game.py`).
- Playing on for places: eagleplayingcard.com/articles_games-big-two.html, and
  play.google.com/store/apps/details?id=com.funfuse.pusoydos. The next player leads if the last to play is out, and the
  last winner leads: Thirteen, as in traditionalgamerules.neocities.org/tienlen.html and
  nairapreneurs.com/thirteen-card-game-rules.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from typing_extensions import override

from rlcard_kit.bounds import AtLeast, AtMost
from rlcard_kit.errors import RulesError
from rlcard_kit.rules import Rulebook, find_rules_of

Leftover = Literal['out', 'opener']
Straights = Literal['T2A', 'TA2', '9TA', '9AT', '89T', '9TJ', '9T2', 'T']
FlushOrder = Literal['rank', 'suit', 'card']
Opening = Literal['alone', 'holding', 'any']
Suits = Literal['dchs', 'cdhs', 'cshd']
LastCard = Literal['free', 'highest', 'pays']
InstantWins = Literal['none', 'dragon', 'twos', 'both']
Settlement = Literal['winner', 'pairs']
Leads = Literal['lowest', 'winner', '0', '1', '2', '3']

# First ranks of the straights, weakest first; each order goes by its last three, or T if no straight has a 2.
# J is JQKA2, 2 is 23456, A is A2345.
_ORDERS = '3456789T2A', '3456789TA2', '23456789TA', '23456789AT', 'A23456789T', '3456789TJ', 'A3456789T2'
STRAIGHT_ORDERS = MappingProxyType({**{order[-3:]: order for order in _ORDERS}, 'T': '3456789T'})

RANKS = 'A23456789TJQKA2'  # in which the five of a straight are neighbours
NUM_RANKS, NUM_SUITS = 13, 4
MOST_CARDS = 52  # beyond which a threshold means nothing
LARGEST_HAND = 26  # of one of two players
PRICED = (  # fields of what cards left cost
    'last_card', 'instant_wins', 'penalty_thresholds', 'unplayed_twos', 'unplayed_bombs', 'final_play', 'face_values',
    'settlement',
)  # fmt: skip


def _straights_in_words(order: str) -> str:
    """Return the three strongest straights of an order, the strongest first."""
    starts = [RANKS.index(rank) for rank in reversed(order[-3:])]
    return ' over '.join(RANKS[start : start + 5] for start in starts) + ('' if set(order) & set('2AJ') else ', no 2s')


MEANINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        'leftover': {'out': 'out of play', 'opener': 'to the player who leads first'},
        'suits': {'dchs': 'diamonds lowest', 'cdhs': 'clubs lowest', 'cshd': 'clubs lowest, diamonds highest'},
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
        'last_card': {
            'free': 'no rule',
            'highest': 'a single before a player with one card must be the highest legal one',
            'pays': 'a player who held a higher card than the single that the last card has beaten pays for all',
        },
        'instant_wins': {
            'none': 'no rule',
            'dragon': 'thirteen ranks',
            'twos': 'four 2s',
            'both': 'thirteen ranks or four 2s',
        },
        'leads': {
            'lowest': 'the holder of the lowest card',
            'winner': 'the winner of the last game, in a session',
            **{str(seat): f'seat {seat}, which has won the last game' for seat in range(4)},
        },
        'settlement': {'winner': 'each loser pays the winner', 'pairs': 'each pair of players settles the difference'},
    }
)


@dataclass(frozen=True)
class Rules(Rulebook):
    """One set of rules; the defaults are the preset `charlesworth`.

    `dataclasses.replace` makes a variant. A field of a wrong type or value, and fields that contradict
    each other, raise RulesError (a ValueError) that says why.
    """

    WORDS: ClassVar[Mapping[str, Mapping[str, str]]] = MEANINGS

    players: Annotated[int, AtLeast(2), AtMost(4)] = 4
    """Number of players: 2, 3 or 4."""
    hand_size: Annotated[int, AtLeast(1), AtMost(LARGEST_HAND)] = 13
    """Cards dealt to each player."""
    leftover: Leftover = 'out'
    """Cards that are left over: 'out' of play, or to the 'opener' if they are fewer than the players."""
    ranks: Annotated[int, AtLeast(1), AtMost(NUM_RANKS)] = NUM_RANKS
    """Ranks in the pack, counted from the 2 down: 5 are J, Q, K, A and 2."""
    suits: Suits = 'dchs'
    """Suits from the lowest: 'dchs' (diamonds lowest), 'cdhs' (Taiwan) or 'cshd' (Philippines)."""
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
    """The straights and their order: a key of STRAIGHT_ORDERS, by the first ranks of the strongest three."""
    low_twos: bool = False
    """A2345 and 23456 compare by the suit of the 5 and of the 6; if not, by that of the 2."""
    royal_flush: bool = False
    """TJQKA of one suit beats every other straight flush."""
    four_highest: bool = False
    """Four of a kind with a kicker beats straight flushes."""
    flush_order: FlushOrder = 'card'
    """Flushes compare all 'rank's from the top and then the suit, the 'suit' first, or the highest 'card' alone."""
    final_pass: bool = False
    """Players who have passed may not play again in the same trick: only a pass is then legal."""
    last_card: LastCard = 'free'
    """Before a player with one card: 'free'; a single must be the 'highest' that the player may play; or a player who
    held a higher card than the single that the last card has beaten 'pays' for all, allowed to play it or not."""
    no_lone_two: bool = False
    """The highest card may not go out alone: a player who holds nothing else passes, even with control."""
    instant_wins: InstantWins = 'none'
    """Hands at the deal that win once the opener has played, unless that was its whole hand: 'none', a 'dragon' of
    thirteen ranks, the four 'twos', or 'both'. Each loser pays for all cards dealt, and no last play counts."""
    penalty_thresholds: tuple[int, ...] = ()
    """Up to three counts of cards left, ascending, from which a loser pays x2, x3 and x4."""
    unplayed_twos: bool = False
    """A loser pays double for each 2 left."""
    twos_once: bool = False
    """The 2s left double once, however many they are."""
    unplayed_bombs: bool = False
    """A loser pays double if left with four of a kind or a straight flush."""
    final_play: bool = False
    """Every loser pays double if the winner's last play holds a 2, or is four of a kind or a straight flush."""
    separate_bonuses: bool = False
    """Four of a kind and a straight flush left double separately, as do such a combination and a 2 in the last play; a
    2 in A2345, as the kicker or in the pair of a full house then counts for nothing."""
    added_factors: bool = False
    """Each doubling adds one to a loser's factor."""
    face_values: bool = False
    """Cards left count their face value, an ace 1 and T, J, Q, K 10; if not, one each."""
    settlement: Settlement = 'winner'
    """Each loser pays the 'winner', or 'pairs' of players each settle the difference between their penalties, after the
    player who 'pays' for all has taken over those of the others."""
    places: bool = False
    """A player without cards is out and passes at each turn; the others play on until one is left. Each place is worth
    2 more than the next."""
    leads: Leads = 'lowest'
    """Who leads first: the holder of the 'lowest' card, or the 'winner' of a session's last game, any combination. The
    rules of the next game then have the seat, '0' to '3'."""

    def __post_init__(self) -> None:
        self._check_values()
        _check_thresholds(self.penalty_thresholds)
        _check_together(self)

    @classmethod
    def presets(cls) -> Mapping[str, 'Rules']:
        """Return the presets by name."""
        return PRESETS

    @override
    def for_players(self, players: Any) -> 'Rules':
        return replace(self, players=players)

    @override
    def after(self, payoffs: Sequence[int] | None) -> 'Rules':
        if self.leads == 'lowest':
            return self
        leads: Any = 'winner' if payoffs is None else str(self.winner_of(payoffs))
        return replace(self, leads=leads)

    @override
    def winner_of(self, payoffs: Sequence[int]) -> int:
        loser = payoffs.index(min(payoffs))  # one who pays for all in pairs makes all others gain alike
        return max(((loser + i) % self.players for i in range(1, self.players)), key=payoffs.__getitem__)

    @property
    @override
    def title(self) -> str:
        return super().title if self.leader is None else self.after(None).title

    @property
    def leader(self) -> int | None:
        """The seat that leads first; None if the deal decides."""
        return int(self.leads) if self.leads.isdigit() else None

    @property
    def num_cards(self) -> int:
        """Cards in the pack."""
        return self.ranks * NUM_SUITS

    @property
    def pack(self) -> int:
        """Mask of the cards in the pack."""
        return (1 << MOST_CARDS) - (1 << MOST_CARDS - self.num_cards)

    @property
    def is_all_in_play(self) -> bool:
        """Whether no card is out of play, so that the lowest card in play is known."""
        return self.num_left_over == 0 or self.leftover == 'opener'

    @property
    def num_left_over(self) -> int:
        """Cards that are not dealt one by one."""
        return self.num_cards - self.players * self.hand_size

    @property
    def most_cards(self) -> int:
        """The cards of the largest hand at the deal."""
        return self.hand_size + (self.num_left_over if self.leftover == 'opener' else 0)

    def hand_sizes(self, opener: int) -> list[int]:
        """Return the number of cards of each hand at the deal, given the seat that opens."""
        return [self.most_cards if seat == opener else self.hand_size for seat in range(self.players)]

    @property
    def least_win(self) -> int:
        """The least payoff of the seat that has won."""
        return self.players - 1 if self.places else 1

    @property
    def is_usual_size(self) -> bool:
        """Whether four players hold thirteen cards each, as the published network needs."""
        return self.players * self.hand_size == MOST_CARDS and self.players == 4

    def need_usual_size(self, user: str) -> None:
        """Raise RulesError unless `is_usual_size`, naming what needs it."""
        if not self.is_usual_size:
            sizes = f'{self.players} players of {self.hand_size} cards'
            raise RulesError(f'{user} needs players=4 and hand_size=13: these rules have {sizes}')


RulesLike: TypeAlias = str | Rules | Mapping[str, Any]
"""Rules, or what `find_rules` reads: a text, or all fields by name."""


def find_rules(text: RulesLike, name: str = 'rules') -> Rules:
    """Return rules by text or fields; see `rlcard_kit.rules.find_rules_of`."""
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


def _check_together(rules: Rules) -> None:
    """Raise RulesError for the first of the fields that contradict each other."""
    dealt, pack = (
        f'{rules.players} players of {rules.hand_size} cards',
        f'ranks={rules.ranks} are {rules.num_cards} cards',
    )
    usual = {name: (getattr(Rules, name), 'highest') for name in PRICED}  # a rule of moves
    priced = [f'{name}={getattr(rules, name)!r}' for name in PRICED if getattr(rules, name) not in usual[name]]
    faults = {
        f'{dealt} need {rules.players * rules.hand_size}: {pack}': rules.num_left_over < 0,
        f"leftover='opener' needs 1 to {rules.players - 1} cards left over: {dealt} leave {rules.num_left_over}": (
            rules.leftover == 'opener' and not 0 < rules.num_left_over < rules.players
        ),
        f'instant_wins={rules.instant_wins!r} needs ranks=13 and hand_size of at least 13: {dealt}, {pack}': (
            rules.instant_wins in ('dragon', 'both') and (rules.ranks < NUM_RANKS or rules.hand_size < NUM_RANKS)
        ),
        'bombs=True needs four_kickers=True: without it there is no four of a kind to be a bomb': (
            rules.bombs and not rules.four_kickers
        ),
        'mixed_kinds=False needs bombs=True: nothing else says what a straight flush beats': (
            not rules.mixed_kinds and not rules.bombs
        ),
        'four_highest=True needs four_kickers=True: four cards do not answer a straight flush': (
            rules.four_highest and not rules.four_kickers
        ),
        f'low_twos=True needs straights with A2345 or 23456: straights={rules.straights!r} has none': (
            rules.low_twos and not set('A2') & set(STRAIGHT_ORDERS[rules.straights])
        ),
        "last_card='pays' needs final_pass=False: a player who may not play again cannot stop the last card": (
            rules.last_card == 'pays' and rules.final_pass
        ),
        f'leads={rules.leads!r} is no seat: {rules.players} players have the seats 0 to {rules.players - 1}': (
            rules.leader is not None and rules.leader >= rules.players
        ),
        f'places=True pays by place, not by cards left: {", ".join(priced)} needs places=False': (
            rules.places and priced != []
        ),
        'twos_once=True needs unplayed_twos=True: without it no 2 doubles': rules.twos_once and not rules.unplayed_twos,
        'separate_bonuses=True needs unplayed_bombs=True or final_play=True: without them nothing is separate': (
            rules.separate_bonuses and not (rules.unplayed_bombs or rules.final_play)
        ),
    }
    fault = next((text for text, is_fault in faults.items() if is_fault), None)
    if fault is not None:
        raise RulesError(fault)


HKUST = Rules(opening='any', four_card_hands=False, four_kickers=True, straights='T2A', flush_order='rank')
TAIWAN = Rules(
    suits='cdhs', opening='holding', triples=False, four_card_hands=False, flushes=False, four_kickers=True,
    mixed_kinds=False, bombs=True, straights='9T2', final_pass=True, unplayed_twos=True,
)  # fmt: skip
HONG_KONG = replace(HKUST, opening='holding', penalty_thresholds=(8, 10, 13), unplayed_twos=True)
PRESETS = MappingProxyType(
    {
        'charlesworth': Rules(),
        'hkust': HKUST,
        'hong-kong': HONG_KONG,
        'taiwan': TAIWAN,
        'game-sofa': replace(
            TAIWAN, last_card='highest', penalty_thresholds=(10,), unplayed_bombs=True, final_play=True,
            separate_bonuses=True,
        ),
        'pusoy-dos': replace(
            HKUST, suits='cshd', opening='holding', straights='T', royal_flush=True, flush_order='suit',
            face_values=True,
        ),
        'coders-for-causes': replace(HKUST, opening='holding', straights='9TJ', penalty_thresholds=(10, 13)),
        'bluo42': replace(
            HKUST, opening='holding', triples=False, straights='T', flush_order='suit', penalty_thresholds=(10, 13)
        ),
        'hong-kong-3': replace(HONG_KONG, players=3, hand_size=17, leftover='opener'),
        'two': replace(HONG_KONG, players=2),
        'mini': Rules(players=2, hand_size=3, ranks=3, opening='any'),
    }
)  # fmt: skip
FOUR_PLAYERS = MappingProxyType({name: rules for name, rules in PRESETS.items() if rules.is_usual_size})
