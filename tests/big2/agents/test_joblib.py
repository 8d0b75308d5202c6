"""Hostile files run nothing, and honest ones are read bit by bit."""

import copyreg
import os
import pickle
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from rlcard_big2.agents._joblib import MAX_BYTES, MAX_READS, ParameterFileError, load_arrays
from tests.support.joblib_file import A, B, dtype, dump, entry, name, numbers, stack_name, text, wrapper


def read(tmp_path, data):
    path = tmp_path / 'parameters'
    path.write_bytes(data)
    return load_arrays(path)


ALIGNED = wrapper(A, stack_name, numpy_array_alignment_bytes=b'K\x10')
FRAMED = b'\x80\x04\x95' + struct.pack('<Q', 99) + b']\x94(' + ALIGNED + b'\x03\xff\xff\xff' + A.tobytes() + b'e.'


READ = {
    'two': (dump(entry(A), entry(B)), [A, B]),
    'none': (dump(), []),
    'APPEND': (b'\x80\x03]' + entry(A) + b'a.', [A]),
    'Fortran': (dump(wrapper(A, order=text('F')) + A.tobytes('F')), [A]),
    'repeated': (dump(entry(A, dtype=dtype('f4') + b'q\x07'), entry(A, dtype=b'h\x07')), [A, A]),
    'protocol 4 with padding': (FRAMED, [A]),
}


@pytest.mark.parametrize(('data', 'arrays'), READ.values(), ids=READ)
def test_arrays_are_read(tmp_path, data, arrays):
    found = read(tmp_path, data)
    pairs = zip(found, arrays, strict=True)
    assert all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


def touch(*arguments, **keywords):
    Path('marker').touch()


class Touching:
    __new__ = touch


class TouchingState:
    __setstate__ = touch


COMMAND = text('touch marker')
CALL = name('os', 'system') + COMMAND + b'\x85R'
EXTENSION = 240  # a code that the tests register for `touch`
HOSTILE = {
    'GLOBAL, REDUCE': CALL + b'.',
    'STACK_GLOBAL, REDUCE': b'\x80\x04' + stack_name('os', 'system') + COMMAND + b'\x85R.',
    'a builtin': name('builtins', 'exec') + text("open('marker', 'w')") + b'\x85R.',
    'INST': b'(' + COMMAND + b'ios\nsystem\n.',
    'OBJ': b'(' + name('os', 'system') + COMMAND + b'o.',
    'NEWOBJ': name(__name__, 'Touching') + b')\x81.',
    'NEWOBJ_EX': b'\x80\x04' + name(__name__, 'Touching') + b')}\x92.',
    'BUILD': name(__name__, 'TouchingState') + b')\x81}b.',
    'EXT1': bytes([0x82, EXTENSION]) + b')R.',
    'EXT2': bytes([0x83, EXTENSION, 0]) + b')R.',
    'EXT4': bytes([0x84, EXTENSION, 0, 0, 0]) + b')R.',
    'below a list': b'\x80\x03](' + CALL + b'e.',
    'thrown away': CALL + b'0].',
    'the state of a dtype': dtype('f4')[:-1] + b'0' + CALL + b'0' + b'.',
    'a metaclass': name('builtins', 'type') + text('X') + b')}' + text('x') + CALL + b's\x87R.',
}


@pytest.fixture
def extension():
    copyreg.add_extension(__name__, 'touch', EXTENSION)
    yield
    copyreg.remove_extension(__name__, 'touch', EXTENSION)


@pytest.mark.attack('pickles that run code')
@pytest.mark.parametrize('data', HOSTILE.values(), ids=HOSTILE)
@pytest.mark.usefixtures('extension')
def test_hostile_pickles_run_nothing(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterFileError):
        read(tmp_path, data)
    assert not Path('marker').exists()
    pickle.loads(data)
    assert Path('marker').exists(), 'the pickle is not hostile: the test proves nothing'


