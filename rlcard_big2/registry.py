"""Agents by name, the same grammar for every command and function."""

from rlcard_big2.agents.base import EpsilonAgent
from rlcard_kit.registry import LIMITS, PROGRAM, AgentNameError, AgentRegistry, AgentSpec

__all__ = ['GRAMMAR', 'KINDS', 'AgentNameError', 'make_agent', 'weights_file']

GREEDY = '; greedy plays the likeliest action instead of sampling'
NUMPY = '; numpy plays without torch even if it is installed'
KINDS = {
    'random': AgentSpec('rlcard_big2.agents.base:RandomAgent', 'any legal action with equal probability'),
    'greedy': AgentSpec('rlcard_big2.agents.base:GreedyAgent', 'the lowest of the longest moves'),
    'rule': AgentSpec('rlcard_big2.agents.rule:RuleAgent', 'a heuristic that plans how to shed its hand'),
    'big2-dmc': AgentSpec(
        'rlcard_big2.models:load_dmc', 'the strongest network that is included' + NUMPY, '', ('numpy',)
    ),
    'big2-dmc-2026-11': AgentSpec(
        'rlcard_big2.models:load_dmc_before', 'the strongest network of earlier versions' + NUMPY, '', ('numpy',)
    ),
    'big2-ppo': AgentSpec(
        'rlcard_big2.models:load_ppo', 'the PPO network that is included, playing its likeliest actions'
    ),
    'dmc': AgentSpec('rlcard_big2.nets.agents:DMCAgent.load', 'the network of a DMC run' + NUMPY, 'FOLDER', ('numpy',)),
    'ppo': AgentSpec(
        'rlcard_big2.nets.agents:PPOAgent.load', 'the network of a PPO run' + GREEDY, 'FOLDER', ('greedy',)
    ),
    'search': AgentSpec(
        'rlcard_big2.search.zoo:load_search',
        "plays out an agent's best moves in sampled hidden hands, with this many hands or milliseconds per decision: "
        'search:big2-dmc,worlds=64; temperature=0.5 expects weaker opponents, opponents=big2-ppo models them as that '
        'agent, adaptive finds out whether they play like the base, rule, greedy or random, learned samples hands from '
        'shipped beliefs alone, uniform takes all hands as equally likely',
        'AGENT',
        ('adaptive', 'learned', 'uniform'),
        numbers=('worlds', 'milliseconds', 'temperature'),
        agents=('opponents',),
    ),
    'clone': AgentSpec(
        'rlcard_big2.models.clones:load_clone', 'imitates players of recorded games; big2 clone writes the file', 'FILE'
    ),
    'published-ppo': AgentSpec(
        'rlcard_big2.agents.published:PublishedAgent.load',
        'the published PPO network, from your copy of its file' + GREEDY,
        'FILE',
        ('greedy',),
    ),
    'program': AgentSpec('rlcard_big2.agents.program:Big2Program', PROGRAM, 'COMMAND', numbers=LIMITS),
    'coders': AgentSpec(
        'rlcard_big2.agents.coders:CodersAgent',
        'a file of the Coders for Causes contest, with its rules: --rules coders-for-causes',
        'FILE',
        numbers=LIMITS,
    ),
}
REGISTRY = AgentRegistry(KINDS, EpsilonAgent, 'greedy', 'rlcard_big2.models')
GRAMMAR, make_agent, weights_file = REGISTRY.grammar, REGISTRY.make, REGISTRY.weights_file
