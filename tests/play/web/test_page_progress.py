"""The page: one's level, mistakes by theme and habits, from the games of this browser."""

import json
import re
from collections import defaultdict

import numpy as np
import pytest
from playwright.sync_api import expect

from benchmarks.levels import habit_of
from rlcard_kit.statistics import estimate
from rlcard_play.games import GAMES
from tests.support.page_player import fits, judged, quick_game

ESTIMATED = """async values => (await import(document.querySelector('[src$="/page.js"]').src))
    .default['./progress.js'].estimated(values)"""
HABIT = """rows => rows.map(row => ["strong", ".tag"].map(name => row.querySelector(name)?.textContent ?? "").join("")
    .replace("\u2013", "-"))"""
KEPT = 'key => JSON.parse(localStorage.getItem(`big2.progress.${key}`))'
RULES = {'big2': 'hong-kong', 'catch5': 'paper'}
# Choices of each game with their marks, and whether a deep analysis confirms them; the last one is somebody else's.
CHOICES = {
    'big2': [
        (0, 0, '3d', '', None), (4, 0, 'pass', 'mistake', True), (8, 0, '4d', 'blunder', False),
        (9, 1, '5d', 'blunder', True),
    ],
    'catch5': [
        (1, 0, 'bid 4', 'odd', True), (5, 0, 'Ah', '', None), (9, 0, '5c', 'odd', False), (10, 1, 'Th', 'odd', True),
    ],
}  # fmt: skip
POSITIONS = {
    'big2': {'hands': ['4d 4c 2s', None, None, None], 'left': [3, 9, 9, 9], 'to_move': 0, 'tricks': [0, 8]},
    'catch5': {'log': [[3, 'pass']], 'legal': ['pass', 'bid 4'], 'trump': 'h'},
}
BEST = {'big2': '4c', 'catch5': 'pass'}
THEMES = {'big2': ['break a pair or not2', 'endgame2', 'when to pass2'], 'catch5': ['bid or pass2']}
HABITS = {
    'big2': ['100 % (67-100 %)more than these levels', '100 % (81-100 %)more than these levels'],
    'catch5': ['100 % (67-100 %)more than these levels', '50 % (30-70 %)'],
}
BAD = {'big2': ('8/4', ['me', 'rule', 'greedy', 'rule']), 'catch5': ('8/1', ['me', 'rule', 'rule', 'rule'])}
LEVEL = 'Between Medium and Hard'


def answer(key, marked, body):
    """Answer a request for an analysis: of the games of which `marked` moves are marked, or of one of the moves."""
    choices = CHOICES[key]
    if not body.get('deep'):
        shown = [
            {'ply': ply, 'seat': seat, 'move': move, 'mark': mark if body['record']['n'] in marked else ''}
            for ply, seat, move, mark, _ in choices
        ]
        return {'choices': shown, 'position': POSITIONS[key]}
    is_bad = next(bad for ply, *_, bad in choices if ply == body['ply'])
    mark = {'mark': 'mistake' if is_bad else ''} if key == 'big2' else {}
    best, made = ({'move': move, 'alike': [], 'grade': 'good'} for move in (BEST[key], body['move']))
    looked = {**made, 'mean': -2, 'behind': 2, 'behind_margin': 1 if is_bad else 3, 'win': 0.1, 'reason': None, **mark}
    first = {**best, 'mean': 0, 'win': 0.5, 'reason': None, **({'mark': ''} if key == 'big2' else {})}
    return {'moves': [best, made], 'deep': {'moves': [first, looked]}, 'position': POSITIONS[key]}


@pytest.fixture
def games(people):
    """Return a function that opens the screen of a game with a number of finished games; some have marked moves."""

    def opened(key, count, marked=(), helped=(), gone=(), hands=4, **settings):
        page = people.page('about:blank', **settings)
        rows = [
            {'id': f'x{n}', 'game': key, 'started': f'2026-11-{n + 1:02}T10:00:00Z', 'rules': RULES[key]}
            for n in range(count)
        ]
        listed = [{**row, 'you': 0, 'payoffs': [1]} for row in rows]
        page.route('**/api/records*', lambda route: route.fulfill(json={'records': listed, 'cursor': None}))

        def show(route):
            n = int(route.request.url.partition('/x')[2])
            route.fulfill(json=record(n, helped, hands), status=404 if n in gone else 200)

        page.route(re.compile('/api/records/x'), show)
        page.route(
            '**/api/analyse', lambda route: route.fulfill(json=answer(key, marked, json.loads(route.request.post_data)))
        )
        page.goto(f'/?progress#{key}')
        return page

    return opened


def record(n, helped, hands):
    return {
        'n': n,
        'hands': ['3d 4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad 2d'] * hands,
        **({'help': {'advice': [3]}} if n in helped else {}),
        'first_time': n != 1,
    }


def counts(page, text):
    expect(page.locator('.level')).to_contain_text(text)
    expect(page.locator('.checking')).to_have_count(0)