NESTED = b')q\x00' + b''.join(b'h%ch%c\x86q%c' % (i, i, i + 1) for i in range(60))
FIELDS = name('joblib.numpy_pickle', 'NumpyArrayWrapper') + b')\x81'
REFUSED = {
    'a call after an array': dump(entry(A), CALL),
    'a call in place of a field': dump(wrapper(A, allow_mmap=CALL)),
    'a call in place of a dtype': dump(wrapper(A, dtype=CALL)),
    'numpy that runs text': name('numpy.testing._private.utils', 'runstring') + COMMAND + b'}\x86R.',
    'numpy that unpickles': dump(name('numpy', 'load') + text('parameters') + b'\x85R'),
    "numpy's reconstructor": name('numpy.core.multiarray', '_reconstruct') + b')R.',
    'a name inside a class': stack_name('numpy', 'ndarray.tofile') + b'.',
    'a name split elsewhere': stack_name('numpy ndarray', '') + b'.',
    'a name that is no text': b'K\x01K\x02\x93.',
    'a persistent id': b'Pos.system\n.',
    'a persistent id of the stack': COMMAND + b'Q.',
    'bytes': dump(b'C\x01a'),
    'a buffer outside': dump(b'\x97'),
    'objects': dump(entry(A, dtype=dtype('O8'))),
    'text for numbers': dump(entry(A, dtype=dtype('f4,O'))),
    'a dtype of a dictionary': dump(name('numpy', 'dtype') + b'}K\x00K\x01\x87R'),
    'big-endian numbers': dump(entry(A, dtype=dtype('f4', order='>'))),
    'the state of a dtype': dump(dtype('f4') + b'}b'),
    'the state of an array': dump(entry(A) + b'}b'),
    'the state of a list': dump(b']}b'),
    'a dtype by NEWOBJ': dump(name('numpy', 'dtype') + text('f4') + b'\x85\x81'),
    'an array by NEWOBJ': dump(name('numpy', 'ndarray') + b'K\x01\x85\x81'),
    'an array by REDUCE': dump(name('numpy', 'ndarray') + numbers(1) + b'\x85R'),
    'a wrapper by REDUCE': dump(name('joblib.numpy_pickle', 'NumpyArrayWrapper') + b')R'),
    'a wrapper without an array': dump(FIELDS),
    'a wrapper of slots': dump(FIELDS + b'N}\x86b'),
    'a wrapper of other attributes': dump(wrapper(A, __class__=name('numpy', 'ndarray'))),
    'a wrapper without fields': dump(FIELDS + b'}b'),
    'another subclass': dump(entry(A, subclass=name('numpy', 'memmap'))),
    'a subclass that is a dtype': dump(entry(A, subclass=name('numpy', 'dtype'))),
    'another order': dump(entry(A, order=text('K'))),
    'a list for a shape': dump(entry(A, shape=b']')),
    'a shape of text': dump(entry(A, shape=text('2') + b'\x85')),
    'a shape of truth': dump(entry(A, shape=b'\x88\x85')),
    'a negative shape': dump(entry(A, shape=numbers(-2, -3))),
    'a shape of nothing': dump(entry(A, shape=numbers(0, 3))),
    'many dimensions': dump(entry(A, shape=numbers(*[1] * 33))),
    'terabytes': dump(entry(A, shape=numbers(1 << 30, 1 << 30))),
    'a number that overflows': dump(entry(A, shape=numbers(*[(1 << 31) - 1] * 32))),
    'one byte too few': dump(entry(A))[:-3],
    'padding to the end': dump(wrapper(A, numpy_array_alignment_bytes=b'K\x10') + b'\xff'),
    'NaN': dump(entry(A * np.float32('nan'))),
    'infinity': dump(entry(np.full(2, np.inf))),
    'nothing': b'',
    'no end': dump(entry(A))[:-1],
    'junk after the end': dump(entry(A)) + b'.',
    'a second pickle': dump(entry(A)) + CALL + b'.',
    'no pickle': b'hello',
    'compressed': zlib.compress(dump(entry(A))),
    'no list': entry(A) + b'.',
    'a tuple': entry(A) + b'\x85.',
    'two lists': b']].',
    'an empty stack': b'.',
    'a list of lists': dump(b']'),
    'a list of itself': b']q\x00h\x00a.',
    'a list of text': dump(text('a')),
    'a missing memo': dump(b'h\x07'),
    'a missing mark': b']e.',
    'missing operands': b'R.',
    'appending to nothing': b'K\x01a.',
    'a memo of nothing': b'q\x00.',
    'items for a list': dump(b'](K\x01K\x02u'),
    'keys that are no text': b'}(K\x01K\x02u.',
    'a key without a value': b'}(' + text('a') + b'u.',
    'text beyond the end': b'X\xff\xff\xff\xffa.',
    'text that is no text': b'X\x01\x00\x00\x00\xff.',
    'more instructions than arrays take': b'\x80\x04]' + b'\x94' * MAX_READS + b'.',
    'an instruction of dictionaries that arrays do not need': b'}' + text('a') + b'K\x01s.',
    'a stack that is popped': dump(b'K\x010'),
    'an integer of many digits': dump(b'\x8b' + struct.pack('<I', 1 << 20) + b'\xff' * (1 << 20)),
    'text of terabytes': dump(b'\x8d' + struct.pack('<Q', 1 << 40)),
    # Tuples of one tuple twice, sixty deep, which nothing may compare, hash or print.
    'a nest': NESTED + b'.',
    'a nest for a key': NESTED + b'}(h\x3cK\x01u.',
    'a nest for a state': NESTED + dtype('f4')[:-1] + b'h\x3cb.',
    'a nest for arguments': NESTED + name('numpy', 'dtype') + b'h\x3cR.',
}


@pytest.mark.attack('pickles that run code')
@pytest.mark.parametrize('data', REFUSED.values(), ids=REFUSED)
def test_anything_but_a_list_of_arrays_is_refused(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterFileError, match=str(tmp_path)):
        read(tmp_path, data)
    assert os.listdir() == ['parameters']


@pytest.mark.attack('damaged or forged files')
@pytest.mark.filterwarnings('ignore:invalid escape')
def test_damaged_files_raise_nothing_else(tmp_path, record_property):
    random = np.random.default_rng(1)
    whole = dump(entry(A), entry(B), ALIGNED + b'\x01\xff' + A.tobytes())
    for size in range(0, len(whole), 4):
        with pytest.raises(ParameterFileError):
            read(tmp_path, whole[:size])
    record_property('tries', -(-len(whole) // 4) + 400)
    refused = 0
    for _ in range(400):
        data = bytearray(whole)
        data[random.integers(len(whole))] = random.integers(256)
        try:
            arrays = read(tmp_path, bytes(data))
        except ParameterFileError:
            refused += 1
        else:
            assert all(type(array) is np.ndarray and array.dtype.kind == 'f' for array in arrays)
    assert refused > 150


def test_the_path_is_named_if_it_is_not_a_file_or_too_large(tmp_path):
    for path in (tmp_path, tmp_path / 'missing', str(tmp_path / 'missing')):
        with pytest.raises(ParameterFileError, match=str(path)):
            load_arrays(path)
    with (tmp_path / 'sparse').open('wb') as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ParameterFileError, match='sparse'):
        load_arrays(tmp_path / 'sparse')
