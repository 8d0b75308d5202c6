"""Puzzles of Catch Five: found in games, confirmed by rollouts of another seed, and solved by the right moves."""

from dataclasses import replace

import pytest
import rlcard

from rlcard_catch5.records import FORMAT
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import Rules
from rlcard_catch5.search.analysis import MoveEstimate
from rlcard_kit.agents import EpsilonAgent
from rlcard_kit.statistics import Estimate
from rlcard_play.catch5.advice import make_advisor
from rlcard_play.catch5.puzzles import (
    CLEAR,
    CLOSE,
    SHIPPED,
    find_puzzles,
    is_clear,
    is_confirmed,
    is_right,
    right_moves,
    themes_of,
)
from rlcard_play.catch5.review import open_position, review
from rlcard_play.catch5.views import position_view
from rlcard_play.study.puzzles import puzzle_id, read_puzzles

DEALS = 100


@pytest.fixture(scope='module')
def advisor():
    return make_advisor('catch5-ppo', Rules())


@pytest.fixture(scope='module')
def shipped():
    return list(read_puzzles(SHIPPED, FORMAT).values())


def estimates(*losses):
    """Return estimates of moves, from 'bid 3' on, that lose some points on average, ± 0.4."""
    return [
        MoveEstimate(f'bid {i}', Estimate(-loss, 1), Estimate(loss, 0.4 * (loss > 0)), {}, None, None)
        for i, loss in enumerate(losses, 3)
    ]


@pytest.mark.parametrize(
    ('losses', 'best', 'played', 'clear'),
    [
        ((0, 1, 2), 3, 4, True),
        ((0, 0.4, 1, 2), 4, 5, True),
        ((0, 0.4, 1), 3, 5, False),  # more right moves than wrong ones
        ((0, 1, 2), 4, 5, False),  # the network's move is wrong
        ((0, 0.4, 1, 2), 3, 4, False),  # the played move is right
        ((0, 0.6, 1, 2), 3, 5, False),  # a move between right and wrong
    ],
)
def test_a_clear_position_has_right_and_wrong_moves_only(losses, best, played, clear):
    assert is_clear(estimates(*losses), f'bid {best}', f'bid {played}') is clear
    noisy = [replace(one, behind=Estimate(one.behind.mean, 3)) for one in estimates(*losses)]
    assert not is_clear(noisy, f'bid {best}', f'bid {played}')


def test_puzzles_come_from_moves_that_the_network_and_rollouts_reject(advisor):
    env = rlcard.make('catch5', config={'seed': 5})
    env.set_agents([EpsilonAgent(make_agent('rule'), 0.3, seed=5)] * 4)
    games, found = [], []
    while not found:
        env.run()
        games.append(env.to_record())
        found = list(find_puzzles(games[-1:], advisor, DEALS))
    odd = {one.ply: one for one in review(games[-1], advisor) if one.mark}
    for puzzle in found:
        mistake = odd[len(puzzle.moves)]
        assert (puzzle.moves, puzzle.deal) == (games[-1].moves[: mistake.ply], games[-1].at(mistake.ply).deal)
        assert (puzzle.seats, puzzle.player, puzzle.extra['best']) == (None, mistake.seat, mistake.best.move)
        assert is_right(puzzle, mistake.best.move)
        assert not is_right(puzzle, mistake.move)
        assert puzzle.extra['gap'] > CLEAR


def test_shipped_puzzles_are_bids_trumps_and_cards_with_wrong_moves(advisor, shipped):
    assert len(shipped) == len(SHIPPED.read_text().splitlines()) >= 500
    kinds = [min(len(puzzle.moves), 5) for puzzle in shipped]
    assert min(kinds.count(4), sum(kind < 4 for kind in kinds) // 5, kinds.count(5) // 20) >= 15
    for puzzle in shipped:
        state, right = open_position(puzzle), right_moves(puzzle)
        assert {one['move'] for one in puzzle.extra['deep']['moves']} == set(state['raw_legal_actions'])
        assert puzzle.extra['best'] in right
        assert 2 * len(right) <= len(state['raw_legal_actions'])
        means = [one['mean'] for one in puzzle.extra['deep']['moves']]
        assert all(not CLOSE + 0.02 < max(means) - mean < CLEAR - 0.02 for mean in means)
    for puzzle in shipped[::40]:
        assert puzzle.extra['best'] == advisor.advise(open_position(puzzle)).moves[0].move


def test_another_seed_confirms_a_shipped_puzzle_and_no_other_answer(advisor, shipped):
    puzzle = max(shipped, key=lambda one: (len(one.moves), one.extra['gap']))
    assert is_confirmed(puzzle, advisor, DEALS)
    deep = puzzle.extra['deep']
    means = [one['mean'] for one in deep['moves']]
    turned = [{**one, 'mean': mean} for one, mean in zip(deep['moves'], reversed(means), strict=True)]
    assert not is_confirmed(replace(puzzle, extra={'deep': {**deep, 'moves': turned}}), advisor, DEALS)
    assert puzzle_id(replace(puzzle, extra={}), FORMAT) == puzzle_id(puzzle, FORMAT)


def test_themes_follow_from_what_the_seat_sees(shipped):
    found = set()
    for puzzle in shipped[::10]:
        view, themes = position_view(puzzle, puzzle.player), puzzle.extra['themes']
        assert themes == themes_of(puzzle)
        if view['trump'] is None:
            assert themes == ['trump' if view['legal'][0].startswith('trump') else 'bid']
        else:
            leads, suits = not any(view['last']), {card[1] == view['trump'] for card in view['legal']}
            wanted = {'draw': leads and len(suits) == 2, 'five': f'5{view["trump"]}' in view['legal'], 'lead': leads}
            assert themes == [name for name, fits in {**wanted, 'follow': not leads}.items() if fits]
        found.update(themes)
    assert found == {'bid', 'trump', 'draw', 'five', 'lead', 'follow'}
