"""Where two agents differ: the same deals and seats, the decisions at which they part, and what came of it."""
