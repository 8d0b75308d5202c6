"""Faces of one game, whatever the game: RLCard's round, game and environment, PettingZoo's and Gymnasium's."""
