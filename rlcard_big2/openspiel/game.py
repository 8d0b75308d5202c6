"""The game and its states, from the first card that chance deals."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from rlcard_big2.actions import NUM_ACTIONS, action_text
from rlcard_big2.cards import NUM_CARDS, checked_card, format_card, format_cards
from rlcard_big2.engine.actions import ACTION_MASKS
from rlcard_big2.engine.batch import list_legal_ids, play_moves, settle_games, start_games
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import HAND_SIZE, NUM_PLAYERS, OPENING_CARD, new_games
from rlcard_big2.notation import position_text, scene_of_game
from rlcard_big2.openspiel.observer import Big2Observer, cards_in
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.errors import IllegalActionError, RulesError
from rlcard_kit.plugins import OWN

SHOWN = 4  # legal actions that an error names
GAME_TYPE = pyspiel.GameType(
    short_name='python_big2',
    long_name='Big 2',
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=NUM_PLAYERS,
    min_num_players=NUM_PLAYERS,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification={'rules': 'charlesworth'},
)


def most_lost(rules: Rules) -> int:
    """Return a bound on the loss of a seat: a full hand, doubled by all that doubles."""
    factor = 1 + sum(threshold <= HAND_SIZE for threshold in rules.penalty_thresholds)
    doubled = 4 * rules.unplayed_twos + rules.unplayed_bombs + rules.final_play
    return HAND_SIZE * factor << doubled


class Big2Game(pyspiel.Game):  # type: ignore[misc]  # pyspiel is untyped
    """The game; `pyspiel.load_game('python_big2(rules=hong-kong)')` makes one.

    Args:
        params: 'rules', a text as `rlcard_big2.rules.find_rules` reads it, but not JSON; RulesError otherwise.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        text = (params or {}).get('rules', 'charlesworth')
        if text.startswith('{'):  # OpenSpiel cannot read it again from the game's own text, as it does in a saved state
            other = f"give a preset's name, a file or {OWN}MODULE:NAME"
            raise RulesError(f'rules {text!r:.80}: OpenSpiel cannot save JSON, {other}')
        self.rules = find_rules(text)
        lost = most_lost(self.rules)
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS,
            max_chance_outcomes=NUM_CARDS,
            num_players=NUM_PLAYERS,
            min_utility=-float(lost),
            max_utility=float(lost * (NUM_PLAYERS - 1)),
            utility_sum=0.0,
            max_game_length=BIG2.max_plies,
        )
        super().__init__(GAME_TYPE, info, params or {})

    def new_initial_state(self) -> 'Big2State':
        """Return the game before the first card is dealt."""
        return Big2State(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of chance nodes of a game: one for each card."""
        return NUM_CARDS

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> 'Big2Observer':
        """Return an observer; without a type, of what a seat sees now."""
        return Big2Observer(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class Big2State(pyspiel.State):  # type: ignore[misc]  # pyspiel is untyped
    """A game, from the first card dealt on. Chance deals to each seat in turn; its actions are card ids."""

    def __init__(self, game: Big2Game) -> None:
        super().__init__(game)
        self.rules = game.rules
        self.games = new_games(1)  # [1] of GAME; OpenSpiel copies it with the state
        self.games['winner'] = -1
        self.dealt = 0  # cards

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's number of chance or of the end."""
        if self.dealt < NUM_CARDS:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL if self.is_terminal() else self.games['player'][0])

    def is_terminal(self) -> bool:
        """Whether a seat has shed all its cards."""
        return bool(self.games['winner'][0] >= 0)

    def returns(self) -> list[float]:
        """Return each seat's payoff, in cards; zeros until the end."""
        payoffs = np.zeros((1, NUM_PLAYERS), np.int64)
        settle_games(tabulate(self.rules), self.games, payoffs)
        return [float(payoff) for payoff in payoffs[0]]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that may be dealt next, all equally likely."""
        cards = np.flatnonzero(cards_in(int(self.games['hands'].sum())) == 0)
        return [(card, 1 / len(cards)) for card in cards.tolist()]

    def dealt_hand(self, seat: int) -> int:
        """Return the mask of the cards that a seat was dealt."""
        return int(self.games['hands'][0, seat] | self.games['played'][0, seat])

    def moves(self) -> list[int]:
        """Return the action ids of all moves so far."""
        return list(self.history()[NUM_CARDS:])

    def _legal_actions(self, player: int) -> list[int]:
        ids = np.empty(MAX_LEGAL, np.int64)
        legal: list[int] = ids[: list_legal_ids(tabulate(self.rules), self.games, ids)].tolist()
        return legal

    def _apply_action(self, action: int) -> None:
        if self.dealt < NUM_CARDS:
            self._deal(action)
            return
        legal = self._legal_actions(self.current_player())
        if action not in legal:
            shown = ', '.join(f'{other} ({action_text(other, self.rules.suits)})' for other in legal[:SHOWN])
            more = ', ...' if len(legal) > SHOWN else ''
            raise IllegalActionError(f'action {action} is not legal: {len(legal)} are, {shown}{more}')
        play_moves(tabulate(self.rules), self.games, ACTION_MASKS[[action]])

    def _deal(self, card: int) -> None:
        hands = self.games['hands']
        if int(hands.sum()) >> checked_card(card) & 1:
            raise IllegalActionError(f'card {card} ({format_card(card, self.rules.suits)}) was dealt already')
        hands[0, self.dealt % NUM_PLAYERS] |= 1 << card
        self.dealt += 1
        if self.dealt == NUM_CARDS:
            start_games(self.games, hands.copy())

    def _action_to_string(self, player: int, action: int) -> str:
        suits = self.rules.suits
        return f'deal {format_card(action, suits)}' if player < 0 else action_text(action, suits)

    def __str__(self) -> str:
        suits = self.rules.suits
        if self.dealt < NUM_CARDS:
            hands = self.games['hands'][0].tolist()
            return '\n'.join(f'seat {seat}  {format_cards(hand, suits)}'.rstrip() for seat, hand in enumerate(hands))
        opener = self.opener
        trace = [((opener + i) % NUM_PLAYERS, action_text(action, suits)) for i, action in enumerate(self.moves())]
        scene = scene_of_game(self.games, self.rules, trace, [True] * NUM_PLAYERS)
        return position_text(scene._replace(payoffs=list(map(int, self.returns()))) if self.is_terminal() else scene)

    @property
    def opener(self) -> int:
        """The seat that made, or is to make, the first move."""
        return int(self.games['player'][0] - self.games['ply'][0]) % NUM_PLAYERS

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> 'Big2State':
        """Sample a game that has the same observation for a seat, with its hidden cards dealt at random.

        Every deal that agrees with what the seat has seen is equally likely.

        Args:
            player: the seat.
            sampler: draws uniformly from 0 to 1.
        """
        state = self.get_game().new_initial_state()
        hands = [np.flatnonzero(cards_in(hand)).tolist() for hand in self._redeal(player, sampler)]
        for number in range(NUM_CARDS):
            state.apply_action(hands[number % NUM_PLAYERS][number // NUM_PLAYERS])
        for action in self.moves():
            state.apply_action(action)
        return state

    def _redeal(self, player: int, sampler: Callable[[], float]) -> list[int]:
        """Return a deal, four masks, that agrees with what a seat has seen."""
        game = self.games[0]
        known = game['played'].tolist()
        known[player] = self.dealt_hand(player)
        if not sum(known) & OPENING_CARD:  # whoever opened holds it, as everyone knows
            known[self.opener] |= OPENING_CARD
        hidden: list[int] = np.flatnonzero(cards_in(sum(known)) == 0).tolist()
        for seat in range(NUM_PLAYERS):
            for _ in range(HAND_SIZE - known[seat].bit_count()):
                known[seat] |= 1 << hidden.pop(min(int(sampler() * len(hidden)), len(hidden) - 1))
        return known
