"""Rollout analysis: means, margins, and reasons, which follow one move more often than another, by hand."""

import numpy as np
import pytest

from rlcard_kit.rollout_analysis import compare_moves, find_reason

DEALS = np.arange(100)


def first(count):
    """Return an event that happens in the first deals, so many."""
    return count > DEALS


def test_the_first_clear_event_of_both_moves_is_the_reason():
    best = {'safe': first(99), 'win': first(30), 'few': first(60), 'lead': first(99)}
    other = {'win': first(25), 'few': first(20), 'lead': first(0)}
    reason = find_reason(best, other, DEALS)
    assert reason[:3] == ('few', 0.6, 0.2)
    # By hand: the difference is 1 in 40 deals and 0 in 60.
    assert reason.margin == pytest.approx(1.96 * (0.4 * 0.6 / 99) ** 0.5, rel=0.02)


def test_chance_and_trifles_are_no_reasons():
    assert find_reason({'win': first(9)}, {'win': first(0)}, DEALS) is None, 'too little to say'
    mixed = {'win': first(56)}, {'win': ~first(56)}
    assert find_reason(*mixed, DEALS) is None, 'the difference is 12, and its margin 20'
    assert find_reason({'win': first(0)}, {'win': first(50)}, DEALS) is None, 'it speaks against the move'
    assert find_reason({'win': first(100)}, {'win': first(0)}, DEALS).margin == 0


def test_deals_of_one_group_count_together():
    moves = {'win': first(20)}, {'win': first(0)}
    assert find_reason(*moves, DEALS) is not None
    assert find_reason(*moves, DEALS // 20) is None, 'all happened in one of five'


def test_moves_are_compared_in_the_same_deals():
    payoffs = np.array([[0, 1, 2, 3], [4, 5, 6, 9]])
    best, other = compare_moves(['a', 'b'], payoffs, [{'win': row > 2} for row in payoffs], np.array([0, 1, 0, 1]))
    assert (best.move, best.payoff.mean, best.behind, best.events, best.reason) == ('b', 6, (0, 0), {'win': 1}, None)
    assert (other.move, other.payoff.mean, other.behind.mean, other.events) == ('a', 1.5, 4.5, {'win': 0.25})
    # By hand: the groups' means are 4 and 5, and Student's t of one degree of freedom is 12.706.
    assert other.behind.margin == pytest.approx(12.706 * 0.5, rel=1e-4)
    assert other.to_json()['behind_margin'] == other.behind.margin


def test_a_move_that_is_not_clearly_worse_has_no_reason():
    for lost, event in ((0, None), (3, 'win')):
        payoffs = np.array([2 * first(60), 3 * first(40) - lost * ~first(90)])
        _, other = compare_moves(['a', 'b'], payoffs, [{'win': row > 0} for row in payoffs], DEALS)
        assert (other.reason and other.reason.event) == event


def test_a_margin_of_one_group_is_unknown_but_the_best_move_has_none():
    best, other = compare_moves(['a', 'b'], np.array([[2, 3], [1, 1]]), [{}, {}], np.array([0, 0]))
    assert (best.to_json()['margin'], best.to_json()['behind_margin']) == (None, 0)
    assert other.to_json()['behind_margin'] is None
