"""Comparison of two agents in the same seats of the same deals."""
