"""Comparison of two agents of Catch Five in the same seats of the same deals."""
