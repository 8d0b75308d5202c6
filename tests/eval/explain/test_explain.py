"""Differences between two agents: checked against the records of the same games, brute force and arithmetic by hand."""

import csv
from itertools import combinations

import numpy as np
import pytest
import rlcard

from eval.explain.explanation import Explanation, divergences_table, explain, games_table
from eval.explain.swings import find_swings
from eval.explain.values import Expectations, calibration_errors, calibration_table, find_expectations
from eval.games import GAMES
from eval.pairs import Divergences, Grouping, Pairs
from rlcard_big2 import records
from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.agents.rule import cost, look_at_deal, price_hands
from rlcard_big2.duplicate import play_match
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.actions import ACTION_MASKS, FLUSH, FULL_HOUSE, STRAIGHT, STRAIGHT_FLUSH, kind_of_cards
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.nets.agents import PPOAgent
from rlcard_big2.rules import Rules
from rlcard_kit.agents import Decision
from rlcard_kit.duplicate.match import difference
from rlcard_kit.duplicate.players import AgentFailure, MatchPlayer
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.calibration import Calibration
from rlcard_kit.statistics import estimate
from rlcard_play.cli import big2
from tests.support.helpers import report

BIG2 = GAMES['big2']
DEALS, FIELD = 24, 'random,epsilon=0.5'
FIVES = [mask for mask in ACTION_MASKS.tolist() if kind_of_cards(mask) in (STRAIGHT, FLUSH, FULL_HOUSE, STRAIGHT_FLUSH)]


class Telling(BatchAgent):
    """Plays the first legal move, and expects as many cards as moves have been made."""

    def choose(self, positions, random):
        return Decision(positions.offsets[:-1].copy(), positions.observations['ply'].astype(np.float32))

    def eval_step(self, state):
        texts = state['raw_legal_actions']
        return next(iter(state['legal_actions'])), {'values': {text: float(i) for i, text in enumerate(texts)}}


class Uniform:
    """A policy that likes all moves alike and expects three cards."""

    def probabilities(self, positions):
        counts = positions.counts
        return np.repeat(1 / counts, counts), np.full(len(counts), 3.0)


@pytest.fixture(scope='module')
def found() -> Explanation:
    return explain('greedy', 'rule', FIELD, deals=DEALS, seed=4, swings=6)


def record_of(pairs: Pairs, deal, which, seat):
    moves = pairs.moves[deal, which, seat]
    hands = tuple(pairs.deals[deal].tolist())
    return records.Record(hands=hands, moves=tuple(moves[moves >= 0].tolist()), rules=pairs.rules)


@pytest.mark.parametrize('rules', ['charlesworth', 'hong-kong-3', 'two'])
def test_games_and_divergences_are_those_of_the_records(found, rules):
    if rules != 'charlesworth':
        found = explain('greedy', 'rule', FIELD, deals=8, rules=rules, seed=4, swings=0)
    pairs, divergences = found.pairs, found.divergences
    diverged = {place: i for i, place in enumerate(zip(divergences.deals, divergences.seatings, strict=True))}
    for deal, seat in np.ndindex(len(pairs.deals), pairs.rules.players):
        games = [record_of(pairs, deal, which, seat) for which in (0, 1)]
        assert [game.payoffs[seat] for game in games] == pairs.own[deal, :, seat].tolist()
        assert [game.winner == seat for game in games] == pairs.won[deal, :, seat].tolist()
        plies = [ply for ply, (a, b) in enumerate(zip(*(game.moves for game in games), strict=False)) if a != b]
        assert bool(plies) == ((deal, seat) in diverged)
        if plies:
            i, position = diverged[deal, seat], games[0].at(plies[0])
            assert divergences.plies[i] == plies[0]
            assert divergences.movers[i] == position.player
            assert divergences.is_own[i] == (position.player == seat)
            assert divergences.states[i]['ply'] == plies[0]
            assert divergences.moves[i].tolist() == [game.moves[plies[0]] for game in games]
            assert divergences.gains[i] == games[0].payoffs[seat] - games[1].payoffs[seat]
            left, choice = (grouping.names[grouping.of[i]] for grouping in found.groupings.values())
            highest, lowest = map(int, (left if ' to ' in left else f'{left} to {left}').split(' to '))
            assert lowest <= position.left[seat] <= highest
            if choice.startswith('both'):
                assert ('lead' in choice) == (position.scene().table == '')


