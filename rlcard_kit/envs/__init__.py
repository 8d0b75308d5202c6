"""Environments of any game: RLCard, PettingZoo, Gymnasium and OpenSpiel."""
