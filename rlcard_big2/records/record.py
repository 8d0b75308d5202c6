"""One game or position, checked by replaying it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_big2.actions import PASS
from rlcard_big2.cards import FULL_DECK, NUM_CARDS, format_cards
from rlcard_big2.engine.batch import play_moves, replay_moves, settle_games
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import HIGHEST_CARD, UNDECLARED, Games, wins_by_deal
from rlcard_big2.notation import SEAT_NAMES, Scene, position_text, scene_of_game
from rlcard_big2.records.begin import Before, begin, deal_hidden, must_be_highest
from rlcard_big2.rules import Rules
from rlcard_kit.drawing import Shown
from rlcard_kit.errors import RecordError
from rlcard_kit.records import check_payoffs

MAX_MOVES = 500
MOST_DEALS = 10_000  # of hidden cards, all of which would have won at once
# Keys of a puzzle, which hold for one position alone.
POSITION_KEYS = ('best', 'gap', 'source', 'themes', 'found', 'difficulty')


@dataclass(frozen=True)
class Record(Shown):
    """A game, or a position if hands are unknown or the game has not ended.

    Every record was replayed when it was made, so its moves are legal.

    Args:
        hands: mask of each seat's cards at the beginning, None if unknown.
        moves: masks from the beginning on, 0 for a pass.
        rules: the rules of the game.
        before: the beginning, if the moves before it are unknown; None if it is the deal.
        opener: the seat that opens; only needed if its hand is unknown and `before` is None.
        view: the seat that sees the position, if its hand alone is shown.
        payoffs: by seat, in units of one card. Computed if the game has ended and the hands are known.
        seats: the players, four mappings with 'name' and any other keys.
        extra: all other keys of the format, and keys unknown to it, as JSON has them.

    Raises:
        RecordError: names the fault, and the first wrong move.
    """

    hands: tuple[int | None, ...]
    moves: tuple[int, ...] = ()
    rules: Rules = field(default_factory=Rules)
    before: Before | None = None
    opener: int | None = None
    view: int | None = None
    payoffs: tuple[int, ...] | None = None
    seats: tuple[dict[str, Any], ...] | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    position_text, picture = staticmethod(position_text), 'rlcard_big2.render.svg:draw'

    def __post_init__(self) -> None:
        if self.before is not None:
            self.before.check(self.rules)
        _check_count(self)
        _check_view(self)
        _check_opener(self)
        _check_hands(self)
        _check_moves(self)
        object.__setattr__(self, 'payoffs', _checked_payoffs(self))

    @cached_property
    def first(self) -> int:
        """The seat that makes the first of the moves."""
        if self.before is not None:
            return self.before.to_move
        holder = _find_opener(self)
        return int(self.opener or 0) if holder is None else holder

    @cached_property
    def _replayed(self) -> Games:
        """The game after the last move, [1] of GAME; hidden cards are dealt in ascending order."""
        games = self.start()
        reached = replay_moves(tabulate(self.rules), games, np.array(self.moves[: self._shown[1]], np.int64))
        if reached < len(self.moves):
            raise RecordError(_explain(self, games, int(reached)))
        return games

    @cached_property
    def _shown(self) -> tuple[list[int], int]:
        """The cards that each seat is known to hold at the beginning, and the number of moves that can be theirs."""
        held = [hand or 0 for hand in self.hands]
        if self.before is None and self.rules.is_all_in_play and self.rules.leader is None:
            held[self.first] |= self._lowest
        played = self._gone
        for ply, move in enumerate(self.moves):
            seat = (self.first + ply) % self.rules.players
            others, mine = sum(held) - held[seat], held[seat] | move
            if move & (others | played) or mine.bit_count() > self._sizes[seat]:
                return held, ply
            held[seat] = mine
            played |= move
        return held, len(self.moves)

    @cached_property
    def _known(self) -> tuple[list[int], list[int]]:
        """The cards that each seat is known to hold at the beginning, and a card above all those that it hides."""
        (shown, count), limits = self._shown, [NUM_CARDS] * self.rules.players
        held = shown.copy()
        if self.rules.last_card == 'highest' or self.rules.no_lone_two:
            games = self._deal(held, limits, None)
            for move in self.moves[:count]:
                seat = int(games['player'][0])
                hand = int(games['hands'][0, seat])
                if move == games['table'][0] == 0 and hand.bit_count() == 1 and not hand & held[seat]:
                    held[seat] |= HIGHEST_CARD & ~sum(held, self._gone)  # it may not go out alone
                elif move.bit_count() == 1 and must_be_highest(self.rules, games):
                    limits[seat] = min(limits[seat], move.bit_length() - 1)
                play_moves(tabulate(self.rules), games, np.array([move]))
        return held, limits

    @property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(self.rules.hand_sizes(self.first)) if self.before is None else self.before.left

    @property
    def _lowest(self) -> int:
        """Mask of the lowest card of the pack."""
        return self.rules.pack & -self.rules.pack

    def _hidden(self, held: Sequence[int]) -> int:
        """Return the cards that may be in unknown hands, given those that are known to be held.

        No card in play is below the lowest, which the opener's whole hand shows, and by most rules the opening move.
        """
        hidden = self.rules.pack & ~self._gone & ~sum(held)
        if not self._opener_is_lowest:
            return hidden
        opened = self.moves[0] if self.moves and self.rules.opening != 'any' else 0
        shown = held[self.first] if held[self.first].bit_count() == self._sizes[self.first] else opened
        return hidden & -(shown & -shown) if shown else hidden

    @property
    def _gone(self) -> int:
        """The cards that were played before the beginning."""
        return 0 if self.before is None else sum(self.before.played)

    @property
    def winner(self) -> int | None:
        """The seat that has won, or None if the game has not ended."""
        winner = int(self._replayed['winner'][0])
        return winner if winner >= 0 else None

    @property
    def player(self) -> int:
        """The seat to move after the last move; meaningless once the game has ended."""
        return int(self._replayed['player'][0])

    @property
    def left(self) -> tuple[int, ...]:
        """Cards left to each seat after the last move."""
        return tuple(hand.bit_count() for hand in self._hands_now)

    @property
    def _hands_now(self) -> list[int]:
        """Mask of each seat's cards after the last move; hidden cards are dealt in ascending order."""
        hands: list[int] = self._replayed['hands'][0, : self.rules.players].tolist()
        return hands

    @property
    def hands_left(self) -> tuple[int | None, ...]:
        """Mask of each seat's cards after the last move, None if unknown."""
        pairs = zip(self.hands, self._hands_now, strict=True)
        return tuple(None if hand is None and left else left for hand, left in pairs)

    def start(self, random: np.random.RandomState | None = None) -> Games:
        """Return the game at the beginning, [1] of GAME.

        Hidden cards are dealt at random, any deal that is consistent with the moves being equally likely;
        without `random` they are dealt in ascending order.
        """
        return self._deal(*self._known, random)

    def _deal(self, held: list[int], limits: list[int], random: np.random.RandomState | None) -> Games:
        hidden, tries = self._hidden(held), 0
        if random is None and self._opener_is_lowest:
            held = held.copy()
            lowest, own = hidden & -hidden, held[self.first]
            if own.bit_count() < self._sizes[self.first] and (own == 0 or lowest < own & -own):
                held[self.first] |= lowest  # what another seat holds in its place may be out of play
                hidden ^= lowest
        while True:
            hands = deal_hidden(held, limits, self._sizes, hidden, random)
            games = begin(hands, self.before, self.rules)
            if games['player'][0] == self.first and tuple(map(int.bit_count, hands)) == self._sizes:
                if random is None or not self._has_won_hidden(hands):
                    break
                tries += 1
            elif random is None:
                raise RecordError(f'seat {self.first} opens, but cannot hold the lowest card in play')
            if tries == MOST_DEALS:
                wins = self.rules.instant_wins
                raise RecordError(f'the game went on, but a hidden hand would have won by instant_wins={wins!r}')
        if random is None and None in self.hands and not self._wins(self.hands):
            games['winner'] = UNDECLARED
        return games

    @property
    def _opener_is_lowest(self) -> bool:
        """Whether the opener holds the lowest card in play, which is not known."""
        return self.before is None and not self.rules.is_all_in_play and self.rules.leader is None

    def _wins(self, hands: Sequence[int | None]) -> bool:
        """Return whether one of some hands at the beginning has won by the deal."""
        played = self.before.played if self.before else [0] * len(hands)
        table = tabulate(self.rules)[0]
        return self.rules.instant_wins != 'none' and any(
            hand is not None and wins_by_deal(table, hand | gone) for hand, gone in zip(hands, played, strict=True)
        )

    def _has_won_hidden(self, hands: Sequence[int]) -> bool:
        """Return whether a hidden hand would have won a game that went on after its first play."""
        went_on = self.before is not None or (
            len(self.moves) > 0 and self.moves[0].bit_count() < self._sizes[self.first]
        )
        hidden = [hand if known is None else None for hand, known in zip(hands, self.hands, strict=True)]
        return went_on and self._wins(hidden)

    def at(self, ply: int) -> 'Record':
        """Return the position before move `ply`, counted from 0."""
        if not 0 <= ply <= len(self.moves):
            raise RecordError(f'there is no ply {ply}: this record has {len(self.moves)} moves')
        if ply == len(self.moves):
            return self
        extra = {key: value for key, value in self.extra.items() if key not in POSITION_KEYS}
        return replace(self, moves=self.moves[:ply], payoffs=None, extra=extra)

    def seen_by(self, seat: int) -> 'Record':
        """Return the position as a seat sees it: without the other hands and anything that reveals them."""
        hands = tuple(hand if i == seat else None for i, hand in enumerate(self.hands))
        opener = self.first if self.before is None else None
        return replace(self, hands=hands, opener=opener, view=seat, payoffs=None, extra={})

    @override
    def scene(self) -> Scene:
        """Return the position after the last move, to be shown."""
        shown = [hand is not None for hand in self.hands_left]
        seats: Sequence[dict[str, Any]] = self.seats or ({},) * self.rules.players
        names = [seat.get('name') or SEAT_NAMES[i] for i, seat in enumerate(seats)]
        return scene_of_game(self._replayed, self.rules, self.trace, shown, names)._replace(payoffs=self.payoffs)

    def final(self) -> Games:
        """Return the game after the last move, [1] of GAME; hidden cards are dealt in ascending order."""
        return self._replayed.copy()

    @property
    def trace(self) -> list[tuple[int, str]]:
        """The moves as (seat, text), in order."""
        texts = [format_cards(mask, self.rules.suits) or PASS for mask in self.moves]
        return [((self.first + ply) % self.rules.players, text) for ply, text in enumerate(texts)]


