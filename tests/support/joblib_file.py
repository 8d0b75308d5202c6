"""A joblib file, instruction by instruction."""

import struct

import numpy as np


def text(value):
    return b'X' + struct.pack('<I', len(value)) + value.encode()


def short_text(value):
    return b'\x8c' + bytes([len(value)]) + value.encode()


def numbers(*values):
    return b'(' + b''.join(b'J' + struct.pack('<i', value) for value in values) + b't'


def name(module, member):
    return f'c{module}\n{member}\n'.encode()


def stack_name(module, member):
    return short_text(module) + short_text(member) + b'\x93'


def dtype(code, named=name, order='<'):
    state = b'(K\x03' + text(order) + b'NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t'
    return named('numpy', 'dtype') + text(code) + b'K\x00K\x01\x87R' + state + b'b'


def wrapper(array, named=name, **changed):
    fields = {
        'subclass': named('numpy', 'ndarray'),
        'shape': numbers(*array.shape),
        'order': text('C'),
        'dtype': dtype(array.dtype.str[1:], named),
        'allow_mmap': b'\x88',
        **changed,
    }
    items = b''.join(text(key) + value for key, value in fields.items())
    return named('joblib.numpy_pickle', 'NumpyArrayWrapper') + b')\x81}(' + items + b'ub'


def entry(array, **changed):
    return wrapper(array, **changed) + array.tobytes()


def dump(*entries):
    return b'\x80\x03](' + b''.join(entries) + b'e.'


A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.array([0.5, -2.0])
