"""PPO: loss, probabilities and rollouts."""

import numpy as np
import pytest
import torch

from ppo.config import Config
from ppo.learner import Current, Recorded, losses
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.nets.networks import CharlesworthNetwork
from rlcard_big2.nets.spec import CharlesworthSpec
from rlcard_kit.agents import Decision, choose_by_probability
from rlcard_kit.arrays import words_of
from rlcard_kit.nets.policy import entropies, log_softmax, uniform_divergences
from rlcard_kit.rng import new_streams
from tests.support.positions import positions_after
from tests.support.training import new_rollout, ppo_learner

SMALL = Config.of(num_games=16, num_steps=20, minibatch_size=64, hidden_size=16, eval_deals=0)


class FirstMove:
    """Plays the first legal move, with values drawn from the observation; counts the games that it is asked about."""

    asked = 0

    def choose(self, positions, random):
        self.asked += len(positions.observations)
        values = (positions.observations['hand'] % 97 / 97).astype(np.float32)
        return Decision(positions.offsets[:-1].copy(), values, np.zeros(len(values), np.float32))


def test_decisions_that_wait_are_carried_over_with_their_moves():
    rollout = new_rollout(SMALL.changed(learn_forced=True))
    first = rollout.collect(FirstMove())
    waiting = rollout.buffer.lengths.sum()
    assert 0 < waiting <= NUM_PLAYERS * SMALL.game.num_games
    second = rollout.collect(FirstMove())
    played = 2 * SMALL.game.num_games * SMALL.game.num_steps
    assert first.size + second.size + rollout.buffer.lengths.sum() == played == rollout.counts.played
    for batch in (first, second):
        observations, moves, offsets = batch.positions
        assert not (moves[offsets[:-1] + batch.chosen] & ~observations['hand']).any()
        assert not (moves & ~np.repeat(observations['hand'], np.diff(offsets))).any()
        rows = np.array([5, 2, 9])
        some = batch.select(rows)
        assert (words_of(some.positions.observations) == words_of(observations)[rows]).all()
        found = np.split(some.positions.moves, some.positions.offsets[1:-1])
        assert [list(own) for own in found] == [list(moves[offsets[row] : offsets[row + 1]]) for row in rows]


def test_log_probabilities_are_those_of_each_game_alone():
    rng = np.random.default_rng(2)
    counts = rng.integers(1, 9, 30)
    logits = torch.tensor(rng.normal(0, 30, counts.sum()), dtype=torch.float32)
    owners = torch.from_numpy(np.repeat(np.arange(30), counts))
    found = log_softmax(logits, owners, 30)
    alone = [torch.log_softmax(part, 0) for part in logits.split(counts.tolist())]
    assert torch.allclose(found, torch.cat(alone), atol=1e-5)
    by_hand = torch.stack([-(part.exp() * part).sum() for part in alone])
    assert torch.allclose(entropies(found, owners, 30), by_hand, atol=1e-5)


def test_the_divergence_from_equal_chances_is_that_of_the_definition_and_revives_moves():
    counts = np.array([1, 2, 5])
    owners = torch.from_numpy(np.repeat(np.arange(3), counts))
    logits = torch.tensor([3.0, 0.0, 0.0, 0.0, -30.0, 1.0, 2.0, 3.0], requires_grad=True)
    log_probabilities = log_softmax(logits, owners, 3)
    found = uniform_divergences(log_probabilities, owners, torch.from_numpy(counts).float())
    log_chances = log_probabilities.detach()[3:].double()
    expected = (0.2 * (np.log(0.2) - log_chances)).sum().item()
    assert found.tolist() == pytest.approx([0, 0, expected], abs=1e-5)
    found.sum().backward()
    assert logits.grad[4].item() == pytest.approx(-0.2), 'it pulls, however unlikely the move has become'


@pytest.mark.parametrize('network', ['actions', 'charlesworth'])
def test_a_million_draws_are_legal_and_as_likely_as_their_probabilities(network):
    shown = positions_after(9, 40)
    offsets = shown.offsets
    learner = ppo_learner(SMALL.changed(network=network), torch.float32)
    random = new_streams(8, 40)
    drawn = np.zeros(len(shown.moves))
    probabilities, _ = learner.network.probabilities(shown)
    for _ in range(25_000):
        drawn[choose_by_probability(probabilities, offsets, random)] += 1
    assert drawn.sum() == 1_000_000
    per_game = np.add.reduceat(drawn, offsets[:-1])
    assert (per_game == 25_000).all(), 'each game drew among its own moves'
    spread = np.sqrt(probabilities * (1 - probabilities) / 25_000)
    assert (np.abs(drawn / 25_000 - probabilities) <= 6 * spread + 1e-9).all()
    choice = learner.sampler.choose(shown, random)
    assert np.allclose(choice.log_probabilities, np.log(probabilities[choice.indices]), atol=1e-4)


@pytest.mark.parametrize('name', ['actions', 'charlesworth'])
def test_a_policy_is_itself_in_bfloat16_however_large_its_logits(name):
    config = SMALL.changed(network=name, hidden_size=64)
    exact, rounded = ppo_learner(config, torch.float32), ppo_learner(config, torch.bfloat16)
    for learner in (exact, rounded):
        head = learner.network.logit if name == 'actions' else learner.network.logits
        with torch.no_grad():
            head.weight.mul_(100)
            head.bias.fill_(1000)
    shown = positions_after(9, 40)
    found = [learner.sampler.choose(shown, new_streams(8, 40)).log_probabilities for learner in (exact, rounded)]
    assert found[0].std() > 0.1
    assert np.abs(found[0] - found[1]).max() < 0.1, 'at 1000, bfloat16 has multiples of 4 alone'


