"""The page: looking at games, choosing again, and what screen readers get."""

import json
import re

import pytest
from playwright.sync_api import expect

from rlcard_big2 import records
from rlcard_big2.rules import PRESETS
from rlcard_play.big2.played import GAME as BIG2
from rlcard_play.study.puzzles import choose_puzzles, read_puzzles
from rlcard_play.web.routes import STATIC
from tests.support.page_player import deal, follow, hand, judged, more, opened, press, quick_game, screen, view_of, wait

TYPED = {
    'big2': 1, 'rules': 'hkust', 'hands': [None, None, '3c 4s 5d 6d 7d 8h 9c Tc Jd Qh Kh Ad 2s', None],
    'view': 2, 'opener': 1, 'moves': ['3d'],
}  # fmt: skip
NAMES = 'fields => fields.map(field => field.name)'
LABELS = 'cards => cards.map(card => card.getAttribute("aria-label"))'
STRINGS = json.loads((STATIC / 'strings/en.json').read_text())
RANKS = {STRINGS[f'rank.{rank}']: rank for rank in '3456789TJQKA2'}


@pytest.fixture
def game(people):
    """Somebody who has played a game badly, and its last view."""
    page = people.page()
    return page, quick_game(page)


def replay(page, view, ply=0):
    page.goto(f'/?record={view["over"]["record"]}&ply={ply}')
    is_at(page, view, ply)


def is_at(page, view, ply):
    expect(page.locator('.place-of')).to_have_text(f'{ply} of {view["ply"]}')


def test_a_replay(game):
    page, view = game
    replay(page, view)
    expect(page.locator('.all-hands .still')).to_have_count(52)
    page.keyboard.press('ArrowRight')
    is_at(page, view, 1)
    expect(page).to_have_url(re.compile('ply=1$'))
    expect(page.locator('.all-hands .still')).to_have_count(51)
    page.get_by_role('slider').fill(str(view['ply']))
    expect(page.locator('.live')).to_contain_text('The game is over')
    expect(page.locator('.trick button')).to_have_count(view['ply'])
    page.locator('.trick button').nth(4).click()
    is_at(page, view, 4)
    page.get_by_role('button', name='Go to the end').click()
    is_at(page, view, view['ply'])
    page.reload()
    is_at(page, view, view['ply'])
    replay(page, view)
    page.get_by_label('Speed').select_option('fast')
    page.get_by_role('button', name='Play', exact=True).click()
    expect(page.locator('.place-of')).not_to_have_text(f'0 of {view["ply"]}')
    page.get_by_role('button', name='Pause').click()
    stopped = page.locator('.place-of').inner_text()
    page.wait_for_timeout(700)
    expect(page.locator('.place-of')).to_have_text(stopped)
    replay(page, view, ply=6)
    page.get_by_label('Show').select_option('0')
    expect(page.locator('.backs')).to_have_count(3)
    own = view['over']['hands'][0].split()
    assert set(own) <= {card_of(label) for label in page.locator('.all-hands .still').evaluate_all(LABELS)}
    page.get_by_label('Show').select_option('')
    expect(page.locator('.backs')).to_have_count(0)


def card_of(label):
    rank, suit = label.split(' of ')
    return RANKS[rank] + suit[0]


def test_mistakes_one_after_the_other(game):
    page, view = game
    replay(page, view)
    page.get_by_label('Show').select_option('0')
    record = page.request.get(f'/api/records/{view["over"]["record"]}').json()
    found = page.request.post('/api/analyse', data={'record': record, 'ply': 0, 'seat': 0}).json()
    marked = [one['ply'] for one in found['choices'] if one['seat'] == 0 and one['mark']]
    assert len(marked) >= 2
    for wanted in marked:
        page.get_by_role('button', name='Next mistake').click()
        is_at(page, view, wanted)
        expect(page.locator('.values .played')).to_be_visible()
    expect(page.get_by_role('button', name='Next mistake')).to_have_attribute('aria-disabled', 'true')
    page.keyboard.press('b')
    is_at(page, view, marked[-2])
    expect(page.locator('.graph .dot')).to_have_count(len(marked))


def paste(page, text):
    page.goto('/?analyse')
    page.get_by_label('Game or position').fill(text)
    page.get_by_role('button', name='Analyse').click()


