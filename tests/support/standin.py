"""A device that stands in for a GPU: its tensors are the CPU's, but kept apart from them as those of a GPU are.

Numbers are right and a forgotten copy between the devices is an error. Neither a GPU's speed nor its arithmetic shows.
"""

from functools import cache, partial
from operator import attrgetter

import torch
from torch._decomp.decompositions import lstm_impl
from torch.utils._pytree import tree_leaves, tree_map_only
from torch.utils.backend_registration import _DummyBackendModule, _setup_privateuseone_for_python_backend

NAME = 'standin'
DEVICE = f'{NAME}:0'

aten = torch.ops.aten
# Operations that autocast computes in the shorter type, and those in float32, as far as the networks need them.
SHORTENED = ('linear', 'matmul', 'mm', 'addmm', 'conv1d')
EXACT = ('exp', 'log', 'mse_loss', 'pow.Tensor_Scalar')


class StandIn(torch.Tensor):
    """A tensor on the stand-in; `inner` is its content, on the CPU."""

    @staticmethod
    def __new__(cls, inner):
        sizes = {'strides': inner.stride(), 'storage_offset': inner.storage_offset()}
        with torch.inference_mode(False):  # torch counts the changes of a view, which such a mode does without
            self = torch.Tensor._make_wrapper_subclass(cls, inner.shape, **sizes, dtype=inner.dtype, device=DEVICE)
        self.inner = inner
        return self

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Complete torch for such tensors: `tensor.data = other` and `tensor.tolist()`."""
        if func == torch.Tensor.data.__set__:
            _check(func, args)
            args[0].inner = args[1].inner
        if func in (torch.Tensor.tolist, torch.Tensor.untyped_storage):
            return func(args[0].inner)
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        """Compute on the CPU."""
        kwargs = kwargs or {}
        tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
        if func is not aten.copy_.default:  # which may lead from one device to another
            _check(func, tensors)
        device = kwargs.get('device')
        inner, named = tree_map_only(StandIn, attrgetter('inner'), (args, kwargs))
        found = func(*inner, **named if device is None else {**named, 'device': 'cpu'})
        if device is not None and device.type != NAME:
            return found
        own = {id(getattr(one, 'inner', one)): one for one in tensors}
        return tree_map_only(torch.Tensor, lambda one: own[id(one)] if id(one) in own else StandIn(one), found)


def _check(func, tensors):
    """Refuse tensors of another device; as for a GPU, a number on the CPU, of no dimension, will do."""
    for one in tensors:
        if not isinstance(one, StandIn) and one.dim():
            raise RuntimeError(f'{func}: tensors are on {DEVICE} and on {one.device}, and are expected on one device')


class _Module(_DummyBackendModule):
    """The module that torch expects as `torch.standin`."""

    def get_amp_supported_dtype(self):
        return [torch.bfloat16]


def _new(make, *sizes, dtype=None, **others):
    return StandIn(make(*sizes, dtype=dtype))


def _autocast(operation, dtype, *given, **kwargs):
    """Compute in a type, or, for None, in that of autocast."""
    wanted = dtype or torch.get_autocast_dtype(NAME)
    cast = [one.to(wanted) if isinstance(one, torch.Tensor) and one.is_floating_point() else one for one in given]
    with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)):
        return operation(*cast, **kwargs)


@cache
def registered():
    """Make the stand-in known to this process, to its end; return the implementations, which must be kept."""
    _setup_privateuseone_for_python_backend(NAME, backend_module=_Module())
    library, others = (torch.library.Library(name, 'IMPL') for name in ('aten', '_'))
    others.fallback(torch.library.fallthrough_kernel, 'AutocastPrivateUse1')
    for name, make in (('empty.memory_format', torch.empty), ('empty_strided', torch.empty_strided)):
        library.impl(name, partial(_new, make), 'PrivateUse1')
    for names, dtype in ((SHORTENED, None), (EXACT, torch.float32)):
        for name in names:
            operation = getattr(aten, name.partition('.')[0])
            library.impl(name, partial(_autocast, operation, dtype), 'AutocastPrivateUse1')
    library.impl('lstm.input', lstm_impl, 'AutogradPrivateUse1')  # torch's own would ask for a GPU's kernel
    return library, others


class Device(str):
    """The name of the stand-in, which makes it known to each process that it is sent to."""

    __slots__ = ()

    def __reduce__(self):
        return _sent, ()


def _sent():
    registered()
    return Device(DEVICE)
