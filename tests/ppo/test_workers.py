"""Staleness of rollouts that actors on a cluster have played."""

import os
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
from rlcard_kit.nets.weights import dump_weights
from training.cluster import Result
from training.machine import Precision
from training.workers import Counts

SIZES = {'num_games': 12, 'num_steps': 20, 'minibatch_size': 64, 'hidden_size': 16, 'eval_deals': 0}
PPO = ppo.config.Config.of(**SIZES, learner_threads=1, training_device='cpu', precision='float32')


class Scripted:
    """A pool whose actors return rollouts at the command of a test."""

    def __init__(self, count, batch):
        self.actors = {n: SimpleNamespace(results=0, versions=[], failure='') for n in range(count)}
        self.version, self.started, self.batch, self.arrived = 1, 0, batch, []

    def publish(self, weights):
        self.version, self.published = self.version + 1, weights.copy()

    def submit(self, actor, *task):
        actor.versions.append(self.version)

    def finish(self, number):
        actor = self.actors[number]
        chunk = ppo.workers.ray_workers.Chunk(self.batch, Counts(1, 0, 0, np.zeros((0, 2))))
        self.arrived.append(Result(actor, actor.versions.pop(0), chunk))
        actor.results += 1

    def results(self, timeout):
        arrived, self.arrived = self.arrived, []
        return arrived


@pytest.fixture
def scripted():
    """Return a function that makes a learner and a workers of scripted actors."""

    def make(count, bound):
        config = PPO.changed(ray='auto', num_actors=count, max_staleness=bound)
        state = PPOState(config, config.find_game(), {'cpu': Precision(torch.float32, '')})
        workers = state.workers
        workers.pool = Scripted(count, try_out(config, config.find_game(), state.learner.sampler))
        workers._per_update = count
        workers._follow()
        return state.learner, workers

    return make


@pytest.mark.parametrize('bound', [0, 1, 2])
def test_no_rollout_is_staler_than_allowed(scripted, bound):
    learner, workers = scripted(4, bound)
    random, seen = np.random.default_rng(3), []
    for _ in range(600):
        played = workers.collect()
        if played is not None:
            seen.append(played.staleness)
            learner.updates += 1
            torch.nn.init.constant_(learner.network.value.bias, learner.updates)
            workers.collect()
            assert np.array_equal(workers.pool.published, dump_weights(learner.network)), 'actors play by the newest'
        busy = [number for number, actor in workers.pool.actors.items() if actor.versions]
        speeds = np.array([1, 1, 1, 0.2])[busy]  # one is slow
        workers.pool.finish(int(random.choice(busy, p=speeds / speeds.sum())))
    assert len(seen) > 80
    assert max(seen) <= bound
    assert (np.mean(seen) > 0) == (bound > 0)


def test_the_learner_waits_for_late_actors_but_not_for_one_that_starts(scripted):
    learner, workers = scripted(3, 1)
    pool = workers.pool
    assert workers.collect() is None
    for number in (0, 1):
        pool.finish(number)
        assert workers.collect() is None
    pool.finish(0)
    assert workers.collect().staleness == 0, 'actor 2 has never returned a rollout'
    learner.updates += 1
    for number in (0, 0, 1):
        assert workers.collect() is None, 'calls are under way whose weights would be too old for the next update'
        pool.finish(number)
    assert workers.collect() is None
    pool.finish(1)
    assert workers.collect().staleness == 1
    learner.updates += 1
    pool.finish(2)
    before = len(workers._waiting)
    workers.collect()
    assert len(workers._waiting) == before, 'its first rollout came too late'
    assert len(pool.actors[2].versions) > 0
