"""Comparison of two agents on the same deals, for all games."""
