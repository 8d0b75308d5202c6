"""N games with one seat for an agent under training; opponents play until that seat is to move again."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_kit.agents import Agent, Decision, Positions, agent_of
from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.errors import ConfigError, OpponentError, check_whole, describe
from rlcard_kit.eval_step import EvalStepAgent
from rlcard_kit.game import CardGame
from rlcard_kit.rng import below, new_streams
from rlcard_kit.rules import rules_note
from rlcard_kit.table import Player, Table
from rlcard_kit.vector_env import MOST_GAMES, VectorEnv

AGENT = -1  # in `Table.seating`
ROTATE, RANDOM = 'rotate', 'random'
RAISE, END = 'raise', 'end'
DEFAULT = 'rule'  # opponent, in every game
MOST_SKIPPED = 1000  # deals in a row that end before the agent's first turn
MakeAgent = Callable[[str, Any], Any]  # from a name and rules


@dataclass(frozen=True)
class SeatSettings:
    """Settings of the games of one seat; ConfigError if one is wrong, or two contradict each other."""

    opponents: Any = None
    """One agent for all other seats, or a list of one for each, in the order of play after the agent; None for DEFAULT,
    unless there is a pool."""
    pool: Sequence[Any] | None = None
    """Instead of opponents, a list of agents from which each other seat draws one with each deal."""
    rules: Any = None
    """As the game's `find_rules` takes them; None for its default."""
    seat: int | str = ROTATE
    """The agent's: 0 and up, 'rotate' for the next one with each deal, or 'random' for any with each deal."""
    illegal: str = RAISE
    """An illegal action 'raise's IllegalActionError, or 'end's the game."""

    def __post_init__(self) -> None:
        if self.pool is not None and self.opponents is not None:
            raise ConfigError('give opponents or a pool to draw them from, not both')
        if isinstance(self.seat, str) and self.seat not in (ROTATE, RANDOM):
            raise ConfigError(f'seat={self.seat!r}: expected the number of a seat, {ROTATE!r} or {RANDOM!r}')
        if self.illegal not in (RAISE, END):
            raise ConfigError(f'illegal={self.illegal!r}: expected {RAISE!r} or {END!r}')


class Opponent(Player):
    """An agent in the other seats.

    Args:
        agent: the agent.
        name: of the agent, for errors.
    """

    def __init__(self, agent: Agent | EvalStepAgent, name: str) -> None:
        self.agent = agent
        self.name = name

    @override
    def choose(self, table: Table, rows: Int64Array) -> Decision:
        try:
            return table.ask(self.agent, rows)
        except Exception as error:
            games = table.games[rows]
            alone = f'seat {table.seats[rows[0]]} of game {games[0]}'
            where = alone if len(games) == 1 else f'games {games[0]} to {games[-1]}'
            raise OpponentError(f'{self.name} failed in {where}: {describe(error)}') from error


