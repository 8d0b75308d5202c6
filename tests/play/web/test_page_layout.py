"""Layouts of every screen, compared with saved ones: the boxes of the main regions, in both games and at three widths.

Pictures are not compared: fonts and antialiasing differ between machines, and with them most pixels. Of a box, the
left and right edges are compared, with a tolerance, since the style decides them, and not the text; and which regions
lie below which. Heights are not, as fonts decide them. In the dark the boxes of the widest page are those of the
light one, and in Chinese those of English. Run it with LAYOUTS=1 in the environment to save new ones, and look at the
pages as well.
"""

import json
import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.page_player import quick_game, wait

FILE = Path(__file__).parents[2] / 'golden/layouts.json'
WIDTHS = {390: 844, 800: 1000, 1280: 800}
LOW = [(844, 390), (800, 600), (1024, 600), (1366, 650), (640, 400), (320, 568)]
TOLERANCE = 24  # pixels, such as of a scroll bar
OPPONENTS = {'big2': ['rule', 'greedy', 'rule'], 'catch5': ['rule', 'rule', 'rule']}
REGIONS = (
    '.top', '.new-game', '.felt', '.seats', '.news', '.hand', '.chooser > .controls', '.bottom', '.side',
    '.panel.advice', '.panel.moves', '.player-controls', '.study', '.page', '.paste textarea', '.table-wrap',
    '.rules',
)  # fmt: skip
BOXES = """names => names.map(name => [name, document.querySelector(name)])
    .filter(([, element]) => element?.checkVisibility())
    .map(([name, element]) => [name, element.getBoundingClientRect()])
    .filter(([, box]) => box.width && box.height)
    .map(([name, box]) => [name, Math.round(box.left), Math.round(box.right), box.top, box.bottom])"""


# Cards and buttons that are not wholly in the window, or lie under something else; and how much of the felt is cut.
HIDDEN = """() => [...document.querySelectorAll('.hand .card, .chooser button')].filter(one => {
    if (!one.checkVisibility()) return false;
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const above = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight || !one.contains(above);
}).map(one => one.outerHTML)"""
CUT = 'felt => [felt.scrollHeight - felt.clientHeight, felt.scrollWidth - felt.clientWidth]'


def screens_of(page, game):
    """Return the address of each screen, and what shows that it is complete."""
    more = {'game': game, 'seats': ['me', *OPPONENTS[game]]}
    over = quick_game(page, own='7/2', **more)
    table = page.request.post('/api/tables', data={**more, 'deal': '7/2'}).json()['table']
    record, ply = over['over']['record'], next(ply for ply, (seat, _) in enumerate(over['log']) if seat == over['you'])
    return {
        'new': (f'/#{game}', '.new-game'),
        'table': (f'/?table={table}', '[data-turn=mine]'),
        'end': (f'/?table={over["table"]}', '.end'),
        'replay': (f'/?record={record}&ply={ply}', '.values li'),
        'try': (f'/?try={record}&ply={ply}', '.hand .card'),
        'puzzle': ('/?puzzle', '.hand .card'),
        'analyse': ('/?analyse', '.paste'),
        'games': ('/?games', '.games tbody tr'),
        'progress': ('/?progress', '.level'),
        'rules': (f'/?rules&game={game}', '.rules section, .rules h3'),
    }


def boxes(page, width):
    """Return the boxes of the regions, sorted from top to bottom, and check that nothing scrolls sideways."""
    page.set_viewport_size({'width': width, 'height': WIDTHS[width]})
    page.evaluate('() => document.fonts.ready')
    assert page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    return sorted(page.evaluate(BOXES, REGIONS), key=lambda box: (box[3], box[1]))


def compare(found, saved):
    """Check boxes against saved ones: the same regions, edges and order."""
    by_name = {name: box for name, *box in found}
    assert set(by_name) == {name for name, *_ in saved}
    for name, left, right in saved:
        assert abs(by_name[name][0] - left) <= TOLERANCE, (name, by_name[name], left)
        assert abs(by_name[name][1] - right) <= TOLERANCE, (name, by_name[name], right)
    for i, (name, *_) in enumerate(saved):
        for other, *_ in saved[i + 1 :]:
            assert by_name[other][3] > by_name[name][2], f'{other} lies above {name}'


