"""Hands of a match between four seats, each taken by a person or an agent."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from typing_extensions import override

from rlcard_catch5.deals import write_deal
from rlcard_catch5.duplicate.match import winner_of
from rlcard_catch5.engine.state import NUM_PLAYERS, NUM_TEAMS
from rlcard_catch5.game import Dealer
from rlcard_catch5.records import FORMAT, Record
from rlcard_catch5.registry import weights_file
from rlcard_catch5.rules import Rules
from rlcard_kit.errors import RecordError
from rlcard_kit.records import need, read_whole, read_wholes
from rlcard_play.study import seated_game
from rlcard_play.study.protocols import Json, State
from rlcard_play.study.seated_game import Seat

TARGET = 31  # points that win a match, if the rules have no target


def match_of(record: Record) -> Json | None:
    """Return the match of a record: 'hand', its number, 'totals' before it, and 'target'; None without one.

    A hand that agents played on a deal of `python -m eval`, by its 'number', has none.

    Raises:
        RecordError: if one of these is not valid.
    """
    match = record.extra.get('match')
    if match is None or 'number' in match:
        return None
    about = {name: need(match, name) for name in ('hand', 'totals', 'target')}
    if len(read_wholes(about['totals'], 'match.totals')) != NUM_TEAMS:
        raise RecordError(f'match.totals is {about["totals"]!r:.60}: it must have {NUM_TEAMS} numbers')
    for name in ('hand', 'target'):
        read_whole(about[name], f'match.{name}')
    return about


class SeatedGame(seated_game.SeatedGame):
    """A hand with its players, in a match of several; it knows all cards.

    The dealer of the first hand is random; then each seat deals in turn.

    Args:
        seats: the players; seats 0 and 2 are partners, as are 1 and 3.
        rules: of the game.
        seed: of the deals; None takes one from the operating system.
        agents: by name, for `play_agent`.
        target: points that win the match; None takes those of the rules, or 31 if they have none.
    """

    records = FORMAT
    weights_file = staticmethod(weights_file)

    def __init__(
        self,
        seats: Sequence[Seat | None],
        rules: Rules,
        seed: int | None = None,
        agents: Mapping[str, Any] | None = None,
        target: int | None = None,
    ) -> None:
        self.number = 0  # of the hand, from 1
        self.totals = (0, 0)  # points of the teams before the hand
        self.target = target or rules.target or TARGET
        super().__init__(seats, rules, seed, agents)

    @property
    def scores(self) -> tuple[int, int]:
        """The teams' scores of the hand; zeros until it ends."""
        own, other, *_ = self.env.get_payoffs().tolist()
        return own, other

    @property
    def totals_after(self) -> tuple[int, int]:
        """Points of the teams after the hand."""
        (own, other), (more, others_more) = self.totals, self.scores
        return own + more, other + others_more

    @property
    def winner(self) -> int | None:
        """The team that has won the match, or None."""
        is_own_bid = int(self.env.game.games['bidder'][0]) % NUM_TEAMS == 0
        return winner_of(self.totals_after, is_own_bid, self.target, self.rules.bidder_first)

    @override
    def deal(self, position: Record | None = None) -> None:
        is_new = self.number == 0 or self.winner is not None
        self.totals = (0, 0) if is_new else self.totals_after
        self.number = 1 if is_new else self.number + 1
        match = None if position is None else match_of(position)
        if match is not None:
            self.number, self.totals, self.target = match['hand'], tuple(match['totals']), match['target']
        super().deal(position)

    @override
    def following(self, is_new: bool = False) -> 'SeatedGame':
        game = SeatedGame(self.seats, self.rules, target=self.target)
        if self.winner is None:
            game.number, game.totals = self.number + 1, self.totals_after
            game.state, game.player = game._deal_by(self._next_dealer)
        return game

    @property
    def _next_dealer(self) -> int:
        return (int(self.env.game.games['dealer'][0]) + 1) % NUM_PLAYERS

    @override
    def _reset(self, position: Record | None) -> tuple[State, int]:
        if position is not None or self.number == 1:
            return super()._reset(position)
        return self._deal_by(self._next_dealer)

    def _deal_by(self, dealer: int) -> tuple[State, int]:
        dealt = Dealer(self.env.np_random).deal_cards()
        dealt['dealer'] = dealer
        state, player = self.env.reset(deal=write_deal(dealt))
        return state, player

    @override
    def record(self) -> Record:
        record: Record = super().record()
        match = {'hand': self.number, 'totals': list(self.totals), 'target': self.target}
        return replace(record, extra={**record.extra, 'match': match})
