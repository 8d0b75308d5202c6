"""Networks that play: their inputs, their weights on disk, and how they are computed."""
