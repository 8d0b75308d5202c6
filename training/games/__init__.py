"""Games to learn by name: those of this repository, and python:MODULE:NAME for a `LearnedGame` of another module."""

from collections.abc import Mapping
from pathlib import Path

from eval.games import DEFAULT, find_game, stored_name
from rlcard_kit.nets.checkpoint import SETTINGS
from training.games.base import LearnedGame
from training.games.big2 import LearnedBig2
from training.games.catch5 import LearnedCatch5

__all__ = ['GAMES', 'LearnedGame', 'game_in', 'game_of']

GAMES: Mapping[str, LearnedGame] = {'big2': LearnedBig2(), 'catch5': LearnedCatch5()}


def game_of(name: str) -> LearnedGame:
    """Return a game by its name; see `find_game`."""
    return find_game(name, GAMES, LearnedGame)


def game_in(folder: Path) -> LearnedGame:
    """Return the game whose network a folder holds; Big 2, whose loader reports what is wrong, if it is unknown."""
    return GAMES.get(stored_name(folder / SETTINGS) or DEFAULT, GAMES[DEFAULT])