@pytest.mark.parametrize('key', GAMES)
def test_a_level_mistakes_with_their_puzzles_and_habits(games, people, key):
    page = games(key, 14, marked=(4, 8), helped=(0, 3), gone=(5,))
    counts(page, '10 games count. 4 do not')  # helped, a deal played before, or not found
    found = estimate(np.array([2, 2, *[0] * 8], float))
    expect(page.locator('.level')).to_contain_text(f'{found.mean:.2f} ± {found.margin:.2f}')
    expect(page.locator('.rating strong')).to_have_text(LEVEL)
    expect(page.get_by_role('img', name=f'Level after 10 games: {LEVEL}')).to_be_visible()
    expect(page.locator('.by-theme')).to_be_visible()
    expect(page.get_by_text('Deep analyses confirm 2 of 4 marked moves')).to_be_visible()
    assert [re.sub('\\s*Puzzles|\n', '', row) for row in page.locator('.by-theme li').all_inner_texts()] == THEMES[key]
    habits = page.locator('.habits li').evaluate_all(HABIT)
    assert habits == HABITS[key]
    judged(page)
    page.reload()
    counts(page, '10 games count.')
    page.get_by_role('button', name='Puzzles').first.click()
    expect(page.get_by_label('Theme').locator('option:checked')).to_contain_text(THEMES[key][0][:-1])
    people.problems.clear()  # the game that is not found


def test_few_games_and_other_sizes_have_no_level_and_one_may_start_over(games):
    page = games('big2', 11, width=320, height=568)
    counts(page, '10 games count. 1 does not')  # a deal played before
    expect(page.locator('.rating')).to_contain_text('Hard or above')
    fits(page)
    page.get_by_role('button', name='Start over').click()
    counts(page, 'Too few games to say')
    expect(page.locator('.progress-parts')).to_have_count(0)
    kept = page.evaluate(KEPT, 'big2')
    assert (kept['games'], kept['since'] > 1e12) == ({}, True)
    page.reload()
    counts(page, '0 games count.')
    page.get_by_role('button', name='Count all games').click()
    counts(page, '10 games count.')
    judged(page)
    counts(games('big2', 11, hands=3), '0 games count.')


@pytest.mark.parametrize(
    'kept',
    [
        '"', 'null', '[1]', '{"since": "x"}', '{"since": 0, "games": {"x0": {"at": 1}}}',
        '{"games": {"x0": {"at": "", "marks": 1, "mistakes": [["rhubarb"]], "habits": {}}}}',
        '{"games": {"x0": {"at": "", "marks": 1, "mistakes": [], "habits": null}}}',
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said_and_the_games_are_looked_at_again(games, kept):
    page = games('big2', 2)
    counts(page, '1 game counts.')
    page.evaluate('kept => localStorage.setItem("big2.progress.big2", kept)', kept)
    page.reload()
    expect(page.get_by_role('alert')).to_contain_text('could not be read')
    counts(page, '1 game counts.')
    page.reload()
    counts(page, '1 game counts.')
    expect(page.get_by_role('alert').filter(has_text='could')).to_have_count(0)


@pytest.mark.parametrize('values', [[0, 1, 2, 3, 0, 0, 1, 0, 0, 2], [1.5, 0] * 30])
def test_intervals_are_those_of_student(people, values):
    page = people.page()
    found, wanted = page.evaluate(ESTIMATED, values), estimate(np.array(values))
    assert found['mean'] == pytest.approx(wanted.mean)
    assert found['margin'] == pytest.approx(wanted.margin, rel=3e-3)
    assert page.evaluate(ESTIMATED, [0] * 12) == {'mean': 0, 'margin': 0.25}


@pytest.mark.parametrize('key', GAMES)
def test_a_game_is_judged_as_its_review_does(people, key):
    page, game, (own, seats) = people.page(f'/#{key}'), GAMES[key], BAD[key]
    view = quick_game(page, own, game=key, seats=seats)
    page.goto(f'/?progress#{key}')
    counts(page, '1 game counts.')
    data = page.request.get(f'/api/records/{view["over"]["record"]}').json()
    played = game.records.parse({name: value for name, value in data.items() if name != 'you'})
    advisor = game.make_advisor(game.advisor, played.rules)
    own = [choice for choice in game.review(played, advisor) if choice.seat == view['you']]
    marked = [choice for choice in own if choice.mark]
    (row,) = page.evaluate(KEPT, key)['games'].values()
    assert row['marks'] == len(marked) > 0
    habits = defaultdict(lambda: [0, 0])
    for name, shown in filter(None, (habit_of(key, choice, played.trace) for choice in own)):
        habits[name] = [habits[name][0] + shown, habits[name][1] + 1]
    assert row['habits'] == habits
    known = {theme for choice in marked for theme in themes_of(key, choice, played)}
    assert len(row['mistakes']) <= len(marked)
    assert {theme for themes in row['mistakes'] for theme in themes} <= known | {'control'}
    page.get_by_role('heading', name='Results').wait_for()


def themes_of(key, choice, played):
    """Return more themes than a mistake can have, but none that its position excludes."""
    if key == 'catch5':
        return ['bid'] if choice.ply < 4 else ['trump'] if choice.ply == 4 else ['lead', 'follow', 'draw', 'five']
    position = played.at(choice.ply)
    few = ['endgame'] if min(position.left) <= 3 else []
    passes = ['pass'] if (choice.move == 'pass') != (choice.best.move == 'pass') else []
    certain = ['win'] if choice.best.grade == 'certain' else []
    return [*few, *passes, *certain, 'break']
