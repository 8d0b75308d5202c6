"""Optimisers of torch that do not load torch's compiler.

torch's own mark their methods for the compiler, and import it for that: 70 MB and a second or two in each process.
"""

from inspect import unwrap

import torch
from torch.optim import Optimizer


class _Eager(Optimizer):
    add_param_group = unwrap(Optimizer.add_param_group)
    load_state_dict = unwrap(Optimizer.load_state_dict)
    state_dict = unwrap(Optimizer.state_dict)
    zero_grad = unwrap(Optimizer.zero_grad)


class Adam(_Eager, torch.optim.Adam):
    """`torch.optim.Adam`."""

    step = torch.no_grad()(unwrap(torch.optim.Adam.step))


class RMSprop(_Eager, torch.optim.RMSprop):
    """`torch.optim.RMSprop`."""

    step = torch.no_grad()(unwrap(torch.optim.RMSprop.step))
