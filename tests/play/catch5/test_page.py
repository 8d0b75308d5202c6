"""Catch Five on the page: a match by mouse and by keyboard, advice, replays, and what screen readers get."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.page_player import fits, follow, judged, more, moved, ply, screen


def begin(page, level='Medium', own=''):
    """Choose the game, and begin a match, with a deal of one's own if given."""
    page.get_by_role('radio', name='Catch Five').check()
    expect(page.get_by_role('heading', name='Play Catch Five')).to_be_visible()
    page.get_by_role('radio', name=level).check()
    more(page)
    page.get_by_label('Seed/number or deal code').fill(own)
    return follow(page, 'Play')


def by_mouse(page):
    """Make one move by mouse: bid as high as possible, name a suit, or play a card by two clicks."""
    before, calls, card = ply(page), page.locator('.calls button'), page.locator('.card:not(.dim)').first
    if calls.count():
        calls.last.click()
    elif before < 4:
        page.get_by_role('button', name='Pass', exact=True).click()
    else:
        card.click()
        card.click()
    return moved(page, before)


def by_keys(page):
    """Make the move that the network would make, by the keyboard alone."""
    before = ply(page)
    page.keyboard.press('h')
    expect(page.locator('.live')).to_contain_text('Hint')
    page.keyboard.press('Enter')
    return moved(page, before)


def test_a_match_by_mouse_and_its_replay(people):
    page = people.page()
    assert begin(page)
    assert page.title() == 'Catch Five'
    expect(page.locator('.card')).to_have_count(9)
    while by_mouse(page):
        pass
    expect(page.locator('.facts')).to_contain_text(re.compile(r'Bid\d · .*Points'))
    result = re.compile(r'bid \d, and (your team|the opponents) took \d: (made|set)')
    expect(page.get_by_role('heading', name=result)).to_be_visible()
    expect(page.locator('.results tbody tr')).to_have_count(2)
    page.get_by_role('link', name='Replay').click()
    expect(page.locator('.place-of')).to_have_text('0 of 29')
    expect(page.locator('.all-hands .still')).to_have_count(36)
    page.keyboard.press('End')
    page.keyboard.press('ArrowLeft')
    expect(page.locator('.place-of')).to_have_text('28 of 29')
    expect(page.locator('.trick-cards .still')).to_have_count(3)
    judged(page)
    page.go_back()
    follow(page, 'Next hand')
    expect(page.locator('.facts')).to_contain_text('/ 31')
    page.goto('/')
    expect(page.get_by_role('radio', name='Catch Five')).to_be_checked()
    other = people.page('/#catch5')
    expect(other.get_by_role('radio', name='Catch Five')).to_be_checked()
    page.goto('/?games')
    expect(page.locator('.games')).to_contain_text('Catch Five')
    page.goto('/?progress')
    for text in ('of 1 hand won', 'with Medium against Medium and Medium', 'The network, same deals'):
        expect(page.locator('main')).to_contain_text(text)
    judged(page)


@pytest.mark.slow
def test_puzzles_of_the_game_that_is_chosen(people):
    page = people.page('/#catch5')
    page.get_by_role('link', name='Puzzles').first.click()
    expect(page.get_by_role('heading', name=re.compile(r'Puzzle 1 of \d{3}'))).to_be_visible()
    for number in range(1, 4):
        expect(page.locator('.own-seat')).to_be_visible()
        calls, card = page.locator('.calls button'), page.locator('.card:not(.dim)').first
        if calls.count():
            calls.first.click()
        else:
            card.click()
            card.click()
        expect(page.get_by_role('heading', name=re.compile('Right!|Not the best move'))).to_be_visible()
        expect(page.locator('.deep .cards').first).to_contain_text('±')
        judged(page)
        page.get_by_role('link', name='Next puzzle').click()
        expect(page.get_by_role('heading', name=re.compile(f'Puzzle {number + 1} of'))).to_be_visible()


def test_a_hand_by_keyboard_with_hints(people):
    page = people.page()
    going = begin(page)
    judged(page)
    while going:
        going = by_keys(page)
    expect(page.locator('.end')).to_contain_text('No unusual moves')
    judged(page)


@pytest.mark.parametrize('width', [320, pytest.param(390, marks=pytest.mark.slow)])
def test_a_phone_and_take_back(people, width):
    page = people.page(width=width, height=700, has_touch=True, is_mobile=True)
    fits(page)
    assert begin(page, own='7/1')  # in which seat 0 bids first
    fits(page)
    page.get_by_role('button', name='Hint').tap()
    expect(page.locator('.live')).to_contain_text('Hint')
    before = ply(page)
    calls = page.locator('.calls button')
    calls.last.tap()
    moved(page, before)
    fits(page)
    page.get_by_role('button', name='Take back').tap()
    expect(screen(page)).to_have_attribute('data-ply', str(before))
    while by_mouse(page):
        fits(page)
    fits(page)
