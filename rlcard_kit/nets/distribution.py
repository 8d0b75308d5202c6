"""Probability distributions over the legal moves of many games, however many moves each game has."""

import torch
from torch import Tensor


def log_sums(logits: Tensor, owners: Tensor, count: int) -> Tensor:
    """Return the logarithm of the sum of each game's exponentiated logits, float32 [N].

    Args:
        logits: of all legal moves, float32 [M].
        owners: the game of each, int64 [M], ascending.
        count: of games, N.
    """
    best = torch.full((count,), -torch.inf, device=logits.device)
    best = best.scatter_reduce(0, owners, logits.detach(), 'amax')
    return best + _sums((logits - best[owners]).exp(), owners, count).log()


def log_softmax(logits: Tensor, owners: Tensor, count: int) -> Tensor:
    """Return the log-probability of each legal move among those of its game, float32 [M]; see `log_sums`."""
    return logits - log_sums(logits, owners, count)[owners]


def entropies(log_probabilities: Tensor, owners: Tensor, count: int) -> Tensor:
    """Return the entropy of each game's distribution in nats, float32 [N]; see `log_softmax`."""
    return _sums(-log_probabilities.exp() * log_probabilities, owners, count)


def uniform_divergences(log_probabilities: Tensor, owners: Tensor, counts: Tensor) -> Tensor:
    """Return the Kullback-Leibler divergence KL(uniform, policy) of each game in nats, float32 [N].

    Unlike the entropy it keeps growing, and keeps its gradient, as a move becomes too unlikely to be ever played.

    Args:
        log_probabilities: of all legal moves, float32 [M].
        owners: the game of each, int64 [M].
        counts: of each game's legal moves, float32 [N].
    """
    return -_sums(log_probabilities, owners, len(counts)) / counts - counts.log()


def _sums(terms: Tensor, owners: Tensor, count: int) -> Tensor:
    """Sum what belongs to each game, float32 [M], to float32 [N]."""
    return torch.zeros(count, device=terms.device).index_add(0, owners, terms)
