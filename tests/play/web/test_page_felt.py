"""The felt of the page: flights of cards, and tricks that were won."""

import pytest
from playwright.sync_api import expect

from tests.support.page_player import opened, wait

FULL_HOUSE = '3c 3s 9d 9c 9h'  # of seat 0 in this deal; the opponent passes
DEAL = {'seats': ['me', 'rule'], 'rules': 'two', 'deal': '7/2'}
HOOKS = """
window.flights = [];
window.later = [];
const { setTimeout } = window;
window.setTimeout = (call, delay) => (delay === 1000 ? window.later.push(call) : setTimeout(call, delay));
const { animate } = Element.prototype;
Element.prototype.animate = function (frames, options) {
  window.flights.push([this.dataset.pile, options.duration]);
  return animate.call(this, frames, options);
};
"""


def lead(page, game):
    """Open a table of two, and lead the full house; what is due in a second waits for the test."""
    page.add_init_script(HOOKS)
    opened(page, game)
    for card in FULL_HOUSE.split():
        page.locator(f'.card[data-card="{card}"]').click()
    page.locator('.play').click()


@pytest.mark.parametrize(('motion', 'flights'), [('no-preference', [['0', 150]]), ('reduce', [])])
def test_a_won_trick_stays_before_the_felt_is_cleared(people, motion, flights):
    page = people.page(reduced_motion=motion)
    lead(page, DEAL)
    felt = page.locator('.felt')
    expect(felt).to_contain_text('You took the trick.')
    expect(felt.locator('[data-pile="0"] .best .still')).to_have_count(5)
    expect(felt.locator('[data-pile="1"]')).to_have_text('pass')
    page.evaluate('() => window.later.pop()()')
    expect(felt).to_contain_text('Your lead')
    expect(felt.locator('.laid')).to_have_count(0)
    expect(felt.locator('.last-trick .mini')).to_have_count(5)
    assert page.evaluate('window.flights') == flights


def test_a_move_clears_a_trick_that_was_won(people):
    page = people.page()
    lead(page, DEAL)
    expect(page.locator('.felt')).to_contain_text('You took the trick.')
    page.locator('.card').first.click()
    page.locator('.play').click()
    expect(page.locator('[data-pile="0"] .still')).to_have_count(1)


@pytest.mark.parametrize(
    ('game', 'rules', 'players', 'above'),
    [
        ('big2', 'two', 2, 'next'),
        ('big2', 'hong-kong-3', 3, None),
        ('big2', 'hong-kong', 4, 'across'),
        ('catch5', 'paper', 4, 'partner'),
    ],
)
def test_seats_are_around_the_table(people, game, rules, players, above):
    page = people.page()
    order = {'game': game, 'seats': ['me', *['rule'] * (players - 1)], 'rules': rules, 'deal': '7/2'}
    opened(page, order)
    middle = page.locator('.felt').evaluate(
        'felt => { const { x, width } = felt.getBoundingClientRect(); return x + width / 2 }'
    )
    boxes = {
        place: page.locator(f'.at-{place} .seat').bounding_box()
        for place in ('previous', 'across', 'partner', 'next')
        if page.locator(f'.at-{place}').count()
    }
    assert len(boxes) == players - 1
    own = page.locator('.own-seat').bounding_box()
    assert all(box['y'] + box['height'] < own['y'] for box in boxes.values())
    if above:
        box = boxes.pop(above)
        assert abs(box['x'] + box['width'] / 2 - middle) < 2
        assert all(box['y'] < other['y'] for other in boxes.values())
    if boxes:
        assert boxes['previous']['x'] + boxes['previous']['width'] < middle < boxes['next']['x']
    assert page.evaluate('document.documentElement.scrollHeight <= innerHeight')


def test_a_table_is_shown_once_its_style_sheet_applies(people):
    page, held = people.page('/static/icon.svg'), []  # which requests no style sheet itself
    page.route('**/page.css', lambda route: held.append(route))
    table = page.request.post('/api/tables', data=DEAL).json()['table']
    with page.expect_request('**/page.css'):
        page.goto(f'/?table={table}', wait_until='commit')
    page.wait_for_timeout(500)  # the table is known, and could be drawn
    assert page.locator('.table-screen').count() == 0
    held[0].continue_()
    wait(page)
