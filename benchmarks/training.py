"""Compares the speed of training with that of RLCard's DMCTrainer on the same game: python -m benchmarks.training."""

import csv
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import rlcard
from rich.console import Console
from rich.table import Table
from rlcard.agents.dmc_agent.model import DMCNet

import rlcard_big2  # noqa: F401  # registers 'big2'
from dmc.config import Config
from eval.common.cli import parse
from training.learner import num_weights

TARGET_RATIO = 20.0
TARGET_FRAMES = 15_000.0  # per second, with the residual network of the paper's width on two cores
WIDTH: int = Config.presets('big2')['paper']['hidden_size']  # and that of RLCard's network
GRID_ACTORS, GRID_GAMES, GRID_MINUTES = (1, 2, 4), (64, 256, 512), 0.75

# RLCard's trainer as it comes, the number of actors apart.
RLCARD_CODE = """
import sys
import rlcard, rlcard_big2
from rlcard.agents.dmc_agent import DMCTrainer
if __name__ == '__main__':
    env = rlcard.make('big2', config={'seed': 0})
    DMCTrainer(env, num_actors=int(sys.argv[2]), savedir=sys.argv[1], xpid='run').start()
"""


@dataclass(frozen=True)
class Options:
    """Measures frames learned from per second; exits with 1 if a target is missed."""

    minutes: float = 2.0
    """Length of a run of this trainer."""
    rlcard_minutes: float = 5.0
    """Length of the run of RLCard's, which takes a minute or two to its first update."""
    num_actors: int = 2
    """Actors of both."""
    grid: bool = False
    """Measure other numbers of actors and of games per actor too."""


def run_for(command: list[str], minutes: float) -> None:
    """Run a command for so long at most, and end all its processes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    with suppress(subprocess.TimeoutExpired):
        process.wait(60 * minutes)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def train(trainer: str, minutes: float, *flags: str) -> list[dict[str, str]]:
    """Run one of this repository's trainers; return the rows of its metrics."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, '-m', trainer, 'train', '--savedir', folder, '--eval-deals', '0', *flags]
        subprocess.run([*command, '--minutes', str(minutes)], check=True, stdout=subprocess.DEVNULL)
        with (Path(folder) / 'metrics.csv').open(newline='') as file:
            return list(csv.DictReader(file))


def frames_per_second(rows: list[dict[str, str]], seconds: str) -> float:
    """Return the speed from the first row with frames to the last; `seconds` is the column of the clock."""
    points = [(float(row[seconds]), float(row['frames'])) for row in rows if float(row['frames']) > 0]
    if len(points) < 2:
        sys.exit('too few updates in this time; a longer run would have more')
    (start, before), (end, after) = points[0], points[-1]
    return (after - before) / (end - start)


def train_here(minutes: float, *flags: str) -> float:
    """Train with this trainer; return frames learned from per second."""
    return frames_per_second(train('dmc', minutes, *flags), 'seconds')


def train_with_rlcard(minutes: float, num_actors: int) -> float:
    """Train with RLCard's trainer; return frames learned from per second."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / 'train_big2.py'  # its processes import it again
        script.write_text(RLCARD_CODE)
        run_for([sys.executable, str(script), folder, str(num_actors)], minutes)
        run = Path(folder) / 'run'
        if not (run / 'logs.csv').exists():
            sys.exit('RLCard made no update in this time; a longer run would have some')
        names = (run / 'fields.csv').read_text().splitlines()[-1].split(',')
        with (run / 'logs.csv').open(newline='') as file:
            rows = [row for row in csv.DictReader(file, names) if row['frames'] != 'frames']  # a header may come again
        return frames_per_second(rows, '_time')


def weights_of_rlcard() -> int:
    """Count the weights of the network that RLCard's trainer makes for this game."""
    env = rlcard.make('big2')
    return num_weights(DMCNet(env.state_shape[0], env.action_shape[0]))


def print_grid(console: Console) -> None:
    """Measure and print frames per second by actors and games per actor."""
    table = Table('actors', *(f'{games} games each' for games in GRID_GAMES), title='learned frames/s')
    for actors in GRID_ACTORS:
        flags = ('--num-actors', str(actors), '--num-games')
        table.add_row(str(actors), *(f'{train_here(GRID_MINUTES, *flags, str(games)):,.0f}' for games in GRID_GAMES))
    console.print(table)


def main() -> None:
    """Measure, print the tables, and exit with 1 if a target is missed."""
    options = parse(Options, description=Options.__doc__)
    console, default = Console(), Config.of()
    stock = train_with_rlcard(options.rlcard_minutes, options.num_actors)
    table = Table('trainer', 'weights', 'learned frames/s', 'ratio')
    table.add_row("RLCard's DMCTrainer", f'{weights_of_rlcard():,}', f'{stock:,.0f}', '1')
    ours = {}
    for width in (WIDTH, default.network.hidden_size):
        speed = train_here(options.minutes, '--num-actors', str(options.num_actors), '--hidden-size', str(width))
        weights = num_weights(default.find_game().make_network(default.changed(hidden_size=width).spec))
        table.add_row(f'dmc, layers of {width}', f'{weights:,}', f'{speed:,.0f}', f'{speed / stock:.1f}')
        ours[width] = speed
    table.add_row(f'target with layers of {WIDTH}', '', f'>= {TARGET_FRAMES:,.0f}', f'>= {TARGET_RATIO:.0f}')
    console.print(table)
    if options.grid:
        print_grid(console)
    if ours[WIDTH] < max(TARGET_FRAMES, TARGET_RATIO * stock):
        sys.exit('a target is missed')


if __name__ == '__main__':
    main()