def test_the_published_networks_shapes_and_start():
    network = CharlesworthNetwork(CharlesworthSpec())
    shapes = [tuple(parameter.shape) for parameter in network.parameters() if parameter.ndim == 2]
    assert shapes == [(512, 412), (256, 512), (1695, 256), (256, 512), (1, 256)]
    shared = network.shared.weight.T @ network.shared.weight / 2
    assert torch.allclose(shared, torch.eye(412), atol=1e-4), 'orthogonal, of gain sqrt 2'
    head = network.logits.weight.T @ network.logits.weight
    assert torch.allclose(head, 1e-4 * torch.eye(256), atol=1e-6)
    assert network.value.weight.norm().item() == pytest.approx(1), 'as layers of Baselines without a gain'


THEN = Recorded(torch.log(torch.tensor([0.5, 0.4, 0.2])), torch.tensor([0.0, 1.0, 0.0]), torch.tensor([1.0, -1.0, 0.0]))


def case(clip_values):
    now = torch.log(torch.tensor([0.75, 0.2, 0.21])).requires_grad_()
    values = torch.tensor([0.5, 1.5, -1.0]).requires_grad_()
    entropy = torch.tensor([1.0, 2.0, 3.0])
    return now, values, losses(Current(now, entropy, values), THEN, 0.2, clip_values)


def test_the_loss_is_the_one_computed_by_hand():
    _, _, found = case(clip_values=False)
    scale = (2 / 3) ** 0.5  # of the advantages 1, -1, 0
    assert found.policy.item() == pytest.approx(-(1.2 / scale - 0.8 / scale + 0) / 3, rel=1e-5)
    assert found.value.item() == pytest.approx(0.5 * (0.5**2 + 1.5**2 + 1) / 3, rel=1e-5)
    _, _, clipped = case(clip_values=True)
    assert clipped.value.item() == pytest.approx(0.5 * (0.8**2 + 1.5**2 + 1) / 3, rel=1e-5), 'the worse error'
    assert found.entropy.item() == 2
    assert found.clip_fraction.item() == pytest.approx(2 / 3)
    ratios = np.array([1.5, 0.5, 1.05])
    assert found.approximate_kl.item() == pytest.approx((ratios - 1 - np.log(ratios)).mean(), rel=1e-4)


def test_the_gradient_is_that_of_finite_differences():
    now, values, found = case(clip_values=True)
    (found.policy + found.value).backward()
    for index, parameter in ((0, now), (1, values)):
        for i in range(3):
            moved = []
            for step in (1e-3, -1e-3):
                inputs = [now.detach().double(), values.detach().double()]
                inputs[index][i] += step
                then = Recorded(*(array.double() for array in THEN))
                again = losses(Current(inputs[0], torch.zeros(3), inputs[1]), then, 0.2, True)
                moved.append((again.policy + again.value).item())
            assert parameter.grad[i].item() == pytest.approx((moved[0] - moved[1]) / 2e-3, abs=1e-3)
    assert now.grad[0] == 0, 'the clip holds back a change that is large already'


def test_learning_makes_good_moves_likelier_as_far_as_the_clip_allows():
    learner = ppo_learner(SMALL.changed(learning_rate=3e-3, epochs=200), torch.float32)
    batch = new_rollout(SMALL).collect(learner.sampler)
    is_good = batch.chosen == 0
    batch = batch._replace(advantages=np.where(is_good, 1.0, -1.0).astype(np.float32))

    def chances():
        probabilities, _ = learner.network.probabilities(batch.positions)
        return probabilities[batch.positions.offsets[:-1] + batch.chosen]

    before = chances()
    learner.update(batch)
    change = chances() / before
    assert 1.05 < np.median(change[is_good]) < 1.4
    assert 0.6 < np.median(change[~is_good]) < 0.95


@pytest.mark.parametrize('coefficient', [0.0, 0.1])
def test_logits_that_went_up_together_come_back_by_the_z_loss_alone(coefficient):
    learner = ppo_learner(SMALL.changed(z_coefficient=coefficient, learning_rate=1e-2), torch.float32)
    with torch.no_grad():
        learner.network.logit.bias.fill_(20)
    batch = new_rollout(SMALL).collect(learner.sampler)
    for _ in range(40):
        learner.update(batch)
    logits, _ = learner.network(batch.positions)
    assert (logits.mean().item() > 15) == (coefficient == 0)


def test_against_earlier_selves_one_seat_is_trained():
    rollout = new_rollout(SMALL.changed(pool_share=0.5, learn_forced=True))
    opponent = FirstMove()
    trained = rollout.collect(FirstMove(), opponent).size + rollout.buffer.lengths.sum()
    moves = SMALL.game.num_games * SMALL.game.num_steps
    assert trained == pytest.approx(moves * (0.5 + 0.5 / 4), rel=0.1)
    assert 0 < opponent.asked <= moves - trained


def test_the_paper_anneals_rate_and_clip():
    learner = ppo_learner(Config.preset('paper'), torch.float32)
    learner.set_progress(0.5)
    assert learner.rate == pytest.approx(1.25e-4)
    assert learner._clip == pytest.approx(0.1)
    learner.set_progress(1.0)
    assert learner.rate == pytest.approx(1e-6)
