"""Agents by name, the same grammar for every command and function."""

from rlcard_catch5.agents.base import EpsilonAgent
from rlcard_kit.registry import LIMITS, PROGRAM, AgentNameError, AgentRegistry, AgentSpec

__all__ = ['GRAMMAR', 'KINDS', 'AgentNameError', 'make_agent', 'weights_file']

GREEDY = '; greedy plays the likeliest action instead of sampling'
KINDS = {
    'random': AgentSpec('rlcard_catch5.agents.base:RandomAgent', 'any legal action with equal probability'),
    'pass': AgentSpec('rlcard_catch5.agents.base:PassAgent', 'passes whenever it may; else random'),
    'suit': AgentSpec('rlcard_catch5.agents.base:SuitAgent', 'random, but names its longest suit'),
    'rule': AgentSpec('rlcard_catch5.agents.rule:RuleAgent', 'bids by length and honours, and weighs each card'),
    'catch5-ppo': AgentSpec(
        'rlcard_catch5.models:load_ppo', 'the PPO network that is included, playing its likeliest actions'
    ),
    'dmc': AgentSpec('rlcard_catch5.nets.agents:DMCAgent.load', 'the network of a DMC run', 'FOLDER'),
    'ppo': AgentSpec(
        'rlcard_catch5.nets.agents:PPOAgent.load', 'the network of a PPO run' + GREEDY, 'FOLDER', ('greedy',)
    ),
    'search': AgentSpec(
        'rlcard_catch5.search.agent:SearchAgent',
        "plays out an agent's likeliest moves in sampled deals of the hidden cards, this many for a decision: "
        'search:catch5-ppo,worlds=128',
        'AGENT',
        numbers=('worlds',),
    ),
    'published-ppo': AgentSpec(
        'rlcard_catch5.agents.published:PublishedAgent.load',
        'the published PPO network, from your copy of its file' + GREEDY,
        'FILE',
        ('greedy',),
    ),
    'program': AgentSpec('rlcard_catch5.agents.program:Catch5Program', PROGRAM, 'COMMAND', numbers=LIMITS),
}
REGISTRY = AgentRegistry(KINDS, EpsilonAgent, 'rule', 'rlcard_catch5.models')
GRAMMAR, make_agent, weights_file = REGISTRY.grammar, REGISTRY.make, REGISTRY.weights_file
