"""Reasons: events that follow one move more often than another, in arithmetic by hand."""

import numpy as np
import pytest

from rlcard_kit.reasons import find_reason, shares_of

DEALS = np.arange(100)


def first(count):
    """Return an event that happens in the first deals, so many."""
    return count > DEALS


def test_the_clearest_event_is_the_reason():
    best = {'win': first(71), 'lead': first(60), 'few': first(30)}
    other = {'win': first(48), 'lead': first(20), 'few': first(90)}
    reason = find_reason(best, other, DEALS)
    assert reason[:3] == ('lead', 0.6, 0.2)
    # By hand: the difference is 1 in 40 deals and 0 in 60.
    assert reason.margin == pytest.approx(1.96 * (0.4 * 0.6 / 99) ** 0.5, rel=0.02)
    assert shares_of(other) == {'win': 0.48, 'lead': 0.2, 'few': 0.9}


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