def test_intervals_are_those_computed_by_hand():
    """Three deals of two seatings; a group has one game of the first deal and both of the second."""
    own = np.array([[[4, 0], [0, 0]], [[3, 1], [1, -1]], [[0, 5], [0, 5]]])
    pairs = Pairs(('A', 'B', 'B'), None, np.zeros(3), np.eye(2, dtype=bool), None, own, None, None)
    deals, gains = np.array([0, 1, 1]), np.array([4, 2, 2])
    divergences = Divergences(deals, np.array([0, 0, 1]), None, None, None, None, None, gains)
    row, whole = divergences_table(pairs, divergences, Grouping('x', ('y', 'z'), np.zeros(3, int))).rows
    assert row.cells == whole.cells
    t = 4.302653  # Student's, of two degrees of freedom
    share, mean, part = row.cells
    assert share == pytest.approx((1 / 2, t * (1 / 2) / 3**0.5))  # of 1/2, 1 and 0
    assert part == pytest.approx((4 / 3, t * (4 / 3) ** 0.5 / 3**0.5))  # of 2, 2 and 0
    assert mean == pytest.approx((8 / 3, t * (4 / 3) / 3**0.5))  # the residuals of 4, 4 and 0 are 4/3, -4/3 and 0
    first, second = games_table('EV', pairs, Grouping('x', ('y', 'z'), np.array([[0, 1], [0, 0], [1, 1]]))).rows
    assert first.cells == (
        pytest.approx((8 / 3, t * (4 / 3) / 3**0.5)),  # of A: sums 4, 4 and 0 of 1, 2 and 0 games
        pytest.approx((0, 0)),
        pytest.approx((8 / 3, t * (4 / 3) / 3**0.5)),
    )
    assert second.cells[2].mean == 0


def test_groups_add_up_to_the_difference(found):
    assert [match.ev for match in found.matches] == [play_match(a, FIELD, DEALS, seed=4).ev for a in ('greedy', 'rule')]
    whole = difference(*found.matches).ev
    assert whole.mean != 0
    groups = found.groups
    for name in ('left', 'choice'):
        *rows, total = groups[name].rows
        assert total.cells[2] == pytest.approx(whole)
        assert sum(row.cells[2].mean for row in rows) == pytest.approx(whole.mean)
        for row in rows:
            assert row.cells[0].mean * row.cells[1].mean == pytest.approx(row.cells[2].mean)
    names = [row.name for row in groups['left'].rows[:-1]]  # none diverged later
    assert names == ['13', '12 to 10', '9 to 7', '6 to 4']
    for section in (groups['hand'], groups['turn']):
        for row in section.rows:
            one, other, both = row.cells
            assert one.mean - other.mean == pytest.approx(both.mean)
    assert np.mean([row.cells[2].mean for row in groups['turn'].rows]) == pytest.approx(whole.mean)


def test_the_opener_is_the_first_in_turn(found):
    openers = [record_of(found.pairs, deal, 0, 0).first for deal in range(DEALS)]
    one, other = np.array([found.pairs.own[deal, :, opener] for deal, opener in enumerate(openers)]).T
    assert found.groups['turn'].rows[0].cells == tuple(map(estimate, (one, other, one - other)))


