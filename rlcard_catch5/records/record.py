"""One game or position, checked by replaying it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_catch5.actions import TEXTS, checked
from rlcard_catch5.cards import format_cards, mask_of
from rlcard_catch5.deals import read_deal, write_deal
from rlcard_catch5.engine.batch import list_legal, replay_moves, start_games
from rlcard_catch5.engine.play import MAX_LEGAL
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.engine.state import NOTHING, NUM_PLIES, Deals, Games, new_games
from rlcard_catch5.notation import Scene, position_text, scene_of_game, scores_of, trace_of
from rlcard_catch5.rules import Rules
from rlcard_kit.drawing import Shown
from rlcard_kit.errors import HandsError, IllegalActionError, RecordError
from rlcard_kit.records import check_payoffs

ORDERS = {'redeal_stock': 'redeal', 'leftover': 'leftover'}  # of the refill, in deals and in the engine


@dataclass(frozen=True)
class Record(Shown):
    """A game, or a position if the game has not ended.

    Every record was replayed when it was made, so its moves are legal.

    Args:
        deal: as `env.reset(deal=...)` takes it. Once trumps are named it must contain the word of the refill or the
            order of all its cards; a record has the order that was used.
        moves: action ids from the first bid on.
        rules: the rules of the game.
        payoffs: each seat's score. Computed if the game has ended.
        seats: the players, four mappings with 'name' and other facts.
        extra: all other keys of the format, and keys unknown to it, as JSON has them.

    Raises:
        RecordError: naming the fault and the first wrong move.
    """

    deal: Mapping[str, Any]
    moves: tuple[int, ...] = ()
    rules: Rules = field(default_factory=Rules)
    payoffs: tuple[int, ...] | None = None
    seats: tuple[dict[str, Any], ...] | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    position_text, picture = staticmethod(position_text), 'rlcard_catch5.render.svg:draw'

    def __post_init__(self) -> None:
        moves, dealt = _checked_moves(self.moves), _read_deal(self.deal)
        games, reached = _replay(dealt, moves, self.rules)
        if dealt['word'][0]:
            _compare_orders(_read_deal({**self.deal, 'word': None}), games)
        else:
            _check_orders(dealt, games)
        if reached < len(moves):
            raise RecordError(_explain(games, self.rules, moves, reached))
        payoffs = scores_of(games, self.rules)
        check_payoffs(self.payoffs, payoffs)
        computed = {'deal': write_deal(_with_orders(dealt, games)), 'moves': moves, 'payoffs': payoffs}
        for name, value in computed.items():
            object.__setattr__(self, name, value)

    def final(self) -> Games:
        """Return the game after the last move, [1] of GAME."""
        return _replay(read_deal(self.deal), self.moves, self.rules)[0]

    @property
    def player(self) -> int:
        """The seat to move after the last move; meaningless once the game has ended."""
        return int(self.final()['player'][0])

    @property
    def trace(self) -> list[tuple[int, str]]:
        """The moves as (seat, text), in order."""
        return trace_of(self.final())

    def at(self, ply: int) -> 'Record':
        """Return the position before move `ply`, counted from 0; the order of the refill is kept."""
        if not 0 <= ply <= len(self.moves):
            raise RecordError(f'there is no ply {ply}: this record has {len(self.moves)} moves')
        return self if ply == len(self.moves) else replace(self, moves=self.moves[:ply], payoffs=None)

    @override
    def scene(self) -> Scene:
        """Return the position after the last move, to be shown."""
        return scene_of_game(self.final(), self.rules, self.trace)


def from_deal(deal: Deals, moves: Sequence[int], rules: Rules, **about: Any) -> Record:
    """Make the record of a game that was played from a deal of the engine; RecordError if a move is not legal.

    Args:
        deal: [1] of DEAL. The record holds its word, unless it has an order of the refill.
        moves: action ids, legal.
        rules: of the game.
        about: other fields of the record.
    """
    games, _ = _replay(deal, _checked_moves(moves), rules)
    dealt = _with_orders(deal, games)
    if any((deal[name] != NOTHING).any() for name in ORDERS.values()):
        dealt['word'] = 0
    return Record(write_deal(dealt), tuple(moves), rules, **about)


def _read_deal(given: Mapping[str, Any]) -> Deals:
    try:
        return read_deal(given)
    except HandsError as error:
        raise RecordError(f'deal: {error}') from error


def _checked_moves(moves: Sequence[int]) -> tuple[int, ...]:
    try:
        return tuple(map(checked, moves))
    except IllegalActionError as error:
        raise RecordError(f'moves: {error}') from error


def _replay(deal: Deals, moves: Sequence[int], rules: Rules) -> tuple[Games, int]:
    """Return a game after its moves, [1] of GAME, and the index of the first illegal one, which ends it."""
    games = new_games(1)
    start_games(games, deal)
    return games, int(replay_moves(tabulate(rules), games, np.array(moves, np.int64)))


def _with_orders(deal: Deals, games: Games) -> Deals:
    """Return a deal with the orders that its game used."""
    dealt = deal.copy()
    for field_name in ORDERS.values():
        dealt[field_name] = games[field_name]
    return dealt


def _check_orders(deal: Deals, games: Games) -> None:
    """Raise RecordError if the refill has used an order that the deal does not have: chance would draw it again."""
    for name, field_name in ORDERS.items():
        missing = set(games[field_name][0].tolist()) - set(deal[field_name][0].tolist()) - {NOTHING}
        if missing:
            raise RecordError(
                f'deal: {name} lacks {format_cards(mask_of(missing))}: once trumps are named, '
                'it must contain the order of all cards that the refill uses'
            )


def _compare_orders(given: Deals, games: Games) -> None:
    """Raise RecordError if the refill has used another order than a deal gives."""
    for name, field_name in ORDERS.items():
        used, told = games[field_name][0], given[field_name][0]
        if (used != NOTHING).any() and (told != NOTHING).any() and (used != told).any():
            raise RecordError(f'deal: {name} is not the order that the word gives: leave it out')


def _explain(games: Games, rules: Rules, moves: Sequence[int], ply: int) -> str:
    """Return the reason why a move is not legal."""
    text = TEXTS[moves[ply]]
    if games['ply'][0] == NUM_PLIES:
        return f'move {ply + 1}, {text}, is not legal: the game ends with move {NUM_PLIES}'
    ids, offsets, seat = np.empty(MAX_LEGAL, np.int64), np.empty(2, np.int64), int(games['player'][0])
    count = list_legal(tabulate(rules), games, ids, offsets)
    hand, legal = format_cards(int(games['hands'][0, seat])), ', '.join(TEXTS[action] for action in ids[:count])
    return f'move {ply + 1}, {text} by seat {seat}, is not legal: it holds {hand}; legal are {legal}'
