"""Uniform determinizations of the hidden cards."""

from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.engine.observation import NUM_OPPONENTS, Observation, Observations
from rlcard_big2.engine.ruleset import RuleTable, RuleTables
from rlcard_big2.engine.state import HISTORY, OPENING_CARD
from rlcard_kit.arrays import Int64Array
from rlcard_kit.jit import kernel
from rlcard_kit.rng import Stream, Streams, below


@kernel
def sample_determinizations(rules: RuleTables, observations: Observations, random: Streams, out: Int64Array) -> None:
    """Sample W determinizations of each of N games, uniform among those that agree with its observation.

    Args:
        rules: [1] from `tabulate`.
        observations: packed, [N].
        random: uint64 [N], each game's own stream; the first samples do not depend on the number that follows.
        out: int64 [N, W, 4], receives masks of the cards now held: the viewer's, then its opponents' in order of play.
    """
    for i in range(len(observations)):
        for world in range(out.shape[1]):
            _deal(rules[0], observations[i], random[i : i + 1], out[i, world])


@kernel
def _deal(rules: RuleTable, observation: Observation, random: Stream, hands: Int64Array) -> None:
    hands[:] = 0
    hands[0] = observation.hand
    hidden = observation.others
    opener = known_opener(rules, observation)
    if opener > 0:
        hands[opener] = OPENING_CARD
        hidden ^= OPENING_CARD
    for i in range(NUM_OPPONENTS):
        for _ in range(observation.left[i] - popcount(hands[i + 1])):
            card = draw_card(hidden, random)
            hands[i + 1] |= card
            hidden ^= card


@kernel
def draw_card(cards: int, random: Stream) -> int:
    """Return one card of a mask that is not empty, as a mask."""
    for _ in range(below(random, popcount(cards))):
        cards &= cards - 1
    return cards & -cards


@kernel
def known_opener(rules: RuleTable, observation: Observation) -> int:
    """Return the opponent known to hold the card whose holder opens, from 1 on; 0 if unknown, or out of play.

    Some rules let it stay in hand.
    """
    is_held = observation.others & OPENING_CARD != 0 and observation.left.sum() == popcount(observation.others)
    if rules.leader >= 0 or not is_held or not shows_all_moves(observation):
        return 0
    return (observation.mover - observation.ply) % rules.players


@kernel
def shows_all_moves(observation: Observation) -> bool:
    """Return whether the last 16 moves are all that were made; in a typed position earlier ones may be unknown."""
    shown = 0
    for move in observation.history:
        shown += popcount(move)
    gone = NUM_CARDS - popcount(observation.hand) - popcount(observation.others)
    return observation.ply <= HISTORY and shown == gone
