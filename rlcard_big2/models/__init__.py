"""Models that come with the package: weights, settings and a card of each, and the agents that play by them.

`python -m rlcard_big2.models` lists them. `models.load('big2-dmc')` loads one as RLCard does, after `from rlcard import
models`; `rlcard_big2.registry.make_agent('big2-dmc')` loads its agent without importing RLCard's own models.
"""

from functools import cache
from pathlib import Path

from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.nets.beliefs import BeliefNetwork
from rlcard_big2.nets.checkpoint import Settings
from rlcard_big2.nets.dmc import DMCAgent, DMCByRules
from rlcard_big2.nets.ppo import PPOAgent
from rlcard_big2.rules import Rules
from rlcard_big2.search.agent import MOST_WORLDS, SearchAgent
from rlcard_big2.search.beliefs import PROPOSALS, Beliefs, MakeBeliefs, learned_beliefs, uniform_beliefs
from rlcard_big2.search.opponent_model import Habits, habits_of
from rlcard_big2.search.posterior import KNOWN, SHARPEST, Posterior
from rlcard_kit.agents.base import Agent, ValueFunction
from rlcard_kit.envs.model import SeatedModel
from rlcard_kit.errors import ConfigError, check_whole
from rlcard_kit.nets.zoo import Description, Shipped

WEIGHTS = Path(__file__).parent
PROPOSALS_TO_START = 4  # for each world of the beliefs that the posterior begins with
WORLDS = 64  # of the model 'big2-search', for each decision
SHIPPED = Shipped(
    WEIGHTS, {'big2-dmc': ('dmc', 'dmc-hkust', 'dmc-hong-kong', 'dmc-taiwan'), 'big2-ppo': ('ppo',)}, Settings
)
BELIEFS = Shipped(WEIGHTS, {'beliefs': ('beliefs',)}, Settings)
PLAYOUTS = Shipped(WEIGHTS, {'playouts': ('dmc-playouts',)}, Settings)


def describe_models() -> list[Description]:
    """Return what there is to know about each shipped model, and about what search uses. No network is loaded."""
    return SHIPPED.describe() + BELIEFS.describe() + PLAYOUTS.describe()


def load_dmc(numpy: bool = False) -> DMCAgent:
    """Load the agent 'big2-dmc', which has a network for each preset of the rules; see `DMCAgent.load`."""
    return DMCByRules(SHIPPED.rules('big2-dmc'), numpy)


def load_ppo() -> PPOAgent:
    """Load the agent 'big2-ppo', which plays its likeliest actions; see `PPOAgent.load`."""
    return PPOAgent.load(WEIGHTS / 'ppo', greedy=True)


def shipped_beliefs(rules: Rules, proposals: int = PROPOSALS) -> Beliefs:
    """Take the beliefs that were learned under some rules, or all worlds for equally likely if none were.

    See `rlcard_big2.search.beliefs.MakeBeliefs`; `proposals` are dealt for each world that is drawn.
    """
    for folder, learned_under in BELIEFS.rules('beliefs').items():
        if learned_under == rules:
            return learned_beliefs(_load_beliefs(folder), proposals)(rules)
    return uniform_beliefs(rules)


@cache
def _load_beliefs(folder: Path) -> BeliefNetwork:
    return BeliefNetwork.load(folder)


@cache
def shipped_playouts() -> dict[Rules, ValueFunction]:
    """Load the small networks that shorten the choice in playouts, by the rules that they learned."""
    agents = (DMCAgent.load(folder, numpy=True) for folder in PLAYOUTS.rules('playouts'))
    return {agent.trained_on: agent.network for agent in agents if agent.trained_on is not None}


def posterior_beliefs(base: DMCAgent, temperature: float = 0.0, opponents: Agent | None = None) -> MakeBeliefs:
    """Return what draws worlds by how likely the opponents' last moves were in them; see `Posterior`.

    It begins with the shipped beliefs, and asks the opponents if they are known, else the small network that is shipped
    for the rules, if there is one.

    Args:
        base: whose values say how good moves were if nothing else does; prepared for the rules before.
        temperature: at which opponents are expected to draw their moves, in cards.
        opponents: the agent that they are; prepared for the rules before.
    """

    def make(rules: Rules) -> Beliefs:
        starting, effort = shipped_beliefs(rules, PROPOSALS_TO_START), 1
        habits = Habits(shipped_playouts().get(rules, base.network), temperature)
        if opponents is not None:
            habits, effort = habits_of(opponents, temperature), KNOWN
        return Posterior(starting, habits.network, tabulate(rules), max(SHARPEST, habits.temperature), effort)

    return make


def load_search(
    base: DMCAgent,
    worlds: int | None = None,
    milliseconds: float | None = None,
    uniform: bool = False,
    learned: bool = False,
    temperature: float = 0.0,
    opponents: Agent | None = None,
) -> SearchAgent:
    """Make the agent that a name with a budget means; see `SearchAgent`.

    Args:
        base: whose moves are searched.
        worlds: for each decision.
        milliseconds: for each decision.
        uniform: take all worlds for equally likely.
        learned: take worlds for as likely as shipped beliefs do, whatever the opponents' last moves.
        temperature: at which opponents draw their moves in playouts.
        opponents: the agent that they are, if that is known.

    Raises:
        ConfigError: if a budget is 0 or a number is out of bounds, both or no budgets are given, or both kinds of
            worlds.
    """
    if worlds is not None:
        check_whole('worlds', worlds, 1, MOST_WORLDS)
    if uniform and learned:
        raise ConfigError('search takes uniform or learned: both are given')
    posterior = posterior_beliefs(base, temperature, opponents)
    return SearchAgent(
        base,
        worlds,
        milliseconds,
        sketches=shipped_playouts(),
        beliefs=uniform_beliefs if uniform else shipped_beliefs if learned else posterior,
        temperature=temperature,
        opponents=opponents,
    )


class RuleModel(SeatedModel):
    """The rule agent, which plans how to shed its hand."""

    def __init__(self) -> None:
        super().__init__(RuleAgent())


class DMCModel(SeatedModel):
    """Deep Monte Carlo, with a network for each preset of the rules: the strongest agent here.

    info['values'] holds the value of each action in cards: the expected payoff, with 5 for winning, of which every seat
    pays a quarter.
    """

    def __init__(self) -> None:
        super().__init__(load_dmc())


class PPOModel(SeatedModel):
    """Proximal policy optimisation on the rules 'charlesworth', playing its likeliest actions.

    info['probs'] holds the probability of each action, info['value'] the expected payoff in cards.
    """

    def __init__(self) -> None:
        super().__init__(load_ppo())


class SearchModel(SeatedModel):
    """The network of `DMCModel`, which plays its best moves on in 64 worlds before it moves; needs no torch.

    Beside info['values'], info['estimates'] holds what the moves that it looked at are worth, in cards; see
    `rlcard_big2.search.agent.SearchAgent.eval_step`.
    """

    def __init__(self) -> None:
        super().__init__(load_search(load_dmc(numpy=True), worlds=WORLDS))


MODELS = {'big2-dmc': DMCModel, 'big2-ppo': PPOModel, 'big2-rule': RuleModel, 'big2-search': SearchModel}