def cheapest(view, hand, fives, ranks):
    """Return the least cost of shedding a hand, trying all plans with up to two five-card plays."""
    best = sum(ranks(hand & 15 << 4 * rank) for rank in range(13))
    for number in range(1, 3):
        for chosen in combinations(fives, number):
            union = int(np.bitwise_or.reduce(chosen))
            if union & ~hand == 0 and union.bit_count() == 5 * number:
                best = min(best, sum(cost(view, five) for five in chosen) + cheapest(view, hand & ~union, [], ranks))
    return best


def test_a_hand_costs_what_the_cheapest_of_all_plans_does():
    for hand in deals_from_seed(11, 3)[:, 0].tolist():
        view = look_at_deal(tabulate(Rules())[0], hand)

        def ranks(cards, view=view):
            bits = [1 << i for i in range(52) if cards >> i & 1]
            plays = [sum(part) for size in (1, 2, 3) for part in combinations(bits, size)]
            return min((cost(view, play) + ranks(cards & ~play) for play in plays), default=0.0)

        fives = [five for five in FIVES if five & ~hand == 0]
        assert price_hands(Rules(), np.array([hand]))[0] == pytest.approx(cheapest(view, hand, fives, ranks))


def test_agents_are_asked_about_their_own_decisions(found):
    """An agent that expects as many cards as moves were made: its values identify its decisions."""
    pairs = found.pairs
    expected = find_expectations(BIG2, pairs, 1, MatchPlayer(Telling(), 'telling'))
    wanted = []
    for deal, seat in np.ndindex(DEALS, 4):
        game = record_of(pairs, deal, 1, seat)
        env = rlcard.make('big2', config={'seed': 0, 'game_rules': pairs.rules})
        state, _ = env.reset(position=game.at(0))
        for ply, (mover, move) in enumerate(game.trace):
            if mover == seat and len(state['legal_actions']) > 1:
                wanted.append((deal, ply, game.payoffs[seat]))
            state, _ = env.step(move, raw_action=True)
    asked = zip(expected.deals.tolist(), expected.values.tolist(), expected.payoffs.tolist(), strict=True)
    assert sorted(asked) == sorted(wanted)
    assert expected.wins is None
    assert (expected.predicted == expected.values).all()


def test_agents_without_values_are_left_out(found):
    assert (found.predictions, found.calibration) == ({}, [])
    assert set(find_expectations(BIG2, found.pairs, 0, MatchPlayer(PPOAgent(Uniform()), 'uniform')).values) == {3}


def test_calibrated_values_are_turned_into_cards_and_games_won(found):
    agent = Telling()
    agent.calibration = {found.pairs.rules: Calibration((0, 100), (0.0, 1.0), (-10.0, 10.0))}.get
    expected = find_expectations(BIG2, found.pairs, 0, MatchPlayer(agent, 'telling'))
    assert expected.wins == pytest.approx(expected.values / 100)
    assert expected.predicted == pytest.approx(expected.values / 5 - 10)
    assert len(calibration_table('telling', expected).columns) == 6
    agent.calibration = {Rules.preset('hkust'): agent.calibration(found.pairs.rules)}.get
    assert find_expectations(BIG2, found.pairs, 0, MatchPlayer(agent, 'telling')).wins is None


def test_errors_of_values_are_found():
    random = np.random.default_rng(5)
    values = random.normal(0, 3, 4000)
    payoffs = np.round(values + random.normal(0, 9, 4000)).astype(int)
    right = Expectations('cards', np.repeat(np.arange(2000), 2), values, values, None, payoffs, payoffs > 0)
    errors = calibration_errors(right, right.predicted, right.payoffs)
    assert abs(errors.bias.mean) < 2 * errors.bias.margin
    assert errors.by_chance == pytest.approx(9 / 400**0.5 * (2 / np.pi) ** 0.5, rel=0.1)
    assert errors.size.mean < 2 * errors.by_chance
    high = calibration_errors(right, right.predicted + 4, right.payoffs)
    assert high.bias.mean == pytest.approx(errors.bias.mean + 4)
    assert high.size == pytest.approx(high.bias)  # every tenth is too high, so both are the same mean


