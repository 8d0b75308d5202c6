"""Games by name: those of this repository, and python:MODULE:NAME for an `EvaluatedGame` of another module."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from eval.big2.game import EvaluatedBig2
from eval.catch5.game import EvaluatedCatch5
from eval.game import EvaluatedGame
from rlcard_kit.errors import ConfigError, KitError
from rlcard_kit.files import parse_json, read_file
from rlcard_kit.nets.checkpoint import SETTINGS
from rlcard_kit.plugins import OWN, NotFoundError, find_own
from rlcard_kit.registry import kind_of

DEFAULT = 'big2'  # of commands that name no game
LARGEST = 1 << 26  # bytes of a file that names a game
GAMES: Mapping[str, EvaluatedGame] = {'big2': EvaluatedBig2(), 'catch5': EvaluatedCatch5()}

G = TypeVar('G', bound=EvaluatedGame)


def game_of(name: str) -> EvaluatedGame:
    """Return a game by its name; see `find_game`."""
    return find_game(name, GAMES, EvaluatedGame)


def find_game(name: str, games: Mapping[str, G], kind: Any) -> G:
    """Return one of some games by its name, or an object of their class by python:MODULE:NAME; else ConfigError."""
    if not isinstance(name, str):  # of a damaged file
        raise ConfigError(f'game={name!r:.80}: expected text')
    if name.startswith(OWN):
        try:
            value = find_own(name)
        except NotFoundError as error:
            raise ConfigError(f'game={name!r}: {error}') from error
        if not isinstance(value, kind):
            raise ConfigError(f'game={name!r}: expected a {kind.__module__}.{kind.__name__}, got {value!r:.80}')
        game: G = value
        return game
    if name not in games:
        raise ConfigError(f'game={name!r}: choose one of {", ".join(games)}, or {OWN}MODULE:NAME')
    return games[name]


def stored_name(file: Path) -> str | None:
    """Return the name of the game, perhaps an own one, in settings or in a report; None if that cannot be read."""
    try:
        name = parse_json(file, read_file(file, LARGEST))['game']
    except (KitError, OSError, TypeError, LookupError):
        return None
    return name if isinstance(name, str) else None


def games_of(names: Iterable[str]) -> dict[str, str]:
    """Return the game of each agent that can play a single one, by its name or by its network."""
    return {name: game for name in names if (game := _name_of(name)) is not None}


def game_played(known_games: Mapping[str, str], asked: str | None) -> str:
    """Return the game of a command: the requested one, or that of its agents and folders, or Big 2.

    ConfigError if an agent or a folder, by whose names `known_games` holds their games, is of another game, or of an
    own one that is not requested.
    """
    game = next(iter(known_games.values()), DEFAULT) if asked is None else asked
    for name, other in known_games.items():
        if other not in GAMES:
            if asked is None or game_of(asked).card.name != other:
                raise ConfigError(f'{name!r} plays {other!r:.80}, which --game {OWN}MODULE:NAME has to name')
        elif other != game:
            titles = f'{game_of(other).wording.title}, not {game_of(game).wording.title}'
            raise ConfigError(f'{name!r} plays {titles}: all must play one game')
    return game


def _name_of(name: str) -> str | None:
    """Return the only game that an agent can play, from its name or its network, or None if there are several."""
    kinds = [key for key, game in GAMES.items() if kind_of(name) in game.names.kinds]
    if len(kinds) < len(GAMES):
        return kinds[0] if len(kinds) == 1 else None
    folder = GAMES[kinds[0]].names.file_of(name)
    return None if folder is None else stored_name(folder / SETTINGS)
