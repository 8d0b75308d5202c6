"""Rollout analysis: estimates of candidate moves, in the same deals of the hidden cards."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from typing_extensions import override

from rlcard_big2.actions import PASS
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.rules import Rules
from rlcard_big2.search.beliefs import MakeBeliefs, Uniform
from rlcard_big2.search.rollouts import VIEWER, play_out
from rlcard_kit.arrays import Float32Array, Int64Array
from rlcard_kit.errors import ConfigError, IllegalActionError, check_whole
from rlcard_kit.rng import new_streams
from rlcard_kit.rollout_analysis import GROUPS, compare_moves
from rlcard_kit.rollout_analysis import MoveEstimate as AnyEstimate

MOST_DEALS = 100_000
FEW = 5  # cards paid
NOTES = {  # by whether the hidden cards are guessed
    False: 'The hidden cards are dealt at random, not guessed from the play.',
    True: 'The hidden cards are guessed from the play, as if everybody played like the network.',
}


class MoveEstimate(AnyEstimate):
    """Outcome of a move, in cards."""

    @property
    def win(self) -> float:
        """Share of games won."""
        return self.events['win']

    @override
    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), 'win': self.win}


class RolloutAnalysis(NamedTuple):
    """Outcomes of some moves of a position, in the same deals; the best first."""

    moves: tuple[MoveEstimate, ...]
    deals: int
    guessed: bool  # whether the deals depend on the opponents' play

    @property
    def note(self) -> str:
        """Caveat to show with the numbers."""
        return NOTES[self.guessed]

    def to_json(self) -> dict[str, Any]:
        """Return it by name, with the caveat."""
        moves = [estimate.to_json() for estimate in self.moves]
        return {'deals': self.deals, 'moves': moves, 'guessed': self.guessed, 'note': self.note}


def analyse_moves(
    state: dict[str, Any],
    agent: DMCAgent,
    *,
    deals: int = 200,
    moves: int | Sequence[str] = 5,
    seed: int = 0,
    beliefs: MakeBeliefs = Uniform,
) -> RolloutAnalysis:
    """Roll out the best moves of a position in deals of the hidden cards that agree with the seat's observation.

    All seats play the agent's best moves, each by its own observation.

    Args:
        state: of `rlcard.make('big2')`, of the seat to move; only that seat's observation is used.
        agent: has values of moves.
        deals: of the hidden cards, the same for all moves.
        moves: number of moves, those of the highest values, or the moves, as in `raw_legal_actions`.
        seed: of the deals.
        beliefs: makes the distribution of deals.

    Returns:
        The outcomes, the highest mean payoff first.

    Raises:
        ConfigError: if the agent has no values, or a number is out of bounds.
        IllegalActionError: if the game is over, it is another seat's turn, or a move is not legal.
    """
    if not isinstance(agent, DMCAgent):
        raise ConfigError('rollout analysis needs an agent with values of moves: big2-dmc or dmc:FOLDER')
    rules: Rules = state['raw_obs']['rules']
    check_whole('deals', deals, 1, MOST_DEALS)
    check_whole('seed', seed, 0)
    positions = agent.positions_of(state)
    indices = _chosen(state['raw_legal_actions'], agent.network.values(positions), moves)
    drawn, groups = beliefs(rules), min(GROUPS, deals)
    repeated = positions.observations.repeat(groups)
    worlds = drawn.draw(repeated, new_streams(seed, groups), -(-deals // groups))
    dealt = worlds.transpose(1, 0, 2).reshape(-1, NUM_PLAYERS)[:deals]
    hands, made = np.tile(dealt, (len(indices), 1)), np.repeat(positions.moves[indices], deals)
    owners = np.zeros(len(made), np.int64)
    leads, table = np.empty(len(made), np.int64), tabulate(rules)
    payoffs = play_out(table, positions.observations, owners, hands, made, agent.network, leads=leads)
    texts = [state['raw_legal_actions'][i] for i in indices]
    won = payoffs.reshape(-1, deals)
    events = [
        {
            'safe': lead <= NUM_PLAYERS + VIEWER,  # no other seat goes out in this trick
            'win': own >= rules.least_win,
            'few': own >= -FEW,
            **({} if text == PASS else {'lead': lead % NUM_PLAYERS == VIEWER}),  # by the rules, no pass keeps it
        }
        for text, own, lead in zip(texts, won, leads.reshape(-1, deals), strict=True)
    ]
    estimates = compare_moves(texts, won, events, np.arange(deals) % groups)
    return RolloutAnalysis(tuple(MoveEstimate(**vars(estimate)) for estimate in estimates), deals, drawn.guesses)


def _chosen(texts: list[str], values: Float32Array, moves: int | Sequence[str]) -> Int64Array:
    """Return the indices of the moves to analyse, int64 [K]."""
    if isinstance(moves, str) or not isinstance(moves, Sequence):
        check_whole('moves', moves, 1)
        return np.argsort(-values, kind='stable')[:moves]
    unknown = [move for move in moves if move not in texts]
    if unknown or not moves:
        raise IllegalActionError(f'{unknown[0]!r:.80} is not legal here' if unknown else 'no moves to analyse')
    return np.array([texts.index(move) for move in moves])
