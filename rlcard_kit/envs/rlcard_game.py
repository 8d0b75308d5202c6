"""RLCard's game, player, round and judger for any card game: views of one game of the kernels."""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.arrays import Int64Array
from rlcard_kit.errors import GameOverError, IllegalActionError, check_whole
from rlcard_kit.game import CardGame, Deals
from rlcard_kit.rules import Rulebook

OVER = 'the game is over, or not dealt yet: call reset() before the next move'

Trace = list[tuple[int, str]]  # (player, text of the action)


class Player:
    """A view of one seat; cards are text, ascending.

    Args:
        player_id: the seat.
        games: [1] of the game's record, with the masks 'hands' and 'played'.
        format_cards: writes a mask as text.
    """

    def __init__(self, player_id: int, games: NDArray[Any], format_cards: Callable[[int], str]) -> None:
        self.player_id = player_id
        self._games = games
        self._format_cards = format_cards

    @property
    def hand_mask(self) -> int:
        """The mask of the cards in hand."""
        return self._mask('hands')

    @property
    def current_hand(self) -> str:
        """The cards in hand; '' if there are none."""
        return self._format_cards(self.hand_mask)

    @property
    def played_cards(self) -> str:
        """The cards played; '' before the first."""
        return self._format_cards(self._mask('played'))

    def _mask(self, field: str) -> int:
        return int(self._games[field][0, self.player_id])


class Round:
    """Plays the moves of one game forwards and, if states are kept, backwards.

    Args:
        card_game: the kernels.
        games: [1] of the game's record, already dealt.
        ruleset: the rules as the kernels read them.
        format_cards: writes a mask as text.
        keep_states: keep every earlier state, for `step_back`.
    """

    def __init__(
        self,
        card_game: CardGame,
        games: NDArray[Any],
        ruleset: NDArray[Any],
        format_cards: Callable[[int], str],
        keep_states: bool,
    ) -> None:
        self.trace: Trace = []
        self._card_game = card_game
        self._games = games
        self._ruleset = ruleset
        self._format_cards = format_cards
        self._keep_states = keep_states
        self._earlier: list[NDArray[Any]] = []

    @property
    def current_player(self) -> int:
        """The seat to move."""
        return int(self._games['player'].item())

    def proceed_round(self, move: Int64Array, action: str) -> None:
        """Make a legal move, int64 [1]; `action` is its text for the trace."""
        if self._keep_states:
            self._earlier.append(self._games.copy())
        self.trace.append((self.current_player, action))
        self._card_game.step(self._ruleset, self._games, move)

    def step_back(self) -> bool:
        """Undo the last move; False if there is none."""
        if not self._earlier:
            return False
        self._games[:] = self._earlier.pop()
        self.trace.pop()
        return True


class Judger:
    """Lists legal actions and settles one game.

    Args:
        card_game: the kernels.
        games: [1] of the game's record.
        ruleset: the rules as the kernels read them.
    """

    def __init__(self, card_game: CardGame, games: NDArray[Any], ruleset: NDArray[Any]) -> None:
        self._card_game = card_game
        self._games = games
        self._ruleset = ruleset
        self._ids, self._offsets = np.empty(card_game.max_legal, np.int64), np.empty(2, np.int64)

    def judge_legal_actions(self) -> Int64Array:
        """Return the ids of the legal actions of the seat to move, ascending, int64 [K]; none after the end.

        The next call overwrites the array.
        """
        return self._ids[: self._card_game.legal_actions(self._ruleset, self._games, self._ids, self._offsets)]

    def judge_winners(self) -> tuple[int, ...]:
        """Return the seats that have won; none until the game ends."""
        if not self._card_game.is_terminal(self._games)[0]:
            return ()
        return tuple(np.flatnonzero(self._card_game.wins(self.judge_payoffs())).tolist())

    def judge_payoffs(self) -> Int64Array:
        """Return the payoff of each seat, int64 [seats]; zeros until the game ends."""
        payoffs = np.empty((1, self._card_game.num_seats), np.int64)
        self._card_game.rewards(self._ruleset, self._games, payoffs)
        return payoffs[0]


class Dealer(Protocol):
    """Deals for one game."""

    def deal_cards(self) -> Deals:
        """Return a random deal, [1] of `CardGame.deal`."""
        ...

    def deal_given(self, given: Any, /) -> Deals:
        """Return a deal in the game's own form as [1] of `CardGame.deal`; HandsError if it is not a deal."""
        ...


