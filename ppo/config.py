"""The settings of a PPO run."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from rlcard_big2.errors import ConfigError
from rlcard_big2.nets.ppo import AGENT
from rlcard_big2.nets.spec import ActionSpec, CharlesworthSpec, Inputs, PolicySpec
from training.config import RunConfig

NetworkName = Literal['actions', 'charlesworth']

PRESETS: Mapping[str, Mapping[str, Any]] = {
    'default': {},
    'paper': {  # Charlesworth (2018)
        'rules': 'charlesworth',
        'network': 'charlesworth',
        'total_frames': 150_000_000,
        'num_games': 48,
        'num_steps': 20,
        'learn_forced': True,
        'minibatch_size': 240,
        'epochs': 4,
        'gamma': 0.995,
        'gae_lambda': 0.95,
        'clip': 0.2,
        'clip_values': True,
        'value_coefficient': 0.5,
        'entropy_coefficient': 0.02,
        'uniform_coefficient': 0.0,
        'z_coefficient': 0.0,
        'adam_epsilon': 1e-5,
        'learning_rate': 2.5e-4,
        'anneal': True,
        'averaging': 1,
        'max_grad_norm': 0.5,
        'payoff_unit': 5.0,
        'opponent': 'self',
    },
}


@dataclass(frozen=True)
class Config(RunConfig):
    """Settings of a run."""

    agent: ClassVar[str] = AGENT
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = PRESETS
    fixed: ClassVar[tuple[str, ...]] = (
        'rules',
        'inputs',
        'network',
        'hidden_size',
        'action_size',
        'num_games',
        'num_steps',
    )
    not_zero: ClassVar[tuple[str, ...]] = (
        *RunConfig.not_zero,
        'num_games',
        'num_steps',
        'minibatch_size',
        'epochs',
        'clip',
        'learning_rate',
        'max_grad_norm',
        'payoff_unit',
        'hidden_size',
        'action_size',
        'pool_size',
        'pool_interval',
    )
    at_most_one: ClassVar[tuple[str, ...]] = (*RunConfig.at_most_one, 'gamma', 'gae_lambda', 'clip', 'pool_share')

    savedir: Path = Path('runs/ppo')
    """Folder of the run: settings, checkpoint and metrics."""
    num_games: int = 512
    """Games that are played in lock step."""
    num_steps: int = 32
    """Moves in each game between two updates."""
    learn_forced: bool = False
    """Learn from states with a single legal action too, as the paper does; they decide nothing."""
    minibatch_size: int = 1024
    """Decisions in one step of the optimiser."""
    epochs: int = 1
    """Times that each decision is learned from."""
    gamma: float = 1.0
    """Discount from one of a player's decisions to its next."""
    gae_lambda: float = 0.95
    """How far advantages look ahead (Schulman et al. 2016): 0 to the next value, 1 to the payoff."""
    clip: float = 0.2
    """How far the probability of a move may be taken from what it was played with."""
    clip_values: bool = False
    """Clip the values as OpenAI Baselines does."""
    value_coefficient: float = 0.5
    """Weight of the values' loss."""
    entropy_coefficient: float = 0.0
    """Weight of the entropy that is sought."""
    uniform_coefficient: float = 0.03
    """Weight of the divergence of equal chances from the policy, which keeps every legal move alive."""
    z_coefficient: float = 1e-3
    """Weight of the z-loss (Chowdhery et al. 2022), the squared log-sum of a decision's logits: without it they may
    drift away together, until bfloat16 cannot tell them apart."""
    learning_rate: float = 3e-4
    """Step size of Adam."""
    adam_epsilon: float = 1e-8
    """What Adam adds to the root of squared gradients."""
    anneal: bool = False
    """Take learning rate and clip down to 0, in a straight line over the run, instead of `decay`."""
    max_grad_norm: float = 10.0
    """Norm at which gradients are clipped."""
    payoff_unit: float = PolicySpec.payoff_unit
    """What payoffs are divided by."""
    inputs: Inputs = ActionSpec.inputs
    """Of the network 'actions': 'cards' alone; 'afterstates' adds what the cards amount to that a move leaves and that
    others may hold."""
    network: NetworkName = 'actions'
    """'actions' scores each legal action by its cards, under all rules; 'charlesworth' is the published one."""
    hidden_size: int = ActionSpec.hidden_size
    """Width of the layers of 'actions'."""
    action_size: int = ActionSpec.action_size
    """Width of its layers in which state and action meet."""
    opponent: Literal['self', 'pool'] = 'self'
    """'self': all four seats are trained; 'pool': in some games one seat plays against earlier selves."""
    pool_size: int = 16
    """Earlier selves that are kept."""
    pool_interval: int = 50
    """Updates between two that are kept."""
    pool_share: float = 0.25
    """Part of the games in which earlier selves play."""

    @property
    def spec(self) -> ActionSpec | CharlesworthSpec:
        """What the network is made from."""
        if self.network == 'charlesworth':
            return CharlesworthSpec(self.payoff_unit)
        return ActionSpec(
            hidden_size=self.hidden_size,
            action_size=self.action_size,
            inputs=self.inputs,
            payoff_unit=self.payoff_unit,
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.network == 'charlesworth' and self.rules != 'charlesworth':
            raise ConfigError(
                f"network='charlesworth': it knows the rules 'charlesworth' alone, not {self.rules!r}; "
                f"network='actions' plays all"
            )
