"""Evaluation: winning percentage and expected value over the same deals in every seat."""
