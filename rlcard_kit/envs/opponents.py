"""Opponents and seats of a `SingleAgentEnv` from the arguments of a caller, checked."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from rlcard_kit.agents.base import Agent
from rlcard_kit.envs.single_agent import RANDOM, ROTATE, Opponent, SingleAgentEnv
from rlcard_kit.errors import ConfigError, check_whole
from rlcard_kit.eval_step import EvalStepAgent
from rlcard_kit.game import CardGame
from rlcard_kit.rules import rules_note
from rlcard_kit.vector_env import MOST_GAMES

DEFAULT = 'rule'  # opponent, in every game
MakeAgent = Callable[[str, Any], Any]  # from a name and rules


def make_single_agent_env(
    game: CardGame, make_agent: MakeAgent, num_games: int, rules: Any, opponents: Any, pool: Any, seat: Any
) -> SingleAgentEnv:
    """Make a `SingleAgentEnv`.

    Args:
        game: to play.
        make_agent: constructor of agents by name.
        num_games: N, at most `MOST_GAMES`.
        rules: as `game.find_rules` takes them.
        opponents: one agent for all other seats, or a list of one for each, in the order of play after the agent;
            None for DEFAULT, unless there is a pool.
        pool: None, or instead of opponents a list of agents from which each other seat draws one with each deal.
        seat: the agent's: a number, 'rotate' for the next one with each deal, or 'random'.

    Raises:
        ConfigError: if these contradict each other.
        AgentNameError: if a name does not mean an agent.
    """
    check_whole('num_envs', num_games, 1, MOST_GAMES)
    rules = game.find_rules(rules)
    _check_seat(seat, game.num_seats)
    drawn = pool is not None
    if drawn and opponents is not None:
        raise ConfigError('give opponents or a pool to draw them from, not both')
    agents = _agents_of(pool) if drawn else _agents_of(DEFAULT if opponents is None else opponents, game.num_seats - 1)
    made: dict[object, int] = {}  # each of them once: equal agents decide together
    order = [made.setdefault(agent if isinstance(agent, str) else id(agent), len(made)) for agent in agents]
    parts = [_opponent(agents[order.index(number)], make_agent, rules) for number in range(len(made))]
    if drawn:
        parts = [parts[number] for number in order]  # one that is listed twice is drawn twice as often
    return SingleAgentEnv(game, rules, num_games, parts, None if drawn else order, seat)


def _check_seat(seat: Any, count: int) -> None:
    if isinstance(seat, str):
        if seat not in (ROTATE, RANDOM):
            raise ConfigError(f'seat={seat!r}: expected 0 to {count - 1}, {ROTATE!r} or {RANDOM!r}')
    else:
        check_whole('seat', seat, 0, count - 1)


def _agents_of(given: Any, count: int | None = None) -> list[Any]:
    """Return agents as a list: as many as given, or `count`."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        return [given] * (count or 1)
    if count is not None and len(given) != count:
        raise ConfigError(f'opponents={list(given)!r:.120}: expected one agent, or {count} in the order of play')
    if not given:
        raise ConfigError('pool=[]: expected at least one agent to draw')
    return list(given)


def _opponent(agent: Any, make_agent: MakeAgent, rules: Any) -> Opponent:
    name = agent if isinstance(agent, str) else type(agent).__name__
    made = make_agent(agent, rules) if isinstance(agent, str) else agent
    if isinstance(made, Agent):
        made.prepare(rules)
    note = rules_note(name, getattr(made, 'trained_on', None), rules)
    if note:
        warnings.warn(note, stacklevel=2)
    if isinstance(made, Agent):
        return Opponent(made, name)
    if callable(getattr(made, 'eval_step', None)) and hasattr(made, 'use_raw'):
        return Opponent(EvalStepAgent(made), name)
    raise ConfigError(
        f"{agent!r:.80} is not an opponent: expected an agent's name, a BatchAgent, or eval_step and use_raw"
    )