class RLCardGame(ABC):
    """One game in RLCard's conventions; actions are texts.

    Args:
        allow_step_back: keep every state, for `step_back`.
        rules: `Rules`, or text that names them.
    """

    card_game: CardGame
    """In the size of the rules, once they are set."""
    moves: ClassVar[Int64Array]
    """The move of each action id, int64 [actions]."""
    default_rules: Rulebook | str
    """The rules if none are given, `Rules` or a preset's name."""
    new_games: Callable[[int], NDArray[Any]]
    """Returns games before their deal, [N] of the game's record."""
    dealer_type: Callable[[np.random.RandomState], Dealer]
    player_type: ClassVar[type[Player]] = Player
    round_type: ClassVar[type[Round]] = Round
    judger_type: ClassVar[type[Judger]] = Judger

    player_id: int
    """The seat to move."""
    legal: Int64Array
    """Its legal action ids, ascending, int64 [K]."""
    players: Sequence[Player]
    legal_ids: list[int]
    legal_texts: list[str]
    texts: Sequence[str] | Mapping[int, str]
    """The text of each action id under the rules."""
    format_cards: Callable[[int], str]
    dealt: NDArray[Any] | None
    """The deal, [1]; None if the game began elsewhere."""

    def __init__(self, allow_step_back: bool = False, rules: Any = None) -> None:
        self.allow_step_back = allow_step_back
        self.np_random = np.random.RandomState()
        self.configure({'game_rules': self.default_rules if rules is None else rules})

    def configure(self, game_config: Mapping[str, Any]) -> None:
        """Set the rules from 'game_rules', `Rules` or a text; RulesError or ConfigError if it names none.

        'game_num_players', if it is not None, is the number of players.
        """
        rules, players = self._find_rules(game_config['game_rules']), game_config.get('game_num_players')
        self.rules = rules if players is None else rules.for_players(players)
        self.card_game = self.card_game.for_rules(self.rules)
        self.num_players = self.card_game.num_seats
        self.ruleset = self.card_game.tabulate(self.rules)
        self.attach(self.new_games(1))

    def attach(self, games: NDArray[Any]) -> None:
        """Seat players, round and judger at a game, [1] of the game's record, with an empty trace."""
        self.games = games
        self.dealt = None
        self.players = [self.player_type(seat, games, self.format_cards) for seat in range(self.num_players)]
        self.round = self.round_type(self.card_game, games, self.ruleset, self.format_cards, self.allow_step_back)
        self.judger = self.judger_type(self.card_game, games, self.ruleset)
        self._update()

    def init_game(self, given: Any = None) -> tuple[dict[str, Any], int]:
        """Deal and start; return the raw state of the seat to move, and that seat.

        Args:
            given: a deal as the dealer's `deal_given` reads it; None for a random one.

        Raises:
            HandsError: if it is not a deal; the game is then unchanged.
        """
        dealer, games = self.dealer_type(self.np_random), self.new_games(1)
        dealt = dealer.deal_cards() if given is None else dealer.deal_given(given)
        self.card_game.init(games, dealt)
        self.attach(games)
        self.dealt = dealt
        return self._state_of(self.player_id), self.player_id

    def step(self, action: str) -> tuple[dict[str, Any], int]:
        """Play an action's text for the seat to move; return the next seat's raw state and that seat."""
        return self.play(self.index_of_text(action))

    def play(self, index: int) -> tuple[dict[str, Any], int]:
        """Play the legal action of that index; return the next seat's raw state and that seat."""
        action = self.legal_ids[index]
        self.round.proceed_round(self.moves[action : action + 1], self.legal_texts[index])
        self._update()
        return self._state_of(self.player_id), self.player_id

    def step_back(self) -> bool:
        """Undo the last move; False at the start of the game."""
        if not self.round.step_back():
            return False
        self._update()
        return True

    def index_of(self, action: int) -> int:
        """Return the index of an action id among the legal ones.

        Raises:
            GameOverError: if no action is legal.
            IllegalActionError: if this one is not; it gives the reason.
        """
        index = bisect_left(self.legal_ids, action)
        if index < len(self.legal_ids) and self.legal_ids[index] == action:
            return index
        if self.is_over():
            raise GameOverError(OVER)
        raise IllegalActionError(self._explain(self.texts[action]))

    def index_of_text(self, action: object) -> int:
        """Return the index of an action's text among the legal ones; see `index_of` for errors."""
        if action in self.legal_texts:
            return self.legal_texts.index(action)
        if self.is_over():
            raise GameOverError(OVER)
        return self.index_of(self._parse(action))

    def examples(self) -> str:
        """Return the number of legal actions and the first of them as text."""
        examples = ', '.join(self.legal_texts[:4]) + (', ...' if len(self.legal_texts) > 4 else '')
        count = len(self.legal_texts)
        return f'{count} {"action is" if count == 1 else "actions are"} legal: {examples}'

    def get_state(self, player_id: int) -> dict[str, Any]:
        """Return the raw state of a seat, at any ply; ConfigError if there is no such seat."""
        check_seat(player_id, self.num_players)
        return self._state_of(player_id)

    def get_player_id(self) -> int:
        """Return the seat to move."""
        return self.player_id

    def get_num_players(self) -> int:
        """Return the number of seats."""
        return self.num_players

    @classmethod
    def get_num_actions(cls) -> int:
        """Return the number of action ids."""
        return len(cls.moves)

    def is_over(self) -> bool:
        """Whether the game has ended, or nothing was dealt yet."""
        return not self.legal_ids

    def _update(self) -> None:
        """List the legal actions of the seat to move."""
        self.player_id = self.round.current_player
        self.legal = self.judger.judge_legal_actions()
        self.legal_ids = self.legal.tolist()
        self.legal_texts = list(map(self.texts.__getitem__, self.legal_ids))

    @abstractmethod
    def start_from(self, record: Any) -> tuple[dict[str, Any], int]:
        """Make the moves of a record; return the state and seat to move. RecordError, unchanged, for other rules."""

    @abstractmethod
    def to_record(self) -> Any:
        """Return the record of the game so far; RecordError if nothing was dealt yet."""

    @abstractmethod
    def trace_of(self, moves: Sequence[int]) -> Trace:
        """Return the trace of moves of the engine that led to the current state."""

    @abstractmethod
    def _find_rules(self, rules: Any) -> Any:
        """Return `Rules` for the setting 'game_rules', and set `texts` and `format_cards`."""

    @abstractmethod
    def _state_of(self, player_id: int) -> dict[str, Any]:
        """Return the raw state of a seat."""

    @abstractmethod
    def _parse(self, action: object) -> int:
        """Return the action id of a text; CardError or IllegalActionError if it has none."""

    @abstractmethod
    def _explain(self, text: str) -> str:
        """Return the reason why an action is not legal for the seat to move."""


def check_seat(seat: object, count: int) -> None:
    """Raise ConfigError unless a seat exists: kernels would read beyond the game."""
    check_whole('seat', seat, 0, count - 1)
