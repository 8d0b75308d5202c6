"""The game and its states, from the first card that chance deals."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyspiel

from rlcard_big2.actions import NUM_ACTIONS, action_text
from rlcard_big2.cards import checked_card, format_card, format_cards
from rlcard_big2.engine.actions import ACTION_MASKS
from rlcard_big2.engine.batch import list_legal_ids, play_moves, settle_games, start_games
from rlcard_big2.engine.big2 import big2_for
from rlcard_big2.engine.moves import MOST_LEGAL
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import FACE_VALUES, NUM_PLAYERS, UNDECLARED, find_opener, new_games
from rlcard_big2.notation import position_text, scene_of_game
from rlcard_big2.openspiel.observer import Big2Observer, cards_in
from rlcard_big2.records import Record
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.errors import IllegalActionError, RulesError
from rlcard_kit.plugins import OWN

SHOWN = 4  # legal actions that an error names
MAX_SEED = 2**32 - 1
GAME_TYPE = pyspiel.GameType(
    short_name='python_big2',
    long_name='Big 2',
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=NUM_PLAYERS,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification={'rules': 'charlesworth', 'players': 0, 'ranks': 0, 'hand': 0},
)


def most_lost(rules: Rules) -> int:
    """Return a bound on the loss of a seat: the costliest hand, doubled by all that doubles, as often as it may pay."""
    cards = rules.most_cards
    factor = 1 + sum(threshold <= cards for threshold in rules.penalty_thresholds)
    doubled = 4 * rules.unplayed_twos + (rules.unplayed_bombs + rules.final_play) * (1 + rules.separate_bonuses)
    payers = 1 if (rules.settlement, rules.last_card == 'pays') == ('winner', False) else rules.players
    return payers * cards * (int(FACE_VALUES.max()) if rules.face_values else 1) * factor << doubled


class Big2Game(pyspiel.Game):  # type: ignore[misc]  # pyspiel is untyped
    """The game; `pyspiel.load_game('python_big2(rules=hong-kong)')` makes one.

    Args:
        params: 'rules', a text as `rlcard_big2.rules.find_rules` reads it, but not JSON; 'players', 'ranks' and 'hand'
            change their numbers of players, of ranks in the pack and of cards in a hand, 0 does not. RulesError if
            there are no such rules.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**GAME_TYPE.parameter_specification, **(params or {})}
        text = given['rules']
        if text.startswith('{'):  # OpenSpiel cannot read it again from the game's own text, as it does in a saved state
            other = f"give a preset's name, a file or {OWN}MODULE:NAME"
            raise RulesError(f'rules {text!r:.80}: OpenSpiel cannot save JSON, {other}')
        rules = find_rules(text)
        self.rules = replace(
            rules,
            players=given['players'] or rules.players,
            ranks=given['ranks'] or rules.ranks,
            hand_size=given['hand'] or rules.hand_size,
        )
        lost = most_lost(self.rules)
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=self.rules.num_cards,
            num_players=self.rules.players,
            min_utility=-float(lost),
            max_utility=float(lost * (self.rules.players - 1)),
            utility_sum=0.0,
            max_game_length=big2_for(self.rules).max_plies,
        )
        super().__init__(GAME_TYPE, info, params or {})

    def new_initial_state(self) -> 'Big2State':
        """Return the game before the first card is dealt."""
        return Big2State(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of chance nodes of a game: one for each card that is dealt."""
        return sum(self.rules.hand_sizes(opener=0))

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> 'Big2Observer':
        """Return an observer; without a type, of what a seat sees now."""
        return Big2Observer(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), self.rules)


class Big2State(pyspiel.State):  # type: ignore[misc]  # pyspiel is untyped
    """A game, from the first card dealt on. Chance deals to each seat in turn; its actions are card ids.

    Cards left over for the opener come last.
    """

    def __init__(self, game: Big2Game) -> None:
        super().__init__(game)
        self.rules = game.rules
        self.games = new_games(1)  # [1] of GAME; OpenSpiel copies it with the state
        self.games['winner'] = -1
        self.dealt, self.to_deal = 0, game.max_chance_nodes_in_history()  # cards

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's number of chance or of the end."""
        if self.dealt < self.to_deal:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL if self.is_terminal() else self.games['player'][0])

    def is_terminal(self) -> bool:
        """Whether a seat has won."""
        return bool(self.games['winner'][0] >= 0)

    def returns(self) -> list[float]:
        """Return each seat's payoff, in cards; zeros until the end."""
        payoffs = np.zeros((1, self.rules.players), np.int64)
        settle_games(tabulate(self.rules), self.games, payoffs)
        return [float(payoff) for payoff in payoffs[0]]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that may be dealt next, all equally likely."""
        cards = np.flatnonzero(cards_in(self.rules.pack & ~int(self.games['hands'].sum())))
        return [(card, 1 / len(cards)) for card in cards.tolist()]

    def dealt_hand(self, seat: int) -> int:
        """Return the mask of the cards that a seat was dealt."""
        return int(self.games['hands'][0, seat] | self.games['played'][0, seat])

    def moves(self) -> list[int]:
        """Return the action ids of all moves so far."""
        return list(self.history()[self.to_deal :])

    def _legal_actions(self, player: int) -> list[int]:
        ids = np.empty(MOST_LEGAL, np.int64)
        legal: list[int] = ids[: list_legal_ids(tabulate(self.rules), self.games, ids)].tolist()
        return legal

    def _apply_action(self, action: int) -> None:
        if self.dealt < self.to_deal:
            self._deal(action)
            return
        legal = self._legal_actions(self.current_player())
        if action not in legal:
            shown = ', '.join(f'{other} ({action_text(other, self.rules.suits)})' for other in legal[:SHOWN])
            more = ', ...' if len(legal) > SHOWN else ''
            raise IllegalActionError(f'action {action} is not legal: {len(legal)} are, {shown}{more}')
        play_moves(tabulate(self.rules), self.games, ACTION_MASKS[[action]])

    def _deal(self, card: int) -> None:
        rules, hands = self.rules, self.games['hands'][:, : self.rules.players]
        if not (rules.pack & ~int(hands.sum())) >> checked_card(card) & 1:
            raise IllegalActionError(f'card {card} ({format_card(card, rules.suits)}) was dealt already, or is no card')
        in_turn = self.dealt < rules.players * rules.hand_size
        hands[0, self.dealt % rules.players if in_turn else find_opener(hands[0])] |= 1 << card
        self.dealt += 1
        if self.dealt == self.to_deal:
            start_games(self.games, hands.copy())

    def _action_to_string(self, player: int, action: int) -> str:
        suits = self.rules.suits
        return f'deal {format_card(action, suits)}' if player < 0 else action_text(action, suits)

    def __str__(self) -> str:
        suits = self.rules.suits
        if self.dealt < self.to_deal:
            hands = self.games['hands'][0, : self.rules.players].tolist()
            return '\n'.join(f'seat {seat}  {format_cards(hand, suits)}'.rstrip() for seat, hand in enumerate(hands))
        opener, players = self.opener, self.rules.players
        trace = [((opener + i) % players, action_text(action, suits)) for i, action in enumerate(self.moves())]
        scene = scene_of_game(self.games, self.rules, trace, [True] * players)
        return position_text(scene._replace(payoffs=list(map(int, self.returns()))) if self.is_terminal() else scene)

    @property
    def opener(self) -> int:
        """The seat that made, or is to make, the first move."""
        return int(self.games['player'][0] - self.games['ply'][0]) % self.rules.players

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> 'Big2State':
        """Sample a game that has the same observation for a seat, with its hidden cards dealt at random.

        Every deal that agrees with what the seat has seen is equally likely.

        Args:
            player: the seat.
            sampler: draws uniformly from 0 to 1.
        """
        state = self.get_game().new_initial_state()
        hands = [np.flatnonzero(cards_in(hand)).tolist() for hand in self._redeal(player, sampler)]
        players, size = self.rules.players, self.rules.hand_size
        in_turn = [hands[number % players][number // players] for number in range(players * size)]
        for card in (*in_turn, *(card for hand in hands for card in hand[size:])):
            state.apply_action(card)
        state.games['winner'] = UNDECLARED
        for action in self.moves():
            state.apply_action(action)
        state.games['winner'] = self.games['winner']
        return state

    def _redeal(self, player: int, sampler: Callable[[], float]) -> list[int]:
        """Return a deal, a mask a seat, that agrees with what a seat has seen."""
        players = self.rules.players
        hands = [self.dealt_hand(seat) if seat == player else None for seat in range(players)]
        seen = Record(tuple(hands), tuple(ACTION_MASKS[self.moves()].tolist()), self.rules, opener=self.opener)
        dealt: list[int] = seen.start(np.random.RandomState(int(sampler() * MAX_SEED)))['hands'][0, :players].tolist()
        return dealt
