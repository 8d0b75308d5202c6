"""Muon (Jordan et al., 2024): steps of hidden layers whose directions are all about equally long."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

MOMENTUM = 0.95
SCALE = 0.2  # steps are as long as those of Adam, so that one learning rate serves both (Liu et al., 2025)
STEPS, COEFFICIENTS = 5, (3.4445, -4.775, 2.0315)  # of the Newton-Schulz iteration, as published
STRIDE = 4  # gradients to each step of a square matrix, which is as many times as long
TINY = 1e-7


class Muon(torch.optim.Adam):
    """Optimises square matrices, which join layers of one width, by Muon, and all other weights by Adam.

    Args:
        parameters: of a network.
        rate: the learning rate.
        dtype: precision of the orthogonalisation.
    """

    def __init__(self, parameters: Iterable[nn.Parameter], rate: float, dtype: torch.dtype) -> None:
        super().__init__(parameters, rate, fused=True)
        self._dtype = dtype
        weights = self.param_groups[0]['params']
        self._squares = [one for one in weights if one.ndim == 2 and one.shape[0] == one.shape[1]]

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Take a step along the gradients; those of square matrices are dropped."""
        length = self.param_groups[0]['lr'] * SCALE * STRIDE
        for square in self._squares:
            state = self.state[square]
            if not state:
                state['step'] = torch.tensor(0.0)  # Adam expects it of each weight that has a state
                state['momentum'] = torch.zeros_like(square)
            state['step'] += 1
            state['momentum'].lerp_(square.grad, 1 - MOMENTUM)
            if state['step'] % STRIDE == 0:
                direction = orthogonalise(square.grad.lerp(state['momentum'], MOMENTUM).to(self._dtype))
                square.sub_(direction, alpha=length * len(square) ** 0.5)
            square.grad = None  # Adam leaves it alone
        super().step(closure)


def orthogonalise(matrix: Tensor) -> Tensor:
    """Return a square matrix with its singular values moved to between 0.7 and 1.2, unless they are close to 0."""
    a, b, c = COEFFICIENTS
    result = matrix / (torch.linalg.vector_norm(matrix) + TINY)
    for _ in range(STEPS):
        gram = result @ result.T
        factor = torch.addmm(gram, gram, gram, beta=b, alpha=c)
        result = torch.addmm(result, factor, result, beta=a)
    return result
