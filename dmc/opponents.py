"""Who decides where: the trained agent, and who sits at the seats that it does not play."""

from copy import deepcopy

import numpy as np
from numpy.typing import NDArray

from dmc.config import Config
from rlcard_big2.agents.base import BatchAgent, pick, select_games
from rlcard_big2.agents.mixed import explore
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.errors import ConfigError, IllegalActionError
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.random import Streams
from rlcard_big2.names import AgentNameError, make_agent
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.value import ValueNetwork


class PriorAgent(DMCAgent):
    """Plays by a copy of another network's weights, which it takes anew every so many games.

    The first copy is taken at the first decision. Games in progress go on with a new copy.

    Args:
        source: the other network.
        games: that a copy serves for.
    """

    def __init__(self, source: ValueNetwork, games: int) -> None:
        super().__init__(deepcopy(source))
        self._source = source
        self._games = games
        self._left = 0

    def count(self, games: int) -> None:
        """Count games that have ended."""
        self._left -= games

    def choose(self, observations: Int64Array, masks: Int64Array, offsets: Int64Array, random: Streams) -> Int64Array:
        """Choose the moves of the highest values; see `BatchAgent.choose`."""
        if self._left <= 0:
            self.network.load_state_dict(self._source.state_dict())
            self._left = self._games
        return super().choose(observations, masks, offsets, random)


class ExploringAgent(DMCAgent):
    """Plays moves the more often the higher their values are, but for a share of moves any legal one.

    Args:
        network: the value network.
        epsilon: the share, from 0 to 1.
        temperature: moves are drawn by exp(value / temperature); 0 plays the best.
    """

    def __init__(self, network: ValueNetwork, epsilon: float, temperature: float) -> None:
        super().__init__(network)
        self.epsilon = epsilon
        self.temperature = temperature
        self.expected: NDArray[np.float32] = np.empty(0, np.float32)  # values of the latest best moves, [N]

    def choose(self, observations: Int64Array, masks: Int64Array, offsets: Int64Array, random: Streams) -> Int64Array:
        """Choose, and note what the best moves are worth; see `BatchAgent.choose`."""
        values, places = self.evaluate(observations, masks, offsets)
        self.expected = values[places]
        if self.temperature:
            places = pick(self._probabilities(values, offsets), offsets, random, greedy=False)
        explore(self.epsilon, offsets, random, places)
        return places

    def _probabilities(self, values: NDArray[np.float32], offsets: Int64Array) -> NDArray[np.float64]:
        counts = np.diff(offsets)
        exponents = (values - np.repeat(self.expected, counts)).astype(np.float64) / self.temperature
        weights = np.exp(exponents)
        return weights / np.repeat(np.add.reduceat(weights, offsets[:-1]), counts)


class Seating:
    """Has the trained agent decide at its seats, and an opponent at the others.

    Against an opponent, one seat of each game is the trained one, and it moves on with every deal: in game i's
    k-th deal it is (i + k) % 4. Without, all four are.

    Args:
        config: of the run.
        network: that is trained.
    """

    def __init__(self, config: Config, network: ValueNetwork) -> None:
        self.trained = ExploringAgent(network, config.exp_epsilon, config.exp_temperature)
        self.opponent = _make_opponent(config, network)
        self.seats: Int64Array = np.arange(config.num_games) % NUM_PLAYERS  # of the trained agent, [N]

    def learns(self, players: Int64Array) -> NDArray[np.bool_]:
        """Tell in which games the trained agent is to move, bool [N]; players: the seats to move, int64 [N]."""
        return np.ones(len(players), np.bool_) if self.opponent is None else players == self.seats

    def choose(
        self, players: Int64Array, observations: Int64Array, masks: Int64Array, offsets: Int64Array, random: Streams
    ) -> tuple[Int64Array, NDArray[np.float32]]:
        """Choose a move for each seat to move, int64 [N]; see `BatchAgent.choose`.

        Returns beside them, float32 [N], what the trained agent expected of its best moves; NaN where it chose none.
        """
        places = offsets[:-1].copy()
        expected = np.full(len(places), np.nan, np.float32)
        several = np.diff(offsets) > 1  # elsewhere there is nothing to choose
        mine = self.learns(players)
        for agent, where in ((self.trained, several & mine), (self.opponent, several & ~mine)):
            games = np.flatnonzero(where)
            if agent is not None and games.size:
                places[games] = _choose_in(games, agent, observations, masks, offsets, random)
                if agent is self.trained:
                    expected[games] = self.trained.expected
        return places, expected

    def count_ended(self, done: NDArray[np.bool_]) -> None:
        """Note which games ended, bool [N]: there the trained agent moves on to the next seat."""
        self.seats = (self.seats + done) % NUM_PLAYERS
        if isinstance(self.opponent, PriorAgent):
            self.opponent.count(int(done.sum()))


def check_opponent(config: Config) -> None:
    """Raise ConfigError where a run's opponent is nobody, or cannot play many games at once."""
    if config.opponent not in ('self', 'prior'):
        _load(config.opponent)


def _make_opponent(config: Config, network: ValueNetwork) -> BatchAgent | None:
    if config.opponent == 'self':
        return None
    return PriorAgent(network, config.prior_games) if config.opponent == 'prior' else _load(config.opponent)


def _load(name: str) -> BatchAgent:
    try:
        agent = make_agent(name)
    except AgentNameError as error:
        raise ConfigError(f'opponent: {error}; or self, or prior') from error
    if not isinstance(agent, BatchAgent):
        raise ConfigError(
            f"opponent={name!r}: {type(agent).__name__} decides for one game at a time, by RLCard's eval_step; "
            f'here it takes a rlcard_big2.agents.base.BatchAgent'
        )
    return agent


def _choose_in(
    games: Int64Array,
    agent: BatchAgent,
    observations: Int64Array,
    masks: Int64Array,
    offsets: Int64Array,
    random: Streams,
) -> Int64Array:
    """Have an agent decide in some of N games, int64 [K]; return the places that it chose in `masks`, int64 [K].

    IllegalActionError where a place is not among its game's moves.
    """
    own_masks, own_offsets, shifts = select_games(masks, offsets, games)
    streams = random[games]
    places = agent.choose(observations[games], own_masks, own_offsets, streams)
    if ((places < own_offsets[:-1]) | (places >= own_offsets[1:])).any():
        raise IllegalActionError(f'{type(agent).__name__} chose a place that is not among the legal moves')
    random[games] = streams
    return places + shifts
