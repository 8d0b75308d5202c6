"""Networks, names and reports of the toy game: all that `python -m dmc`, `ppo` and `eval` need of a third game."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import nn

from eval.tables import Section, row
from rlcard_kit.agents import EpsilonAgent
from rlcard_kit.duplicate.deals import play_hands
from rlcard_kit.duplicate.match import Match, matches_of
from rlcard_kit.nets import checkpoint
from rlcard_kit.nets.agents import DMC, PPO, PolicyAgent, ValueAgent
from rlcard_kit.nets.policy import PolicyNetwork, exactly
from rlcard_kit.nets.spec import NetworkSpec, PolicySpec, Size
from rlcard_kit.nets.value import MoveValueNetwork
from rlcard_kit.registry import AgentRegistry, AgentSpec
from tests.support.toy_game import BIDS, CARDS, SEATS, TOY, Rules, ToyAgent
from training.games.base import LearnedGame

FEATURES, MOVES = SEATS * CARDS + 2 * SEATS, BIDS + SEATS * CARDS


@dataclass(frozen=True)
class ToyValueSpec(NetworkSpec):
    kind: ClassVar[str] = 'toy-value'
    hidden_size: Size = 16


@dataclass(frozen=True)
class ToyPolicySpec(PolicySpec):
    kind: ClassVar[str] = 'toy-policy'
    hidden_size: Size = 16


def features(observations):
    parts = [observations[name] for name in ('hand', 'bids', 'trick')]
    return torch.from_numpy(np.concatenate(parts, axis=1).astype(np.float32))


def of_moves(scores, moves, owners):
    return scores[torch.from_numpy(owners), torch.from_numpy(moves)]


class ToyValues(MoveValueNetwork):
    def __init__(self, spec):
        super().__init__()
        self.spec = spec
        self.hidden, self.out = nn.Linear(FEATURES, spec.hidden_size), nn.Linear(spec.hidden_size, MOVES)

    def unpack(self, observations):
        return features(observations).to(self.dtype)

    def inputs(self, observations, moves):
        return self.unpack(observations), torch.from_numpy(moves)

    def forward(self, x, moves):
        return self.out(torch.relu(self.hidden(x))).float()[torch.arange(len(moves)), moves]

    def values(self, positions):
        with torch.inference_mode():
            owners = positions.owners
            return self(*self.inputs(positions.observations[owners], positions.moves)).numpy()


class ToyPolicy(PolicyNetwork):
    def __init__(self, spec):
        super().__init__(spec)
        self.hidden = nn.Linear(FEATURES, spec.hidden_size)
        self.logits, self.value = nn.Linear(spec.hidden_size, MOVES), nn.Linear(spec.hidden_size, 1)

    def forward(self, positions):
        x = torch.relu(self.hidden(features(positions.observations).to(self.dtype)))
        logits = of_moves(exactly(self.logits, x), positions.moves, positions.owners)
        return logits, exactly(self.value, x).squeeze(1)


class Settings(checkpoint.Settings):
    game, observation, rules_kind = 'toy', FEATURES, Rules
    specs: ClassVar = {spec.kind: spec for spec in (ToyValueSpec, ToyPolicySpec)}


def load(folder, spec, numpy=True):
    network = (ToyValues if isinstance(spec, ToyValueSpec) else ToyPolicy)(spec)
    weights = {name: torch.from_numpy(array).float() for name, array in checkpoint.read_weights(folder).items()}
    network.load_state_dict(weights)
    return network


class ToyDMC(ValueAgent, ToyAgent):
    settings_type, spec_type, load_network = Settings, ToyValueSpec, staticmethod(load)


class ToyPPO(PolicyAgent, ToyAgent):
    settings_type, load_network = Settings, staticmethod(load)


class ToyEpsilon(EpsilonAgent, ToyAgent):
    pass


class Toy(LearnedGame):
    card, title, presets, settings = TOY, 'the toy game', Rules.presets(), Settings
    names = AgentRegistry(
        {
            'random': AgentSpec('tests.support.toy_game:RandomBidder', 'random'),
            'shy': AgentSpec('tests.support.toy_game:Shy', 'never bids'),
            'dmc': AgentSpec('tests.support.toy_training:ToyDMC.load', 'a network', 'FOLDER'),
            'ppo': AgentSpec('tests.support.toy_training:ToyPPO.load', 'a policy', 'FOLDER', ('greedy',)),
        },
        ToyEpsilon,
        'shy',
        'tests.support.toy_training',
    )
    baselines, opponents, seated, legend = ('random',), 'two', 'in both pairs of seats', ''
    shares, headline, axis, unit, compared = 'wins', 'points', 'points', 'points', ('points',)
    records, place = None, ''
    save_deals = load_deals = record = None
    networks: ClassVar = {DMC: ('toy',), PPO: ('toy',)}
    default: ClassVar = {'default': {'rules': 'plain', 'network': 'toy', 'eval_opponents': ('shy',)}}
    training_presets: ClassVar = {DMC: default, PPO: default}

    @staticmethod
    def play_match(agent, opponent, deals, rules, seed):
        agents = {'agent': agent, 'opponent': opponent}
        return Match.from_outcome(TOY, play_hands(TOY, GAME.make_agent, agents, deals, rules, seed)[0])

    def matches(self, pairs, outcome, rules):
        return dict(zip(pairs, matches_of(TOY, outcome), strict=True))

    def by_deal(self, match):
        columns = match.by_deal()
        return {'wins': columns['wp', ''], 'points': columns['ev', '']}

    def table(self, title, names, match):
        return Section(title, tuple(self.by_deal(match)), (row(names[0], self.by_deal(match)),))

    def mixed_tables(self, count):
        return np.zeros((0, SEATS), np.int64)

    def spec(self, trainer, settings):
        if trainer == DMC:
            return ToyValueSpec(settings['hidden_size'])
        return ToyPolicySpec(settings['payoff_unit'], settings['hidden_size'])

    def make_policy(self, spec):
        return ToyPolicy(spec)

    def make_value_network(self, spec):
        return ToyValues(spec)

    def load_policy(self, folder):
        return ToyPPO.load(folder, greedy=True)

    def load_values(self, folder):
        return ToyDMC.load(folder)

    def show(self, title, match, width):
        yield f'{title}\n{match}\n'


GAME = Toy()
