"""Drawings of games and positions."""
