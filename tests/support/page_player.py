"""Somebody at the page: how they find their turn, and make a move by mouse, finger or keyboard."""

import re
from random import Random

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

MINE_OR_OVER = re.compile('mine|over')


def deal(page, *, name='', strict=False, own=''):
    """Begin a game on the page for new ones."""
    page.goto('/')
    page.get_by_role('radio', name='Medium').check()
    more(page)
    page.locator('select[name=rules]').select_option('charlesworth')
    page.get_by_label('Your name').fill(name)
    if strict:
        page.get_by_role('radio', name='Strict').check()
    if own:
        page.get_by_label('Seed/number or deal code').fill(own)
    return follow(page, 'Play')


def opened(page, order):
    """Begin a game without the form; return whether there is something to choose."""
    page.goto(f'/?table={page.request.post("/api/tables", data=order).json()["table"]}')
    return wait(page)


def follow(page, name, role='button'):
    """Press a button or link to another table, and wait for the turn there; return whether there is one."""
    before = page.url
    page.get_by_role(role, name=name, exact=True).click()
    page.wait_for_url(lambda url: '?table=' in url and url != before)
    return wait(page)


def view_of(page):
    """Return the view of the table of a page."""
    return page.request.get(f'/api/tables/{re.search(r"table=([^&]+)", page.url)[1]}/view').json()


def more(page):
    """Open the rest of the form of a new game."""
    summary = page.locator('.more > summary')
    if not summary.evaluate('summary => summary.parentNode.open'):
        summary.click()


def screen(page):
    return page.locator('.table-screen')


def wait(page):
    """Wait until there is something to choose, or the game is over; return whether it goes on."""
    expect(screen(page)).to_have_attribute('data-turn', MINE_OR_OVER)
    return screen(page).get_attribute('data-turn') == 'mine'


def ply(page):
    return int(screen(page).get_attribute('data-ply'))


def moved(page, before):
    """Wait until a move was made, and then for the next turn."""
    expect(screen(page)).not_to_have_attribute('data-ply', str(before))
    return wait(page)


def hand(page):
    return page.locator('.hand .card').evaluate_all('cards => cards.map(card => card.dataset.card)')


def lift_something(page, press):
    """Lift cards until they are a move, following those that are not dimmed; return whether they became one."""
    play = page.locator('.play')
    while play.get_attribute('aria-disabled') == 'true':
        free = page.locator('.card:not(.dim)[aria-pressed=false]')
        if not free.count():
            return False
        press(free.first)
    return True


def by_mouse(page):
    """Make one move by mouse; return whether the game goes on."""
    before = ply(page)
    press(page)
    return moved(page, before)


def press(page):
    """Make one move by mouse, and wait for nothing."""
    if lift_something(page, lambda card: card.click()):
        page.locator('.play').click()
    else:
        page.get_by_role('button', name='Pass', exact=True).click()


def by_keys(page):
    """Make one move by the keyboard alone: walk to the cards with the arrows."""

    def press(card):
        wanted, cards = card.get_attribute('data-card'), hand(page)
        page.keyboard.press('Home')
        for _ in range(cards.index(wanted)):
            page.keyboard.press('ArrowRight')
        page.keyboard.press('Space')

    before = ply(page)
    page.keyboard.press('Enter' if lift_something(page, press) else 'p')
    return moved(page, before)


def quick_game(page, own='7/0', seed=1, **more):
    """Play a game at random without the page; return its last view, once the choices were judged."""
    order = {'seats': ['me', 'rule', 'greedy', 'rule'], 'deal': own, 'name': 'Ann', **more}
    view, random = page.request.post('/api/tables', data=order).json()['view'], Random(seed)
    address = f'/api/tables/{view["table"]}'
    while not view['over'] or view['over']['choices'] is None or view['over']['record'] is None:
        if view['to_move'] == view['you'] and view['auto'] is None:
            page.request.post(f'{address}/moves', data={'ply': view['ply'], 'move': random.choice(view['legal'])})
        view = page.request.get(f'{address}/view').json()
    return view


def play_out(page):
    """Play the table of the page to its end without the page, and return the last view once it has its record."""
    view, random = view_of(page), Random(1)
    while not view['over'] or view['over']['record'] is None:
        if not view['over'] and view['to_move'] == view['you'] and view['auto'] is None:
            move = {'ply': view['ply'], 'move': random.choice(view['legal'])}
            page.request.post(f'/api/tables/{view["table"]}/moves', data=move)
        view = view_of(page)
    return view


def fits(page):
    """Check that nothing makes the page scroll sideways, and that fingers hit what they aim at."""
    assert page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    small = page.evaluate("""() => [...document.querySelectorAll('button, select, summary, .button, input')]
        .map(element => (element.matches('[type=checkbox], [type=radio]') ? element.closest('label') : element))
        .filter(element => element.checkVisibility())
        .map(element => [element.outerHTML, element.getBoundingClientRect()])
        .filter(([, box]) => box.width > 1 && (box.height < 43.9 || box.width < 43.9)).map(([html]) => html)""")
    assert small == []


def judged(page):
    """Check that axe finds nothing wrong, and no lack of contrast in the dark."""
    for color, options in (('light', {}), ('dark', {'runOnly': ['color-contrast']})):
        page.emulate_media(color_scheme=color)
        page.wait_for_timeout(200)  # transitions
        found = Axe().run(page, options=options)
        assert found.violations_count == 0, found.generate_report()