def _find_opener(record: Record) -> int | None:
    """Return the seat that leads first, by the rules or as the certain holder of the lowest card; None if not known."""
    if record.rules.leader is not None:
        return record.rules.leader
    lowest = {seat: hand & -hand for seat, hand in enumerate(record.hands) if hand}
    holder = min(lowest, key=lowest.__getitem__, default=None)
    return holder if len(lowest) == record.rules.players or lowest.get(holder or 0) == record._lowest else None


def _check_count(record: Record) -> None:
    players = record.rules.players
    if len(record.hands) != players:
        raise RecordError(f'{len(record.hands)} hands: there must be {players}, null for a hand that is unknown')


def _check_hands(record: Record) -> None:
    seen = record._gone
    for seat, (hand, size) in enumerate(zip(record.hands, record._sizes, strict=True)):
        if hand is None:
            continue
        if hand & ~record.rules.pack or hand.bit_count() != size:
            raise RecordError(f'hand {seat} has {hand.bit_count()} cards: it must have {size}, each of the pack')
        if hand & seen:
            shared = format_cards(hand & seen, record.rules.suits)
            raise RecordError(f'hand {seat} holds {shared}, which another hand holds or which was played')
        seen |= hand


def _check_view(record: Record) -> None:
    if record.view is None:
        return
    if not 0 <= record.view < record.rules.players:
        raise RecordError(f'view is {record.view}: it must be a seat from 0 to {record.rules.players - 1}')
    if record.hands[record.view] is None:
        raise RecordError(f'view is {record.view}, but the hand of seat {record.view} is unknown')


