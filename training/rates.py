"""How learning rates fall."""

LEAST_RATE = 0.1  # of the learning rate, when a run ends


def rate_factor(done: float, decay: float) -> float:
    """Return what part of its learning rate a run is at.

    Args:
        done: part of the run that is over, 0..1.
        decay: part of it, at its end, in which the rate falls from 1 to 0.1 in a straight line.
    """
    left = min(1.0, (1 - done) / decay) if decay else 1.0
    return LEAST_RATE + (1 - LEAST_RATE) * left
