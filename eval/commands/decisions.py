"""`decisions`: a file of positions, as JSON and as text, with an agent's values of all moves."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, Any

import rlcard
from tyro.conf import Positional

from eval.common.cli import option
from eval.common.entry import step
from eval.games import DEFAULT, game_of
from rlcard_kit.bounds import AtLeast, AtMost, NaturalInt, PositiveInt, check_settings
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import replace
from rlcard_kit.nets.agents import ValueAgent
from rlcard_kit.programs.agent import question_of


@dataclass(frozen=True, kw_only=True)
class DecisionsOptions:
    """Let an agent play in all seats, and write each choice that it had: what its seat saw, and the values of moves.

    Try
      decisions big2-dmc decisions.jsonl
      decisions catch5-ppo decisions.jsonl --game catch5 --count 5000
    """

    agent: Annotated[str, Positional, option('AGENT')]
    """An agent with values or probabilities of moves."""
    file: Annotated[Path, Positional, option('FILE')]
    """The file to write, JSON Lines."""
    game: str = DEFAULT
    """The game."""
    rules: Annotated[str | None, option('RULES')] = None
    """Its rules; by default the first of its presets."""
    count: PositiveInt = 100_000
    """Number of decisions."""
    epsilon: Annotated[float, AtLeast(0.0), AtMost(1.0)] = 0.05
    """Share of moves that are drawn, so that positions after mistakes occur."""
    seed: NaturalInt = 0
    """Seed of the deals and of the draws."""

    def __post_init__(self) -> None:
        check_settings(self)
        if self.file.exists():
            raise ConfigError(f'{self.file} exists: name another file')


def decisions_command(options: DecisionsOptions) -> None:
    """Write the decisions of whole games, until there are enough."""
    with step(f'writing {options.count:,} decisions of {options.agent}'):
        replace(options.file, partial(_write, options))


def _write(options: DecisionsOptions, path: Path) -> None:
    game = game_of(options.game)
    rules, draws = game.find_rules(options.rules), Random(options.seed)
    agent = game.make_agent(options.agent, rules)
    env = rlcard.make(game.card.name, config={'seed': options.seed, 'game_rules': rules})
    written = number = 0
    with path.open('w', encoding='utf-8') as file:
        while written < options.count:
            for line in list(_play(env, agent, number, options.epsilon, draws))[: options.count - written]:
                file.write(f'{json.dumps(line)}\n')
                written += 1
            number += 1


def _play(env: Any, agent: Any, number: int, epsilon: float, draws: Random) -> Iterator[dict[str, Any]]:
    """Play a game, and yield its choices."""
    state, seat = env.reset()
    choices = []
    while not env.is_over():
        legal = list(state['legal_actions'])
        action, info = agent.eval_step(state)
        made = draws.choice(legal) if draws.random() < epsilon else action
        if len(legal) > 1:
            texts = dict(zip(legal, state['raw_legal_actions'], strict=True))
            about = {'text': str(state), **_values(agent, env.game.rules, info)}
            choices.append(
                (seat, {**question_of(number, state['raw_obs']), **about, 'best': texts[action], 'move': texts[made]})
            )
        state, seat = env.step(made)
    payoffs = env.get_payoffs().tolist()
    for seat, line in choices:
        yield {**line, 'payoff': payoffs[seat]}


def _values(agent: Any, rules: Any, info: dict[str, Any]) -> dict[str, Any]:
    """Return what an agent estimates, by move: values with calibrated cards and win chances, or probabilities."""
    known: dict[str, Any] = {key: info[key] for key in ('values', 'probs', 'value') if key in info}
    if not known:
        raise ConfigError(
            'agent: it has neither values nor probabilities of moves: expected a network, such as big2-dmc'
        )
    calibration = agent.calibration(rules) if isinstance(agent, ValueAgent) else None
    if calibration is not None:
        values = list(info['values'].values())
        for key, estimates in (('cards', calibration.expected_cards(values)), ('win', calibration.win_chance(values))):
            known[key] = dict(zip(info['values'], estimates.tolist(), strict=True))
    return known
