"""Checks of agents of any game."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import rlcard

from rlcard_kit.agents import Agent, Positions, is_of_protocol
from rlcard_kit.arrays import Int64Array
from rlcard_kit.errors import IllegalActionError
from rlcard_kit.game import CardGame
from rlcard_kit.rng import Streams, new_streams
from rlcard_kit.table import ask
from rlcard_kit.vector_env import VectorEnv

NUM_GAMES = 24


def check_agent_of(game: CardGame, agent: Any, rules: Iterable[Any], seed: int) -> None:
    """Play an agent of a game under each set of rules, and check that it keeps to the protocol.

    Any agent must choose legal actions in `eval_step` and `step`. An `Agent` must also choose legal moves for many
    games at once, leave its arguments unchanged, repeat its choice with the same stream, and choose independently of
    the other games in the batch.

    Raises:
        AssertionError: naming the rules, the move and the fault.
    """
    _require(
        is_of_protocol(agent), f"{agent!r:.80} is not an agent: expected an object with RLCard's eval_step and use_raw"
    )
    for checked in map(game.find_rules, rules):
        if isinstance(agent, Agent):
            _check_batches(game, agent, checked, seed)
        _check_states(game, agent, checked, seed)


def _check_batches(game: CardGame, agent: Agent, rules: Any, seed: int) -> None:
    """Check the decisions of games in lockstep, from their deals until one ends."""
    agent.prepare(rules)
    env = VectorEnv(game, rules, new_streams([seed, 1], NUM_GAMES))
    random, payoffs, done = new_streams([seed, 2], NUM_GAMES), env.new_payoffs(), np.zeros(NUM_GAMES, np.bool_)
    ply = 0
    while not done.any():
        positions = env.positions()
        where = f'{type(agent).__name__} under {rules}, move {ply}'
        chosen = _check_choices(agent, positions, random, where)
        env.step(positions.moves[chosen], payoffs, done, check=False)
        ply += 1


def _check_choices(agent: Agent, positions: Positions, random: Streams, where: str) -> Int64Array:
    """Check one decision of N games; return the indices chosen, int64 [N], and advance the streams."""
    before, games = random.copy(), np.arange(len(random))
    given = positions.select(games)
    choice = _ask(agent, given, random, where)
    for name, now, then in zip(Positions._fields, given, positions, strict=True):
        _require(np.array_equal(now, then), f'{where}: it changed the {name} that it was given')
    again = _ask(agent, positions.select(games), before.copy(), where)
    _require(np.array_equal(again, choice), f'{where}: the same stream gave another choice')
    for game in reversed(games):
        only = games[game : game + 1]
        alone = _ask(agent, positions.select(only), before[only], where)
        _require(alone == choice[only], f'{where}: alone, game {game} gave another choice than in the batch')
    return positions.offsets[:-1] + choice


def _ask(agent: Agent, positions: Positions, random: Streams, where: str) -> Int64Array:
    """Return the choice of each game among its own moves, int64 [N]; AssertionError if it is none."""
    try:
        return ask(agent, positions, random).indices
    except IllegalActionError as error:
        raise AssertionError(f'{where}: {error}') from error


def _require(condition: object, message: str) -> None:
    """Raise AssertionError unless a condition holds, also under `python -O`."""
    if not condition:
        raise AssertionError(message)


def _check_states(game: CardGame, agent: Any, rules: Any, seed: int) -> None:
    """Check the decisions of one game through RLCard's protocol."""
    env = rlcard.make(game.name, config={'seed': seed, 'game_rules': rules})
    state, _ = env.reset()
    while not env.is_over():
        where = f'{type(agent).__name__} under {rules}, move {len(state["action_record"])}'
        legal = state['raw_legal_actions'] if agent.use_raw else list(state['legal_actions'])
        answer = agent.eval_step(state)
        is_pair = isinstance(answer, tuple) and len(answer) == 2
        _require(is_pair, f'{where}: eval_step must return an action and a dict')
        for name, action in (('eval_step', answer[0]), ('step', agent.step(state))):
            _require(action in legal, f'{where}: {name} chose {action!r}, which is not legal')
        _require(isinstance(answer[1], dict), f'{where}: eval_step must return a dict after the action')
        state, _ = env.step(answer[0], raw_action=agent.use_raw)
