"""Models that come with the package: weights, settings and a card of each, and the agents that play by them.

`python -m rlcard_catch5.models` lists them. `models.load('catch5-ppo')` loads one as RLCard does, after `from rlcard
import models`; `rlcard_catch5.make_agent` loads its agent without importing RLCard's own models. Nothing needs torch.
"""

from pathlib import Path

from rlcard_catch5.agents.rule import RuleAgent
from rlcard_catch5.nets.agents import PPOAgent
from rlcard_catch5.nets.spec import Settings
from rlcard_kit.envs.rlcard_env import AgentModel
from rlcard_kit.nets.zoo import Description, ModelZoo

WEIGHTS = Path(__file__).parent
SHIPPED = ModelZoo(WEIGHTS, {'catch5-ppo': ('ppo',)}, Settings)


def describe_models() -> list[Description]:
    """Describe each shipped model. No network is loaded."""
    return SHIPPED.describe()


def load_ppo() -> PPOAgent:
    """Load the agent 'catch5-ppo', which plays its likeliest actions; see `PPOAgent.load`."""
    return PPOAgent.load(WEIGHTS / 'ppo', greedy=True)


class RuleModel(AgentModel):
    """The rule agent, which bids by length and honours."""

    make = RuleAgent


class PPOModel(AgentModel):
    """Proximal policy optimisation on the rules 'paper', playing its likeliest actions.

    info['probs'] holds the probability of each action, info['value'] the expected score difference in points.
    """

    make = staticmethod(load_ppo)


MODELS = {'catch5-ppo': PPOModel, 'catch5-rule': RuleModel}
