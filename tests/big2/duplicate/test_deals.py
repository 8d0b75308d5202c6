"""Deals: kept in a file, and refused if they are not deals."""

from pathlib import Path

import numpy as np
import pytest

from rlcard_big2.duplicate.deals import deals_from_seed, load_deals, save_deals
from rlcard_big2.rules import Rules
from rlcard_kit.errors import HandsError

SIZES = [Rules(), Rules.preset('hong-kong-3'), Rules.preset('two'), Rules(players=3, hand_size=7, ranks=6)]


@pytest.mark.parametrize('rules', SIZES, ids=lambda rules: rules.title)
def test_deals_are_even_saved_whole_and_of_one_size(tmp_path, rules):
    deals = deals_from_seed(0, 20_000, rules)
    for name in ('deals.npz', 'my.deals', 'deals'):
        save_deals(tmp_path / name, deals)
        assert np.array_equal(load_deals(tmp_path / name, rules), deals)  # which checks them
    with pytest.raises(HandsError):
        load_deals(tmp_path / 'deals', Rules(hand_size=5))
    share = (rules.players * rules.hand_size + rules.most_cards - rules.hand_size) / rules.num_cards
    seen = [(deals >> card & 1).sum(axis=1).mean() for card in range(52 - rules.num_cards, 52)]
    assert seen == pytest.approx([share] * rules.num_cards, abs=0.02)
    for card in (52 - rules.num_cards, 51):
        assert (deals >> card & 1).mean(axis=0) == pytest.approx([share / rules.players] * rules.players, abs=0.013)


HANDS = deals_from_seed(3, 5)[2]
ONE, OTHER, *REST = HANDS.tolist()
WRONG = {
    'duplicate': [ONE, ONE, *REST],
    '14': [ONE | OTHER & -OTHER, OTHER & OTHER - 1, *REST],
    'bit 60': HANDS | [0, 0, 0, 1 << 60],
    'negative': -HANDS,
    'empty': HANDS * 0,
}


@pytest.mark.parametrize('masks', WRONG.values(), ids=WRONG)
def test_a_wrong_deal_is_named(tmp_path, masks):
    deals = deals_from_seed(3, 5)
    deals[2] = masks
    np.savez(tmp_path / 'deals.npz', game=np.array('big2'), hands=deals)
    with pytest.raises(HandsError, match='deal 2 '):
        load_deals(tmp_path / 'deals.npz')


def test_deals_name_their_game_and_those_of_another_are_refused(tmp_path):
    save_deals(tmp_path / 'own.npz', deals_from_seed(3, 5))
    with np.load(tmp_path / 'own.npz') as arrays:
        assert arrays['game'] == 'big2'
    np.savez(tmp_path / 'other.npz', game=np.array('catch5'), hands=deals_from_seed(3, 5))
    with pytest.raises(HandsError, match=r"'catch5'.*'big2'"):
        load_deals(tmp_path / 'other.npz')
    np.savez(tmp_path / 'none.npz', hands=deals_from_seed(3, 5))
    with pytest.raises(HandsError, match=r"'game', 'hands'"):
        load_deals(tmp_path / 'none.npz')


class Trap:
    """Leaves a file behind where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), 'w')


FORGED = {
    'none': {'hands': np.zeros((0, 4), np.int64)},
    'three hands': {'hands': np.zeros((5, 3), np.int64)},
    'flat': {'hands': np.zeros(4, np.int64)},
    'floats': {'hands': np.zeros((5, 4))},
    'objects': {'hands': np.array([[None] * 4], object)},
    'pickle': {'hands': np.array([Trap(Path('sprung'))], object)},
    'other name': {'deals': deals_from_seed(3, 5)},
    'no archive': {},
}


@pytest.mark.parametrize('arrays', FORGED.values(), ids=FORGED)
def test_other_files_are_refused_and_no_pickle_runs(tmp_path, monkeypatch, arrays):
    monkeypatch.chdir(tmp_path)
    np.savez('deals.npz', **arrays)
    if not arrays:
        np.save('deals.npy', HANDS)
        Path('deals.npy').rename('deals.npz')
    with pytest.raises(HandsError, match=r'deals\.npz'):
        load_deals(Path('deals.npz'))
    assert not Path('sprung').exists()
