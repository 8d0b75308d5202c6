"""The page: games by mouse, touch and keyboard, of one and of several."""

import json
import re

import pytest
from playwright.sync_api import expect

from rlcard_big2 import Rules
from rlcard_big2.duplicate.deals import deals_from_seed
from tests.support.page_player import (
    by_keys,
    by_mouse,
    deal,
    fits,
    follow,
    hand,
    judged,
    more,
    moved,
    opened,
    ply,
    press,
    quick_game,
    screen,
    view_of,
    wait,
)

EVIL = '<img src=x onerror="document.title = 1">'


def test_a_whole_game_by_mouse(people):
    page = people.page()
    assert deal(page, name='Ann', own='7/1')
    assert sum(page.locator('.last-trick').count() for _ in iter(lambda: by_mouse(page), False))
    end = page.locator('.end')
    expect(end.get_by_role('row')).to_have_count(5)
    payoffs = [int(text.replace('\u2212', '-')) for text in end.locator('td.number').all_inner_texts()]
    assert sum(payoffs) == 0
    assert payoffs[0] == max(payoffs) if 'You win' in end.inner_text() else payoffs[0] < 0
    expect(end.get_by_role('link', name='Replay')).to_be_visible()
    follow(page, 'Next deal')


def test_a_whole_game_by_keyboard(people):
    page = people.page()
    expect(page.get_by_role('button', name='Play', exact=True)).to_be_visible()
    for _ in range(40):
        page.keyboard.press('Tab')
        if page.locator(':focus').inner_text() == 'Play':
            break
    page.keyboard.press('Enter')
    going = wait(page)
    expect(page.locator('.card:focus')).to_have_count(1)
    if going:
        before, card = ply(page), page.locator('.card:not(.dim)').first.get_attribute('data-card')
        page.keyboard.press('/')
        page.keyboard.type('zz\n')
        expect(page.locator('.live .reason')).to_contain_text('“Zz” is not a card')
        page.keyboard.press('/')
        page.keyboard.type(card.lower())
        page.keyboard.press('Enter')
        page.wait_for_timeout(100)
        going = moved(page, before) if ply(page) != before else going
    while going:
        going = by_keys(page)
    expect(page.locator('.end')).to_be_visible()


def test_single_keys_can_be_switched_off(page):
    page.keyboard.press('h')
    expect(page.locator('.live')).to_contain_text('Hint')
    page.keyboard.press('Escape')
    page.keyboard.press('?')
    page.get_by_label('Single-key shortcuts').uncheck()
    page.get_by_role('button', name='Close').click()
    page.keyboard.press('h')
    page.wait_for_timeout(100)
    expect(page.locator('.card[aria-pressed=true]')).to_have_count(0)


@pytest.mark.parametrize('width', [320, pytest.param(390, marks=pytest.mark.slow)])
def test_a_phone(people, width):
    page = people.page(width=width, height=700, has_touch=True, is_mobile=True)
    fits(page)
    assert deal(page, own='7/1')
    assert rows(page) == [7, 6]
    backs = page.locator('.seat').evaluate_all('all => all.map(one => one.querySelectorAll(".fan .back").length)')
    assert backs == page.locator('.left').evaluate_all('all => all.map(one => parseInt(one.title))')
    expect(page.locator('.advice .segments')).to_be_visible()
    fits(page)
    page.locator('.card:not(.dim)').first.tap()
    fits(page)
    for title in page.locator('.side summary').all():
        title.tap()
    page.get_by_role('button', name='Hint').tap()
    expect(page.locator('.live')).to_contain_text('Hint')  # before the move: later there is no advice
    fits(page)
    while by_mouse(page):
        found = rows(page)
        assert len(found) == 1 + (sum(found) > 7)
        assert max(found) - min(found) <= 1, 'no card is alone'
    fits(page)


def rows(page):
    """Return the number of cards in each row of the hand."""
    tops = page.locator('.card').evaluate_all('cards => cards.map(card => card.offsetTop)')
    return [tops.count(top) for top in sorted(set(tops))]


