"""Networks that play: their inputs, their weights on disk, and the agents that use them."""
