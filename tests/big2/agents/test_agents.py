"""The agents: legal, deterministic, without memory, and the rule agent as strong and sensible as it claims."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import rlcard
from rlcard.utils import set_seed

import rlcard_big2  # noqa: F401  # registers 'big2'
from rlcard_big2.agents import rule
from rlcard_big2.agents.base import BatchAgent, RandomAgent
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.cards import FULL_DECK, format_cards, parse_cards
from rlcard_big2.engine.batch import deal_games, list_legal, observe_games, play_moves, settle_games
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.observation import new_observations
from rlcard_big2.engine.ruleset import strength, tabulate
from rlcard_big2.engine.state import HISTORY, NUM_PLAYERS, Games, new_games
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import PRESETS, Rules
from rlcard_big2.vector import VectorEnv
from rlcard_kit.arrays import Int64Array
from rlcard_kit.errors import IllegalActionError
from rlcard_kit.positions import Positions
from rlcard_kit.rng import new_streams

AGENTS = [RandomAgent, GreedyAgent, RuleAgent]


def positions_of(games: Games, rules: Rules) -> Positions:
    """Return what the seats to move see, and what they may do."""
    observations = new_observations(games.size)
    observe_games(tabulate(rules), games, games['player'].copy(), observations)
    masks, offsets = np.empty(games.size * MAX_LEGAL, np.int64), np.empty(games.size + 1, np.int64)
    count = list_legal(tabulate(rules), games, masks, offsets)
    return Positions(observations, masks[:count], offsets)


def dealt(count: int, seed: int) -> Games:
    games = new_games(count)
    deal_games(games, np.arange(count), new_streams(seed, count))
    return games


def play_out(agents: Sequence[BatchAgent], games: Games, rules: str) -> Int64Array:
    """Play games to their end, seat s by agents[s]; return the payoffs, int64 [N, 4]."""
    preset = Rules.preset(rules)
    tables = tabulate(preset)
    games, streams = games.copy(), new_streams(9, games.size)
    for agent in agents:
        agent.prepare(preset)
    while (games['winner'] < 0).any():
        for seat, agent in enumerate(agents):
            indices = np.flatnonzero((games['winner'] < 0) & (games['player'] == seat))
            if indices.size:
                turn, random = games[indices], streams[indices]
                positions = positions_of(turn, preset)
                play_moves(tables, turn, positions.moves[agent.choose(positions, random).indices])
                games[indices], streams[indices] = turn, random
    payoffs = np.empty((games.size, NUM_PLAYERS), np.int64)
    settle_games(tables, games, payoffs)
    return payoffs


def mean_in_all_seats(agent: BatchAgent, others: BatchAgent, rules: str) -> float:
    """Return an agent's mean payoff against three copies of another, over 200 deals from every seat."""
    games = dealt(200, seed=4)
    seats = range(NUM_PLAYERS)
    payoffs = [play_out([agent if s == seat else others for s in seats], games, rules)[:, seat] for seat in seats]
    return float(np.mean(payoffs))


@pytest.mark.parametrize('rules', PRESETS)
@pytest.mark.parametrize('make', AGENTS)
def test_batch_choices_are_legal(make: type[BatchAgent], rules: str) -> None:
    agent, env, random = make(1), VectorEnv(60, rules, seed=2), new_streams(3, 60)
    agent.prepare(env.rules)
    observations, (masks, offsets) = env.new_observations(), env.new_legal()
    payoffs, done = env.new_payoffs(), np.empty(60, bool)
    for _ in range(80):
        env.observe(observations)
        count = env.legal(masks, offsets)
        chosen = agent.choose(Positions(observations, masks[:count], offsets), random).indices
        assert (offsets[:-1] <= chosen).all()
        assert (chosen < offsets[1:]).all()
        env.step(masks[chosen], payoffs, done)


@pytest.mark.parametrize('rules', PRESETS)
@pytest.mark.parametrize('make', AGENTS)
def test_rlcard_choices_are_legal(make: type[BatchAgent], rules: str) -> None:
    env = rlcard.make('big2', config={'seed': 5, 'game_rules': rules})
    agent = make(1)
    state, _ = env.reset()
    while not env.is_over():
        action, information = agent.eval_step(state)
        assert action in state['legal_actions']
        assert agent.step(state) in state['legal_actions']
        assert information == {}
        state, _ = env.step(action)


@pytest.mark.parametrize('make', AGENTS)
def test_rlcard_runs_the_agent(make: type[BatchAgent]) -> None:
    env = rlcard.make('big2', config={'seed': 5})
    env.set_agents([make(seat) for seat in range(NUM_PLAYERS)])
    _, payoffs = env.run()
    assert sum(payoffs) == 0
    assert max(payoffs) > 0


