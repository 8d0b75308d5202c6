"""Puzzles are made from positions in which rollouts confirm the advisor's move, and graded by agents."""

from dataclasses import replace

import pytest

from benchmarks.puzzles import SOLVERS, candidates, confirmed, graded, measured
from rlcard_big2.cards import parse_cards
from rlcard_big2.records import FORMAT
from rlcard_big2.rules import Rules
from rlcard_play.big2.played import GAME, is_right
from rlcard_play.big2.review import open_position
from rlcard_play.games import GAMES
from rlcard_play.study.puzzles import DIFFICULTIES, read_puzzles

PAIR = '3d 4d 4c 7h 9s Jc Qd Qh Ks As 2d 2c 2h'


def shipped():
    return [one for one in read_puzzles(GAME.puzzles, FORMAT).values() if one.rules == Rules()]


@pytest.fixture(scope='module')
def game():
    return GAMES['big2']


@pytest.fixture(scope='module')
def advisor(game):
    return game.make_advisor('big2-dmc-2026-11', Rules())


def test_a_candidate_is_a_position_that_an_agent_gets_wrong(game, advisor):
    rules = Rules()
    agents = [game.make_agent(name, rules) for name in ('greedy', 'rule')]
    position = next(candidates(advisor, agents, [game.make_agent(name, rules) for name in ('rule', 'greedy') * 2], 3))
    assert sum(hand is not None for hand in position.hands) == 1
    state = open_position(position)
    advice = advisor.advise(state)
    chosen = [state['raw_legal_actions'][agent.choose(agent.positions_of(state), None).indices[0]] for agent in agents]
    assert max(advice.of(move).lost for move in chosen) >= 0.1


@pytest.mark.slow
def test_rollouts_confirm_a_shipped_puzzle_and_its_themes_and_refute_another_answer(advisor):
    puzzle = next(one for one in shipped() if 'endgame' in one.extra['themes'])
    made = confirmed(replace(puzzle, extra={}), advisor)
    assert made.extra == {key: puzzle.extra[key] for key in ('best', 'gap', 'source', 'themes')}
    start = FORMAT.parse(
        {'big2': 1, 'rules': 'charlesworth', 'hands': [PAIR, None, None, None], 'view': 0, 'moves': []}
    )
    assert parse_cards(PAIR).bit_count() == 13
    assert confirmed(start, advisor) is None or len(open_position(start)['raw_legal_actions']) > 1


def test_difficulty_is_how_seldom_agents_of_all_levels_solve_a_puzzle(game, advisor):
    agents = [game.make_agent(name, Rules()) for name in SOLVERS['big2'][:3]]
    found = [measured(game, puzzle, advisor, agents) for puzzle in shipped()[:9]]
    for puzzle in found:
        state = open_position(puzzle)
        advice, texts = advisor.advise(state), state['raw_legal_actions']
        choices = [texts[agent.choose(agent.positions_of(state), None).indices[0]] for agent in agents[1:]]
        exact = sum(is_right(puzzle, text, advice) for text in texts) / len(texts)
        share = exact + sum(is_right(puzzle, text, advice) for text in choices)
        assert puzzle.extra['found'] == pytest.approx(share / 3, abs=0.05)
    ranked = graded(found)
    assert sorted(one.extra['difficulty'] for one in ranked) == sorted(DIFFICULTIES * 3)
    by_share = sorted(ranked, key=lambda one: -one.extra['found'])
    assert [one.extra['difficulty'] for one in by_share] == [name for name in DIFFICULTIES for _ in range(3)]
