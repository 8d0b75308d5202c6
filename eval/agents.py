"""Agents by name, one grammar everywhere."""

import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.agents.mixed import EpsilonAgent
from rlcard_big2.errors import Big2Error

# Imported when asked for: a trainer's agent needs torch, and the trainers import this package.
PLAIN = {
    'random': 'rlcard_big2.agents.random:RandomAgent',
    'greedy': 'rlcard_big2.agents.greedy:GreedyAgent',
    'rule': 'rlcard_big2.agents.rule:RuleAgent',
}
FROM_FILE = {
    'dmc': 'dmc.agent:DMCAgent.load',
    'published-ppo': 'rlcard_big2.agents.published:PublishedAgent.load',
}


GRAMMAR = """
    random, greedy, rule           agents of this package
    dmc:FOLDER                     the network of a training run, such as dmc:runs/dmc
    published-ppo:FILE[,greedy]    the published PPO network, from your copy of its file; samples, or plays the best
    NAME                           a model registered with rlcard.models, such as big2-rule
    python:MODULE:FACTORY          what FACTORY() of a module of yours returns: an agent with RLCard's eval_step
    ...,epsilon=0.05               any agent of this package, with that share of random legal moves
"""


class AgentNameError(Big2Error):
    """A name that means no agent."""


def make_agent(name: str) -> Any:
    """Make the agent that a name means; AgentNameError says what is possible."""
    if name.startswith('python:'):
        return _make_own(name)
    head, *options = name.split(',')
    kind, _, path = head.partition(':')
    settings = _parse_options(name, options)
    epsilon = settings.pop('epsilon', None)
    agent = _make(name, kind, path, settings)
    return agent if epsilon is None else _explore(name, agent, epsilon)


def weights_file(name: str) -> Path | None:
    """Return the file that holds the weights of an agent, or None where its name tells of none."""
    kind, _, path = name.split(',')[0].partition(':')
    if kind not in FROM_FILE:
        return None
    file = Path(path).expanduser()
    return file / 'network.safetensors' if file.is_dir() else file


def _make(name: str, kind: str, path: str, settings: dict[str, Any]) -> Any:
    if kind in PLAIN and not path:
        return _call(name, _find(PLAIN[kind]), **settings)
    if kind in FROM_FILE and path:
        return _call(name, _find(FROM_FILE[kind]), Path(path).expanduser(), **settings)
    if kind in FROM_FILE:
        raise AgentNameError(f'{name!r} lacks its path: write {kind}:PATH')
    if not path and not settings:
        return _load_model(name)
    raise AgentNameError(f'{name!r} names no agent: {_possible()}')


def _parse_options(name: str, options: list[str]) -> dict[str, Any]:
    """Read `key=number` and bare words, which mean True."""
    settings: dict[str, Any] = {}
    for option in options:
        key, equals, value = option.partition('=')
        try:
            settings[key] = float(value) if equals else True
        except ValueError as error:
            raise AgentNameError(f'{name!r}: {value!r} is no number') from error
    return settings


def _explore(name: str, agent: Any, epsilon: float) -> BatchAgent:
    if not isinstance(agent, BatchAgent):
        raise AgentNameError(f'{name!r}: epsilon goes with the agents of this package alone')
    if not 0 <= epsilon <= 1:
        raise AgentNameError(f'{name!r}: epsilon is a probability from 0 to 1')
    return EpsilonAgent(agent, epsilon)


def _make_own(name: str) -> Any:
    parts = name.split(':')
    if len(parts) != 3:
        raise AgentNameError(f'{name!r}: write python:MODULE:FACTORY')
    sys.path.insert(0, os.getcwd())
    try:
        factory = _find(f'{parts[1]}:{parts[2]}')
    finally:
        sys.path.remove(os.getcwd())
    agent = _call(name, factory)
    if not isinstance(agent, BatchAgent) and not (hasattr(agent, 'eval_step') and hasattr(agent, 'use_raw')):
        raise AgentNameError(f"{name!r} gave {type(agent).__name__}: an agent has RLCard's eval_step and use_raw")
    return agent


def _load_model(name: str) -> Any:
    """Load the first agent of a model registered with RLCard."""
    try:
        models = importlib.import_module('rlcard.models.registration').model_registry
    except ImportError as error:
        raise AgentNameError(f'{name!r} names no agent, and rlcard.models cannot be imported: {error}') from error
    if name not in models.model_specs:
        raise AgentNameError(f'{name!r} names no agent: {_possible()}')
    return models.load(name).agents[0]


def _find(entry_point: str) -> Callable[..., Any]:
    module, _, path = entry_point.partition(':')
    try:
        found: Any = importlib.import_module(module)
        for attribute in path.split('.'):
            found = getattr(found, attribute)
    except (ImportError, AttributeError) as error:
        raise AgentNameError(f'{entry_point} cannot be imported: {error}') from error
    return cast(Callable[..., Any], found)


def _call(name: str, factory: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    try:
        return factory(*arguments, **settings)
    except TypeError as error:
        raise AgentNameError(f'{name!r} cannot be made: {error}') from error


def _possible() -> str:
    files = ', '.join(f'{kind}:PATH' for kind in FROM_FILE)
    return f'choose {", ".join(PLAIN)}, {files}, python:MODULE:FACTORY, or a model registered with rlcard.models'
