"""Measurements of speed, training, puzzles, advice and tests, whose figures the documents have."""