@pytest.mark.parametrize('rules', PRESETS)
@pytest.mark.parametrize('make', AGENTS)
def test_batch_equals_one_by_one(make: type[BatchAgent], rules: str) -> None:
    """A game's choice depends on its own observation, legal moves and stream, and on nothing chosen before."""
    agent, games, preset = make(1), dealt(40, seed=6), Rules.preset(rules)
    agent.prepare(preset)
    for ply in range(24):
        positions, streams = positions_of(games, preset), new_streams(ply, 40)
        together = positions.moves[agent.choose(positions, streams.copy()).indices]
        for i in reversed(range(40)):
            alone = positions.select(np.array([i]))
            index = agent.choose(alone, streams[i : i + 1]).indices
            assert alone.moves[index[0]] == together[i]
        play_moves(tabulate(preset), games, together)
        if (games['winner'] >= 0).any():
            break
    assert ply > 8


@pytest.mark.parametrize('make', [GreedyAgent, RuleAgent])
def test_games_leave_nothing_behind(make: type[BatchAgent]) -> None:
    """A used agent plays a deal as a fresh one does, and draws nothing."""
    used, games = make(1), dealt(50, seed=7)
    play_out([used] * NUM_PLAYERS, dealt(50, seed=8), 'hkust')
    payoffs = play_out([used] * NUM_PLAYERS, games, 'hkust')
    assert (payoffs == play_out([make(2)] * NUM_PLAYERS, games, 'hkust')).all()


@pytest.mark.parametrize('rules', PRESETS)
@pytest.mark.parametrize(('others', 'margin'), [(RandomAgent, 9.0), (GreedyAgent, 1.5)])
def test_rule_agent_beats(others: type[BatchAgent], margin: float, rules: str) -> None:
    assert mean_in_all_seats(RuleAgent(), others(), rules) > margin


def rule_choice(
    hand: str, left: Sequence[int], table: str = '', by: int = 1, gone: str = '', rules: str = 'charlesworth'
) -> str:
    """Return what the rule agent plays from seat 0, some way into a game.

    Args:
        hand: its cards.
        left: how many cards seats 1, 2 and 3 hold: the highest that are neither in its hand nor gone,
            dealt in turn.
        table: the hand to beat, none with control.
        by: the seat that played it; those after it passed.
        gone: cards that nobody holds any more, besides all that were not dealt.
        rules: the preset to play by.
    """
    own = parse_cards(hand)
    rest = [1 << card for card in reversed(range(52)) if FULL_DECK & ~own & ~parse_cards(f'{gone} {table}') & 1 << card]
    games = new_games(1)
    games['winner'] = -1
    games['ply'] = HISTORY + 4
    games['hands'][0, 0] = own
    for seat, count in enumerate(left, 1):
        games['hands'][0, seat] = sum(rest[:count])
        rest = rest[count:]
    if table:
        games['table'] = parse_cards(table)
        games['beat'] = strength(tabulate(Rules.preset(rules))[0], parse_cards(table))
        games['passes'] = NUM_PLAYERS - 1 - by
        games['history'][0, (HISTORY + by) % HISTORY] = parse_cards(table)
    agent, positions = RuleAgent(), positions_of(games, Rules.preset(rules))
    agent.prepare(Rules.preset(rules))
    chosen = agent.choose(positions, new_streams(0, 1)).indices
    return format_cards(int(positions.moves[chosen[0]])) or 'pass'


@pytest.mark.parametrize(
    ('hand', 'table', 'choice'),
    [
        ('4c', '', '4c'),
        ('5c 5h', '4d 4s', '5c 5h'),
        ('3d 4c 5h 6s 7d', '', '3d 4c 5h 6s 7d'),
        ('2s', 'Ad', '2s'),
    ],
)
def test_rule_agent_goes_out(hand: str, table: str, choice: str) -> None:
    assert rule_choice(hand, [5, 5, 5], table) == choice


def test_rule_agent_leads_the_unbeatable_of_its_last_two_plays() -> None:
    assert rule_choice('4c 2s', [5, 5, 5]) == '2s'
    assert rule_choice('3d 6c 6h', [1, 1, 1]) == '6c 6h'
    assert len(rule_choice('4c 5d 6s 7d 8d Ks', [4, 4, 4]).split()) == 5


def test_rule_agent_blocks_an_opponent_with_one_card() -> None:
    assert rule_choice('3d 7c 7h Ks', [1, 6, 6]) == '7c 7h'
    assert rule_choice('3d 7c 9h Ks', [6, 1, 6]) == 'Ks'
    assert rule_choice('6c 9h Ac', [1, 6, 6], table='5d', by=2) == 'Ac'
    assert rule_choice('3d 7c 9h Ks', [6, 6, 6]) == '3d'
    assert rule_choice('6c 9h Ac', [6, 6, 6], table='5d', by=2) == '6c'


