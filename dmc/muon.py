"""Muon (Jordan et al., 2024): steps of hidden layers whose directions are all about equally long.

`torch.optim.Muon` steps one matrix after the other at every gradient. Here all matrices of a width are stacked and take
a step at every fourth, and the other weights are Adam's, in the same state.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from training.optimizers import Adam

MOMENTUM = 0.95
SCALE = 0.2  # steps are as long as those of Adam, so that one learning rate serves both (Liu et al., 2025)
STEPS, COEFFICIENTS = 5, (3.4445, -4.775, 2.0315)  # of the Newton-Schulz iteration, as published
STRIDE = 4  # gradients to each step of a square matrix, which is as many times as long
TINY = 1e-7


class Muon(Adam):
    """Optimises square matrices, which join layers of one width, by Muon, and all other weights by Adam.

    Args:
        parameters: of a network.
        rate: the learning rate.
        dtype: precision of the orthogonalisation.
    """

    def __init__(self, parameters: Iterable[nn.Parameter], rate: float, dtype: torch.dtype) -> None:
        super().__init__(parameters, rate, fused=True)
        self._dtype = dtype
        matrices = [weights for weights in self.param_groups[0]['params'] if weights.ndim == 2]
        squares = [matrix for matrix in matrices if matrix.shape[0] == matrix.shape[1]]
        self._of_width = {width: [square for square in squares if len(square) == width] for width in map(len, squares)}

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Take a step along the gradients; those of square matrices are dropped."""
        length = self.param_groups[0]['lr'] * SCALE * STRIDE
        for width, squares in self._of_width.items():
            states = [self.state[square] for square in squares]
            for square, state in zip(squares, states, strict=True):
                if not state:
                    state['step'] = square.new_zeros(())  # Adam expects it of each weight that has a state
                    state['momentum'] = torch.zeros_like(square)
                state['step'] += 1
            gradients, momenta = [square.grad for square in squares], [state['momentum'] for state in states]
            torch._foreach_lerp_(momenta, gradients, 1 - MOMENTUM)
            if states[0]['step'] % STRIDE == 0:
                directions = torch.stack(torch._foreach_lerp(gradients, momenta, MOMENTUM)).to(self._dtype)
                steps = orthogonalise(directions).to(momenta[0].dtype).unbind()
                torch._foreach_sub_(squares, steps, alpha=length * width**0.5)
            for square in squares:
                square.grad = None  # Adam leaves it alone
        super().step(closure)


def orthogonalise(matrices: Tensor) -> Tensor:
    """Return square matrices, [K, N, N], with singular values moved to between 0.7 and 1.2, unless close to 0."""
    a, b, c = COEFFICIENTS
    result = matrices / (torch.linalg.vector_norm(matrices, dim=(1, 2), keepdim=True) + TINY)
    for _ in range(STEPS):
        gram = result @ result.mT
        factor = torch.baddbmm(gram, gram, gram, beta=b, alpha=c)
        result = torch.baddbmm(result, factor, result, beta=a)
    return result