@pytest.mark.parametrize('language', ['en', *(pytest.param(tag, marks=pytest.mark.slow) for tag in ('zh-CN', 'zh-TW'))])
@pytest.mark.parametrize('game', ['big2', pytest.param('catch5', marks=pytest.mark.slow)])
def test_layouts(people, game, language):
    page = people.page(f'/#{game}', language=language)
    saved = json.loads(FILE.read_text()) if FILE.exists() else {}
    for name, (path, sign) in screens_of(page, game).items():
        page.goto('about:blank')  # so that an address with another fragment is loaded
        page.goto(path)
        expect(page.locator(sign).first).to_be_visible()
        for width in WIDTHS:
            found = boxes(page, width)
            key = f'{game} {name} {width}'
            if os.environ.get('LAYOUTS'):
                saved[key] = [box[:3] for box in found]
            compare(found, saved[key])
        page.emulate_media(color_scheme='dark')
        assert [box[:3] for box in boxes(page, width)] == [box[:3] for box in found], 'colours move nothing'
        page.emulate_media(color_scheme='light')
    if os.environ.get('LAYOUTS'):
        FILE.write_text('{\n' + ',\n'.join(f' {json.dumps(key)}: {json.dumps(saved[key])}' for key in saved) + '\n}\n')


def test_the_game_has_the_name_of_the_place(people):
    page = people.page(language='zh-HK')
    expect(page.locator('html')).to_have_attribute('lang', 'zh-HK')
    expect(page.get_by_role('heading', name='玩鋤大D')).to_be_visible()


@pytest.mark.parametrize(
    ('game', 'rules', 'is_reached'),
    [
        ('big2', 'hong-kong', lambda view: view['table_hand']['cards']),
        ('big2', 'hong-kong-3', lambda view: True),
        ('catch5', 'paper', lambda view: True),
        ('catch5', 'paper', lambda view: len(view['log']) > view['tricks'][-1] > 4),
    ],
    ids=['thirteen cards', 'seventeen cards', 'an auction', 'a trick'],
)
def test_hand_and_buttons_are_in_sight_in_low_windows(people, game, rules, is_reached):
    page = people.page()
    order = {'game': game, 'rules': rules, 'seats': ['me', *OPPONENTS[game]][: 3 if rules == 'hong-kong-3' else 4]}
    view = page.request.post('/api/tables', data={**order, 'deal': '7/2'}).json()['view']
    address = f'/api/tables/{view["table"]}'
    while view['to_move'] != view['you'] or view['auto'] is not None or not is_reached(view):
        if view['to_move'] == view['you'] and view['auto'] is None:
            page.request.post(f'{address}/moves', data={'ply': view['ply'], 'move': view['legal'][0]})
        view = page.request.get(f'{address}/view').json()
        assert view['over'] is None
    view['seats'][1] |= {'agent': None, 'name': 'W' * 40}
    page.route('**/view', lambda route: route.fulfill(body=json.dumps(view), content_type='application/json'))
    page.goto(f'/?table={view["table"]}')
    wait(page)
    for width, height in LOW:
        page.set_viewport_size({'width': width, 'height': height})
        found = {}
        for colour in ('dark', 'light'):
            page.emulate_media(color_scheme=colour)
            assert page.evaluate(HIDDEN) == [], (width, height)
            assert page.locator('.felt').evaluate(CUT) == [0, 0], (width, height)
            assert page.evaluate('document.documentElement.scrollWidth <= innerWidth')
            found[colour] = page.evaluate(BOXES, REGIONS)
        assert found['dark'] == found['light'], 'colours move nothing'


def test_dark_and_chinese(people):
    page = people.page(language='zh-TW', color_scheme='dark')
    expect(page.locator('html')).to_have_attribute('lang', 'zh-Hant')
    expect(page.get_by_role('heading', name='玩大老二')).to_be_visible()
    dark = page.evaluate('getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)')
    assert max(dark) < 60
    page.get_by_role('button', name='開始', exact=True).click()
    wait(page)
    expect(page.get_by_role('button', name='提示')).to_be_visible()
    assert re.search('[黑紅方梅]', page.locator('.card').first.get_attribute('aria-label'))
    page.get_by_label('語言').select_option('zh-Hans')
    expect(page.get_by_role('button', name='悔牌')).to_be_visible()
    expect(page.locator('html')).to_have_attribute('lang', 'zh-Hans')
    page.get_by_label('语言').select_option('en')
    expect(page.get_by_role('button', name='Take back')).to_be_visible()
