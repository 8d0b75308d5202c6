"""The loop of the trainer: the weights that it publishes, and those that actors play by, in each kind of workers."""

from contextlib import closing

import numpy as np
import torch

import dmc.actor
import dmc.trainer
from dmc.config import Config
from dmc.inference import Inference
from dmc.workers.in_process import InProcessWorkers
from dmc.workers.processes import ProcessWorkers
from rlcard_big2.engine.observation import OBSERVATION
from rlcard_big2.engine.ruleset import number_of_rules
from rlcard_big2.nets.rule_features import stake
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.rules import PRESETS, Rules
from rlcard_kit.arrays import records_of
from rlcard_kit.nets.weights import dump_weights
from tests.support.limits import wait_until
from tests.support.training import dmc_learner, new_actor
from training.run import Run

SMALL = Config.of(num_games=8, num_actors=1, batch_size=64, ring_size=4096, hidden_size=16, lstm_size=8, eval_deals=0)
FLOAT32 = Inference(torch.float32)


class Recording(InProcessWorkers):
    """Keeps the weights that it is given, and those of the learner at that time."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.published = []

    def publish(self, weights):
        self.published.append((weights.copy(), dump_weights(self._learner.network)))


def test_the_newest_weights_are_published(monkeypatch, tmp_path):
    made = []

    def start(plan, learner, started):
        made.append(Recording(plan.config, plan.game, learner, FLOAT32, started))
        return made[0]

    monkeypatch.setattr(dmc.trainer, 'start_workers', start)
    monkeypatch.setattr(Run, 'is_due', True)
    dmc.trainer.train(SMALL.changed(savedir=tmp_path, deterministic=True, num_actors=None, total_frames=640))
    published = made[0].published
    assert len(published) > 5
    assert all(np.array_equal(given, newest) for given, newest in published)
    assert len({given.tobytes() for given, _ in published}) > 5


def test_games_by_several_rules_are_learned_in_their_stakes(monkeypatch):
    monkeypatch.setattr(dmc.actor, 'TURNS_BETWEEN_RULES', 20)
    dear = PRESETS['pusoy-dos']
    config = SMALL.changed(inputs='tables', more_rules=('pusoy-dos', 'any'), num_games=30, win_bonus=0.0, td_lambda=1.0)
    torch.manual_seed(1)
    actor = new_actor(config, FLOAT32)
    assert [group.game.rules for group in actor.groups[:2]] == [Rules(), dear]
    rows = np.concatenate([actor.play_moves() for _ in range(260)])
    numbers = records_of(rows['observation'], OBSERVATION)['rules']
    assert len(set(numbers)) > 4, 'drawn anew'
    for rules in (Rules(), dear):
        payoffs = rows['target'][numbers == number_of_rules(rules)] * stake(rules)
        assert len(payoffs) > 100
        assert np.allclose(payoffs, np.round(payoffs), atol=1e-3)
        assert np.abs(rows['target'][numbers == number_of_rules(rules)]).max() < 40
    torch.manual_seed(1)
    again = new_actor(config, FLOAT32)
    assert np.array_equal(rows, np.concatenate([again.play_moves() for _ in range(260)]))


def test_an_actor_in_the_process_plays_by_the_newest_weights():
    config = SMALL.changed(deterministic=True, num_actors=None)
    learner = dmc_learner(config, torch.float32)
    workers = InProcessWorkers(config, config.find_game(), learner, FLOAT32)
    for step in range(3):
        torch.nn.init.constant_(learner.network.value.bias, step)
        learner.steps += 1
        workers.supply()
        assert np.array_equal(dump_weights(workers._actor.network), dump_weights(learner.network))


def test_actors_in_processes_play_by_published_weights():
    """The second network prefers the moves that the first one likes least: its passes are fewer or more."""
    config = SMALL.changed(exp_epsilon=0.0, exp_temperature=0.0)
    torch.manual_seed(0)
    network = ValueNetwork(config.spec)
    with closing(ProcessWorkers(config, config.find_game(), dump_weights(network), {'cpu': FLOAT32})) as workers:
        first = passes(workers)
        network.value.weight.data.neg_()
        workers.publish(dump_weights(network))
        for _ in range(3):
            second = passes(workers)
    assert abs(first - second) > 0.1


def passes(workers, count=1000):
    """Return the share of passes among the next decisions that are learned from."""
    wait_until(lambda: workers.waiting() >= count)
    rows = np.empty(count, workers.sizes.row)
    workers.take(count, rows)
    return (rows['action'] == 0).mean()
