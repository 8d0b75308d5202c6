"""Cards that are dragged from the hand to the felt, by mouse and by finger, and selected by buttons and presses."""

import pytest
from playwright.sync_api import expect

from rlcard_big2.cards import parse_cards
from rlcard_big2.records import deal_code
from tests.play.study.test_played import HANDS
from tests.play.web.test_page_felt import DEAL, FULL_HOUSE
from tests.support.page_player import moved, opened, screen, view_of, wait

OPENING = {  # by seat 0
    'seats': ['me', 'rule', 'rule', 'rule'],
    'rules': 'hong-kong',
    'deal': deal_code([parse_cards(hand) for hand in HANDS]),
}
CATCH5 = {'game': 'catch5', 'seats': ['me', 'rule', 'rule', 'rule'], 'deal': '7/2'}


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
    *others, last = FULL_HOUSE.split()
    for name in others:
        card(page, name).click()
    drag(page, last, middle(felt))
    expect(felt).to_have_class('felt big2 drop')
    assert lifted(page) == [*others, last]
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


def test_a_button_walks_through_the_combinations(people):
    page = people.page()
    opened(page, OPENING)
    walk, seen = page.get_by_role('button', name='Combinations'), []
    while not seen or seen[0] != seen[-1] or len(seen) == 1:
        walk.click()
        expect(page.locator('.live .event')).to_contain_text(f'{len(seen) + 1 if lifted(page) not in seen else 1} of')
        expect(page.locator('.play')).to_have_attribute('aria-disabled', 'false')
        seen.append(lifted(page))
    sizes = [len(cards) for cards in seen[:-1]]
    assert sizes == sorted(sizes, reverse=True)
    assert {5, 2, 1} <= set(sizes)
    assert all('3d' in cards for cards in seen), 'which must open'
    page.keyboard.press('c')
    assert lifted(page) == seen[1]


def test_a_card_of_the_same_rank_takes_the_place_of_another_and_a_double_press_plays(people):
    page = people.page()
    opened(page, OPENING)
    for one in ('3d', '4d', '5c', '6s', '7h'):
        card(page, one).click()
        if one == '4d':
            expect(page.locator('.play')).to_have_text('Select 3 more cards')
    card(page, '5h').click()
    assert lifted(page) == ['3d', '4d', '5h', '6s', '7h']
    card(page, '9s').click()
    assert '9s' in lifted(page)
    assert len(lifted(page)) == 6, 'no rank of it is selected'
    card(page, '9s').click()
    page.wait_for_timeout(400)  # apart from the presses before
    card(page, '7h').dblclick()
    moved(page, 0)
    assert view_of(page)['log'][0] == [0, '3d 4d 5h 6s 7h']
