"""Agents that also decide for one state, in RLCard's protocol: `step(state)` and `eval_step(state)`."""

from typing import Any

import numpy as np

from rlcard_kit.agents.base import Agent, choose_uniformly, explore
from rlcard_kit.arrays import Int64Array
from rlcard_kit.errors import IllegalActionError
from rlcard_kit.positions import Choice, Positions
from rlcard_kit.rng import Streams, new_streams


class SteppingAgent(Agent):
    """Decides for many games at once, and so for one state of RLCard.

    It plays by the rules that `prepare` was last given, `default_rules` until then; `step` and `eval_step` take those
    of the state.

    Args:
        seed: of the stream from which `step` and `eval_step` draw; None takes one from the operating system.
    """

    use_raw = False
    default_rules: Any

    def __init__(self, seed: int | None = None) -> None:
        self._stream = new_streams(seed, 1)
        self.prepare(self.default_rules)

    def step(self, state: dict[str, Any]) -> int:
        """Return the action id for a state of the game's environment, to collect training data."""
        return self.eval_step(state)[0]

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, and information on the decision."""
        choice = self.choose(self.positions_of(state), self._stream)
        return list(state['legal_actions'])[choice.indices[0]], {}

    def positions_of(self, state: dict[str, Any]) -> Positions:
        """Return a state as a batch of one, and take its rules; IllegalActionError if no action is legal in it."""
        legal, seen = state['legal_actions'], state['raw_obs']
        if not legal:
            raise IllegalActionError('no action is legal in this state: the game is over, or another seat is to move')
        if seen['rules'] is not self.rules:
            self.prepare(seen['rules'])
        moves = self.moves_of(np.fromiter(legal, np.int64, len(legal)))
        return Positions(seen['packed'], moves, np.array([0, len(moves)]))

    def moves_of(self, actions: Int64Array) -> Int64Array:
        """Return action ids, int64 [K], as moves of the game; they are the same unless the game overrides this."""
        return actions


class UniformAgent(SteppingAgent):
    """Plays any legal action with equal probability.

    Args:
        seed: see `SteppingAgent`; None takes one from numpy's global generator, so that RLCard's `set_seed` repeats it.
    """

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(int(np.random.randint(1 << 32)) if seed is None else seed)

    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose uniformly; see `Chooser.choose`."""
        out = np.empty(len(random), np.int64)
        choose_uniformly(positions.offsets, random, out)
        return Choice(out)


class ExploringAgent(SteppingAgent):
    """Epsilon-greedy wrapper around another agent.

    Args:
        agent: the other agent.
        epsilon: the share of moves, from 0 to 1, at which any legal action is played with equal probability.
        seed: see `SteppingAgent`.
    """

    def __init__(self, agent: SteppingAgent, epsilon: float, seed: int | None = None) -> None:
        self.agent = agent
        self.epsilon = epsilon
        super().__init__(seed)

    def prepare(self, rules: Any) -> None:
        """Take the rules to play by from now on."""
        super().prepare(rules)
        self.agent.prepare(rules)
        self.trained_on = self.agent.trained_on

    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose epsilon-greedily; see `Chooser.choose`."""
        indices = np.array(self.agent.choose(positions, random).indices)
        explore(self.epsilon, positions.offsets, random, indices)
        return Choice(indices)
