"""Experiments: what was tried, so that it can be tried again."""