def test_a_reload_and_a_killed_server_lose_nothing(page, people, server):
    assert by_mouse(page)
    before = hand(page), ply(page)
    page.reload()
    wait(page)
    assert (hand(page), ply(page)) == before
    server.kill()
    expect(page.locator('.lost')).to_contain_text('Connection lost')
    server.start(server.port)
    expect(page.locator('.lost')).to_be_hidden()
    assert (hand(page), ply(page)) == before
    by_mouse(page)
    assert people.problems
    people.problems.clear()  # requests that nobody answered


def test_a_friend_is_one_button_away_and_plays_without_help(people):
    ann = people.page()
    ann.get_by_role('button', name='Play with a friend').click()
    bob = people.page()
    bob.get_by_label('Join a table').fill(ann.locator('.code').inner_text())
    bob.locator('.code-form').get_by_role('button', name='Join').click()
    bob.get_by_label('Your name').fill('Bob')
    bob.get_by_role('button', name='Join').click()
    ann.get_by_role('button', name='Start', exact=True).click()
    for page in (ann, bob):
        expect(page.locator('.card')).to_have_count(13)
        expect(page.locator('.context')).to_contain_text('strict')
        expect(page.locator('.advice')).to_contain_text('no advice')
        for name in ('Hint', 'Take back'):
            expect(page.get_by_role('button', name=name)).to_have_attribute('aria-disabled', 'true')
        page.keyboard.press('h')
    expect(ann.locator('.at-across')).to_contain_text('Bob')
    bob.context.close()
    expect(ann.locator('.at-across .away')).to_be_visible()
    expect(ann.locator('.values')).to_have_count(0)


def test_two_people_and_a_spectator(people):
    ann = people.page()
    more(ann)
    ann.get_by_label('Your name').fill(EVIL)
    ann.locator('select[name=next]').select_option('Open seat')
    expect(ann.get_by_role('radio', name='Strict')).to_be_checked()
    ann.get_by_role('radio', name='Practice').check()
    ann.get_by_label('Time for a move').select_option('60 seconds')
    ann.get_by_label('Session').select_option('5 deals')
    ann.get_by_role('button', name='Play', exact=True).click()
    code = ann.locator('.code').inner_text()
    bob, eve = people.page(width=390, height=844), people.page(ann.url)
    bob.get_by_label('Join a table').fill(code.lower())
    bob.locator('.code-form').get_by_role('button', name='Join').click()
    expect(eve.get_by_role('button', name='Join')).to_be_visible()
    bob.get_by_label('Your name').fill('Bob')
    bob.get_by_role('button', name='Join').click()
    expect(bob.locator('.waiting')).to_contain_text(f'{EVIL} starts')
    bob.get_by_role('button', name='I am ready').click()
    expect(ann.locator('.sitting li', has_text='Bob')).to_contain_text('ready')
    expect(ann.locator('.card')).to_have_count(0)
    judged(ann)
    fits(bob)
    ann.get_by_role('button', name='Start', exact=True).click()
    expect(bob.locator('.card')).to_have_count(13)
    expect(bob.locator('.seats')).to_contain_text(EVIL)
    expect(bob.locator('.seats img')).to_have_count(0)
    assert bob.title() == 'Big 2'
    expect(bob.locator('.context')).to_contain_text('all have advice')
    expect(ann.locator('.seats')).to_contain_text('Bob')
    assert not set(hand(ann)) & set(hand(bob))
    expect(ann.locator('.invite')).to_have_count(0)
    expect(eve.get_by_text('You are watching')).to_be_visible()
    expect(eve.locator('.card')).to_have_count(0)
    ann.get_by_role('button', name='Good luck!').click()
    expect(bob.locator('.seats .said')).to_have_text('Good luck!')
    expect(bob.locator('.clock')).to_contain_text('seconds left')
    expect(eve.get_by_role('button', name='Good luck!')).to_have_count(0)
    while screen(ann).get_attribute('data-turn') != 'over':
        ann.wait_for_timeout(20)
        for mover in (ann, bob):
            if screen(mover).get_attribute('data-turn') == 'mine':
                before = str(ply(mover))
                press(mover)
                for page in (ann, bob):
                    expect(screen(page)).not_to_have_attribute('data-ply', before)
    for page in (ann, bob, eve):
        expect(page.locator('.end')).to_be_visible()
    expect(eve.locator('.results .mini')).not_to_have_count(0)
    expect(eve.locator('.costliest')).to_have_count(0)
    ann.get_by_role('button', name='Next deal').click()
    expect(ann.locator('.card')).to_have_count(13)
    bob.get_by_role('button', name='Next deal').click()
    expect(bob.locator('.card')).to_have_count(13)
    assert not set(hand(ann)) & set(hand(bob))
    eve.get_by_role('link', name='Watch the next deal').click()
    expect(eve.locator('.seats')).to_contain_text('Bob')


