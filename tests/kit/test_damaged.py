"""Damaged files: each is one error of the project, at once, whatever is wrong with it."""

import pytest
from safetensors.torch import save_file

from dmc.config import Config
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.errors import Big2Error, RulesError
from rlcard_kit.nets.checkpoint import NETWORK, SETTINGS, CheckpointError, read_weights
from tests.support.damage import damaged, damaged_weights, not_files, remove
from tests.support.helpers import SMALL_SPEC
from training.checkpoint import save_checkpoint

SMALL = Config(hidden_size=16, lstm_size=8)
SHOULD_READ = ('an unknown key', 'provenance.', 'rules.name', 'bytes changed')  # what may well do no harm


@pytest.fixture
def folder(tmp_path):
    """Save a small network; return its folder."""
    save_checkpoint(tmp_path, SMALL, ValueNetwork(SMALL_SPEC), 7)
    return tmp_path


def refusal(load, *arguments, **settings):
    """Return the error that a call raises, one of the project's in a line or a few, or None."""
    try:
        load(*arguments, **settings)
    except Big2Error as error:
        return error if len(str(error)) < 1500 else AssertionError(f'{error!s:.200} ... goes on for too long')
    return None


def test_damaged_settings_are_refused_each_with_the_files_name(folder):
    path, tried = folder / SETTINGS, 0
    for name, text in damaged(path.read_bytes()):
        path.write_bytes(text)
        error = refusal(DMCAgent.load, folder, numpy=True)
        if error is None:
            assert any(word in name for word in SHOULD_READ), name
        else:
            assert isinstance(error, CheckpointError), name
            assert SETTINGS in str(error), name
        tried += error is not None
    assert tried > 120


def test_weights_that_carry_damaged_settings_are_refused(folder):
    tensors, refused = ValueNetwork(SMALL_SPEC).state_dict(), 0
    for name, text in damaged((folder / SETTINGS).read_bytes(), seed=1):
        save_file(tensors, folder / NETWORK, {'settings': text.decode(errors='replace')})
        error = refusal(DMCAgent.load, folder, numpy=True)
        assert error is None or (isinstance(error, CheckpointError) and NETWORK in str(error)), name
        refused += error is not None
    assert refused > 120


@pytest.mark.parametrize('numpy', [False, True])
def test_damaged_weights_are_refused_each_with_the_files_name(folder, numpy):
    path, tried = folder / NETWORK, 0
    for name, data in damaged_weights(path.read_bytes()):
        path.write_bytes(data)
        error = refusal(DMCAgent.load, folder, numpy=numpy)
        assert isinstance(error, CheckpointError), name
        assert NETWORK in str(error), name
        tried += 1
    assert tried > 60


@pytest.mark.parametrize('name', [NETWORK, SETTINGS])
def test_what_is_not_a_file_is_refused_at_once(folder, name):
    remove(folder / name)
    for kind, put in not_files(folder / name):
        put()
        error = refusal(DMCAgent.load, folder)
        assert isinstance(error, CheckpointError), kind
        assert name in str(error), kind
        remove(folder / name)


def test_a_file_that_is_too_large_is_refused_unread(folder):
    with open(folder / NETWORK, 'r+b') as file:
        file.truncate(1 << 40)  # a sparse file: it takes no space
    with pytest.raises(CheckpointError, match=r'1,099,511,627,776 bytes, more than 1,073,741,824'):
        read_weights(folder)


def test_damaged_files_of_rules_are_refused(tmp_path):
    path, tried = tmp_path / 'rules.json', 0
    for name, text in damaged(b'%s' % Rules(final_pass=True).text.encode()):
        path.write_bytes(text)
        error = refusal(find_rules, str(path))
        tried += error is not None
        assert isinstance(error, RulesError) or name.startswith(
            ('bytes changed', *(f'{f} = ' for f in Rules().fields()))
        )
    assert tried > 90
    remove(path)
    for kind, put in not_files(path):
        put()
        assert isinstance(refusal(find_rules, str(path)), RulesError), kind
        remove(path)
