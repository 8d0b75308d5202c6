"""Duplicate matches: the same deals in every seating."""