@pytest.mark.slow
def test_seven_tabs(people):
    first = people.page()
    assert deal(first, own='7/1')
    tabs = [first.context.new_page() for _ in range(6)]
    for tab in tabs:
        tab.goto(first.url)
        assert wait(tab)
    before = ply(tabs[-1])
    by_mouse(tabs[-1])
    for tab in [first, *tabs]:
        expect(screen(tab)).not_to_have_attribute('data-ply', str(before))


def test_taking_back(page):
    cards, before = hand(page), ply(page)
    assert by_mouse(page)
    assert ply(page) > before
    page.get_by_role('button', name='Take back').click()
    expect(screen(page)).to_have_attribute('data-ply', str(before))
    assert hand(page) == cards
    expect(page.get_by_role('button', name='Take back')).to_have_attribute('aria-disabled', 'true')


def test_advice_off_on_demand_and_on(page):
    lines = page.locator('.values .line')
    advice = page.locator('.advice')
    expect(advice).to_contain_text('Press Hint')
    expect(lines).to_have_count(0)
    page.get_by_role('button', name='Hint').click()
    expect(lines.first).to_be_visible()
    assert 1 <= lines.count() <= 5
    expect(advice).to_contain_text(re.compile(r'\d %'))
    page.get_by_role('button', name='Clear').click()
    page.keyboard.press('1')
    expect(page.locator('.card[aria-pressed=true], .controls button:focus').first).to_be_visible()
    advice.get_by_role('button', name='Off').click()
    expect(lines).to_have_count(0)
    page.get_by_role('button', name='Hint').click()
    expect(page.locator('.live')).to_contain_text('Advice is off')
    advice.get_by_role('button', name='On', exact=True).click()
    expect(lines.first).to_be_visible()
    if by_mouse(page):
        expect(lines.first).to_be_visible()


def test_a_selection_that_is_no_move_is_explained(page):
    page.locator('.card.dim').first.click()
    expect(page.locator('.live .reason')).to_have_text(re.compile('can only be beaten|does not beat|not a combination'))
    expect(page.locator('.play')).to_have_attribute('aria-disabled', 'true')
    page.keyboard.press('Escape')
    expect(page.locator('.live .reason')).to_be_empty()


def test_forced_passes_can_be_left_to_the_player(page):
    page.get_by_text('Table', exact=True).click()
    page.get_by_label('Ask me before passing').check()
    for _ in range(30):
        page.wait_for_timeout(30)
        if not wait(page) or page.get_by_role('button', name='Nothing beats it').count():
            break
        by_mouse(page)
    expect(page.get_by_role('button', name='Nothing beats it')).to_be_visible()
    before = ply(page)
    page.keyboard.press('p')
    moved(page, before)


