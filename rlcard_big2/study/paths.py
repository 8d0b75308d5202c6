"""Default locations of recorded games."""

from pathlib import Path

from platformdirs import user_data_path

GAMES = 'games.big2.jsonl'


def data_folder() -> Path:
    """Return the user's data folder for this program; it may not exist yet."""
    return user_data_path('big2', appauthor=False)


def games_file() -> Path:
    """Return the file of the user's recorded games; it may not exist yet."""
    return data_folder() / GAMES


def new_games_file() -> Path:
    """Return the file of the user's recorded games, in a folder that exists.

    Raises:
        OSError: if the folder cannot be made.
    """
    file = games_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    return file
