"""Options that the commands of the evaluation share, in the groups of their help."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from eval.common.cli import option
from eval.figures import Format
from eval.game import EvaluatedGame
from eval.games import DEFAULT, GAMES, game_of, game_played, games_of
from eval.plan import Plan
from eval.store import is_taken
from rlcard_kit.arrays import Int64Array
from rlcard_kit.bounds import AtLeast, AtMost, check_settings
from rlcard_kit.duplicate.deals import MOST_DEALS
from rlcard_kit.duplicate.time_limit import SECONDS
from rlcard_kit.errors import ConfigError
from rlcard_kit.game import Deals
from rlcard_kit.rules import Rulebook

DEALS = 1000  # by default
MOST_WORKERS = 1024
LONGEST_AGENTS = 50  # in the name of a folder, cut off beyond
RULES = ' or '.join(f'{", ".join(game.presets)} ({game.wording.title})' for game in GAMES.values())


@dataclass(frozen=True)
class GameOptions:
    """The game, its rules and its deals."""

    game: Annotated[str | None, option('NAME')] = None
    """The game: big2, catch5 or python:MODULE:NAME. By default that of the networks that are named, or Big 2."""
    rules: Annotated[
        str | None,
        option('NAME', help=f'The rules: {RULES}, a file of JSON, or python:MODULE:NAME. By default the first.'),
    ] = None
    """The rules."""
    deals: Annotated[int | None, AtLeast(2), AtMost(MOST_DEALS), option('N')] = None
    """Number of deals, each played in every seating; by default 1000, or all of --deals-file."""
    seed: Annotated[int, AtLeast(0), option('N')] = 0
    """Seed of the deals and of the agents' draws."""
    deals_file: Annotated[Path | None, option('FILE')] = None
    """Play the deals of this file, written by --save-deals, instead of dealing."""
    save_deals: Annotated[Path | None, option('FILE')] = None
    """Write the deals to this file, in numpy's .npz format."""

    @property
    def evaluated(self) -> EvaluatedGame:
        """The game, in the size of the rules."""
        game = game_of(self.game or DEFAULT)
        return game.for_rules(game.find_rules(self.rules))

    def make_deals(self, default: int = DEALS) -> Deals:
        """Return the deals to play, [D]; their number is `default` if no option sets it."""
        for part, file in (('load_deals', self.deals_file), ('save_deals', self.save_deals)):
            if file is not None:
                self.evaluated.require(part, str(file))
        if self.deals_file is None:
            deals = self.evaluated.deal(self.seed, self.deals or default)
        else:
            deals = self.evaluated.load_deals(self.deals_file)[: self.deals]
        wanted = self.deals or 2
        if len(deals) < wanted:
            raise ConfigError(f'{self.deals_file} holds {len(deals)} deals, fewer than {wanted}')
        if self.save_deals is not None:
            self.evaluated.save_deals(self.save_deals, deals)
        return deals


@dataclass(frozen=True)
class RunOptions:
    """Processes and limits; results do not depend on them."""

    workers: Annotated[int | None, AtLeast(1), AtMost(MOST_WORKERS), option('N')] = None
    """Number of processes; by default as many as this process may use cores, or as the cluster has."""
    ray: Annotated[str | None, option('ADDRESS')] = None
    """Play on a cluster by Ray: 'auto' for the one that this machine belongs to, HOST:PORT, or 'local' for one that is
    started here and ends with the command."""
    seconds: Annotated[float, AtLeast(0), option('S')] = SECONDS
    """Limit of CPU time for one call of an agent, and of ten times that by the clock; 0 for none."""
    resume: bool = False
    """Continue from the finished games in the folder. With more --deals, only the new ones are played."""


@dataclass(frozen=True)
class ReportOptions:
    """Folder and form of the report."""

    out: Annotated[Path | None, option('FOLDER')] = None
    """Folder for the report and the finished games, which must not hold others; a new one in runs/eval by default."""
    label: Annotated[tuple[str, ...], option('TEXT ...')] = ()
    """Names of the agents in tables and figures, in the order of the command line."""
    figures: Annotated[tuple[Format, ...], option('{png,pdf,svg} ...')] = ('png',)
    """Formats of figures."""

    def labels(self, agents: Sequence[str]) -> tuple[str, ...]:
        """Return the labels of agents, by default their names; ConfigError if their number is wrong."""
        if not self.label:
            return tuple(agents)
        if len(self.label) != len(agents) or len(set(self.label)) < len(agents) or not all(self.label):
            raise ConfigError(f'label={" ".join(self.label)}: give {len(agents)}, all different: {", ".join(agents)}')
        return self.label


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a command that plays games."""

    game: GameOptions = GameOptions()
    run: RunOptions = RunOptions()
    report: ReportOptions = ReportOptions()

    def __post_init__(self) -> None:
        game = game_played(self.known_games(), self.game.game)
        rules = game_of(game).find_rules(self.game.rules).text  # by value, since a file may change
        object.__setattr__(self, 'game', replace(self.game, game=game, rules=rules))
        for settings in (self, self.game, self.run, self.report):
            check_settings(settings)
        self.report.labels(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The agents that the report labels."""
        return ()

    def known_games(self) -> dict[str, str]:
        """Return the games of the agents and folders of the command line, by their names."""
        return games_of(self.names)

    @property
    def evaluated(self) -> EvaluatedGame:
        """The game."""
        return self.game.evaluated

    @property
    def rules(self) -> Rulebook:
        """The rules to play by."""
        return self.evaluated.find_rules(self.game.rules)

    def plan(self, agents: Sequence[str], seatings: Int64Array, deals: Deals, keep_moves: bool = False) -> Plan:
        """Return the plan to play deals, [D], in seatings, int64 [G, seats]."""
        how = self.game.seed, self.run.seconds, keep_moves
        return Plan(tuple(agents), seatings, self.rules, deals, *how, self.game.game or DEFAULT)

    def folder(self, description: Mapping[str, Any]) -> Path:
        """Return the folder for a report: --out, or one named after the description of a match.

        A name that is taken gets a number, unless the match in it is resumed.
        """
        if self.report.out is not None:
            return self.report.out
        digest = sha256(json.dumps(description).encode()).hexdigest()[:8]
        agents = '-'.join(description['agents'])[:LONGEST_AGENTS]
        words = f'{agents}-{self.rules.title}-{description["deals"]["count"]}-deals-seed-{self.game.seed}'
        name = re.sub(r'[^A-Za-z0-9.=]+', '-', words)
        folder = latest = Path(f'runs/eval/{name}-{digest}')
        number = 1
        while is_taken(folder):
            number += 1
            latest, folder = folder, Path(f'runs/eval/{name}-{digest}-{number}')
        return latest if self.run.resume else folder
