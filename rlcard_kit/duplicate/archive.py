"""Files of deals, whatever the game: arrays in numpy's .npz format, with the name of the game."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.errors import HandsError
from rlcard_kit.files import UNREADABLE, read_file, replace

LARGEST = 1 << 30  # bytes of a file of deals
FIRST_GAME = 'big2'  # of files that do not say, which earlier versions wrote


def write_arrays(path: Path, game: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays by name, and the game that they are of."""

    def write(temporary: Path) -> None:
        with temporary.open('wb') as file:  # numpy would add .npz to a name that lacks it
            np.savez_compressed(file, game=np.array(game), **arrays)  # type: ignore[arg-type]

    replace(path, write)


def read_arrays(path: Path, game: str, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Read arrays by name; HandsError if they are not there, or of another game."""
    try:
        with np.load(BytesIO(read_file(path, LARGEST)), allow_pickle=False) as arrays:
            found = str(arrays['game']) if 'game' in arrays else FIRST_GAME
            read = {name: np.asarray(arrays[name]) for name in names} if found == game else {}
    except UNREADABLE as error:
        needed = ', '.join(map(repr, names))
        raise HandsError(f'{path} holds no deals: {error}; an .npz file with {needed} is needed') from error
    if found != game:
        raise HandsError(f'{path} holds deals of {found!r}, not of {game!r}')
    return read
