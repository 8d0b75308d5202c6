"""The buffer of decisions: advantages, payoffs, and decisions that wait."""

import numpy as np
import pytest

from ppo.buffer import append, carry_over, credit, decision_dtype, write_advantages
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_kit.dtypes import num_words

DECISION = decision_dtype(BIG2)


def advantages_by_sums(chain, gamma, gae_lambda):
    """Sum the definition directly: over k of (gamma lambda)^k times the TD error k decisions on.

    chain: (value, reward, is_last) of one seat's decisions in order. The last of them waits, unless it is a last one.
    """
    found = []
    for first in range(len(chain)):
        total, known = 0.0, True
        for index in range(first, len(chain)):
            value, reward, is_last = chain[index]
            if not is_last and index + 1 == len(chain):
                known = index > first
                break
            following = 0.0 if is_last else gamma * chain[index + 1][0]
            total += (gamma * gae_lambda) ** (index - first) * (reward + following - value)
            if is_last:
                break
        found.append(total if known else None)
    return found


@pytest.mark.parametrize(('gamma', 'gae_lambda'), [(0.995, 0.95), (1.0, 1.0), (0.9, 0.0)])
def test_advantages_are_the_sums_of_the_definition(gamma, gae_lambda):
    rng = np.random.default_rng(5)
    decisions = np.zeros((6, 40), DECISION)
    lengths = rng.integers(0, 40, 6)
    decisions['seat'] = rng.integers(0, NUM_PLAYERS, decisions.shape)
    decisions['value'] = rng.normal(size=decisions.shape)
    decisions['is_last'] = rng.random(decisions.shape) < 0.2
    decisions['reward'] = np.where(decisions['is_last'], rng.normal(size=decisions.shape), 0)
    write_advantages(decisions, lengths, gamma, gae_lambda)
    waiting = 0
    for row, length in zip(decisions, lengths, strict=True):
        for seat in range(NUM_PLAYERS):
            chain = row[:length][row[:length]['seat'] == seat]
            known = advantages_by_sums(chain[['value', 'reward', 'is_last']].tolist(), gamma, gae_lambda)
            waiting += sum(one is None for one in known)
            assert [bool(one) for one in chain['is_pending']] == [one is None for one in known]
            assert np.allclose(chain['advantage'], [one or 0.0 for one in known], atol=1e-5)
    assert waiting > 5


def test_a_payoff_belongs_to_each_seats_last_decision():
    decisions, lengths, last = np.zeros((2, 8), DECISION), np.zeros(2, np.int64), np.full((2, 4), -1)
    rows = np.zeros(1, DECISION)
    rows['observation'] = np.arange(num_words(BIG2.observation))
    for seat in (0, 1, 2, 0):
        rows['seat'] = seat
        append(decisions, lengths, last, np.array([1]), rows)
    payoffs = np.array([[9, 9, 9, 9], [3, -1, -1, -1]], np.float32)
    credit(decisions, last, np.array([False, True]), payoffs)
    assert decisions[1, :4]['reward'].tolist() == [0, -1, -1, 3]
    assert decisions[1, :4]['is_last'].tolist() == [False, True, True, True]
    assert (decisions[1, :4]['observation'] == np.arange(num_words(BIG2.observation))).all()
    assert decisions[1, :4]['seat'].tolist() == [0, 1, 2, 0]
    assert lengths.tolist() == [0, 4]


def test_carrying_over_nothing_is_possible():
    decisions, lengths = np.zeros((1, 4), DECISION), np.array([0])
    assert carry_over(decisions, lengths, np.full((1, 4), -1), np.empty(0, np.int64), np.empty(0, np.int64)) == 0