def test_rule_agent_keeps_combinations_together() -> None:
    assert rule_choice('4c 7c 7d 9h Jc Jd Ks', [9, 9, 9], table='6s', by=3) == '9h'
    assert rule_choice('3d 4c 5h 6s 7d 8c Ks', [9, 9, 9], table='3h', by=3) in ('8c', 'Ks')


def test_rule_agent_saves_its_twos() -> None:
    assert rule_choice('3d 5c 6h 8s Tc Jd Qc 2h 2s', [10, 10, 10], table='9d', by=3) in ('Tc', 'Jd', 'Qc')
    assert rule_choice('3d 3s 5c 5h 8s Tc Jd 2h 2s', [10, 10, 10], table='4d 4h', by=3) == '5c 5h'


def test_rlcards_seed_repeats_a_random_agent_without_a_seed() -> None:
    env, lines = rlcard.make('big2', config={'seed': 1}), []
    for seed in (5, 5, 6):
        set_seed(seed)
        env.seed(1)
        env.set_agents([RandomAgent() for _ in range(4)])
        env.run()
        lines.append(str(env.game.round.trace))
    assert lines[0] == lines[1] != lines[2]


@pytest.mark.parametrize('agent', [RandomAgent(1), GreedyAgent(), RuleAgent()])
def test_a_state_without_actions_is_refused(agent):
    env = rlcard.make('big2', config={'seed': 1})
    _, player = env.reset()
    with pytest.raises(IllegalActionError, match='another seat'):
        agent.eval_step(env.get_state((player + 1) % 4))


def test_rule_agent_keeps_a_straight_together_only_if_the_rules_know_it() -> None:
    """A2345 is a hand of every preset but charlesworth, which has the ace high and the wrapped JQKA2."""
    kept = {rules: rule_choice('3d 4c 5h Ac 2s 8h', [6, 6, 6], table='Kd', by=3, rules=rules) for rules in PRESETS}
    assert kept == {'charlesworth': 'Ac', 'hkust': 'pass', 'hong-kong': 'pass', 'taiwan': 'pass'}


def test_rule_agent_leads_a_triple_only_if_the_rules_know_it() -> None:
    led = {rules: rule_choice('3d 3c 3h 5c 6c 9d Kd', [9, 9, 9], rules=rules) for rules in PRESETS}
    assert [rules for rules, choice in led.items() if choice == '3d 3c 3h'] == ['charlesworth', 'hkust', 'hong-kong']


@pytest.mark.parametrize('rules', PRESETS)
def test_rule_agent_plans_no_play_that_the_rules_do_not_know(rules: str) -> None:
    table, games = tabulate(Rules.preset(rules)), dealt(60, seed=11)
    views = positions_of(games, Rules.preset(rules)).observations
    for observation in views:
        plays = planned_plays(table[0], observation)
        assert all(strength(table[0], play) for play in plays)
        assert any(play.bit_count() == 2 for play in plays)
    triples = [play for observation in views for play in planned_plays(table[0], observation) if play.bit_count() == 3]
    assert bool(triples) == Rules.preset(rules).triples


def planned_plays(rules: Any, observation: Any) -> list[int]:
    """Return the plays that the rule agent splits a hand into: its hands of five, and the best of what is left."""
    ranks = np.zeros(13 * 16, np.int64)
    fives, costs, chances = np.empty(MAX_LEGAL, np.int64), np.empty(MAX_LEGAL), np.empty((2, 1 << rule.MOST_PLAYS))
    scratch = rule.Scratch(fives, costs, np.empty(ranks.size), ranks, chances, chances)
    rule.price_ranks(rules, rule.look(observation), scratch)
    singles = [int(play) << 4 * (place // 16) for place, play in enumerate(ranks) if play]
    return [*fives[: rule.list_fives(rules, observation['hand'], fives)].tolist(), *singles]


@pytest.mark.parametrize('rules', PRESETS)
def test_rule_agents_of_every_origin_act_alike(rules: str) -> None:
    """Whoever made it, and whatever it played before, the agent plans by the rules of the state."""
    models = pytest.importorskip('rlcard.models')
    agents = [RuleAgent(), make_agent('rule', rules), make_agent('rule', 'taiwan'), models.load('big2-rule').agents[0]]
    agents[0].prepare(Rules.preset('hkust'))
    expected, env = RuleAgent(), rlcard.make('big2', config={'seed': 12, 'game_rules': rules})
    for _ in range(4):
        state, _ = env.reset()
        while not env.is_over():
            expected.prepare(Rules.preset(rules))
            action, _ = expected.eval_step(state)
            assert [agent.eval_step(state)[0] for agent in agents] == [action] * len(agents)
            assert agents[0].rules == Rules.preset(rules)
            state, _ = env.step(action)