def test_pasting_a_record_a_position_a_link_and_a_code(game):
    page, view = game
    record = page.request.get(f'/api/records/{view["over"]["record"]}').json()
    paste(page, json.dumps(record))
    expect(page.locator('.place-of')).to_contain_text(f'of {view["ply"]}')
    paste(page, f'{page.url.partition("?")[0]}?record={view["over"]["record"]}&ply=5')
    is_at(page, view, 5)
    paste(page, json.dumps(TYPED))
    expect(page.locator('.values .line').first).to_be_visible()
    expect(page.locator('.all-hands .still')).to_have_count(13)
    page.reload()
    expect(page.locator('.values .line').first).to_be_visible()
    for deal_of in ('7/3', view['over']['deal']['code']):
        paste(page, deal_of)
        expect(page.locator('.all-hands .still')).to_have_count(52)
        expect(page.locator('.place-of')).to_have_text('0 of 0')


def test_bad_text_is_explained_and_kept(people):
    page = people.page('/?analyse')
    paste(page, '{"big2": 1, "moves": 3}')
    expect(page.get_by_role('alert')).not_to_be_empty()
    expect(page.get_by_label('Game or position')).to_have_value('{"big2": 1, "moves": 3}')
    people.problems.clear()  # the browser tells of answers that refuse
    page.get_by_role('button', name='Example').click()
    expect(page.locator('.all-hands .still')).to_have_count(52)


def test_choosing_again_hides_the_answer_and_goes_on_from_there(game):
    page, view = game
    choice = view['over']['choices'][0]
    page.goto(f'/?table={view["table"]}')
    expect(page.locator('.costliest li')).to_have_count(len(view['over']['choices']))
    page.locator('.costliest').get_by_role('link', name='Try again').first.click()
    expect(page.locator('.live')).to_contain_text('What would you play now?')
    expect(page.locator('.values')).to_have_count(0)
    press(page)
    expect(page.locator('.values .line').first).to_be_visible()
    expect(page.locator('.values .played')).to_have_count(1)
    page.get_by_role('button', name='Choose another').click()
    expect(page.locator('.values')).to_have_count(0)
    press(page)
    follow(page, 'Continue from here')
    assert view_of(page)['ply'] > choice['ply']
    expect(page.locator('.tricks')).to_be_visible()


def test_puzzles(people):
    page = people.page('/?puzzle')
    expect(page.get_by_role('heading', name=re.compile('Puzzle 1 of'))).to_be_visible()
    expect(page.locator('.values')).to_have_count(0)
    first = page.url
    press(page)
    expect(page.locator('.values .line').first).to_be_visible()
    expect(page.get_by_role('heading', name=re.compile('Right!|Not the best move'))).to_be_visible()
    page.keyboard.press('/')
    page.keyboard.type('zz\n')
    expect(page.locator('.live')).to_have_text(re.compile('^That is not a legal move'))
    page.get_by_role('link', name='Next puzzle').click()
    page.wait_for_url(lambda url: url != first)
    expect(page.get_by_text(re.compile(r'Solved at the first try: \d of 1'))).to_be_visible()
    page.get_by_label('Theme').select_option('endgame')
    expect(page.get_by_label('Theme')).to_have_value('endgame')
    page.get_by_label('Difficulty').select_option('hard')
    expect(page.get_by_label('Difficulty')).to_have_value('hard')
    known = [one for one in read_puzzles(BIG2.puzzles, BIG2.records).values() if one.rules == PRESETS['hong-kong']]
    chosen = len(choose_puzzles(known, 'endgame', 'hard'))
    expect(page.get_by_role('heading', name=re.compile(rf'Puzzle \d+ of {chosen}$'))).to_be_visible()
    expect(page.get_by_label('Difficulty').locator(':checked')).to_have_text(f'Hard ({chosen})')


def test_puzzles_name_their_rules_and_whether_they_are_the_chosen_ones(people):
    page = people.page('/?puzzle')
    rules, choose = page.locator('.by-rules'), 'rules => localStorage.setItem("big2.new.big2", JSON.stringify({rules}))'
    expect(rules).to_have_text('Rules: Hong Kong')
    page.evaluate(choose, 'charlesworth')
    page.goto('/?puzzle')
    expect(rules).to_have_text('Rules: One point a card (Charlesworth)')
    page.evaluate(choose, 'taiwan')
    page.reload()
    expect(rules).to_contain_text('There are no puzzles by the rules that you chose (Taiwan)')
    expect(rules.get_by_role('link', name='Charlesworth')).to_have_attribute('href', re.compile('rules=charlesworth'))


def test_agents_play_a_puzzle_on_from_its_best_move(people):
    page = people.page('/?puzzle')
    press(page)
    name = page.url.partition('?puzzle=')[2]
    puzzle = read_puzzles(BIG2.puzzles, BIG2.records)[name]
    assert not follow(page, 'Watch the best move')
    view = view_of(page)
    assert view['log'][len(puzzle.moves)] == [puzzle.player, puzzle.extra['best']]
    assert view['you'] is None
    page.goto('/?games')  # it is nobody's game
    expect(page.get_by_text('No finished games yet.')).to_be_visible()