def _check_moves(record: Record) -> None:
    if len(record.moves) > MAX_MOVES:
        raise RecordError(f'{len(record.moves)} moves: a record has at most {MAX_MOVES}')
    for ply, mask in enumerate(record.moves):
        if not 0 <= mask <= FULL_DECK:
            raise RecordError(f'move {ply + 1} is {mask}: it must be a mask of cards, 0 <= mask < 2**{NUM_CARDS}')


def _check_opener(record: Record) -> None:
    if record.before is not None:
        if record.opener is not None:
            raise RecordError('opener and before: a position without its first moves needs no opener')
        return
    holder, lowest = _find_opener(record), format_cards(record._lowest, record.rules.suits)
    if record.opener is None:
        if holder is None:
            raise RecordError(f'opener is missing: no known hand holds {lowest}, so the seat that opens must be given')
    elif not 0 <= record.opener < record.rules.players:
        raise RecordError(f'opener is {record.opener}: it must be a seat from 0 to {record.rules.players - 1}')
    elif record.rules.leader is not None:
        if record.opener != holder:
            raise RecordError(f'opener is {record.opener}, but seat {holder} leads by the rules')
    elif record.rules.is_all_in_play and not (record.hands[record.opener] or record._lowest) & record._lowest:
        raise RecordError(f'opener is {record.opener}, whose hand lacks {lowest}')
    elif holder is not None and holder != record.opener:
        raise RecordError(f'opener is {record.opener}, but seat {holder} holds the lowest card')


