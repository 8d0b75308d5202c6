"""The ladder: its agents, sealed deals, matches and ratings."""