def test_mistakes_in_puzzles_come_back_after_some_days(people):
    page = people.page('/?puzzle')
    expect(page.get_by_role('heading', name=re.compile('Puzzle 1 of'))).to_be_visible()
    store = 'kept => localStorage.setItem("big2.puzzles", JSON.stringify(kept))'
    read = '() => JSON.parse(localStorage.getItem("big2.puzzles"))'
    first = page.url.partition('?puzzle=')[2]
    page.evaluate(store, {first: {'first': False, 'due': 1, 'days': 3}})
    page.goto('/?puzzle')
    expect(page.get_by_text('1 mistake comes back today')).to_be_visible()
    assert page.url.endswith(first)
    press(page)
    expect(page.locator('.values .line').first).to_be_visible()
    (answer,) = page.evaluate(read).values()
    assert not answer['first']
    is_right = page.get_by_role('heading', name='Right!').count()
    assert answer['days'] == (9 if is_right else 1)
    assert answer['due'] > page.evaluate('() => Date.now()')
    page.get_by_role('link', name='Next puzzle').click()
    expect(page.get_by_role('heading', name=re.compile('Puzzle 2 of'))).to_be_visible()
    expect(page.get_by_text('comes back today')).to_have_count(0)


def test_rules_of_ones_own(people):
    page = people.page()
    more(page)
    page.locator('select[name=rules]').select_option('hong-kong-3')
    page.get_by_role('button', name='Change these rules').click()
    box = page.get_by_label('All fields of your own rules')
    known = page.request.get('/api/options').json()['games'][0]['rules']
    fields = json.loads(box.input_value())
    assert fields == next(one for one in known if one['name'] == 'hong-kong-3')['fields']
    assert {name.removeprefix('own.') for name in page.locator('[name^="own."]').evaluate_all(NAMES)} == set(fields)
    judged(page)
    page.get_by_label('Cards for each player').fill('18')
    page.get_by_role('checkbox', name='Two pairs, and four of a kind').check()
    page.get_by_role('button', name='Play', exact=True).click()
    expect(page.get_by_role('alert').first).to_contain_text('do not fit together: “Players” and “Ranks in the pack')
    page.get_by_label('Cards for each player').fill('17')
    page.get_by_text('Advanced').click()
    box.fill('no JSON')
    page.get_by_role('button', name='Play', exact=True).click()
    expect(page.get_by_role('alert').first).to_contain_text('JSON')
    people.problems.clear()  # the refused request
    box.fill(json.dumps({**fields, 'four_card_hands': True, 'penalty_thresholds': [10, 13]}))
    expect(page.get_by_label('Cards left from which')).to_have_value('10, 13')
    page.get_by_role('button', name='Play', exact=True).click()
    wait(page)
    link = page.locator('.context').get_by_role('link', name='Hong Kong, three players, changed')
    expect(page.locator('.context .changes')).to_contain_text('fourfold: 10, 13')
    other = people.page('/' + link.get_attribute('href'))  # as if it was sent to somebody
    expect(other.get_by_text('Two pairs, and four of a kind without a kicker, may be played.')).to_be_visible()
    other.get_by_role('button', name='Play by these rules').click()
    expect(other.locator('form .controls')).to_contain_text('Hong Kong, three players, changed')
    page.goto('/')
    expect(page.get_by_role('checkbox', name='Two pairs, and four of a kind')).to_be_checked()


def test_screen_readers_and_contrast_at_the_table(people):
    page = people.page()
    expect(page.get_by_role('button', name='Play', exact=True)).to_be_visible()
    judged(page)
    assert deal(page, own='7/1')
    page.get_by_role('button', name='Hint').click()
    expect(page.locator('.values .line').first).to_be_visible()
    for title in page.locator('.side summary').all():
        if not title.evaluate('title => title.parentNode.open'):
            title.click()
    judged(page)
    page.keyboard.press('?')
    expect(page.get_by_role('dialog')).to_be_visible()
    judged(page)