class SingleAgentEnv(VectorEnv):
    """N games; in each, the agent has one seat, and opponents have the others.

    Games are over until `deal` is called. Game i of a seed does not depend on the others.

    Args:
        game: to play.
        make_agent: constructor of agents by name.
        num_games: N, at most `MOST_GAMES`.
        settings: of the seat.

    Raises:
        ConfigError: if a setting does not fit the game.
        AgentNameError: if a name does not mean an agent.
    """

    def __init__(self, game: CardGame, make_agent: MakeAgent, num_games: int, settings: SeatSettings) -> None:
        check_whole('num_envs', num_games, 1, MOST_GAMES)
        super().__init__(game, settings.rules, new_streams(None, num_games))
        num_seats, self._seat = self.game.num_seats, settings.seat
        if not isinstance(self._seat, str):
            check_whole('seat', self._seat, 0, num_seats - 1)
        drawn, given = settings.pool is not None, DEFAULT if settings.opponents is None else settings.opponents
        agents = _agents_of(settings.pool) if drawn else _agents_of(given, num_seats - 1)
        opponents, order = _made_once(agents, make_agent, self.rules)
        # One that a pool lists twice is drawn twice as often.
        self.opponents = [opponents[number] for number in order] if drawn else opponents
        self._order = None if drawn else np.array(order, np.int64)
        self.seats = self.players  # [N], the agent's; until `deal`, those to move
        self.payoffs = np.zeros((num_games, num_seats), np.int64)
        self.over: BoolArray = np.ones(num_games, np.bool_)  # or not dealt yet
        self.abandoned: BoolArray = np.zeros(num_games, np.bool_)  # games that end without a payoff at the next `play`
        self.skipped = np.zeros(num_games, np.int64)  # deals before this one that ended before the agent's first turn
        seating = np.full((num_games, num_seats), AGENT)
        self.table = Table(self, self.opponents, seating, np.zeros(seating.shape, np.uint64), ask_forced=False)
        self._deals = np.zeros(num_games, np.int64)  # since `seed`
        self.seed([None] * num_games)

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Seed each game's deals, seats and opponents; None takes a seed from the operating system."""
        words = np.array([new_streams(seed, 2 + self.game.num_seats) for seed in seeds])
        self.streams, self._seat_streams = words[:, 0].copy(), words[:, 1].copy()  # [N]
        self.table.random = words[:, 2:].copy()  # [N, seats]
        self._deals[:] = 0

    def deal(self, where: Int64Array) -> None:
        """Deal some games again, int64 [K], and play until the agent is to move.

        A game that ends before the agent's first turn is dealt again, and counted in `skipped`; ConfigError if
        MOST_SKIPPED do so in a row.
        """
        self.skipped[where] = 0
        self._deal(where)
        while (where := where[self.over[where]]).size:
            self.skipped[where] += 1
            if self.skipped[where].max() > MOST_SKIPPED:
                raise ConfigError(
                    f'seat={self._seat!r}: {MOST_SKIPPED} games in a row ended before its first turn; choose another '
                    'seat, or rules by which it moves'
                )
            self._deal(where)

    def _deal(self, where: Int64Array) -> None:
        for i in where.tolist():
            self._seat_all(i)
        self.game.reset(self.games, where, self.streams)
        self.abandoned[where] = False
        self._deals[where] += 1
        self.table.plies[where] = 0
        self._play_on(where)

    def play(self, where: Int64Array, moves: Int64Array) -> None:
        """Make the agent's move in some games that are not over, both int64 [K], and play until it is to move again."""
        self._make(where, moves)
        self._play_on(where)

    def look(self, where: Int64Array | None = None) -> Positions:
        """Return the agent's observations and legal moves in all or some games; no moves in those that are over."""
        return self.positions(where, self.seats if where is None else self.seats[where])

    def _seat_all(self, game: int) -> None:
        """Draw the seating of a game's next deal."""
        count, stream = self.game.num_seats, self._seat_streams[game : game + 1]
        if isinstance(self._seat, int):
            seat = self._seat
        else:
            seat = below(stream, count) if self._seat == RANDOM else int(self._deals[game]) % count
        others = self._order
        if others is None:
            others = np.array([below(stream, len(self.opponents)) for _ in range(count - 1)])
        self.seats[game] = seat
        self.table.seating[game, seat] = AGENT
        self.table.seating[game, (seat + 1 + np.arange(count - 1)) % count] = others

    def _play_on(self, where: Int64Array) -> None:
        """Play some games on until the agent is to move or the game is over."""
        while True:
            seats, over = self.players, self.game.is_terminal(self.games)
            where = where[~over[where] & (seats[where] != self.seats[where])]
            if not where.size:
                break
            seats = seats[where]
            positions = self.positions(where, seats)
            indices, _, _ = self.table.decide(where, seats, positions)
            self._make(where, positions.moves[indices])
        self.game.rewards(self._rules_arrays, self.games, self.payoffs)
        self.over = over | self.abandoned

    def _make(self, where: Int64Array, moves: Int64Array) -> None:
        self.step_some(where, moves)
        self.table.note(where, moves)


def _made_once(agents: list[Any], make_agent: MakeAgent, rules: Any) -> tuple[list[Opponent], list[int]]:
    """Make each agent once, since equal agents decide together; return the index of that of each entry too."""
    made: dict[object, int] = {}
    order = [made.setdefault(agent if isinstance(agent, str) else id(agent), len(made)) for agent in agents]
    return [_opponent(agents[order.index(number)], make_agent, rules) for number in range(len(made))], order


def _agents_of(given: Any, count: int | None = None) -> list[Any]:
    """Return agents as a list: as many as given, or `count`."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        return [given] * (count or 1)
    if count is not None and len(given) != count:
        raise ConfigError(f'opponents={list(given)!r:.120}: expected one agent, or {count} in the order of play')
    if not given:
        raise ConfigError('pool=[]: expected at least one agent to draw')
    return list(given)


def _opponent(agent: Any, make_agent: MakeAgent, rules: Any) -> Opponent:
    name = agent if isinstance(agent, str) else type(agent).__name__
    made = agent_of(agent, make_agent, rules, 'opponent')
    if isinstance(made, Agent):
        made.prepare(rules)
    note = rules_note(name, getattr(made, 'trained_on', None), rules)
    if note:
        warnings.warn(note, stacklevel=2)
    return Opponent(made if isinstance(made, Agent) else EvalStepAgent(made), name)
