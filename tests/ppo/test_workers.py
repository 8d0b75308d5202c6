"""Rollouts of actors on a cluster: how stale they are when they are learned from."""

import os
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

if os.environ.get('CI') != 'true':
    pytest.importorskip('ray', reason='Ray is not installed')

import ppo.config
import ppo.workers.ray_workers
from ppo.rollout import try_out
from ppo.trainer import PPOState
from ppo.workers.base import Counts
from training.cluster.actor_pool import Answered
from training.precision import Precision

PPO = ppo.config.Config(
    num_games=12,
    num_steps=20,
    minibatch_size=64,
    hidden_size=16,
    action_size=8,
    eval_deals=0,
    learner_threads=1,
    training_device='cpu',
    precision='float32',
)


class Scripted:
    """A crew whose actors answer when a test says so."""

    def __init__(self, count, batch):
        self.members = {n: SimpleNamespace(answers=0, calls=[], error=None, number=n) for n in range(count)}
        self.version, self.batch, self.answered = 1, batch, []

    def publish(self, weights):
        self.version += 1

    def ask(self, member, *task):
        member.calls.append(self.version)

    def answer(self, number):
        member = self.members[number]
        answer = ppo.workers.ray_workers.Answer(self.batch, Counts(1, 0, 0), np.empty((0, 2)))
        self.answered.append(Answered(member, member.calls.pop(0), answer))
        member.answers += 1

    def answers(self, seconds):
        answered, self.answered = self.answered, []
        return answered

    def count(self, member, decisions):
        pass


@pytest.fixture
def scripted():
    """Return what makes a fleet of so many actors that answer as they are told."""

    def make(count, bound):
        config = replace(PPO, ray='auto', num_actors=count, max_staleness=bound)
        state = PPOState(config, {'cpu': Precision(torch.float32, '')})
        fleet = state.fleet
        fleet.crew = Scripted(count, try_out(config, state.learner))
        fleet._per_update = count
        fleet._follow()
        return state.learner, fleet

    return make


@pytest.mark.parametrize('bound', [0, 1, 2])
def test_no_rollout_is_learned_from_that_is_staler_than_allowed(scripted, bound):
    learner, fleet = scripted(4, bound)
    random, seen = np.random.default_rng(3), []
    for _ in range(600):
        played = fleet.collect()
        if played is not None:
            seen.append(played.staleness)
            learner.updates += 1
            fleet.collect()
        busy = [number for number, member in fleet.crew.members.items() if member.calls]
        speeds = np.array([1, 1, 1, 0.2])[busy]  # one is slow
        fleet.crew.answer(int(random.choice(busy, p=speeds / speeds.sum())))
    assert len(seen) > 80
    assert max(seen) <= bound
    assert (np.mean(seen) > 0) == (bound > 0)


def test_the_learner_waits_for_late_actors_but_not_for_one_that_starts(scripted):
    learner, fleet = scripted(3, 1)
    crew = fleet.crew
    assert fleet.collect() is None
    for number in (0, 1):
        crew.answer(number)
        assert fleet.collect() is None
    crew.answer(0)
    assert fleet.collect().staleness == 0, 'actor 2 has never answered'
    learner.updates += 1
    for number in (0, 0, 1):
        assert fleet.collect() is None, 'calls wait whose weights would be too old for the next update'
        crew.answer(number)
    assert fleet.collect() is None
    crew.answer(1)
    assert fleet.collect().staleness == 1
    learner.updates += 1
    crew.answer(2)
    before = len(fleet._shares)
    fleet.collect()
    assert len(fleet._shares) == before, 'its first rollout came too late'
    assert len(crew.members[2].calls) > 0
