"""Games in OpenSpiel: what they have in common. A game adds its deal, its bounds and its observations."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import numpy as np

from rlcard_kit.agents import Agent, Positions, agent_of
from rlcard_kit.arrays import Int64Array
from rlcard_kit.deck import NUM_CARDS
from rlcard_kit.envs.action_set import ActionSet
from rlcard_kit.envs.callers import calling_modules, warn_once
from rlcard_kit.errors import ConfigError, IllegalActionError, installing
from rlcard_kit.game import CardGame
from rlcard_kit.registry import AgentRegistry
from rlcard_kit.rng import new_streams
from rlcard_kit.table import ask
from rlcard_kit.vector_env import positions_of

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ImportError(f'this game needs OpenSpiel: {installing("openspiel")}') from error

__all__ = ['AgentBot', 'Game', 'Observer', 'State', 'card_bits', 'game_type', 'pyspiel', 'register']

SHIMMY = 'Shimmy (2.0.1) gives player i its payoff i + 1 times, and loads a game again without its rules'
SHOWN = 4  # legal actions that an error names


def game_type(
    name: str, title: str, utility: Any, players: tuple[int, int], rules: str, others: Mapping[str, Any] | None = None
) -> Any:
    """Return the type of a game with hidden cards.

    Args:
        name: of the game in OpenSpiel.
        title: to print.
        utility: of `pyspiel.GameType.Utility`.
        players: the least and largest number.
        rules: the default of the parameter 'rules'.
        others: other parameters and their defaults.
    """
    return pyspiel.GameType(
        short_name=name,
        long_name=title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        min_num_players=players[0],
        max_num_players=players[1],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={'rules': rules, **(others or {})},
    )


class Game(pyspiel.Game):  # type: ignore[misc]  # pyspiel is untyped
    """A game.

    Args:
        params: 'rules', a text as the game's `find_rules` reads it, and those of the game. RulesError if there are no
            such rules.
    """

    kind: ClassVar[Any]
    """Made by `game_type`."""
    card_game: ClassVar[CardGame]
    state_type: ClassVar[type[Any]]
    """A `State`, made with the game."""
    observer_type: ClassVar[type['Observer']]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = {name: _saved(value) for name, value in (params or {}).items()}
        every = {**self.kind.parameter_specification, **params}
        self.rules = self.rules_of(every)
        self.actions = self.actions_of(every)
        length = self.card_game.for_rules(self.rules).max_plies
        sizes = {'num_players': self.rules.players, 'num_distinct_actions': self.actions.num_actions, **self.sizes()}
        info = pyspiel.GameInfo(max_game_length=length, **sizes)
        super().__init__(self.kind, info, params)
        if 'shimmy.openspiel_compatibility' in calling_modules():
            package = type(self).__module__.partition('.')[0]
            warn_once(f'{SHIMMY}: use {package}.pettingzoo.env(rules), the same game')

    @classmethod
    def rules_of(cls, params: dict[str, Any]) -> Any:
        """Return the rules of parameters, all by name."""
        text = params['rules']
        return cls.card_game.find_rules(text.replace(';', ',') if text.startswith('{') else text)

    @abstractmethod
    def actions_of(self, params: dict[str, Any]) -> ActionSet:
        """Return the set of actions of parameters, all by name."""

    @abstractmethod
    def sizes(self) -> dict[str, Any]:
        """Return the other fields of `pyspiel.GameInfo`."""

    def new_initial_state(self) -> Any:
        """Return the game before its first chance node."""
        return self.state_type(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> 'Observer':
        """Return an observer; without a type, of what a seat sees now."""
        return self.observer_type(iig_obs_type, self.rules)


class State(pyspiel.State):  # type: ignore[misc]  # pyspiel is untyped
    """A game, from the first chance node on.

    Args:
        game: a `Game`.
        games: [1] of its states, before it begins; OpenSpiel copies it with the state.
        outcomes: the actions that chance may choose first.
    """

    def __init__(self, game: Game, games: Any, outcomes: list[int]) -> None:
        super().__init__(game)
        self.rules, self.actions, self.games = game.rules, game.actions, games
        self.made: list[int] = []  # the moves of all seats, as the engine has them
        self.outcomes = outcomes  # of the next chance node; none if a seat is to move
        self._card_game = game.card_game.for_rules(game.rules)
        self._rules_arrays = self._card_game.tabulate(game.rules)

    @abstractmethod
    def draw(self, action: int) -> None:
        """Make a move of chance; IllegalActionError if it is not possible."""

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the actions that chance may choose next, all equally likely."""
        return [(action, 1 / len(self.outcomes)) for action in self.outcomes]

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's number of chance or of the end."""
        if self.outcomes:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL if self.is_terminal() else self._card_game.current_player(self.games)[0])

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return not self.outcomes and bool(self._card_game.is_terminal(self.games)[0])

    def returns(self) -> list[float]:
        """Return each seat's payoff; zeros until the end."""
        payoffs = np.zeros((1, self.rules.players), np.int64)
        if self.is_terminal():
            self._card_game.rewards(self._rules_arrays, self.games, payoffs)
        return [float(payoff) for payoff in payoffs[0]]

    def moves(self) -> list[int]:
        """Return the action ids of all moves of seats so far."""
        return self.made.copy()

    def options(self) -> tuple[list[int], Int64Array]:
        """Return the legal actions of the seat to move, and the move of each, in the order of the moves."""
        positions = positions_of(self._card_game, self._rules_arrays, self.games)
        actions, indices = self.actions.of_one(positions)
        return actions.tolist(), positions.moves[indices]

    def observation_of(self, seat: int) -> Any:
        """Return what a seat sees, packed, [1]."""
        packed = np.zeros(1, self._card_game.observation)
        self._card_game.observe(self._rules_arrays, self.games, np.array([seat]), packed)
        return packed

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.options()[0])

    def _apply_action(self, action: int) -> None:
        if self.outcomes:
            self.draw(action)
            return
        legal, moves = self.options()
        if action not in legal:
            player, first = self.current_player(), sorted(legal)[:SHOWN]
            shown = ', '.join(f'{other} ({self._action_to_string(player, other)})' for other in first)
            more = ', ...' if len(legal) > SHOWN else ''
            raise IllegalActionError(f'action {action} is not legal: {len(legal)} are, {shown}{more}')
        self.made.append(int(moves[legal.index(action)]))
        self.play(self.made[-1])

    def play(self, move: int) -> None:
        """Make a legal move of a seat."""
        self._card_game.step(self._rules_arrays, self.games, np.array([move]))


