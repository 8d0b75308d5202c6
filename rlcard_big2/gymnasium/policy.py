"""Policies of other libraries as agents: whatever maps observations and masks to actions."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.gymnasium.views import make_view
from rlcard_big2.rules import Rules
from rlcard_kit.agents import Decision, Positions
from rlcard_kit.arrays import BoolArray
from rlcard_kit.envs.gymnasium_env import spaces
from rlcard_kit.errors import ConfigError, IllegalActionError
from rlcard_kit.rng import Streams

Policy = Callable[[Any, BoolArray], Any]


class PolicyAgent(BatchAgent):
    """Plays by a policy that was trained on `Big2-v0`.

    Args:
        policy: takes the observations of N positions, as the environment's space has them with N in front, and which
            actions are legal, bool [N, actions]; returns an action for each, whole numbers [N].
        actions: the view that it was trained with: 'slots', 'scored', 'reduced' or 'compact'.
        most_moves: of 'scored', as in training.
        trained_on: the rules that it was trained on, for reports.
        seed: see `BatchAgent`; a policy that draws does so from its own library's generator.
    """

    def __init__(
        self,
        policy: Policy,
        actions: str = 'slots',
        most_moves: int | None = None,
        trained_on: Rules | None = None,
        seed: int | None = None,
    ) -> None:
        self._policy = policy
        self._actions = actions
        self._most_moves = most_moves
        self.trained_on = trained_on
        super().__init__(seed)

    @classmethod
    def of_sb3(cls, model: Any, deterministic: bool = True, **settings: Any) -> 'PolicyAgent':
        """Make an agent of a model of Stable-Baselines3 that knows masks, such as sb3-contrib's MaskablePPO.

        Args:
            model: with a method `predict(observations, action_masks=..., deterministic=...)`; ConfigError otherwise,
                and if its spaces are not those of `actions`.
            deterministic: the likeliest action; otherwise actions are drawn.
            settings: as `PolicyAgent` takes them.
        """
        if 'action_masks' not in inspect.signature(model.predict).parameters:
            raise ConfigError(
                f'{type(model).__name__} knows no masks, and would choose illegal actions: train a MaskablePPO, '
                f'or give PolicyAgent a function of observations and masks'
            )

        def policy(observations: Any, masks: BoolArray) -> Any:
            return model.predict(observations, action_masks=masks, deterministic=deterministic)[0]

        agent = cls(policy, **settings)
        agent._check_spaces(model)
        return agent

    def _check_spaces(self, model: Any) -> None:
        """Raise ConfigError for a model that was trained with other actions, or other observations."""
        space, count = self._view.observation_space, self._view.actions.num_actions
        trained = getattr(model, 'observation_space', space), getattr(model, 'action_space', spaces.Discrete(count))
        if trained[0].shape != space.shape or trained[1].n != count:
            raise ConfigError(
                f'{type(model).__name__} chooses among {trained[1].n} actions from {trained[0]!s:.80}, but '
                f'actions={self._actions!r} has {count} and {space!s:.80}: give the actions= that it was trained with'
            )

    @override
    def prepare(self, rules: Rules) -> None:
        super().prepare(rules)
        self._view = make_view(rules, self._actions, self._most_moves)

    @override
    def choose(self, positions: Positions, random: Streams) -> Decision:
        """Choose what the policy does; IllegalActionError if that is not legal."""
        masks = self._view.actions.masks(positions)
        actions = np.asarray(self._policy(self._view.observe(positions), masks.copy()))
        if actions.shape != (len(masks),) or actions.dtype.kind not in 'iu':
            returned = f'{actions.dtype} {list(actions.shape)}'
            raise IllegalActionError(f'the policy returned {returned}: expected whole numbers [{len(masks)}]')
        actions = actions.astype(np.int64)
        legal = (actions >= 0) & (actions < self._view.actions.num_actions)
        legal[legal] = masks[legal, actions[legal]]
        if not legal.all():
            raise IllegalActionError(f'the policy chose action {actions[~legal][0]}, which is not legal')
        return Decision(self._view.actions.indices(positions, actions))
