"""Duplicate deals: matches that play the same cards in every seat, and their intervals."""
