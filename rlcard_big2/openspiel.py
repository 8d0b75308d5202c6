"""Big 2 as a game of OpenSpiel: importing this module registers 'python_big2'. Chance deals the cards."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_big2.action_sets import ACTION_SETS, Ids, Reduced, action_set
from rlcard_big2.actions import NUM_ACTIONS, action_id, action_text
from rlcard_big2.cards import NUM_CARDS, checked_card, format_card, format_cards
from rlcard_big2.engine.batch import start_games
from rlcard_big2.engine.big2 import BIG2, big2_for, features_of
from rlcard_big2.engine.observation import layout_of
from rlcard_big2.engine.state import FACE_VALUES, NUM_PLAYERS, find_opener, new_games
from rlcard_big2.notation import position_text, scene_of_game
from rlcard_big2.records import Record
from rlcard_big2.registry import REGISTRY
from rlcard_big2.rules import Rules
from rlcard_kit.envs import openspiel
from rlcard_kit.envs.action_set import ActionSet
from rlcard_kit.envs.openspiel import pyspiel
from rlcard_kit.envs.rlcard_env import IDS
from rlcard_kit.errors import ConfigError, IllegalActionError

MAX_SEED = 2**32 - 1
SIZES = {'players': 'players', 'ranks': 'ranks', 'hand': 'hand_size'}  # fields of the rules that parameters change

OTHERS = {**dict.fromkeys(SIZES, 0), 'actions': IDS}  # parameters beside the rules


def most_lost(rules: Rules) -> int:
    """Return a bound on a loss: by place, or of the costliest hand, with all doublings, as often as it may pay."""
    if rules.places:
        return rules.players - 1
    cards = rules.most_cards
    factor = 1 + sum(threshold <= cards for threshold in rules.penalty_thresholds)
    doubled = 4 * rules.unplayed_twos + (rules.unplayed_bombs + rules.final_play) * (1 + rules.separate_bonuses)
    payers = (rules.players - 1) ** ((rules.settlement == 'pairs') + (rules.last_card == 'pays'))
    return payers * cards * (int(FACE_VALUES.max()) if rules.face_values else 1) * factor << doubled


class Big2State(openspiel.State):
    """A game, from the first card dealt on. Chance deals to each seat in turn; its actions are card ids.

    Cards left over for the opener come last.
    """

    def __init__(self, game: openspiel.Game) -> None:
        super().__init__(game, new_games(1), np.flatnonzero(openspiel.card_bits(game.rules.pack)).tolist())
        self.games['winner'] = -1
        self.dealt, self.to_deal = 0, game.max_chance_nodes_in_history()  # cards

    def dealt_hand(self, seat: int) -> int:
        """Return the mask of the cards that a seat was dealt."""
        return int(self.games['hands'][0, seat] | self.games['played'][0, seat])

    @override
    def moves(self) -> list[int]:
        return [action_id(move) for move in self.made]

    @override
    def draw(self, action: int) -> None:
        rules, hands = self.rules, self.games['hands'][:, : self.rules.players]
        if checked_card(action) not in self.outcomes:
            raise IllegalActionError(
                f'card {action} ({format_card(action, rules.suits)}) was dealt already, or is no card'
            )
        in_turn = self.dealt < rules.players * rules.hand_size
        hands[0, self.dealt % rules.players if in_turn else find_opener(self._rules_arrays[0], hands[0])] |= 1 << action
        self.outcomes.remove(action)
        self.dealt += 1
        if self.dealt == self.to_deal:
            self.outcomes = []
            start_games(self._rules_arrays, self.games, hands.copy())

    def _action_to_string(self, player: int, action: int) -> str:
        if player < 0:
            return f'deal {format_card(action, self.rules.suits)}'
        if isinstance(self.actions, Ids):
            return action_text(int(self.actions.ids[action]), self.rules.suits)
        actions, moves = self.options()
        text = self.text_of(int(moves[actions.index(action)])) if action in actions else f'action {action}'
        return f'{self.actions.labels[action]}: {text}' if self.actions.labels else text

    def text_of(self, move: int) -> str:
        """Return a move as text."""
        return self._card_game.text(move, self.rules)

    def __str__(self) -> str:
        suits = self.rules.suits
        if self.dealt < self.to_deal:
            hands = self.games['hands'][0, : self.rules.players].tolist()
            return '\n'.join(f'seat {seat}  {format_cards(hand, suits)}'.rstrip() for seat, hand in enumerate(hands))
        opener, players = self.opener, self.rules.players
        trace = [((opener + i) % players, self.text_of(move)) for i, move in enumerate(self.made)]
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

        ConfigError for options, of which other hidden cards may not have one for a move that was made.
        """
        if isinstance(self.actions, Reduced):
            raise ConfigError("actions='reduced': hidden cards cannot be dealt again; take 'compact', 'slots' or 'ids'")
        state = self.get_game().new_initial_state()
        hands = [np.flatnonzero(openspiel.card_bits(hand)).tolist() for hand in self._redeal(player, sampler)]
        players, size = self.rules.players, self.rules.hand_size
        in_turn = [hands[number % players][number // players] for number in range(players * size)]
        for card in (*in_turn, *(card for hand in hands for card in hand[size:])):
            state.apply_action(card)
        for move in self.made:
            actions, moves = state.options()
            state.apply_action(actions[moves.tolist().index(move)])
        return state

    def _redeal(self, player: int, sampler: Callable[[], float]) -> list[int]:
        """Return a deal, a mask a seat, that agrees with what a seat has seen."""
        players = self.rules.players
        shown = player, int(self.games['winner'][0])  # whose hand may have won by the deal
        hands = [self.dealt_hand(seat) if seat in shown else None for seat in range(players)]
        seen = Record(tuple(hands), tuple(self.made), self.rules, opener=self.opener)
        dealt: list[int] = seen.start(np.random.RandomState(int(sampler() * MAX_SEED)))['hands'][0, :players].tolist()
        return dealt


class Big2Observer(openspiel.Observer):
    """Observer of a seat; see the class of the kit."""

    @override
    def _shapes(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        players = self._rules.players
        if self._all:
            yield 'hands', (players, NUM_CARDS)
        if self._recall:
            if self._own:
                yield 'hand', (NUM_CARDS,)
            if self._public:
                yield 'opener', (players,)
                yield 'moves', (big2_for(self._rules).max_plies, NUM_CARDS + 1)
            return
        if self._public:
            yield 'mover', (players,)
        layout = layout_of(players, self._rules.most_cards)
        own, public = layout[:2], layout[2:]  # the first two blocks of features are the hand
        yield from ((name, (size,)) for name, size in own if self._own)
        yield from ((name, (size,)) for name, size in public if self._public)

    @override
    def _write(self, state: Big2State, player: int) -> None:
        if self._all:
            self.dict['hands'][:] = [
                openspiel.card_bits(self._hand(state, seat)) for seat in range(self._rules.players)
            ]
        if not self._recall:
            if self._public and state.current_player() >= 0:
                self.dict['mover'][state.current_player()] = 1
            count, unpack = features_of(self._rules)
            features = np.empty((1, count), np.int8)
            unpack(state.observation_of(player), features)
            self._set_features(features[0], layout_of(self._rules.players, self._rules.most_cards))
            return
        if self._own:
            self.dict['hand'][:] = openspiel.card_bits(state.dealt_hand(player))
        if self._public and state.dealt == state.to_deal:
            self.dict['opener'][state.opener] = 1
            for ply, move in enumerate(state.made):
                self.dict['moves'][ply, :NUM_CARDS] = openspiel.card_bits(move)
                self.dict['moves'][ply, NUM_CARDS] = move == 0

    def _hand(self, state: Big2State, seat: int) -> int:
        return state.dealt_hand(seat) if self._recall else int(state.games['hands'][0, seat])

    @override
    def _lines(self, state: Big2State, player: int) -> Iterator[str]:
        suits = state.rules.suits
        seats = range(self._rules.players) if self._all else [player] if self._own else []
        verb = 'was dealt' if self._recall else 'holds'
        for seat in seats:
            yield f'seat {seat} {verb} {format_cards(self._hand(state, seat), suits)}'
        if self._public and state.dealt == state.to_deal:
            texts = list(map(state.text_of, state.made))
            if self._recall:
                yield f'seat {state.opener} opens: {", ".join(texts)}'
            else:
                yield from _public_lines(state, texts)


def _public_lines(state: Big2State, texts: list[str]) -> Iterator[str]:
    """Describe the public position: turn, table, numbers of cards, cards played."""
    game, suits = state.games[0], state.rules.suits
    players = state.rules.players
    left = [hand.bit_count() for hand in game['hands'][:players].tolist()]
    yield f'seat {state.current_player()} to move, cards left {left}'
    yield f'to beat {format_cards(int(game["table"]), suits) or "nothing"}, passed {int(game["passed"]):0{players}b}'
    yield f'last {", ".join(texts[-players:])}'
    for seat, played in enumerate(game['played'][:players].tolist()):
        yield f'seat {seat} played {format_cards(played, suits)}'


class Big2OpenSpielGame(openspiel.Game):
    """The game; `pyspiel.load_game('python_big2(rules=hong-kong)')` makes one. See the class of the kit."""

    kind = openspiel.game_type(
        'python_big2', 'Big 2', pyspiel.GameType.Utility.ZERO_SUM, (2, NUM_PLAYERS), 'charlesworth', OTHERS
    )
    card_game = BIG2
    state_type, observer_type = Big2State, Big2Observer

    @override
    @classmethod
    def rules_of(cls, params: dict[str, Any]) -> Rules:
        rules: Rules = super().rules_of(params)
        return replace(rules, **{field: params[name] for name, field in SIZES.items() if params[name]})

    @override
    def actions_of(self, params: dict[str, Any]) -> ActionSet:
        name = params['actions']
        if name not in (IDS, *ACTION_SETS):
            raise ConfigError(f'actions={name!r:.80}: expected {", ".join(map(repr, (IDS, *ACTION_SETS)))}')
        return Ids(np.arange(NUM_ACTIONS)) if name == IDS else action_set(self.rules, name)

    @override
    def sizes(self) -> dict[str, Any]:
        lost = most_lost(self.rules)
        return {
            'max_chance_outcomes': NUM_CARDS,  # card ids, whatever the pack
            'min_utility': -float(lost),
            'max_utility': float(lost * (self.rules.players - 1)),
            'utility_sum': 0.0,
        }

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of chance nodes of a game: one for each card that is dealt."""
        return sum(self.rules.hand_sizes(opener=0))


class AgentBot(openspiel.AgentBot):
    """An agent of this package as a bot of OpenSpiel."""

    registry = REGISTRY


openspiel.register(Big2OpenSpielGame)
