"""Environments of any game: RLCard, PettingZoo and Gymnasium."""
