"""Cards that are dragged from the hand to the felt, by mouse and by finger."""

import pytest
from playwright.sync_api import expect

from tests.support.page_player import screen, wait

DEAL = {'seats': ['me', 'rule'], 'rules': 'two', 'deal': '7/2'}
FULL_HOUSE = ['3c', '3s', '9d', '9c', '9h']  # of seat 0, which leads
CATCH5 = {'game': 'catch5', 'seats': ['me', 'rule', 'rule', 'rule'], 'deal': '7/2'}


def opened(page, order):
    page.goto(f'/?table={page.request.post("/api/tables", data=order).json()["table"]}')
    wait(page)


def middle(locator):
    box = locator.bounding_box()
    return box['x'] + box['width'] / 2, box['y'] + box['height'] / 2


def card(page, name):
    return page.locator(f'.hand .card[data-card="{name}"]')


def drag(page, name, place):
    """Drag a card to a place, and hold it there."""
    page.mouse.move(*middle(card(page, name)))
    page.mouse.down()
    page.mouse.move(*place, steps=4)


def slide(page, *places):
    """Touch the first place with a finger, slide over the others, and let go."""
    devtools = page.context.new_cdp_session(page)
    points = [[{'x': x, 'y': y}] for x, y in places]
    for kind, touched in (('touchStart', points[0]), *(('touchMove', one) for one in points[1:]), ('touchEnd', [])):
        devtools.send('Input.dispatchTouchEvent', {'type': kind, 'touchPoints': touched})


def lifted(page):
    return page.locator('.hand .card[aria-pressed=true]').evaluate_all('cards => cards.map(card => card.dataset.card)')


@pytest.mark.parametrize('motion', ['no-preference', 'reduce'])
def test_cards_follow_the_mouse_and_are_played_on_the_felt(people, motion):
    page = people.page(reduced_motion=motion)
    opened(page, DEAL)
    felt, x = page.locator('.felt'), middle(card(page, '9h'))[0]
    for name in FULL_HOUSE[:-1]:
        card(page, name).click()
    drag(page, '9h', middle(felt))
    expect(felt).to_have_class('felt big2 drop')
    assert lifted(page) == FULL_HOUSE
    moved = middle(felt)[0] - x
    places = card(page, '3c').evaluate_all('cards => cards.map(one => one.style.translate)')
    assert [float(place.partition('px')[0]) for place in places] == pytest.approx([moved], abs=1)
    page.mouse.up()
    expect(page.locator('[data-pile="0"] .still')).to_have_count(5)
    expect(felt).to_have_class('felt big2')
    expect(page.locator('.hand .card')).to_have_count(8)
    assert not any(page.locator('.hand .card').evaluate_all('cards => cards.map(one => one.style.translate)'))


def test_cards_that_are_no_move_or_not_dropped_on_the_felt_stay_selected(people):
    page = people.page()
    opened(page, DEAL)
    drag(page, '3c', middle(page.locator('.hand-head')))
    page.mouse.up()
    assert lifted(page) == ['3c'], 'a drag selects'
    other = page.locator('.card.dim').last.get_attribute('data-card')
    drag(page, other, middle(page.locator('.felt')))
    expect(page.locator('.felt')).to_have_class('felt big2')
    page.mouse.up()
    assert lifted(page) == ['3c', other]
    expect(page.locator('.live .reason')).not_to_be_empty()
    assert not any(page.locator('.hand .card').evaluate_all('cards => cards.map(one => one.style.translate)'))
    expect(screen(page)).to_have_attribute('data-ply', '0')
    card(page, other).click()
    assert lifted(page) == ['3c'], 'a click still toggles'
    card(page, '3c').focus()
    page.keyboard.press('Space')
    assert lifted(page) == [], 'as does a key'


def test_a_finger_drags_a_card(people):
    page = people.page(width=390, height=844, has_touch=True, is_mobile=True)
    opened(page, DEAL)
    x, y = middle(card(page, '3c'))
    right, down = (there - here for there, here in zip(middle(page.locator('.felt')), (x, y), strict=True))
    slide(page, *((x + right * step / 4, y + down * step / 4) for step in range(5)))
    expect(page.locator('[data-pile="0"] .still')).to_have_count(1)
    expect(page.locator('.hand .card')).to_have_count(12)


def test_a_card_of_catch_five_is_dragged(people):
    page = people.page()
    opened(page, CATCH5)
    while not page.locator('.card:not(.dim)').count() or page.locator('.calls button').count():
        before = screen(page).get_attribute('data-ply')
        page.locator('.calls button').last.click()
        expect(screen(page)).not_to_have_attribute('data-ply', before)
        wait(page)
    name = page.locator('.card:not(.dim)').first.get_attribute('data-card')
    drag(page, name, middle(page.locator('.felt')))
    page.mouse.up()
    expect(card(page, name)).to_have_count(0)
