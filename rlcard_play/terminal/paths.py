"""Default locations of recorded games."""

from pathlib import Path

from platformdirs import user_data_path


def data_folder(game: str) -> Path:
    """Return the user's data folder for a game; it may not exist yet."""
    return user_data_path(game, appauthor=False)


def games_in(folder: Path, game: str) -> Path:
    """Return the file of recorded games in a folder."""
    return folder / f'games.{game}.jsonl'


def games_file(game: str) -> Path:
    """Return the file of the user's recorded games; it may not exist yet."""
    return games_in(data_folder(game), game)
