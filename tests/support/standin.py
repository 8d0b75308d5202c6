"""A device that stands in for a GPU: its tensors are the CPU's, but kept apart from them as those of a GPU are.

Numbers are right and a forgotten copy between the devices is an error. Neither a GPU's speed nor its arithmetic shows.
"""

from functools import cache

import torch
from torch._decomp.decompositions import lstm_impl
from torch.utils.backend_registration import _DummyBackendModule, _setup_privateuseone_for_python_backend

NAME = 'standin'
DEVICE = f'{NAME}:0'  # as its tensors say

aten = torch.ops.aten
# What autocast computes in the shorter type, and what in float32, as far as the networks need it.
SHORTENED = ('linear', 'matmul', 'mm', 'addmm', 'conv1d')
EXACT = ('exp', 'log', 'mse_loss', 'pow.Tensor_Scalar')


class StandIn(torch.Tensor):
    """A tensor on the stand-in; `inner` is what it holds, on the CPU."""

    @staticmethod
    def __new__(cls, inner):
        sizes = {'strides': inner.stride(), 'storage_offset': inner.storage_offset()}
        with torch.inference_mode(False):  # torch counts the changes of a view, which such a mode does without
            self = torch.Tensor._make_wrapper_subclass(cls, inner.shape, **sizes, dtype=inner.dtype, device=DEVICE)
        self.inner = inner
        return self

    def __repr__(self):
        return f'StandIn({self.inner})'

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Do what torch leaves undone for tensors such as these: `tensor.data = other` and `tensor.tolist()`."""
        if func == torch.Tensor.data.__set__:
            _check(func, args)
            args[0].inner = args[1].inner
        if func in (torch.Tensor.tolist, torch.Tensor.untyped_storage):
            return func(args[0].inner)
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        """Compute on the CPU what is asked of tensors on the stand-in."""
        kwargs = kwargs or {}
        tensors = [one for one in _leaves((args, tuple(kwargs.values()))) if isinstance(one, torch.Tensor)]
        if func is not aten.copy_.default:  # which may lead from one device to another
            _check(func, tensors)
        device = kwargs.get('device')
        elsewhere = {} if device is None else {'device': 'cpu'}
        found = func(*_held(args), **{name: _held(one) for name, one in kwargs.items()} | elsewhere)
        if device is not None and device.type != NAME:
            return found
        return _returned(found, {id(_held(one)): one for one in tensors})


def _leaves(given):
    for one in given:
        if isinstance(one, (list, tuple)):
            yield from _leaves(one)
        else:
            yield one


def _check(func, tensors):
    """Refuse tensors of another device; as for a GPU, a number on the CPU, of no dimension, will do."""
    for one in tensors:
        if not isinstance(one, StandIn) and one.dim():
            raise RuntimeError(f'{func}: tensors are on {DEVICE} and on {one.device}, and are expected on one device')


def _held(one):
    """Return what tensors on the stand-in hold, in lists and tuples too; all else is itself."""
    if isinstance(one, (list, tuple)):
        return type(one)(map(_held, one))
    return one.inner if isinstance(one, StandIn) else one


def _returned(found, own):
    """Return what was found as tensors on the stand-in; what was given, in `own` by what it holds, is itself."""
    if isinstance(found, (list, tuple)):
        return type(found)(_returned(one, own) for one in found)
    if not isinstance(found, torch.Tensor):
        return found
    return own[id(found)] if id(found) in own else StandIn(found)


class _Module(_DummyBackendModule):
    """The module that torch expects as `torch.standin`."""

    def get_amp_supported_dtype(self):
        return [torch.bfloat16]


def _empty(size, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return StandIn(torch.empty(size, dtype=dtype))


def _empty_strided(size, stride, *, dtype=None, layout=None, device=None, pin_memory=None):
    return StandIn(torch.empty_strided(size, stride, dtype=dtype))


def _cast(operation, dtype):
    """Return an operation that is given its floating-point tensors in a type, or, for None, in that of autocast."""

    def cast(one, wanted):
        return one.to(wanted) if isinstance(one, torch.Tensor) and one.is_floating_point() else one

    def compute(*args, **kwargs):
        wanted = dtype or torch.get_autocast_dtype(NAME)
        with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)):
            return operation(*(cast(one, wanted) for one in args), **kwargs)

    return compute


@cache
def registered():
    """Make the stand-in known to this process, to its end; return the implementations, which must be kept."""
    _setup_privateuseone_for_python_backend(NAME, backend_module=_Module())
    library, others = (torch.library.Library(name, 'IMPL') for name in ('aten', '_'))
    others.fallback(torch.library.fallthrough_kernel, 'AutocastPrivateUse1')
    library.impl('empty.memory_format', _empty, 'PrivateUse1')
    library.impl('empty_strided', _empty_strided, 'PrivateUse1')
    library.impl('lstm.input', lstm_impl, 'AutogradPrivateUse1')  # torch's own would ask for a GPU's kernel
    for names, dtype in ((SHORTENED, None), (EXACT, torch.float32)):
        for name in names:
            packet, _, overload = name.partition('.')
            library.impl(
                name, _cast(getattr(getattr(aten, packet), overload or 'default'), dtype), 'AutocastPrivateUse1'
            )
    return library, others


class Device(str):
    """The name of the stand-in, which makes it known to each process that it is sent to."""

    __slots__ = ()

    def __reduce__(self):
        return _sent, ()


def _sent():
    registered()
    return Device(DEVICE)
