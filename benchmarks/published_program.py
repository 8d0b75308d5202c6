"""Search told its opponents, against the published program: python -m benchmarks.published_program FOLDER FILE.

FOLDER is a checkout of github.com/henrycharlesworth/big2_PPOalgorithm, FILE its parameters. In the seats of the field
the program's own game follows the moves, and its inputs and legal actions decide. After the last game the program
replays all of them, and its rewards must equal the payoffs here.
"""

import os
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any
from unittest.mock import patch

import numpy as np
import tyro
from typing_extensions import override
from tyro.conf import Positional

from benchmarks.printed import print_table
from rlcard_big2.agents._joblib import FloatArray, load_arrays
from rlcard_big2.agents.published import PublishedAgent
from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.duplicate import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.charlesworth import cards_at, index_of
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import Rules
from rlcard_kit.agents import Decision
from rlcard_kit.arrays import Int64Array
from rlcard_kit.bounds import AtLeast
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.duplicate.deals import play_deals, seat_players
from rlcard_kit.duplicate.match import difference, matches_of
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.process import limit_threads
from rlcard_kit.table import Table

NETWORK, FIELD = 'big2-dmc-2026-11', 2


@dataclass(frozen=True)
class Options:
    """Plays search that knows its opponents, and its network alone, against the program in three seats, in all four."""

    folder: Positional[Path]
    """The program."""
    parameters: Positional[Path]
    """Its network."""
    worlds: Annotated[int, AtLeast(1)] = 256
    """Of search."""
    deals: Annotated[int, AtLeast(2)] = 400
    """Of both matches."""
    seed: int = 1
    """Of the deals and of all draws."""
    out: Path | None = None
    """CSV to write the figures to."""


class Program:
    """The published program's game, with given hands, int64 [4]."""

    def __init__(self, hands: Int64Array) -> None:
        self._options: Any = import_module('enumerateOptions')
        deck = np.concatenate([_cards(hand) for hand in hands])
        with patch.object(np.random, 'permutation', return_value=deck - 1):
            self.game = import_module('big2Game').big2Game()
        self._followed = 1  # it plays the first card itself

    def follow(self, moves: Int64Array) -> None:
        """Make those of a game's moves, int64 [T], that it has not made yet."""
        for move in moves[self._followed :].tolist():
            self.game.updateGame(*self._options.getOptionNC(index_of(move, self._hand)))
        self._followed = len(moves)

    def move(self, parameters: list[FloatArray], random: np.random.Generator) -> int:
        """Draw a move by the probabilities of its network."""
        w1, b1, w2, b2, w3, b3 = parameters[:6]
        _, inputs, forbidden = self.game.getCurrentState()
        hidden = np.maximum(np.maximum(inputs @ w1 + b1, 0) @ w2 + b2, 0)
        logits = (hidden @ w3 + b3 + forbidden)[0]
        index = int((logits + random.gumbel(size=logits.size)).argmax())
        return int(cards_at(index, self._hand))

    @property
    def _hand(self) -> int:
        return sum(1 << card - 1 for card in self.game.currentHands[self.game.playersGo].tolist())


def _cards(mask: int) -> Int64Array:
    """Return the program's numbers of some cards, ascending, from 1."""
    return np.flatnonzero(np.int64(mask) >> np.arange(NUM_CARDS) & 1) + 1


class ProgramPlayer(MatchPlayer):
    """The program in some seats.

    Args:
        agent: of the same parameters, which is not asked.
        name: of the agent.
        parameters: of the network.
        hands: of the deals, int64 [D, 4].
        random: draws the moves.
    """

    def __init__(
        self, agent: Any, name: str, parameters: list[FloatArray], hands: Int64Array, random: np.random.Generator
    ) -> None:
        self._parameters, self._hands, self._random = parameters, hands, random
        super().__init__(agent, name)

    @override
    def place(self, first: int, seatings: int) -> None:
        super().place(first, seatings)
        self._programs: dict[int, Program] = {}

    @override
    def choose(self, table: Table, rows: Int64Array) -> Decision:
        positions = table.positions
        indices = np.empty(len(rows), np.int64)
        for i, row in enumerate(rows):
            game, legal = int(table.games[row]), positions.moves[positions.offsets[row] : positions.offsets[row + 1]]
            made = np.array(table.moves_of(game))
            if made.size == 0:
                indices[i] = 0  # the first card, which the program plays itself
                continue
            if game not in self._programs:
                self._programs[game] = Program(self._hands[self._first + game // self._seatings])
            program = self._programs[game]
            program.follow(made)
            found = np.flatnonzero(legal == program.move(self._parameters, self._random))
            if found.size != 1:
                raise self.failure(self.where(table, rows[i : i + 1]), ValueError('its move is not legal here'))
            indices[i] = found[0]
        return Decision(indices)


def check_rewards(hands: Int64Array, outcome: Outcome) -> None:
    """Replay all games in the program; ValueError if its rewards are not the payoffs."""
    for deal, games in enumerate(outcome.moves):
        for seating, moves in enumerate(games):
            program = Program(hands[deal])
            program.follow(moves[moves >= 0])
            if (program.game.rewards != outcome.payoffs[deal, seating]).any():
                raise ValueError(f'deal {deal}, seating {seating}: the program rewards {program.game.rewards}')


def main() -> None:
    """Play, and print the table."""
    options = tyro.cli(Options, description=Options.__doc__)
    if not (options.folder / 'big2Game.py').is_file():
        sys.exit(f'{options.folder} has no big2Game.py; a checkout of the program is needed')
    limit_threads()
    file = options.parameters.resolve()
    rules, deals = Rules(), deals_from_seed(options.seed, options.deals, 'charlesworth')
    out = None if options.out is None else options.out.resolve()
    sys.path.insert(0, str(options.folder.resolve()))
    os.chdir(options.folder)  # it reads a file by its name
    names = [f'search:{NETWORK},opponents=published-ppo:{file},worlds={options.worlds}', NETWORK]
    players = seat_players(names, [make_agent(name, rules) for name in names], names)
    parameters = load_arrays(file)
    random = np.random.default_rng(options.seed)
    players.append(ProgramPlayer(PublishedAgent(parameters), 'the program', parameters, deals, random))
    seatings = np.concatenate([BIG2.seatings(player, FIELD) for player in range(FIELD)])
    outcome = play_deals(BIG2, players, deals, seatings, rules, options.seed, keep_moves=True)
    check_rewards(deals, outcome)
    told, alone = matches_of(BIG2, outcome)
    rows = [('agent', 'EV', 'WP')]
    for name, result in (('search', told), (NETWORK, alone), ('difference, paired', difference(told, alone))):
        rows.append((name, f'{result.ev:+.2f}', f'{result.wp:+.3f}'))
    print_table(rows, out, title=f'{options.deals} deals against three of the program')


if __name__ == '__main__':
    main()
