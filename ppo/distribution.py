"""Probabilities over the legal moves of many games, each game having as many as it has."""

import torch
from torch import Tensor


def log_softmax(logits: Tensor, owners: Tensor, count: int) -> Tensor:
    """Return the log-probability of each legal move among those of its game.

    Args:
        logits: float32 [M].
        owners: the game of each, int64 [M], ascending.
        count: of games, N.
    """
    best = torch.full((count,), -torch.inf, device=logits.device)
    best = best.scatter_reduce(0, owners, logits.detach(), 'amax')
    shifted = logits - best[owners]
    totals = torch.zeros(count, device=logits.device).index_add(0, owners, shifted.exp())
    return shifted - totals.log()[owners]


def entropies(log_probabilities: Tensor, owners: Tensor, count: int) -> Tensor:
    """Return the entropy of each game's distribution in nats, float32 [N]; see `log_softmax`."""
    terms = -log_probabilities.exp() * log_probabilities
    return torch.zeros(count, device=terms.device).index_add(0, owners, terms)