def test_games_are_exported_as_records(people, tmp_path):
    page = people.page()
    record = quick_game(page)['over']['record']
    page.goto('/?games')
    with page.expect_download() as saved:
        page.get_by_role('button', name='Export all as records').click()
    saved.value.save_as(tmp_path / 'games')
    assert saved.value.suggested_filename == 'games.big2.jsonl'
    assert record in [game.extra['id'] for game in records.read(tmp_path / 'games')]
    expect(page.locator('.games tbody tr').first).to_contain_text(
        'You, Mei · rules of thumb, Otto · greedy, Ravi · rules'
    )
    bob = people.page('/?games')
    expect(bob.get_by_text('No finished games yet.')).to_be_visible()
    own = next(line for line in (tmp_path / 'games').read_text().splitlines() if record in line)
    file = {'name': 'mine.jsonl', 'mimeType': 'text/plain', 'buffer': f'{own}\n{own[:90]}'.encode()}
    bob.get_by_label('Import records').set_input_files(file)
    expect(bob.get_by_role('status')).to_contain_text('1 game added.mine.jsonl, line 2 is left out')
    expect(bob.locator('.games tbody tr')).to_have_count(1)
    bob.locator('.games tbody a').click()
    expect(bob.locator('.all-hands')).to_contain_text('Seat 1You')
    expect(bob.get_by_label('Show')).to_contain_text('Seat 1: You')
    paste(bob, own)
    bob.get_by_role('button', name='Keep in My games').click()
    expect(bob.get_by_text('It is in My games.')).to_be_visible()


@pytest.mark.slow
def test_screen_readers_and_contrast_beside_the_table(people):
    page = people.page()
    view = quick_game(page)
    record, choice = view['over']['record'], view['over']['choices'][0]
    screens = {
        f'?table={view["table"]}': '.costliest li',
        f'?record={record}&ply={choice["ply"]}': '.graph',
        f'?try={record}&ply={choice["ply"]}': '.hand .card',
        '?puzzle': '.hand .card',
        '?analyse': '.paste',
        '?games': '.games tbody tr:has-text("You")',
        '?progress': '.groups:has-text("game")',
        f'?table={"x" * 22}': 'h2:has-text("Something went wrong")',
    }
    for path, sign in screens.items():
        page.goto(f'/{path}')
        expect(page.locator(sign).first).to_be_visible()
        judged(page)
    expect(page.get_by_role('alert')).to_contain_text('table')
    people.problems.clear()  # the browser reports the answer that refuses


def test_cards_say_what_they_are(page):
    assert {card_of(label) for label in page.locator('.card').evaluate_all(LABELS)} == set(hand(page))
    card = page.locator('.card').first
    card.click()
    expect(card).to_have_attribute('aria-pressed', 'true')
    page.keyboard.press('.')
    expect(page.locator('.live')).to_contain_text('Your hand: ')
    expect(screen(page).locator('[role=status][aria-live=polite]')).to_have_count(1)


@pytest.mark.parametrize(('game', 'rules'), [('big2', 'hong-kong'), ('big2', 'game-sofa'), ('catch5', 'march')])
def test_a_page_of_rules(people, game, rules):
    page = people.page(f'/?rules={rules}&game={game}')
    facts = page.request.get(f'/api/rules?rules={rules}&game={game}').json()
    article = page.locator('.rules')
    expect(article.locator('[aria-current=page]')).to_have_count(1)
    if game == 'big2':
        expect(article.locator('.kind')).to_have_count(len(facts['kinds']))
        expect(article.locator('.runs li')).to_have_count(len(facts['straights']))
        expect(article.locator('.costs strong')).to_have_text([str(cost) for _, cost in facts['costs']])
    else:
        expect(article.locator('.winning')).to_have_count(len(facts['tricks']))
    judged(page)
    page.set_viewport_size({'width': 390, 'height': 844})
    assert page.evaluate('document.documentElement.scrollWidth <= innerWidth')


def test_the_table_and_refused_cards_link_to_its_rules(people):
    page = people.page()
    rules = {**page.request.get('/api/options').json()['rules'][0]['fields'], 'final_pass': True}
    order = {'seats': ['me', 'rule', 'rule', 'rule'], 'rules': rules, 'deal': '7/1'}
    assert opened(page, order)
    page.locator('.card.dim').first.click()
    expect(page.locator('.live .reason')).not_to_be_empty()
    link = page.get_by_role('status').get_by_role('link', name='Rules')
    assert link.get_attribute('href') == page.locator('.context a').get_attribute('href')
    page.goto('/' + link.get_attribute('href'))
    expect(page.get_by_role('heading', name='One point a card (Charlesworth), changed')).to_be_visible()
    expect(page.locator('.rules')).to_contain_text('out of the trick')
    page.goto('/?rules=nothing&game=big2')
    expect(page.get_by_role('alert')).to_contain_text("no preset 'nothing'")
    people.problems.clear()  # the refused request


def test_the_score_is_a_curve(people):
    page = people.page()
    for own in ('31/1', '31/2'):  # only the first game of a deal counts, and no other test plays these
        quick_game(page, own=own)
    page.goto('/?progress')
    curves = page.get_by_role('img', name=re.compile('After \\d+ games: you .+, the network'))
    expect(curves.first).to_be_visible()  # other games of these tests may have been aided
