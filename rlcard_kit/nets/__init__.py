"""Networks of any game: specs, checkpoints, policies, values and agents."""