def _explain(record: Record, games: Games, ply: int) -> str:
    """Return the reason why a move is not legal."""
    suits = record.rules.suits
    seat = (record.first + ply) % record.rules.players
    text = format_cards(record.moves[ply], suits) or PASS
    hand, table = record.hands[seat], int(games['table'][0])
    if games['winner'][0] >= 0:
        reason = f'seat {games["winner"][0]} has already won'
    elif hand is None:
        reason = 'its hand is not known, but the move breaks the rules or shows cards that it cannot hold'
    else:
        reason = f'it holds {format_cards(int(games["hands"][0, seat]), suits)}'
    beat = f'the combination to beat is {format_cards(table, suits)}' if table else 'there is nothing to beat'
    return f'move {ply + 1}, {text} by seat {seat}, is not legal: {reason}; {beat}'


def _checked_payoffs(record: Record) -> tuple[int, ...] | None:
    """Return the payoffs as computed, or as given if they cannot be."""
    given, winner = record.payoffs, record.winner
    if winner is None:
        check_payoffs(given, None)
        return None
    if any(hand is None for hand in record.hands_left):
        others = [payoff for seat, payoff in enumerate(given or ()) if seat != winner]
        if given is not None and (
            len(given) != record.rules.players or sum(given) != 0 or given[winner] < max(1, *others)
        ):
            raise RecordError(f'payoffs are {list(given)}: seat {winner} has won most, and they sum to 0')
        return given
    computed = np.empty((1, record.rules.players), np.int64)
    settle_games(tabulate(record.rules), record._replayed, computed)
    payoffs = tuple(computed[0].tolist())
    check_payoffs(given, payoffs)
    return payoffs
