"""The model of Catch Five that comes with the package: its strength."""

import pytest

from rlcard_catch5.duplicate import play_match
from tests.support.reference_data import reference_file


@pytest.mark.parametrize(('opponent', 'least'), [('pass', 4.8), ('rule', 0.0), ('random', 10.0)])
def test_it_is_as_strong_as_its_card_says(opponent, least):
    assert play_match('catch5-ppo', opponent, deals=400, seed=5).difference.mean > least


def test_it_beats_the_published_network():
    pytest.importorskip('h5py')
    published = f'published-ppo:{reference_file("catch5_policy_20000.hdf5")},greedy'
    assert play_match('catch5-ppo', published, deals=300, seed=5).difference.mean > 3
