"""The games that can be learned, by name."""

from collections.abc import Mapping
from pathlib import Path

from eval.games import GameName, name_in, name_told
from training.games.base import LearnedGame
from training.games.big2 import LearnedBig2
from training.games.catch5 import LearnedCatch5

__all__ = ['GAMES', 'GameName', 'LearnedGame', 'described_by', 'game_in', 'game_of']

GAMES: Mapping[GameName, LearnedGame] = {'big2': LearnedBig2(), 'catch5': LearnedCatch5()}


def game_of(name: GameName) -> LearnedGame:
    """Return a game by its name."""
    return GAMES[name]


def game_in(folder: Path) -> LearnedGame:
    """Return the game whose network a folder holds; Big 2 if that cannot be read, whose loader says what is wrong."""
    return GAMES[name_in(folder) or 'big2']


def described_by(stored: object) -> LearnedGame:
    """Return the game that JSON names; Big 2 if it names none."""
    return GAMES[name_told(stored) or 'big2']
