"""One game as an environment of RLCard: what does not depend on which game it is."""

import warnings
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rlcard.envs.env import Env
from rlcard.utils import seeding

from rlcard_kit.agents.base import Agent
from rlcard_kit.arrays import Int64Array
from rlcard_kit.envs.rlcard_game import SingleGame
from rlcard_kit.errors import ConfigError, check_whole
from rlcard_kit.rules import rules_note


class SingleEnv(Env):  # type: ignore[misc]  # rlcard has no type information
    """One game in RLCard's conventions; a game's own environment says what a state holds."""

    game: Any
    """A `SingleGame` with `rules`, `legal` and a `judger`."""
    action_features: NDArray[np.int8]
    """Of all action ids, [actions, features]."""
    state_kind: type[dict[str, Any]]
    """What a state is, a dict that knows how to print itself."""
    action_recorder: list[tuple[int, str]]

    def set_agents(self, agents: Sequence[Any]) -> None:
        """Set the agents of the four seats, for `run`; warn of those that were trained on other rules."""
        for seat, agent in enumerate(agents):
            if isinstance(agent, Agent) and isinstance(self.game.rules, type(agent.default_rules)):
                agent.prepare(self.game.rules)
            note = rules_note(f'The agent in seat {seat}', getattr(agent, 'trained_on', None), self.game.rules)
            if note:
                warnings.warn(note, stacklevel=2)
        super().set_agents(agents)

    def step(self, action: int | str, raw_action: bool = False) -> tuple[Any, int]:
        """Play an action id, or a text with `raw_action`; return the next seat's state and that seat.

        IllegalActionError and GameOverError say what is wrong and leave everything as it was.
        """
        index = self.legal_index(action, raw_action)
        game: SingleGame = self.game
        # RLCard notes an action before the game plays it; by now it is known to be legal.
        self.timestep += 1
        self.action_recorder.append((game.player_id, game.legal_texts[index]))
        state, player = game.play(index)
        return self._extract_state(state), player

    def step_back(self) -> tuple[Any, int] | bool:
        """Undo the last move; return the state and seat before it, or False at the start of the game.

        ConfigError unless the environment was made with allow_step_back=True.
        """
        if not self.allow_step_back:
            raise ConfigError("Step back is off: make the environment with config={'allow_step_back': True}")
        if not self.game.step_back():
            return False
        self.timestep -= 1
        self.action_recorder.pop()
        player = self.get_player_id()
        return self.get_state(player), player

    def seed(self, seed: int | None = None) -> int:
        """Seed all random draws of the environment; None takes a seed from the operating system."""
        if seed is not None:
            check_whole('seed', seed, 0)
        self.np_random, used = seeding.np_random(None if seed is None else int(seed))
        self.game.np_random = self.np_random
        return int(used)

    def get_payoffs(self) -> Int64Array:
        """Return what each seat gains, int64 [4]; zeros while the game lasts."""
        payoffs: Int64Array = self.game.judger.judge_payoffs()
        return payoffs

    def legal_index(self, action: object, raw_action: bool) -> int:
        """Return the index of an action among the legal ones; an error says why it may not be played."""
        game: SingleGame = self.game
        return game.index_of_text(action) if raw_action else game.index_of(self._checked(action))

    @abstractmethod
    def _checked(self, action: object) -> int:
        """Return an action id as an int; IllegalActionError says which ids exist."""

    @abstractmethod
    def _unpack(self, packed: NDArray[Any], out: NDArray[np.int8]) -> None:
        """Write a packed observation, [1], as features into `out`, int8 [1, features]."""

    def get_action_feature(self, action: int) -> NDArray[np.int8]:
        """Return the features of an action id, the same at any time."""
        features: NDArray[np.int8] = self.action_features[self._checked(action)].copy()
        return features

    def _decode_action(self, action_id: object) -> str:
        text: str = self.game.text_of(self._checked(action_id))
        return text

    def _extract_state(self, state: dict[str, Any]) -> Any:
        """Return a state of RLCard for what `SingleGame.get_state` returns."""
        obs = np.empty((1, *self.state_shape[0]), np.int8)
        self._unpack(state['packed'], obs)
        return self.state_kind(
            obs=obs[0],
            legal_actions=self._get_legal_actions() if state['actions'] else OrderedDict(),
            raw_obs=state,
            raw_legal_actions=state['actions'].copy(),
            action_record=self.action_recorder.copy(),
        )

    def _get_legal_actions(self) -> OrderedDict[int, NDArray[np.int8]]:
        """Return the legal actions of the seat to move: id to features, ascending."""
        game = self.game
        actions: OrderedDict[int, NDArray[np.int8]] = OrderedDict()
        for action, features in zip(game.legal_ids, self.action_features.take(game.legal, axis=0), strict=True):
            actions[action] = features  # twice as fast as from pairs
        return actions


def check_config(config: Mapping[str, Any], defaults: Mapping[str, Any], title: str) -> dict[str, Any]:
    """Return the game's part of a configuration, with the defaults filled in.

    Args:
        config: as `rlcard.make` passes it.
        defaults: of the game, 'game_num_players' among them.
        title: of the game.

    Raises:
        ConfigError: naming an unknown key, or another number of players.
    """
    known = ('allow_step_back', 'seed', *defaults)
    unknown = sorted(set(config) - set(known))
    if unknown:
        raise ConfigError(f'unknown configuration {", ".join(unknown)}: the known keys are {", ".join(known)}')
    game_config = {key: config.get(key, default) for key, default in defaults.items()}
    if game_config['game_num_players'] != 4:
        raise ConfigError(f'game_num_players={game_config["game_num_players"]!r}: {title} is for 4 players')
    return game_config
