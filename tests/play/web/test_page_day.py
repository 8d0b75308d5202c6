"""The page: the deal of the day, counted once, beside the levels, and shared as a line."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from rlcard_play.games import GAMES
from tests.support.page_player import fits, follow, judged, play_out

NIGHT = '2026-11-28T23:59:00Z'
RULES = {'big2': 'hong-kong', 'catch5': 'paper'}
KEPT = 'key => JSON.parse(localStorage.getItem(`big2.days.${key}`))'


@pytest.fixture
def page(people):
    """Return the first screen on a day in New York whose date in UTC is the 28th of November."""
    opened = people.page('about:blank', timezone_id='America/New_York')
    opened.clock.set_fixed_time(NIGHT)
    opened.route('**/api/result?*', lambda route: route.fulfill(json={'payoff': -1000}))
    opened.goto('/')
    return opened


def begin(page, key):
    page.goto(f'/?day={key}')
    follow(page, "Play today's deal")


@pytest.mark.parametrize('key', GAMES)
def test_a_day_is_played_once_and_shared_beside_the_levels(page, key):
    game = GAMES[key]
    begin(page, key)
    expect(page.locator('.player').first).to_have_text('the network')
    page.goto(f'/?day={key}')
    follow(page, "Go on with today's deal", 'link')  # it does not begin anew
    view = play_out(page)
    record = page.request.get(f'/api/records/{view["over"]["record"]}').json()
    wanted = game.find_deal('20261128/0', game.rules.preset(RULES[key]))
    assert record['rules'] == RULES[key]
    assert game.deal_key(record) == game.deal_key(game.records.to_dict(wanted))
    mine = game.judge(game.make_advisor(game.advisor, wanted.rules)).payoff(record['payoffs'], 0)
    payoffs = {'easy': mine - 1, 'medium': mine, 'hard': mine + 1, 'expert': mine + 2}
    levels = {agent: payoffs[name] for name, agent in zip(payoffs, levels_of(page, key), strict=True)}
    page.unroute('**/api/result?*')
    page.route('**/api/result?*', lambda route: route.fulfill(json={'payoff': levels[agent_in(route.request.url)]}))
    page.get_by_role('link', name='Compare with the levels').click()
    text = f'{mine:+d}'.replace('-', '\N{MINUS SIGN}').replace('+0', '0') + ', better than 1 of 4 levels'
    expect(page.locator('.day-result')).to_have_text(text)
    ranks = [row.split('\t')[0] for row in page.locator('.day tbody tr').all_inner_texts()]
    assert ranks in (['Expert', 'Hard', 'You', 'Medium', 'Easy'], ['Expert', 'Hard', 'Medium', 'You', 'Easy'])
    line = page.get_by_label('Your result as a line of text').input_value()
    address = page.url.partition('?')[0] + f'?day={key}'
    assert line == f'{game.title} · 2026-11-28 · 🟩🟨⬜⬜ {text} · {address}'
    page.get_by_role('button', name='Copy the result').click()
    expect(page.get_by_text('Copied')).to_be_visible()
    expect(page.get_by_role('heading', name='1 day in a row')).to_be_visible()
    expect(page.locator('.calendar [aria-current=date]')).to_contain_text(f'November 28, 2026: {text}')
    judged(page)
    before = page.evaluate(KEPT, key)
    follow(page, 'Play it again')
    play_out(page)
    expect(page.locator('.end')).to_be_visible()
    expect(page.get_by_role('link', name='Compare with the levels')).to_have_count(0)
    page.goto(f'/?day={key}')
    expect(page.get_by_text('A second time is practice and does not count.')).to_be_visible()
    assert page.evaluate(KEPT, key) == before
    assert not before['2026-11-28']['helped']


def agent_in(address):
    return parse_qs(urlsplit(address).query)['agent'][0]


def levels_of(page, key):
    return page.evaluate(
        """async key => Object.values((await import(
            document.querySelector('[src$="/page.js"]').src)).default[`./${key}/game.js`].default.levels)""",
        key,
    )


def test_help_and_days_in_a_row_are_told_and_a_wrong_clock_changes_the_day_alone(page):
    begin(page, 'big2')
    page.get_by_role('button', name='Hint').click()
    expect(page.locator('.values .line').first).to_be_visible()
    play_out(page)
    page.goto('/?day=big2')
    expect(page.locator('.day-result')).to_contain_text('with help')
    kept = page.evaluate(KEPT, 'big2')
    days = {f'2026-11-{day}': kept['2026-11-28'] for day in (24, 26, 27, 28)}
    page.evaluate('days => localStorage.setItem("big2.days.big2", JSON.stringify(days))', days)
    for time, row in (
        (NIGHT, '3 days in a row'),
        ('2026-11-29T00:00:00Z', '3 days in a row'),  # today's is still to be played
        ('2026-11-30T00:00:00Z', None),
        ('1969-12-31T00:00:00Z', None),
        ('9999-12-31T00:00:00Z', None),
    ):
        page.clock.set_fixed_time(time)
        page.goto('/')
        card = page.locator('.day-card')
        expect(card).to_contain_text(row or 'The same cards for everybody, once a day')
        assert ('in a row' in card.inner_text()) == (row is not None)
        card.click()
        name = "Play today's deal"
        expect(page.get_by_role('button', name=name)).to_have_count(0 if time == NIGHT else 1)
    assert follow(page, name)
    assert list(page.evaluate(KEPT, 'big2')) == [*days, '9999-12-31']


@pytest.mark.parametrize('kept', ['[1]', '{"2026-11-28": 1}', '{"2026-11-28": {"table": "x"}}', 'null', '"'])
def test_what_is_kept_wrongly_is_a_day_that_was_not_played(page, people, kept):
    page.evaluate('kept => localStorage.setItem("big2.days.big2", kept)', kept)
    page.goto('/?day=big2')
    expect(page.get_by_role('button', name="Play today's deal")).to_be_visible()
    people.problems.clear()  # a table that the server does not know


def test_the_first_screen_and_the_day_fit_a_phone(people):
    page = people.page('/', width=320, height=568)
    expect(page.locator('.day-card')).to_be_visible()
    fits(page)
    judged(page)
    page.locator('.day-card').click()
    expect(page.locator('.calendar')).to_be_visible()
    fits(page)
    assert json.loads(page.evaluate('localStorage.getItem("big2.days.big2")') or '{}') == {}
