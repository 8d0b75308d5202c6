"""Advice on the page is one truth: after a deep analysis no sentence, order or mark contradicts a number beside it."""

import itertools
import json
import re
from random import Random

import pytest
from playwright.sync_api import expect

from rlcard_big2.search import posterior
from rlcard_big2.search.posterior import Sampling
from rlcard_play.games import GAMES
from rlcard_play.study.review import new_env
from tests.support.limits import PATIENCE

DEALS, POSITIONS = 10, 40  # of each deep analysis, and by each rules
QUICK = Sampling(chains=1, burn_in=20)  # of deals, good enough for what is drawn
RULES = [('big2', name) for name in ('charlesworth', 'hong-kong', 'taiwan', 'pusoy-dos', 'two', 'hong-kong-3')]
RULES += [('catch5', name) for name in ('paper', 'march')]
DRAW = """async ({key, answers}) => {
    const modules = (await import(document.querySelector('[src$="/page.js"]').src)).default;
    const [{useGame}, {deepened, valueList}] = [modules['./game.js'], modules['./advice.js']];
    await useGame(key);
    const text = (parent, name) => parent.querySelector(name)?.textContent ?? '';
    return answers.map(({played, ...answer}) => {
        const drawn = document.createElement('div');
        drawn.append(...valueList(deepened(answer), null, played).filter(Boolean));
        const rows = [...drawn.querySelectorAll('.line')].map((row) => ({
            move: row.querySelector('.what').firstElementChild.outerHTML, grade: row.parentNode.className,
            played: text(row, '.played'), win: text(row, '.win'), mean: text(row, '.cards') , mark: text(row, '.mark'),
            behind: text(row, '.behind'),
        }));
        const why = drawn.querySelector('.why');
        return {rows, why: why && {moves: [...why.children].map((one) => one.outerHTML), text: why.textContent}};
    });
}"""


def states(key, rules, count):
    """Yield states with a choice, in games of random moves and of the advisor's."""
    game, env, random = GAMES[key], new_env(key, rules), Random(5)
    advisor = game.make_advisor(game.advisor, game.rules.preset(rules))
    state = env.reset()[0]
    while count:
        moves = state['raw_legal_actions']
        if len(moves) > 1 and random.randrange(3) == 0:
            count -= 1
            yield advisor, state, random.choice(moves)
        made = random.choice(moves) if random.randrange(3) == 0 else advisor.advise(state).moves[0].move
        state = env.step(made, raw_action=True)[0]
        if env.is_over():
            state = env.reset()[0]


def answer_of(key, rules, advisor, state, played):
    """Return what the routes answer on a position, with a deep analysis of few deals."""
    game = GAMES[key]
    values = game.advice_json(advisor, advisor.advise(state), game.rules.preset(rules))
    answer = {**values, 'agent': advisor.name, 'deep': game.look(advisor, state, played, DEALS), 'played': played}
    return json.loads(json.dumps(answer))


def numbers(text):
    return [float(number) for number in re.findall(r'-?\d+(?:\.\d+)?', text.replace('\u2212', '-'))]


def check(key, found):
    """Check the drawn values of a position, whose numbers are rounded."""
    first, *rest = rows = found['rows']
    of = {row['move']: numbers(row['mean'] if key == 'big2' else row['win'])[0] for row in rows}
    means = list(of.values())
    assert means == sorted(means, reverse=True)
    assert first['grade'] in ('best', 'certain')
    assert first['mark'] == first['behind'] == ''
    assert sum(row['played'] != '' for row in rows) == 1
    for row in rest:
        if row['behind'] == 'too close to call':
            assert (row['mark'], row['grade'] == 'worse') == ('', False)
            continue
        loss, margin = numbers(row['behind'])
        assert -loss >= margin
        assert of[first['move']] - of[row['move']] == pytest.approx(-loss, abs=0.11)
        assert row['grade'] in ('worse', 'certain')
        if row['mark']:
            lost = numbers(row['mark'])[-1]
            assert numbers(first['win'])[0] - numbers(row['win'])[0] == pytest.approx(-lost, abs=1)
    check_why(first, rest, found['why'])


def check_why(first, rest, why):
    """Check the sentence: it compares the best line with another one, by an event that the lines do not contradict."""
    if why is None:
        return
    best, other = why['moves']
    assert best == first['move']
    (row,) = (row for row in rest if row['move'] == other)
    assert not any(one['played'] for one in rest) or row['played'], 'the move that was played is the one to compare'
    assert [abs(number) for number in numbers(row['behind'])] == numbers(why['text'])[-2:]
    shares = [float(share) for share in re.findall(r'(\d+) %', why['text'])]
    more, less = shares[::-1] if 'goes out' in why['text'] else shares
    assert more - less >= 9
    assert not ('lead' in why['text'] and 'passed' in other)
    if 'wins in' in why['text']:
        assert shares == [numbers(first['win'])[0], numbers(row['win'])[0]]


@pytest.mark.parametrize(('key', 'rules'), RULES)
def test_no_sentence_contradicts_a_number(people, monkeypatch, key, rules):
    monkeypatch.setattr(posterior, 'LONG_SAMPLING', QUICK)
    page = people.page()
    answers = [answer_of(key, rules, *one) for one in states(key, rules, POSITIONS)]
    drawn = page.evaluate(DRAW, {'key': key, 'answers': answers})
    for found in drawn:
        check(key, found)
    rows = list(itertools.chain(*(found['rows'] for found in drawn)))
    assert any(row['behind'] == 'too close to call' for row in rows)
    assert any(found['why'] for found in drawn)
    if key == 'big2':
        assert any(row['mark'] for row in rows)


def test_hint_and_button_follow_the_deep_analysis(page):
    """The shallow values are turned round on their way, so that the deep analysis certainly disagrees with them."""
    page.route('**/advice*', lambda route: route.fulfill(json=turned(route.fetch().json())))
    page.get_by_role('button', name='Hint').click()
    expect(page.locator('.values .line').first).to_be_visible()
    hinted = page.locator('.play').inner_text()
    page.get_by_role('button', name='Deep analysis').click()
    expect(page.locator('.deep .cards').first).to_contain_text('±', timeout=1000 * PATIENCE)
    expect(page.locator('.play')).not_to_have_text(hinted)
    best = page.locator('.deep .what').first.inner_text()
    assert all(rank in page.locator('.play').inner_text() for rank in best.split())
    page.get_by_role('button', name='Clear').click()
    page.get_by_role('button', name='Hint').click()
    assert all(rank in page.locator('.play').inner_text() for rank in best.split())


def turned(answer):
    """Return advice whose first estimates are in the wrong order."""
    return {**answer, 'moves': answer['moves'][::-1]}