class Observer(ABC):
    """Observer of a seat: a tensor of named pieces, and text; see `docs/openspiel.md`.

    Args:
        iig_obs_type: public and private information, of the position or of the whole game; None: what a seat sees now.
        rules: of the game.
    """

    def __init__(self, iig_obs_type: Any, rules: Any) -> None:
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        self._rules = rules
        self._public, self._recall = kind.public_info, kind.perfect_recall
        self._own = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._all = kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS
        shapes = {'player': (rules.players,), **dict(self._shapes())}
        ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
        self.tensor = np.zeros(ends[-1], np.float32)
        parts = zip(shapes.items(), np.split(self.tensor, ends[:-1]), strict=True)
        self.dict = {name: part.reshape(shape) for (name, shape), part in parts}

    def set_from(self, state: Any, player: int) -> None:
        """Write what a seat sees into `tensor`, float32, of which the arrays in `dict` are parts."""
        self.tensor.fill(0)
        self.dict['player'][player] = 1
        self._write(state, player)

    def string_from(self, state: Any, player: int) -> str:
        """Return the observation of a seat as text."""
        return '\n'.join(self._lines(state, player))

    @abstractmethod
    def _shapes(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield the name and shape of each piece after the viewer."""

    @abstractmethod
    def _write(self, state: Any, player: int) -> None:
        """Write what a seat sees into the pieces after the viewer, which are zeros."""

    @abstractmethod
    def _lines(self, state: Any, player: int) -> Iterator[str]:
        """Yield the lines of the text of what a seat sees."""

    def _set_features(self, features: Any, layout: Any) -> None:
        """Write features into the pieces of their names; those that are not shown are left out."""
        start = 0
        for name, size in layout:
            if name in self.dict:
                self.dict[name][:] = features[start : start + size]
            start += size


class AgentBot(pyspiel.Bot):  # type: ignore[misc]  # pyspiel is untyped
    """An agent of the game's package as a bot of OpenSpiel, in any seat.

    Args:
        agent: a name as the package's `make_agent` takes it, or an agent; ConfigError if it is anything else.
        rules: to play by, a `Rules` or a text as `find_rules` reads it; None for the registry's own.
        seed: of its draws; None takes one from the operating system.
    """

    registry: ClassVar[AgentRegistry]

    def __init__(self, agent: Any, rules: Any = None, seed: int | None = None) -> None:
        super().__init__()
        rules = self.registry.find_rules(rules)
        self._agent = agent_of(agent, self.registry.make, rules)
        if not isinstance(self._agent, Agent):
            raise ConfigError(f"{agent!r:.80} cannot be a bot: expected an agent's name or an agent")
        self._agent.prepare(rules)
        self._random = new_streams(seed, 1)

    def step(self, state: State) -> int:
        """Choose an action id in a state in which a seat is to move."""
        (actions, moves), packed = state.options(), state.observation_of(state.current_player())
        positions = Positions(packed, moves, np.array([0, len(actions)]))
        return int(actions[ask(self._agent, positions, self._random).indices[0]])

    def restart_at(self, state: State) -> None:
        """Do nothing: agents keep nothing from one move to the next."""


def _saved(value: Any) -> Any:
    """Return a parameter as OpenSpiel reads it again from a game's own text: it would end JSON at the first comma."""
    return value.replace(',', ';') if isinstance(value, str) and value.startswith('{') else value


def card_bits(mask: int) -> Int64Array:
    """Return whether each card is in a mask, int64 [52] of zeros and ones."""
    return mask >> np.arange(NUM_CARDS) & 1


def register(game: type[Game]) -> None:
    """Register a game with OpenSpiel, once."""
    if game.kind.short_name not in pyspiel.registered_names():
        pyspiel.register_game(game.kind, game)
