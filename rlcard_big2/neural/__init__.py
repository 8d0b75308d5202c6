"""Networks that play, whatever the game: their specs, their weights on disk, policies, and agents."""
