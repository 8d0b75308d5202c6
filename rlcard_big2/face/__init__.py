"""Faces of one game, whatever the game: RLCard's round, game and environment, and PettingZoo's."""