def test_who_is_out_is_shown_the_place_and_passes_without_a_click(people):
    page = people.page()
    order = {'seats': ['me', 'rule', 'greedy', 'rule'], 'deal': '7/7', 'rules': Rules(places=True).fields()}
    opened(page, order)
    assert sum(page.locator('.seat .mark').count() for _ in iter(lambda: by_mouse(page), False))
    end = page.locator('.end')
    assert end.locator('td.number').all_inner_texts() == ['+1', '+3', '\u22123', '\u22121']
    assert page.locator('.seat .mark').all_inner_texts() == ['· place 1', '· place 3']
    expect(page.locator('.felt h2')).to_have_text('Mei wins. You: +1')
    assert page.locator('.felt .payoff').all_inner_texts() == ['+3', '\u22123', '\u22121']
    expect(page.locator('.seat.won .place')).to_have_text('Mei')


def test_focus_is_shown_after_a_key_and_not_after_a_pointer(page):
    style = 'getComputedStyle(document.querySelector(".card:focus")).outlineStyle'
    assert page.evaluate(style) == 'none', 'a new table'
    page.keyboard.press('ArrowRight')
    assert page.evaluate(style) == 'dashed'
    page.locator('.card').first.click()
    assert page.evaluate(style) == 'none'


def test_a_single_legal_move_is_prepared(people):
    page = people.page()
    opened(page, {'seats': ['rule', 'rule', 'rule', 'me'], 'deal': '7/2'})
    expect(page.locator('.card[aria-pressed=true]')).to_have_attribute('data-card', '3d')
    page.keyboard.press('Enter')
    moved(page, 0)


def test_time_that_runs_out_says_so(people):
    page = people.page()
    order = {'seats': ['me', 'rule', 'greedy', 'rule'], 'deal': '7/2'}
    opened(page, {**order, 'clock': 120})
    by_mouse(page)
    expect(page.locator('.forced')).not_to_contain_text('Time ran out')
    table = page.request.post('/api/tables', data={**order, 'clock': 1}).json()['table']
    page.goto(f'/?table={table}')
    expect(page.locator('.forced')).to_contain_text('Time ran out, so the computer moved for you')


def test_mistakes_that_are_being_looked_for_say_so(people):
    page = people.page()
    view = quick_game(page)
    view['over']['choices'] = None
    page.route('**/view', lambda route: route.fulfill(body=json.dumps(view), content_type='application/json'))
    page.goto(f'/?table={view["table"]}')
    expect(page.locator('.end')).to_contain_text('Checking your moves')


def test_the_winner_of_the_last_deal_leads_the_next(people):
    page = people.page()
    ended = quick_game(page, rules=Rules(leads='winner').fields())
    page.goto(f'/?table={ended["table"]}')
    follow(page, 'Next deal')
    expect(page.get_by_role('link', name='One point a card (Charlesworth), changed')).to_be_visible()
    view = view_of(page)
    first = view['log'][0][0] if view['log'] else view['to_move']
    assert (view['rules']['leads'], first) == (str(ended['over']['winner']), ended['over']['winner'])


def test_the_same_deal_from_the_next_seat(people):
    page = people.page()
    view = quick_game(page)
    cards = [card for seat, move in view['log'] if seat == view['you'] for card in move.split()]
    page.goto(f'/?table={view["table"]}')
    follow(page, 'Same deal, next seat')
    assert hand(page)
    assert not set(hand(page)) & {*cards, *view['over']['hands'][view['you']].split()}


def test_another_site_cannot_act_for_the_player(people, server):
    page, statuses = people.page('about:blank'), []
    page.route('http://elsewhere.test/', lambda route: route.fulfill(body='elsewhere', content_type='text/html'))
    page.on('response', lambda answer: server.address in answer.url and statuses.append(answer.status))
    page.goto('http://elsewhere.test/')
    outcome = page.evaluate(
        """async address => {
            const body = JSON.stringify({ seats: ['me', 'rule', 'rule', 'rule'] });
            const ways = [
                { headers: { 'Content-Type': 'application/json' } }, { headers: { 'Content-Type': 'text/plain' } },
                { mode: 'no-cors' },
            ];
            const asked = ways.map(way => fetch(`${address}/api/tables`, { method: 'POST', body, ...way })
                .then(answer => [answer.type, answer.status], error => error.name));
            return Promise.all(asked);
        }""",
        server.address,
    )
    assert outcome[:2] == ['TypeError', 'TypeError']
    assert all(status >= 400 for status in statuses)
    people.foreign.clear()
    people.problems.clear()


