"""Where games are kept if nothing else is said."""

from pathlib import Path

from platformdirs import user_data_path

GAMES = 'games.big2.jsonl'


def data_folder() -> Path:
    """Return the user's folder for data of this program, as the operating system has it; it may not exist yet."""
    return user_data_path('big2', appauthor=False)


def games_file() -> Path:
    """Return the file of the games that the user has played; it may not exist yet."""
    return data_folder() / GAMES


def new_games_file() -> Path:
    """Return the file of the games that the user has played, in a folder that exists.

    Raises:
        OSError: if the folder cannot be made.
    """
    file = games_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    return file
