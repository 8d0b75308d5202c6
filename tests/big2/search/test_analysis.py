"""Rollout analysis: determinizations, rollouts, and estimates."""

import json

import numpy as np
import pytest
import rlcard

import rlcard_big2  # noqa: F401  # registers 'big2'
from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.cards import format_cards, parse_cards
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.batch import observe_games, settle_games
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import new_observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.models import load_dmc
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.rules import PRESETS, Rules
from rlcard_big2.search.analysis import analyse_moves
from rlcard_big2.search.beliefs import Beliefs, Uniform, uniform_beliefs
from rlcard_big2.search.determinization import sample_determinizations
from rlcard_big2.search.rollouts import branch, roll_out
from rlcard_kit.errors import ConfigError, IllegalActionError
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv
from tests.support.random_games import random_games


@pytest.fixture(scope='module')
def agent():
    return load_dmc(numpy=True)


class Hashed:
    """Values that depend on the move and on all that the seat sees, the same whatever is asked beside it."""

    def values(self, positions):
        words = [int(np.frombuffer(one.tobytes(), np.uint32).sum(dtype=np.uint64)) for one in positions.observations]
        seen = np.array(words, np.uint64)[positions.owners]
        mixed = (positions.moves.astype(np.uint64) + seen) * np.uint64(0x9E3779B97F4A7C15)
        return (mixed >> np.uint64(40)).astype(np.float32)


def worlds_of(observations, count, seed=0):
    worlds = np.empty((len(observations), count, 4), np.int64)
    sample_determinizations(observations, new_streams(seed, len(observations)), worlds)
    return worlds


def seen(game, rules):
    """Return what the seat to move sees of a game, [1] of GAME."""
    observations = new_observations(1)
    observe_games(tabulate(rules), game, game['player'], observations)
    return observations


def state_of(hand, *left, rules=None):
    """Return the state of seat 0, which leads; the others have so many cards left, the highest that are not its own."""
    own, rules = parse_cards(hand), rules or Rules()
    pool = [card for card in range(52) if not own >> card & 1]
    played, counts = [], [own.bit_count(), *left]
    for count in counts:
        played.append(format_cards(sum(1 << card for card in pool[: 13 - count])))
        pool = pool[13 - count :]
    position = {
        'big2': 1,
        'rules': rules.to_json(),
        'hands': [hand, None, None, None],
        'view': 0,
        'moves': [],
        'before': {'played': played, 'left': counts, 'table': '', 'by': 0},
    }
    return rlcard.make('big2', config={'seed': 0, 'game_rules': rules}).reset(position=position)[0]


@pytest.mark.parametrize('rules', PRESETS.values(), ids=PRESETS)
def test_worlds_agree_with_all_that_a_seat_sees(rules):
    for record in random_games(rules, 3, seed=8):
        for ply in range(len(record.moves)):
            game = record.at(ply).final()
            observations, mover = seen(game, rules), int(game['player'][0])
            hands = np.roll(game['hands'][0], -mover)
            for world in worlds_of(observations, 5)[0]:
                assert world[0] == hands[0]
                assert [mask.bit_count() for mask in world.tolist()] == [mask.bit_count() for mask in hands.tolist()]
                assert np.bitwise_or.reduce(world) == np.bitwise_or.reduce(hands) == world.sum()


def test_every_deal_of_the_hidden_cards_is_equally_likely():
    state = state_of('2h 2s', 1, 2, 2)
    found = [tuple(world) for world in worlds_of(state['raw_obs']['packed'], 3000)[0].tolist()]
    counts = np.unique(found, axis=0, return_counts=True)[1]
    assert len(counts) == 30  # ways to deal five cards as 1 + 2 + 2
    assert ((counts - 100) ** 2 / 100).sum() < 58.3  # 0.999 of chi-square with 29 degrees of freedom


def test_the_first_worlds_do_not_depend_on_how_many_follow():
    observations = seen(random_games(Rules(), 1)[0].at(5).final(), Rules())
    np.testing.assert_array_equal(worlds_of(observations, 3)[0], worlds_of(observations, 9)[0, :3])


def test_the_seat_that_opened_keeps_the_lowest_card_until_it_plays_it():
    rules = PRESETS['hkust']
    kept = 0
    for record in random_games(rules, 8, seed=1):
        for ply in range(1, 12):
            position = record.at(ply)
            game = position.final()
            mover = int(game['player'][0])
            holder = next((seat for seat in range(4) if game['hands'][0, seat] & 1), mover)
            if holder != mover:
                kept += 1
                assert (worlds_of(seen(game, rules), 20)[0, :, (holder - mover) % 4] & 1).all()
    assert kept > 20


@pytest.mark.parametrize('rules', PRESETS.values(), ids=PRESETS)
def test_games_are_played_on_as_at_a_table(rules):
    deals = deals_from_seed(4, 20)
    env = VectorEnv(BIG2, rules, deals)
    games = env.games.copy()
    table = Table(env, [DMCAgent(Hashed())], np.zeros((20, 4), np.int64), new_streams(0, 20).reshape(-1, 1))
    while not env.is_over:
        turn = table.turn()
    roll_out(Hashed(), tabulate(rules), games)
    payoffs = np.empty((20, 4), np.int64)
    settle_games(tabulate(rules), games, payoffs)
    np.testing.assert_array_equal(payoffs, turn.payoffs)
    assert len(np.unique(payoffs, axis=0)) > 10


