"""Agents that decide for many games at once, their positions and decisions, and the ways to choose among moves."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rlcard_kit.arrays import Float32Array, Float64Array, Int64Array
from rlcard_kit.errors import ConfigError, IllegalActionError, title_of
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Streams, below, new_streams, uniform


class Positions(NamedTuple):
    """Observations and legal moves of N seats to move."""

    observations: NDArray[Any]  # [N] of the game's observation
    moves: Int64Array  # [M], legal moves; game i's are moves[offsets[i]:offsets[i + 1]], ascending by action id
    offsets: Int64Array  # [N + 1]

    @property
    def counts(self) -> Int64Array:
        """The number of legal moves of each game, int64 [N]; 0 once a game is over."""
        return self.offsets[1:] - self.offsets[:-1]

    @property
    def owners(self) -> Int64Array:
        """The game that each legal move belongs to, int64 [M]."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.counts)

    def select(self, games: Int64Array) -> 'Positions':
        """Return copies of some of the positions, by their indices, int64 [K]."""
        moves, offsets = select_moves(self.moves, self.offsets, games)
        return Positions(self.observations.take(games), moves, offsets)  # [games] copies records field by field


class Decision(NamedTuple):
    """Moves chosen in N games, with the values and log-probabilities of the chooser, if it has them."""

    indices: Int64Array  # [N], of the moves chosen, in `Positions.moves`
    values: Float32Array | None = None  # [N], of its best move, or of the position
    log_probabilities: Float32Array | None = None  # [N], of the moves chosen


class ValueFunction(Protocol):
    """A function of legal moves, such as a network."""

    def values(self, positions: Positions) -> Float32Array:
        """Return the value of every legal move of N games, float32 [M]."""
        ...


class RLCardAgent(Protocol):
    """Interface that RLCard needs of an agent; `Agent` and its subclasses have more."""

    @property
    def use_raw(self) -> bool:
        """Whether actions are texts, not ids."""
        ...

    def step(self, state: Any) -> Any:
        """Return an action for training, given a state of the seat to move."""
        ...

    def eval_step(self, state: Any) -> tuple[Any, Any]:
        """Return an action for evaluation, and a dictionary of information."""
        ...


