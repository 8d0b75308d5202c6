"""Catch Five in the evaluation: groups of hands for `explain`."""