def test_tenths_hold_all_decisions_once():
    values = np.arange(25.0)
    found = Expectations('cards', np.arange(25), values, values, None, np.zeros(25, int), np.zeros(25, bool))
    rows = calibration_table('x', found).rows
    assert [row.name for row in rows][:2] == ['+0.0 to +2.0', '+3.0 to +5.0']
    assert sum(row.cells[0].mean * n for row, n in zip(rows, [3] * 5 + [2] * 5, strict=True)) == values.sum()


def test_swings_are_the_biggest_and_both_are_asked(found):
    players = [MatchPlayer(Telling(), 'telling'), MatchPlayer(PPOAgent(Uniform()), 'uniform')]
    divergences = found.divergences
    swings = find_swings(BIG2, found.pairs, divergences, players, 6)
    assert [swing.gain for swing in swings[:3]] == sorted(divergences.gains, reverse=True)[:3]
    assert [swing.gain for swing in swings[3:]] == sorted(divergences.gains)[:3]
    own = [swing for swing in swings if swing.position.player == swing.seat]
    assert own
    for swing in own:
        env = rlcard.make('big2', config={'seed': 0})
        texts = env.reset(position=swing.position)[0]['raw_legal_actions']
        value, probability = swing.opinions
        assert value.of_moves == tuple(texts.index(move) for move in swing.moves)
        assert probability.of_moves == pytest.approx((1 / len(texts),) * 2)
        assert str(probability).endswith('%')


def test_the_command_writes_what_it_found(evaluate, tmp_path, capsys):
    words = ('explain', 'greedy', 'rule', '--deals', 70, '--swings', 4, '--figures', 'svg', '--label', 'G', 'R')
    found = evaluate(*words)
    assert found == evaluate(*words, workers=2, out='two')
    rows, out = found[0]['rows'], tmp_path / 'out'
    assert list(rows) == ['G', 'R', 'difference']
    # Four times R in all seats: what it wins in one it loses in the others, in every deal.
    assert rows['R']['EV'] == {'mean': 0, 'margin': None}
    games = records.read(out / 'swings.big2.jsonl')
    assert [game.seats[game.extra['deal']['seat']]['name'] for game in games] == ['G', 'R'] * 4
    with (out / 'decisions.csv').open(newline='') as file:
        whole = sum(int(row['gain']) for row in csv.DictReader(file)) / (70 * 4)
    assert whole == pytest.approx(rows['difference']['EV']['mean'])
    (listing,) = report(out)['listings']
    assert len(listing['rows']) == 4
    assert listing['title'] in (out / 'report.md').read_text()
    assert all((out / f'{name}.svg').exists() for name in ('hand', 'turn', 'left', 'choice'))
    with pytest.raises(SystemExit, match='0'):
        big2(['replay', str(out / 'swings.big2.jsonl'), '--game', '1'])
    assert '[1]' in capsys.readouterr().out


def test_numbers_out_of_bounds_are_refused():
    for numbers in ({'deals': 1}, {'deals': 100_001}, {'swings': -1}, {'seed': -1}):
        with pytest.raises(ConfigError, match=next(iter(numbers))):
            explain('rule', 'greedy', **numbers)
    with pytest.raises(ConfigError, match="'rule'"):
        explain('rule', 'rule')


def test_the_field_is_the_second_agent_if_none_is_named():
    found = explain('rule', Telling(), deals=2)
    assert found.pairs.names == ('rule', 'the second', 'the second')
    assert list(found.predictions) == ['the second']


def test_an_agent_that_fails_when_it_is_asked_is_named(found):
    class Failing(Telling):
        def eval_step(self, state):
            raise ValueError('no idea')

    players = [MatchPlayer(Failing(), 'failing'), MatchPlayer(Telling(), 'telling')]
    with pytest.raises(AgentFailure, match=r'failing failed in deal \d+, seat \d: .*no idea'):
        find_swings(BIG2, found.pairs, found.divergences, players, 6)