class Agent(ABC):
    """Decides for many games at once, and so for one state of RLCard. It has no memory between decisions.

    It plays by the rules last passed to `prepare`, `default_rules` until then; `step` and `eval_step` adopt those of
    the state.

    Args:
        seed: of the stream from which `step` and `eval_step` draw; None takes one from numpy's global generator, so
            that RLCard's `set_seed` repeats it.
    """

    use_raw = False
    default_rules: Any = None
    rules: Any = None
    trained_on: Any = None
    """The rules that it was trained on; None if it was not trained."""

    def __init__(self, seed: int | None = None) -> None:
        self._stream = new_streams(int(np.random.randint(1 << 32)) if seed is None else seed, 1)
        self.prepare(self.default_rules)

    def prepare(self, rules: Any) -> None:
        """Set the rules to play by."""
        self.rules = rules

    @abstractmethod
    def choose(self, positions: Positions, random: Streams) -> Decision:
        """Choose a legal move in each of N games.

        Args:
            positions: of N games, each with at least one legal move.
            random: uint64 [N], each game's own stream; a draw advances it.
        """

    def step(self, state: dict[str, Any]) -> int:
        """Return the action id for a state of the game's environment, to collect training data."""
        return self.eval_step(state)[0]

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, and information on the decision."""
        decision = self.choose(self.positions_of(state), self._stream)
        return list(state['legal_actions'])[decision.indices[0]], {}

    def positions_of(self, state: dict[str, Any]) -> Positions:
        """Return a state as a batch of one, and adopt its rules; IllegalActionError if no action is legal.

        In another set of actions than the ids, several may mean the same move, which then occurs again.
        """
        legal, seen = state['legal_actions'], state['raw_obs']
        if not legal:
            raise IllegalActionError('no action is legal in this state: the game is over, or another seat is to move')
        if seen['rules'] is not self.rules:
            self.prepare(seen['rules'])
        ids = state['legal_ids'] if 'legal_ids' in state else np.fromiter(legal, np.int64, len(legal))
        moves = self.moves_of(ids)
        return Positions(seen['packed'], moves, np.array([0, len(moves)]))

    def moves_of(self, actions: Int64Array) -> Int64Array:
        """Return action ids, int64 [K], as moves of the game: by default, the same."""
        return actions


class RandomAgent(Agent):
    """Plays any legal action with equal probability."""

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        out = np.empty(len(random), np.int64)
        choose_uniformly(positions.offsets, random, out)
        return Decision(out)


class EpsilonAgent(Agent):
    """Epsilon-greedy wrapper around another agent.

    Args:
        agent: the other agent.
        epsilon: probability, from 0 to 1, of a uniformly random legal action.
        seed: see `Agent`.
    """

    def __init__(self, agent: Agent, epsilon: float, seed: int | None = None) -> None:
        self.agent = agent
        self.epsilon = epsilon
        super().__init__(seed)

    @override
    def prepare(self, rules: Any) -> None:
        super().prepare(rules)
        self.agent.prepare(rules)
        self.trained_on = self.agent.trained_on

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        indices = np.array(self.agent.choose(positions, random).indices)
        explore(self.epsilon, positions.offsets, random, indices)
        return Decision(indices)


def agent_of(given: Any, make: Callable[[str, Any], Any], rules: Any, role: str = 'agent') -> Any:
    """Return an agent that a caller gave, by name or as an object.

    Args:
        given: a name, an `Agent`, or anything with RLCard's `eval_step` and `use_raw`.
        make: constructor of agents from a name and rules.
        rules: to play by, a `Rules` of the game.
        role: of the agent, for errors.

    Raises:
        KitError: if a name does not mean an agent.
        ConfigError: if it is not an agent, or one of another game.
    """
    agent = make(given, rules) if isinstance(given, str) else given
    if not is_of_protocol(agent):
        expected = "an agent's name, a BatchAgent, or an object with RLCard's eval_step and use_raw"
        raise ConfigError(f'{role}={given!r:.80}: expected {expected}')
    if getattr(agent, 'default_rules', None) is not None and type(agent.default_rules) is not type(rules):
        raise ConfigError(f'{role}={given!r:.80}: {other_game(agent, rules)}')
    return agent


def is_of_protocol(agent: object) -> bool:
    """Return whether an object has what RLCard asks of an agent."""
    return callable(getattr(agent, 'eval_step', None)) and hasattr(agent, 'use_raw') and not isinstance(agent, type)


def other_game(agent: Any, rules: Any) -> str:
    """Return a sentence on an agent whose rules are of another game than these."""
    wanted, given = (title_of(type(kind)) for kind in (rules, agent.default_rules))
    return f'it plays by {given}, and this game has {wanted}: it is of another game'


def choose_highest(values: NDArray[np.floating[Any]], offsets: Int64Array) -> Int64Array:
    """Return the index of each game's highest value, the first of equals, int64 [N].

    Args:
        values: of all legal moves, [M].
        offsets: int64 [N + 1], see `Positions`.
    """
    out = np.empty(len(offsets) - 1, np.int64)
    _write_highest(values, offsets, out)
    return out


def choose_by_probability(probabilities: Float64Array, offsets: Int64Array, random: Streams) -> Int64Array:
    """Draw a move of each game by the probabilities of its legal moves, float64 [M]; return indices, int64 [N]."""
    out = np.empty(len(offsets) - 1, np.int64)
    _draw(probabilities, offsets, random, out)
    return out


def pick(probabilities: Float64Array, offsets: Int64Array, random: Streams, greedy: bool) -> Int64Array:
    """Return the index of each game's likeliest move if greedy, else of one drawn by the probabilities, int64 [N]."""
    return choose_highest(probabilities, offsets) if greedy else choose_by_probability(probabilities, offsets, random)


@kernel
def _write_highest(values: NDArray[np.floating[Any]], offsets: Int64Array, out: Int64Array) -> None:
    for i in range(out.size):
        best = offsets[i]
        for index in range(offsets[i], offsets[i + 1]):
            if values[index] > values[best]:
                best = index
        out[i] = best


@kernel
def _draw(probabilities: Float64Array, offsets: Int64Array, random: Streams, out: Int64Array) -> None:
    for i in range(out.size):
        rest = uniform(random[i : i + 1])
        out[i] = offsets[i]
        for index in range(offsets[i], offsets[i + 1]):
            if probabilities[index] > 0.0:
                out[i] = index
                rest -= probabilities[index]
                if rest < 0.0:
                    break


@kernel
def explore(epsilon: float, offsets: Int64Array, random: Streams, indices: Int64Array) -> None:
    """Replace each chosen index, with probability epsilon, by a random one of the same game."""
    for i in range(indices.size):
        if uniform(random[i : i + 1]) < epsilon:
            indices[i] = offsets[i] + below(random[i : i + 1], offsets[i + 1] - offsets[i])


@kernel
def choose_uniformly(offsets: Int64Array, random: Streams, out: Int64Array) -> None:
    """Draw one index in offsets[i]..offsets[i + 1] for each game into `out`, int64 [N]."""
    for i in range(random.size):
        out[i] = offsets[i] + below(random[i : i + 1], offsets[i + 1] - offsets[i])


@kernel
def select_moves(moves: Int64Array, offsets: Int64Array, games: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the legal moves of some games, int64 [K], as `Positions` has them, and their offsets, int64 [K + 1]."""
    own_offsets = np.zeros(games.size + 1, np.int64)
    for i in range(games.size):
        own_offsets[i + 1] = own_offsets[i] + offsets[games[i] + 1] - offsets[games[i]]
    own_moves = np.empty(own_offsets[-1], np.int64)
    for i in range(games.size):
        own_moves[own_offsets[i] : own_offsets[i + 1]] = moves[offsets[games[i]] : offsets[games[i] + 1]]
    return own_moves, own_offsets
