"""Evaluation: winning percentage and expected value over the same deals in all four seats."""