def test_a_branch_is_the_game_with_a_move_more():
    table = tabulate(Rules())
    for record in random_games(Rules(), 2, seed=3):
        for ply in range(len(record.moves) - 1):
            game, mover = record.at(ply).final(), record.at(ply).player
            hands = np.roll(game['hands'], -mover, axis=1)
            (made,) = branch(table, seen(game, Rules()), np.zeros(1, int), hands, np.array(record.moves[ply : ply + 1]))
            after = record.at(ply + 1).final()[0]
            for field in ('hands', 'played', 'kinds'):
                assert made[field].tolist() == np.roll(after[field], -mover).tolist()
            for field in ('ply', 'table', 'beat', 'passes'):
                assert made[field] == after[field]
            assert (made['player'] + mover) % 4 == after['player']


def test_one_move_from_the_end_the_values_are_exact(agent):
    (only,) = analyse_moves(state_of('Ks', 3, 4, 5), agent, deals=20).moves
    assert only == ('Ks', 12.0, 0.0, 0.0, 0.0, 1.0)
    (doubled,) = analyse_moves(state_of('Ks', 3, 9, 11, rules=Rules(penalty_thresholds=(8, 10))), agent, deals=20).moves
    assert (doubled.cards, doubled.margin) == (3 + 2 * 9 + 3 * 11, 0)


def test_a_forced_win_is_worth_what_the_others_hold(agent):
    found = analyse_moves(state_of('4s 2s', 5, 6, 7), agent, deals=50)
    best, other = found.moves
    assert (best.move, best.cards, best.margin, best.win) == ('2s', 18.0, 0.0, 1.0)
    assert other.move == '4s'
    assert other.behind == pytest.approx(18 - other.cards)
    assert other.behind > 0
    assert other.behind_margin == pytest.approx(other.margin)  # in the same deals, and the best does not vary
    assert found.deals == 50


def test_true_hidden_hands_change_nothing_whatever_they_are(agent):
    for ply in (3, 20):
        position = random_games(Rules(), 1, seed=6)[0].at(ply)
        shown = position.seen_by(position.player)
        looks = {
            analyse_moves(rlcard.make('big2', config={'seed': seed}).reset(position=one)[0], agent, deals=12, seed=7)
            for seed, one in enumerate((position, shown, shown, shown))
        }
        assert len(looks) == 1


def test_the_seed_alone_decides(agent):
    state, _ = rlcard.make('big2', config={'seed': 1}).reset()
    env = rlcard.make('big2', config={'seed': 1})
    env.reset()
    state, _ = env.step('3d', raw_action=True)
    once = analyse_moves(state, agent, deals=16, seed=3)
    assert analyse_moves(state, agent, deals=16, seed=3) == once
    assert analyse_moves(state, agent, deals=16, seed=4) != once
    assert [one.cards for one in once.moves] == sorted((one.cards for one in once.moves), reverse=True)
    assert len(once.moves) == 5


class Alike(Beliefs):
    """Deals one world to each observation, again and again."""

    def draw(self, observations, random, count):
        return np.repeat(Uniform().draw(observations, random, 1), count, axis=1)


def test_deals_that_are_alike_tell_no_more_than_one(agent):
    state = state_of('4s 5s 2s', 5, 6, 7)
    one, alike, apart = (
        analyse_moves(state, agent, deals=deals, beliefs=beliefs)
        for deals, beliefs in ((10, uniform_beliefs), (200, lambda rules: Alike()), (200, uniform_beliefs))
    )
    assert [move[:-1] for move in alike.moves] == [pytest.approx(move[:-1]) for move in one.moves]
    assert 0 < apart.moves[0].margin < alike.moves[0].margin / 2


def test_a_look_is_json(agent):
    state = state_of('4s 2s', 5, 6, 7)
    found = json.loads(json.dumps(analyse_moves(state, agent, deals=1).to_json(), allow_nan=False))
    assert (found['deals'], found['note']) == (1, 'The hidden cards are dealt at random, not guessed from the play.')
    assert found['moves'][0] == {
        'move': '2s', 'cards': 18.0, 'margin': None, 'behind': 0.0, 'behind_margin': 0.0, 'win': 1.0
    }  # fmt: skip
    assert analyse_moves(state, agent, deals=2).moves[1].to_json()['margin'] >= 0


def test_moves_can_be_named(agent):
    state = state_of('4s 5s 2s', 5, 6, 7)
    named = analyse_moves(state, agent, deals=8, moves=['5s', '4s'])
    assert {one.move for one in named.moves} == {'4s', '5s'}
    both = {one.move: one.cards for one in analyse_moves(state, agent, deals=8).moves}
    assert all(both[one.move] == one.cards for one in named.moves)


@pytest.mark.parametrize(
    ('settings', 'error', 'message'),
    [
        ({'deals': 0}, ConfigError, r'^deals=0: expected a whole number, from 1 to 100000$'),
        ({'deals': 2.5}, ConfigError, r'^deals=2\.5: expected a whole number'),
        ({'moves': 0}, ConfigError, r'^moves=0: expected a whole number, 1 or more$'),
        ({'moves': '4s'}, ConfigError, "moves='4s'"),
        ({'moves': []}, IllegalActionError, 'no moves'),
        ({'moves': ['4s', '3d']}, IllegalActionError, '3d'),
        ({'seed': -1}, ConfigError, 'seed=-1'),
        ({'agent': RuleAgent()}, ConfigError, 'big2-dmc'),
    ],
)
def test_what_cannot_be_looked_at_is_refused(agent, settings, error, message):
    with pytest.raises(error, match=message):
        analyse_moves(**{'state': state_of('4s 2s', 5, 6, 7), 'agent': agent, **settings})


def test_a_game_that_is_over_is_refused(agent):
    env = rlcard.make('big2', config={'seed': 0})
    env.reset(position=random_games(Rules(), 1)[0])
    with pytest.raises(IllegalActionError, match='the game is over'):
        analyse_moves(env.get_state(0), agent)
