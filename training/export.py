"""The command `export`: a network in half precision, to be shipped, and what its values mean; or as an ONNX file."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
from numpy.typing import NDArray
from tyro import MISSING
from tyro.conf import Positional, Suppress

from eval.common.cli import new_console, option
from rlcard_kit.bounds import AtLeast, AtMost, check_settings
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import checksum
from rlcard_kit.nets.agents import DMC
from rlcard_kit.nets.calibration import Calibrations
from rlcard_kit.nets.checkpoint import NETWORK, SETTINGS, CheckpointError, Settings, read_weights
from training.calibration import GAMES_BY_RULES, LEAST_GAMES, SEED, fit, fit_by_rules, play_itself
from training.checkpoint import shortened, write_network
from training.games import LearnedGame, game_in
from training.onnx_file import find_agent, write_onnx
from training.run_settings import TRAINING


@dataclass(frozen=True)
class Export:
    """Copy the current network of a run in half precision (float16, rounded to eight significant bits), to be shipped.

    With others, it is the mean of their weights. A value network of Big 2 then plays itself. What followed its values
    is kept with it, as the chance of winning and cards that advice shows. Values in Catch Five are points already.
    With --onnx, a network of a run or of an included agent is written to a file for ONNX Runtime instead.
    """

    agent: Annotated[str, Suppress]
    """The kind of agent that the run has trained, 'dmc' or 'ppo'."""
    source: Annotated[Positional[Path], option('RUN')] = MISSING
    """Folder of the run, or of one of its checkpoints; for --onnx, also the name of an included agent: big2-dmc."""
    folder: Annotated[Positional[Path | None], option('FOLDER')] = None
    """Folder to write to, unless --onnx names a file."""
    games: Annotated[int, AtLeast(0), AtMost(1_000_000)] = 10_000
    """Games of a value network of Big 2 against itself, at least 100, that calibrate its values; 0 for no calibration.
    If it sees the rules, they change after every 128 games."""
    average_with: Annotated[tuple[Path, ...], option('FOLDER ...')] = ()
    """Folders of other networks of the same kind, sizes and rules, trained on from the same one: what is written is the
    mean of all their weights."""
    onnx: Annotated[Path | None, option('FILE')] = None
    """File to write for ONNX Runtime, in place of a folder."""
    rules: Annotated[str | None, option('RULES')] = None
    """For --onnx and an included agent with several networks: the rules whose network is written."""

    def __post_init__(self) -> None:
        if not isinstance(self.source, Path):  # tyro makes one whose fields are missing
            return
        check_settings(self)
        if 0 < self.games < LEAST_GAMES:
            raise ConfigError(f'games={self.games}: it must be 0, or at least {LEAST_GAMES}')

    def run(self) -> None:
        """Write it, and report the files."""
        if self.onnx is None and self.folder is not None and self.rules is None:
            text = self._copy(self.folder)
        elif self.onnx is not None and self.folder is None and not self.average_with:
            text = self._write_onnx(self.onnx)
        else:
            raise ConfigError('name a FOLDER, perhaps with --average-with, or --onnx FILE, perhaps with --rules')
        new_console().print(text, soft_wrap=True, markup=False, highlight=False)

    def _copy(self, folder: Path) -> str:
        settings = export(self.source, folder, self.agent, self.games, self.average_with)
        weights = folder / NETWORK
        return (
            f'wrote {folder}: {NETWORK} ({weights.stat().st_size / 1e6:.1f} MB, SHA-256 {checksum(weights)}) and '
            f'{SETTINGS}: {_facts(settings)}, '
            f'{f"values from {self.games:,} games" if settings.calibration else "values not calibrated"}\n'
            f"it plays as '{self.agent}:{folder}'"
        )

    def _write_onnx(self, file: Path) -> str:
        settings = write_onnx(file, *find_agent(self.source, self.agent, self.rules))
        return f'wrote {file} ({file.stat().st_size / 1e6:.1f} MB): {_facts(settings)}'


def _facts(settings: Settings) -> str:
    return f'{settings.frames:,} frames, rules {settings.rules.title if settings.rules else "all"}'


def export(run: Path, folder: Path, agent: str, games: int = 0, average_with: Sequence[Path] = ()) -> Settings:
    """Write the network of a run, `shortened`, with its settings, which are returned; see the fields of `Export`.

    Only values of moves are calibrated, and only in games whose values are not payoffs. A mean of weights plays well
    only if the networks were trained on from the same one (Wortsman et al., 2022, "Model soups").

    Raises:
        CheckpointError: if a folder holds no such network, or one that this version cannot read, if networks to average
            differ in kind, sizes or rules, or if the folder is that of a run, or of one of the networks.
    """
    sources = (run, *average_with)
    game = game_in(run)
    each = [game.settings.load(source, agent) for source in sources]
    if (folder / TRAINING).exists() or (folder.exists() and any(folder.samefile(source) for source in sources)):
        raise CheckpointError(f'{folder} is the folder of a run: choose another, since its network would be lost')
    for other, source in zip(each, sources, strict=True):
        if not other.plays_like(each[0]):
            raise CheckpointError(f'{source} and {run} differ in rules, or in kind, inputs or sizes of their networks')
    settings = replace(each[0], provenance=_provenance(each), calibration=None)
    first = read_weights(run)
    shapes = {name: array.shape for name, array in first.items()}
    weights = _mean_weights([first, *(read_weights(source, shapes) for source in average_with)])
    write_network(folder, weights, settings)
    if games and agent == DMC and game.is_calibrated:  # by the weights that are shipped
        settings = replace(settings, calibration=_calibrate(game, folder, settings.rules, games))
        write_network(folder, weights, settings)
    return settings


def _calibrate(game: LearnedGame, folder: Path, rules: Any, games: int) -> Calibrations:
    """Return the calibration of the values in a folder under some rules, or by rules if they are None."""
    agent = game.load_agent(DMC, folder)
    if rules is not None:
        return fit(play_itself(game, agent, rules, games))
    random = np.random.default_rng(SEED)
    presets = cycle([game.card.find_rules(name) for name in game.presets])
    played = []
    for number in range(math.ceil(games / GAMES_BY_RULES)):
        chosen = game.draw_rules(random) if number % 4 else next(presets)
        decisions = play_itself(game.for_rules(chosen), agent, chosen, GAMES_BY_RULES, SEED + number)
        played.append((*agent.told(chosen), decisions))
    return fit_by_rules(played)


def _provenance(each: Sequence[Settings]) -> Mapping[str, Any]:
    """Return the provenance of a network, given the settings of the networks that were averaged."""
    if len(each) == 1:
        return each[0].provenance
    return {'frames': sum(other.frames for other in each), 'average_of': [dict(other.provenance) for other in each]}


def _mean_weights(each: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, torch.Tensor]:
    """Return the mean of weights by name, `shortened`."""
    means = {name: np.mean([weights[name] for weights in each], axis=0, dtype=np.float64) for name in each[0]}
    return {name: shortened(torch.from_numpy(mean.astype(np.float32))) for name, mean in means.items()}