def test_enter_makes_the_move_of_a_hint_even_if_it_is_a_pass(people):
    page = people.page()
    order = {'seats': ['me', *['big2-dmc'] * 3], 'rules': 'charlesworth', 'deal': '7/0'}
    assert opened(page, order)
    page.get_by_role('button', name='Hint').click()
    expect(page.locator('.live')).to_contain_text('Hint: pass')
    before, cards = ply(page), hand(page)
    page.keyboard.press('Enter')
    assert moved(page, before)
    assert hand(page) == cards
    expect(page.locator('.card:focus')).to_have_count(1)
    page.keyboard.press('h')
    expect(page.locator('.card[aria-pressed=true]')).not_to_have_count(0)
    before = ply(page)
    page.keyboard.press('Enter')
    moved(page, before)
    assert len(hand(page)) < len(cards)


def test_one_click_begins_a_game_and_the_last_choice_is_kept(people):
    page = people.page()
    follow(page, 'Play')
    expect(page.locator('.context')).to_contain_text('Hong Kong')
    expect(page.locator('.seats .player')).to_contain_text(['Medium'] * 3)
    page.goto('/')
    page.get_by_role('radio', name='Expert').check()
    follow(page, 'Play')
    page.goto('/')
    expect(page.get_by_role('radio', name='Expert')).to_be_checked()


def test_the_opener_reads_which_card_is_needed(people):
    opens = next(number for number, hands in enumerate(deals_from_seed(7, 20)) if hands[0] & 1)
    page = people.page()
    assert deal(page, own=f'7/{opens}')
    expect(page.locator('.felt')).to_contain_text('must include the 3♦')


def test_sounds_must_be_switched_on(people):
    page = people.page()
    page.add_init_script("""
        window.heard = [];
        const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (when) {
            window.heard.push(this.frequency.value);
            return start.call(this, when);
        };
    """)
    assert deal(page, own='7/1')
    assert by_mouse(page)
    assert page.evaluate('heard') == []
    page.get_by_text('Table', exact=True).click()
    page.get_by_label('Sounds: dealing, cards, my turn, a win').check()
    assert page.evaluate('heard') == [523, 659]
    assert by_mouse(page)
    heard = page.evaluate('heard')
    assert heard[2] == heard[-3] == 150  # cards
    assert heard[-2:] == [523, 659]
    view = quick_game(page, own='7/1')
    record = page.request.get(f'/api/records/{view["over"]["record"]}').json()
    seats = ['me' if seat == view['over']['winner'] else 'rule' for seat in range(4)]
    assert opened(page, {'seats': seats, 'deal': {'record': record, 'ply': len(record['moves']) - 1}})
    page.keyboard.press('/')
    page.keyboard.type(view['log'][-1][1])
    page.keyboard.press('Enter')
    expect(page.locator('.end')).to_be_visible()
    assert page.evaluate('heard')[-4:] == [523, 659, 784, 1047]
    assert page.evaluate('heard')[-5] == 150


def test_the_felt_and_the_backs_have_colours_to_choose(people):
    page = people.page('/?puzzle')
    colours = """() => [document.querySelector('.felt'), document.querySelector('.back')]
        .map((one) => getComputedStyle(one)).map((style) => style.backgroundImage + style.backgroundColor)"""
    expect(page.locator('.back').first).to_be_attached()
    before = page.evaluate(colours)
    page.keyboard.press('?')
    page.get_by_label('Felt').select_option('blue')
    page.get_by_label('Backs of cards').select_option('red')
    page.get_by_role('button', name='Close').click()
    after = page.evaluate(colours)
    assert all(one != other for one, other in zip(before, after, strict=True))
    page.reload()
    expect(page.locator('.back').first).to_be_attached()
    assert page.evaluate(colours) == after
    judged(page)
