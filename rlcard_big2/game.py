"""RLCard's Dealer, Game, Judger, Player and Round of Big 2: views of one game of the engine."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_big2.actions import PASS, action_texts, parse_action
from rlcard_big2.cards import NUM_CARDS, format_card, format_cards
from rlcard_big2.engine.actions import ACTION_MASKS
from rlcard_big2.engine.batch import list_legal_ids, observe_games
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import new_observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import NUM_PLAYERS, Games, find_opener, new_games
from rlcard_big2.engine.texts import MOST_LETTERS, card_names, write_seen
from rlcard_big2.records import Before, Record, moves_of
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.arrays import Int64Array
from rlcard_kit.deck import join_hands
from rlcard_kit.envs.rlcard_game import Judger, Player, RLCardGame, Round, Trace
from rlcard_kit.errors import HandsError
from rlcard_kit.records import check_same_rules

__all__ = ['Dealer', 'Game', 'Judger', 'Player', 'Round']

SEATS = np.arange(NUM_PLAYERS).reshape(NUM_PLAYERS, 1)


class Big2Dealer:
    """Shuffles the pack and deals as the rules ask for: thirteen cards to each of four seats by default."""

    def __init__(self, np_random: np.random.RandomState, rules: Rules | None = None) -> None:
        self.np_random = np_random
        self.rules = rules or Rules()
        self.deck = np.arange(NUM_CARDS - self.rules.num_cards, NUM_CARDS)  # card ids

    def deal_cards(self) -> Int64Array:
        """Shuffle; return the hands as masks, int64 [1, seats]: each seat takes its cards in turn."""
        rules, dealt = self.rules, self.rules.players * self.rules.hand_size
        self.np_random.shuffle(self.deck)
        hands = np.bitwise_or.reduce(np.int64(1) << self.deck[:dealt].reshape(1, rules.players, -1), axis=2)
        if rules.leftover == 'opener':
            hands[0, find_opener(tabulate(rules)[0], hands[0])] |= (np.int64(1) << self.deck[dealt:]).sum()
        return hands

    def deal_given(self, hands: Sequence[Iterable[int]]) -> Int64Array:
        """Return hands of card ids as masks, int64 [1, seats]; HandsError names the fault if they are not a deal."""
        rules = self.rules
        masks = join_hands(hands, rules.hand_size, rules.players, format_card, self._sizes_of)
        if any(mask & ~rules.pack for mask in masks):
            lowest = NUM_CARDS - rules.num_cards
            raise HandsError(f'ranks={rules.ranks}: the pack has the card ids {lowest} to {NUM_CARDS - 1} alone')
        return np.array([masks])

    def _sizes_of(self, masks: list[int]) -> list[int]:
        return self.rules.hand_sizes(int(find_opener(tabulate(self.rules)[0], np.array(masks))))


class Big2Judger(Judger):
    """Lists legal actions and settles one game."""

    @override
    def judge_legal_actions(self) -> Int64Array:
        return self._ids[: list_legal_ids(self._ruleset, self._games, self._ids)]


class Big2Round(Round):
    """Plays the moves of one game forwards and, if states are kept, backwards."""

    @property
    def hand_to_beat(self) -> str:
        """The combination to beat as text; '' with control."""
        return self._format_cards(self._games['table'].item())


class Big2Game(RLCardGame):
    """Runs one game of Big 2; actions are texts such as '3d', 'Tc Th' or 'pass'.

    Args:
        allow_step_back: keep every state, for `step_back`.
        rules: `Rules`, or text that names them.
    """

    card_game = BIG2
    moves = ACTION_MASKS
    new_games = staticmethod(new_games)
    default_rules: Rules | str = 'charlesworth'
    dealer_type: Callable[[np.random.RandomState], Big2Dealer] = Big2Dealer
    judger_type, round_type = Big2Judger, Big2Round
    round: Big2Round
    before: Before | None
    """The position before the trace, if earlier moves are unknown."""

    @override
    def configure(self, game_config: Mapping[str, Any]) -> None:
        super().configure(game_config)
        self.dealer_type = partial(Big2Dealer, rules=self.rules)

    @override
    def attach(self, games: Games) -> None:
        self.before = None
        super().attach(games)

    @override
    def start_from(self, record: Record) -> tuple[dict[str, Any], int]:
        check_same_rules(record.rules, self.rules)
        self.attach(record.start(self.np_random))
        self.before = record.before
        for move, (_, text) in zip(record.moves, record.trace, strict=True):
            self.round.proceed_round(np.array([move]), text)
        self._update()
        return self._state_of(self.player_id), self.player_id

    @override
    def to_record(self) -> Record:
        moves = moves_of(self.round.trace, self.rules)
        hands: list[int] = self.games['hands'][0, : self.num_players].tolist()
        for (seat, _), move in zip(self.round.trace, moves, strict=True):
            hands[seat] |= move
        return Record(hands=tuple(hands), moves=moves, rules=self.rules, before=self.before)

    @override
    def trace_of(self, moves: Sequence[int]) -> Trace:
        opener = (self.player_id - len(moves)) % self.num_players
        texts = [self.format_cards(mask) or PASS for mask in moves]
        return [((opener + ply) % self.num_players, text) for ply, text in enumerate(texts)]

    @override
    def get_state(self, player_id: int) -> dict[str, Any]:
        """Return the raw state of a seat, at any ply.

        Keys: 'self', 'current_player', 'current_hand' and 'others_hand' (text; all cards not seen), 'num_cards_left'
        and 'played_cards' (by seat), 'hand_to_beat' ('' with control), 'trace' ((player, action) from the
        first move), 'actions' (texts of the legal actions; none away from the seat's turn),
        'winner' (a seat; None until the end), 'packed' (the packed observation, [1] of OBSERVATION), and 'rules' (the
        `Rules` in force).

        Raises:
            ConfigError: if there is no such seat.
        """
        return super().get_state(player_id)

    def _state_of(self, player_id: int) -> dict[str, Any]:
        packed, winner = new_observations(1), self.games['winner'].item()
        observe_games(self.ruleset, self.games, SEATS[player_id], packed)
        own, others, *played, table = self._seen_by(player_id)
        return {
            'self': player_id,
            'current_player': self.player_id,
            'current_hand': own,
            'others_hand': others,
            'num_cards_left': [hand.bit_count() for hand in self.games['hands'].tolist()[0][: self.num_players]],
            'played_cards': played,
            'hand_to_beat': table,
            'trace': self.round.trace.copy(),
            'actions': self.legal_texts.copy() if player_id == self.player_id else [],
            'winner': winner if winner >= 0 else None,
            'packed': packed,
            'rules': self.rules,
        }

    def _seen_by(self, player_id: int) -> list[str]:
        """Return the texts of the cards that a seat sees, in the order of `engine.texts`."""
        end = write_seen(self.ruleset, self.games, player_id, self._names, self._letters)
        return self._letters[: end - 1].tobytes().decode('ascii').split(',')

    def _find_rules(self, rules: Any) -> Rules:
        rules = find_rules(rules, 'game_rules')
        self.texts = action_texts(rules.suits)
        self.format_cards = partial(format_cards, suits=rules.suits)
        self._names = card_names(rules.suits)
        self._letters = np.empty(MOST_LETTERS, np.int8)
        return rules

    def _parse(self, action: object) -> int:
        return parse_action(action, self.rules.suits)

    def _explain(self, text: str) -> str:
        player = self.players[self.player_id]
        beat = self.round.hand_to_beat
        table = f'the combination to beat is {beat}' if beat else 'any combination may be led'
        if not self.round.trace and self.rules.leader is None:
            table = f'the opening rule is {self.rules.opening!r}'
        return (
            f'{text} is not legal for player {player.player_id}, who holds {player.current_hand}; {table}; '
            f'{self.examples()}'
        )


class Big2MiniGame(Big2Game):
    """A game small enough to be solved: two players of three of the twelve highest cards, with 18,480 deals."""

    default_rules = Rules.preset('mini')


Dealer, Game = Big2Dealer, Big2Game
