"""Games on the page without a server: they equal Python's, and go on without a network and without storage."""

import json
import re
import shutil
from dataclasses import replace
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from page.build import HERE
from rlcard_big2 import Rules
from rlcard_play.big2.advice import LEVELS, LOOKED_AT
from rlcard_play.catch5.played import LEVELS as CATCH5_LEVELS
from rlcard_play.games import GAMES
from rlcard_play.study.puzzles import read_puzzles
from rlcard_play.study.review import CONFIRMING
from rlcard_play.study.seated_game import Seat
from tests.big2.records.test_records import BEFORE
from tests.page.conftest import PLACE, serving
from tests.play.catch5 import test_page as catch5
from tests.play.web.test_page_share import ANN, EIGHT, fragment
from tests.support.page_fixtures import People
from tests.support.page_player import by_mouse, fits, follow, hand, judged, more, ply, wait

OWN_RULES = {
    'big2': {'straights': '9TA', 'penalty_thresholds': (7,), 'triples': False},
    'places': {'penalty_thresholds': (), 'unplayed_twos': False, 'places': True},
    'catch5': {'bidding': 'outbid'},
}
GOOD = 'certain', 'best', 'good'
MOVES = [
    '3c', '3h', '4d', '6s', '7s', '9h', 'Ks', '2c', 'pass', 'pass', '2d', 'pass', 'pass', 'pass', '6d 7c 8h 9d Tc',
    'pass', 'Ts Jh Qh Kd As', 'pass', 'pass', 'pass', '5s', 'Td', '2h', 'pass', '2s', 'pass', 'pass', 'pass',
    '9c 9s', 'Qc Qd', 'pass', 'Kc Kh', 'pass', 'pass', 'pass', '3d', '6c', 'Qs', 'pass', 'Ah',
]  # fmt: skip
HIDDEN = [  # the last move of the second shows that its seat holds nothing higher, since the next one has one card
    {
        'rules': 'taiwan',
        'hands': [None, None, '3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah 2h', None],
        'before': BEFORE,
        'moves': ['Th'],
    },
    {
        'rules': 'game-sofa',
        'hands': [None, '3h 3s 4s 5c 6h 7d 9h Td Jc Qc Qd Qs Ac', None, None],
        'opener': 0,
        'moves': MOVES,
    },
    {
        'rules': Rules(leads='2', places=True).fields(),
        'hands': ['3d 5d 7d 9d Jd Kd 2d 4c 6c 8c Tc Qc Ac', None, None, None],
        'moves': ['7h', 'pass', 'Jd'],
    },
    {
        'rules': Rules(instant_wins='twos').fields(),
        'hands': ['3d 5d 7d 9d Jd Kd Ad 4c 6c 8c Tc Qc Ac', None, None, None],
        'moves': ['3d', '7h', 'pass', '9s'],
    },
]
# Plays a game by choices that depend on a seed; returns the views, the record, and an analysis of every third ply.
PLAY = """async ({order, seed}) => {
    const {api} = (await import(document.querySelector('[src$="/page.js"]').src)).default['./api.js'];
    const pause = () => new Promise((resolve) => setTimeout(resolve, 2));
    let {table, view} = await api.open(order);
    const views = [];
    while (!view.over?.record) {
        views.push(view);
        if (!view.over && view.to_move === view.you && view.auto === null) {
            seed = (seed * 48271) % 2147483647;
            await api.move(table, view.ply, view.legal[seed % view.legal.length]);
        }
        await pause();
        view = await api.view(table);
    }
    const record = await api.record(view.over.record);
    const positions = [];
    for (let ply = 0; ply <= record.moves.length; ply += 3) {
        positions.push(await api.analyse({record, ply, seat: ply % 2 ? view.you : null}));
    }
    return {views: [...views, view], record, positions};
}"""


@pytest.fixture
def page(people):
    """Return the page of new games in a browser of its own."""
    opened = people.page('')
    expect(opened.get_by_role('button', name='Play', exact=True)).to_be_visible()
    return opened


def without_slips(page):
    """Have no agent of a page make a random move."""
    expect(page.get_by_role('button', name='Play', exact=True)).to_be_visible()
    (worker,) = page.workers
    worker.evaluate('() => { Math.random = () => 0.5; }')


def others_of(game, count):
    """Return agents whose moves depend on nothing but the position."""
    return [name for name in game.agents if name in ('greedy', 'rule')][:1] * (count - 1)


@pytest.mark.parametrize('quarter', [0, *(pytest.param(i, marks=pytest.mark.slow) for i in (1, 2, 3))])
@pytest.mark.parametrize('key', GAMES)
def test_views_records_and_advice_equal_those_of_the_server(page, key, quarter):
    presets = GAMES[key].rules.presets()
    base, changes = ('hong-kong', ('big2', 'places')) if key == 'big2' else ('table', ('catch5',))
    own = [replace(presets[base], **OWN_RULES[name]) for name in changes]
    for rules in [*own, *presets.values()][quarter::4]:
        check_game(page, GAMES[key], rules)


def check_game(page, game, preset):
    """Play a game by some rules on the page, and compare all that it says with Python."""
    others = others_of(game, preset.players)
    order = {'game': game.key, 'rules': preset.to_json(), 'seats': [*others[:1], 'me', *others[1:]], 'deal': '7/3'}
    found = page.evaluate(PLAY, {'order': order, 'seed': 45})
    record = game.records.parse(found['record'])
    assert record.payoffs is not None
    assert game.deal_key(found['record']) == game.deal_key(game.records.to_dict(game.find_deal('7/3', preset)))
    table = game.seated(
        [Seat('Player') if i == 1 else Seat(others[0], others[0]) for i in range(preset.players)], preset
    )
    table.deal(record.at(0))
    for view in found['views']:
        while table.ply < view['ply']:
            table.play(record.trace[table.ply][1])
        expected = json.loads(json.dumps(game.seat_view(table, 1)))
        assert {name: view[name] for name in expected} == expected
    expected = json.loads(json.dumps(game.end_view(table)))
    assert {name: view['over'][name] for name in expected} == expected
    assert view['over']['payoffs'] == list(record.payoffs)
    advisor = game.make_advisor(game.advisor, preset)
    for place, position in zip(range(0, len(record.trace) + 1, 3), found['positions'], strict=True):
        at = record.at(place)
        assert position['position'] == json.loads(json.dumps(game.position_view(at, 1 if place % 2 else None)))
        if position['moves']:
            advice = game.advice_json(advisor, advisor.advise(game.open_position(at)), preset)
            assert position['calibrated'] == advice['calibrated']
            check_advice(position['moves'], json.loads(json.dumps(advice['moves'])))


def check_advice(found, expected):
    """Check values of moves, which may differ in the last digits, and so in the order of those close to others."""
    numbers = {one['move']: [one.get(name) for name in ('win', 'cards', 'share')] for one in expected}
    for one in found:
        others = numbers.get(one['move']) or next(numbers[other] for other in one['alike'] if other in numbers)
        for value, other in zip((one.get(name) for name in ('win', 'cards', 'share')), others, strict=True):
            assert value == pytest.approx(other, abs=0.02) if value is not None else other is None
    assert [one['move'] for one in found[:1]] == [one['move'] for one in expected[:1]] or found[1]['grade'] in GOOD


@pytest.mark.parametrize('key', GAMES)
def test_levels_play_the_deal_of_the_day_as_on_the_server(page, key):
    """All but the expert, whose search draws its worlds otherwise: it plays alike each time."""
    game = GAMES[key]
    rules = game.rules.preset('hong-kong' if key == 'big2' else 'paper')
    judge = game.judge(game.make_advisor(game.advisor, rules))
    *levels, expert = LEVELS.values() if key == 'big2' else CATCH5_LEVELS
    deals = [f'{seed}/0' for seed in (20261128, 20261129, 19700101, 2757600913)]
    played = [(deal, agent) for deal in deals for agent in levels]
    orders = [{'game': key, 'rules': rules.to_json(), 'deal': deal, 'agent': agent} for deal, agent in played]
    expected = [{'payoff': judge.payoff_of(agent, game.find_deal(deal, rules))} for deal, agent in played]
    assert asked(page, 'result', orders) == expected
    first, second = asked(page, 'result', [{**orders[0], 'agent': expert}] * 2)
    assert first == second


def test_a_shared_game_opens_without_a_server(people):
    page = people.page(fragment(json.dumps(GAMES['big2'].records.to_dict(GAMES['big2'].find_deal('7/1', Rules())))))
    expect(page.locator('.place-of')).to_have_text('0 of 0')
    page.goto('about:blank')
    page.goto('?analyse#game=eJx')
    expect(page.get_by_role('alert')).to_contain_text('This link is cut off or damaged')


def test_eight_deals_of_a_link_are_those_of_the_server(people):
    page = people.page(fragment(json.dumps({**EIGHT, 'results': [ANN]}), '?eight#eight'))
    follow(page, 'Play deal 1 of 8')
    game = GAMES['big2']
    deal = game.records.to_dict(game.find_deal(f'{EIGHT["seed"]}/0', game.rules.preset(EIGHT['rules'])))
    assert hand(page) == deal['hands'][0].split()
    while by_mouse(page):
        pass
    page.get_by_role('link', name='On with the eight deals').click()
    expect(page.get_by_role('button', name='Play deal 2 of 8')).to_be_visible()
    expect(page.locator('.eight tbody td:last-child')).to_have_text(['+1', *['?'] * 7])


def test_the_winner_of_the_last_deal_leads_the_next(page):
    order = {'rules': Rules(leads='winner').to_json(), 'seats': ['greedy', 'me', 'rule', 'greedy'], 'deal': '7/3'}
    ended = page.evaluate(PLAY, {'order': {'game': 'big2', **order}, 'seed': 45})['views'][-1]
    winner, begun = ended['over']['winner'], asked(page, 'next', [ended['table']])[0]['view']
    assert begun['rules'] == Rules(leads=str(winner)).to_json()
    assert begun['title'] == ended['title'] == "charlesworth with leads='winner'"
    assert next((seat for seat, _ in begun['log']), begun['to_move']) == winner


def test_positions_with_hidden_hands_equal_those_of_the_server(page):
    game = GAMES['big2']
    orders = [{'record': {'big2': 1, **record}, 'seat': None} for record in HIDDEN]
    for order, found in zip(orders, asked(page, 'analyse', orders), strict=True):
        record = game.records.parse(order['record'])
        advisor = game.make_advisor(game.advisor, record.rules)
        assert found['position'] == json.loads(json.dumps(game.position_view(record)))
        if found['moves']:
            advice = game.advice_json(advisor, advisor.advise(game.open_position(record)), record.rules)
            check_advice(found['moves'], json.loads(json.dumps(advice['moves'])))
        reviewed = [(one.ply, one.move) for one in game.review(record, advisor)]
        assert [(one['ply'], one['move']) for one in found['choices']] == reviewed


@pytest.mark.parametrize('key', GAMES)
def test_the_page_of_custom_rules_equals_the_servers(page, key):
    game = GAMES[key]
    rules = replace(next(iter(game.rules.presets().values())), **OWN_RULES[key])
    (found,) = asked(page, f'rules.bind(null, "{key}")', [json.dumps(rules.fields())])
    expected = json.loads(json.dumps({'title': rules.title, 'fields': rules.fields(), **game.rule_facts(rules)}))
    assert {name: found[name] for name in expected} == expected
    page.goto('?' + urlencode({'rules': json.dumps(rules.to_json()), 'game': key}))
    expect(page.get_by_role('heading', name=re.compile('Rules: .*, changed$'))).to_be_visible()


def asked(page, route, orders):
    """Return the answers of the page's tables."""
    ask = f"""async (orders) => {{
        const {{api}} = (await import(document.querySelector('[src$="/page.js"]').src)).default['./api.js'];
        return Promise.all(orders.map((one) => api.{route}(one)));
    }}"""
    return page.evaluate(ask, orders)


def exported(page, key, folder):
    """Export the games of the page; return their records, read by Python."""
    page.get_by_role('link', name='My games').first.click()
    with page.expect_download() as saved:
        page.get_by_role('button', name='Export all as records').click()
    file = folder / saved.value.suggested_filename
    saved.value.save_as(file)
    return GAMES[key].records.read(file)


def begin(page, level='Medium', name=''):
    """Begin a game of Big 2 with a deal in which the first move is a choice; return whether it goes on."""
    page.get_by_role('radio', name=level).check()
    more(page)
    page.get_by_label('Your name').fill(name)
    page.get_by_label('Seed/number or deal code').fill('7/1')
    return follow(page, 'Play')


def test_a_game_of_big2_by_mouse(page, tmp_path):
    going = begin(page, name='Ann')
    page.get_by_role('button', name='Hint').click()
    expect(page.locator('.advice .line')).not_to_have_count(0)
    while going:
        going = by_mouse(page)
    payoffs = [number(text) for text in page.locator('.end td.number').all_inner_texts()]
    expect(page.get_by_role('link', name='Replay')).to_be_visible()
    follow(page, 'Next deal')
    (record,) = exported(page, 'big2', tmp_path)
    assert record.payoffs == tuple(payoffs)
    assert [seat['name'] for seat in record.seats] == ['Ann', *[LEVELS['medium']] * 3]
    assert record.extra['help'] == {'advice': [record.extra['help']['advice'][0]], 'practice': True}


WATCH = """new MutationObserver(() => {
    window.shares = [...(window.shares ?? []), document.querySelector('progress')?.value ?? null];
}).observe(document.body, {subtree: true, childList: true, attributes: true})"""


def check_progress(page):
    """Check that a progress bar rose to its end since the page was told to watch it."""
    shares = [share for share in page.evaluate('window.shares') if share]
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_an_expert_plays_and_a_deep_look_shows_its_progress(page):
    going = begin(page, level='Expert')
    page.get_by_role('button', name='Hint').click()
    page.evaluate(WATCH)
    page.get_by_role('button', name='Deep analysis').click()
    expect(page.locator('.deep .cards').first).to_have_text(re.compile('±'))
    expect(page.get_by_text('average cards over 200 simulated deals')).to_be_visible()
    check_progress(page)
    before = ply(page)
    going = by_mouse(page)
    assert not going or (ply(page) - before) % 4 == 0  # the experts have moved


PLIES = 2, 4, 9  # a bid, the trumps, a card


def some_record(game, preset, deal='7/1'):
    """Return the record of a game of the lowest moves, of which some are bad."""
    rules = game.rules.preset(preset)
    table = game.seated([Seat('rule', 'rule')] * rules.players, rules)
    table.deal(game.find_deal(deal, rules))
    while not table.is_over:
        table.play(table.legal[0])
    return table.record()


def test_deep_looks_of_catch_five_equal_those_of_the_server(page):
    game = GAMES['catch5']
    record = some_record(game, 'march')
    advisor = game.make_advisor(game.advisor, record.rules)
    orders = [{'record': game.records.to_dict(record), 'ply': place, 'deep': True} for place in PLIES]
    for place, found in zip(PLIES, asked(page, 'analyse', orders), strict=True):
        expected = game.look(advisor, game.open_position(record.at(place)), None)
        for one, other in zip(found['deep'].pop('moves'), expected.pop('moves'), strict=True):
            reason, same = one.pop('reason'), other.pop('reason')
            assert reason == (same and pytest.approx(same))
            assert one == pytest.approx(other)
        assert found['deep'] == expected


def test_the_move_that_was_played_is_looked_at(page):
    game = GAMES['big2']
    record = some_record(game, 'hong-kong')
    judged = game.review(record, game.make_advisor(game.advisor, record.rules))
    ply, advice = next((one.ply, one.advice.moves) for one in judged if len(one.advice.moves) > LOOKED_AT)
    given = {**game.records.to_dict(record), 'moves': [*(move for _, move in record.trace[:ply]), advice[-1].move]}
    given.pop('payoffs')
    (found,) = asked(page, 'analyse', [{'record': given, 'ply': ply, 'deep': True}])
    assert advice[-1].move in {one['move'] for one in found['deep']['moves']}


@pytest.mark.parametrize(
    ('key', 'preset', 'deal'),
    [pytest.param('big2', 'hong-kong', '7/1', marks=pytest.mark.slow), ('catch5', 'paper', '2/1')],
)
def test_rollouts_confirm_the_grades_that_they_confirm_on_the_server(page, key, preset, deal):
    game = GAMES[key]
    record = some_record(game, preset, deal)
    advisor, order = game.make_advisor(game.advisor, record.rules), {'record': game.records.to_dict(record), 'ply': 0}
    marked, is_clear = {one.ply: one for one in game.review(record, advisor) if one.to_json()['mark']}, {}
    for one in marked.values():
        worse = advisor.compare(game.open_position(record.at(one.ply)), one.best.move, one.move)
        if abs(worse.mean - CONFIRMING * worse.margin) > 0.2 * worse.margin:  # apart from rounding
            is_clear[one.ply] = worse.mean > CONFIRMING * worse.margin
    (before,) = asked(page, 'analyse', [order])
    assert {one['ply'] for one in before['choices'] if one['mark']} == set(marked)
    refuted = next(place for place, is_bad in is_clear.items() if not is_bad)
    for also in ({'confirm': True}, {'ply': refuted}):
        (after,) = asked(page, 'analyse', [order | also])
        marks = {one['ply']: one['mark'] != '' for one in after['choices'] if one['ply'] in is_clear}
        assert marks == is_clear
    assert set(is_clear.values()) == {True, False}
    move = marked[refuted].move
    assert not any(one.get('mark') for one in after['moves'] if move in (one['move'], *one['alike']))


@pytest.mark.slow
def test_a_replay_checks_its_grades_and_shows_the_progress(page):
    record = some_record(GAMES['catch5'], 'paper', '2/1')
    page.goto('?analyse')
    page.get_by_role('textbox').fill(json.dumps(GAMES['catch5'].records.to_dict(record)))
    page.evaluate(WATCH)
    page.get_by_role('button', name='Analyse', exact=True).click()
    expect(page.locator('.graph .dot')).to_have_count(2)  # of three
    check_progress(page)


def test_progress_counts_the_marks_that_the_server_finds(page):
    game = GAMES['catch5']
    record = some_record(game, 'paper', '2/1')
    marked = [one for one in game.review(record, game.make_advisor(game.advisor, record.rules)) if one.mark]
    seats = [{'name': 'Ann', 'kind': 'person' if seat == marked[0].seat else 'agent'} for seat in range(4)]
    assert asked(page, 'keep', [json.dumps({**game.records.to_dict(record), 'seats': seats})])[0]['added'] == 1
    page.goto('?progress#catch5')
    expect(page.locator('.level')).to_contain_text('1 game counts.')
    (row,) = page.evaluate('Object.values(JSON.parse(localStorage.getItem("big2.progress.catch5")).games)')
    assert row['marks'] == sum(one.seat == marked[0].seat for one in marked)
    assert len(row['mistakes']) <= row['marks']


def number(text):
    return int(text.replace('\u2212', '-'))


def test_a_hand_of_catch_five_by_mouse(page, tmp_path):
    going = catch5.begin(page)
    while going:
        going = catch5.by_mouse(page)
    scores = [number(text) for text in page.locator('.results td:nth-child(3)').all_inner_texts()]
    expect(page.get_by_role('link', name='Replay')).to_be_visible()
    (record,) = exported(page, 'catch5', tmp_path)
    assert list(record.payoffs[:2]) == scores
    assert record.extra['match'] == {'hand': 1, 'totals': [0, 0], 'target': 31}


def test_the_page_offers_nothing_that_needs_a_server(page):
    more(page)
    expect(page.get_by_text('this browser deals and holds all hands')).to_be_visible()
    expect(page.get_by_label('Join a table by its code of six letters')).to_have_count(0)
    assert 'open' not in page.locator('select[name=next] option').evaluate_all('all => all.map(one => one.value)')
    begin(page)
    page.locator('.table-settings summary').click()
    expect(page.get_by_role('button', name='Leave (the computer takes over)')).to_be_visible()
    expect(page.locator('.address')).to_have_count(0)


def test_a_table_survives_a_reload_and_goes_on_in_the_last_tab(page):
    begin(page)
    before = ply(page), page.locator('.hand .card').count()
    page.reload()
    wait(page)
    assert (ply(page), page.locator('.hand .card').count()) == before
    other = page.context.new_page()
    other.goto(page.url)
    wait(other)
    expect(page.get_by_text('This table is open in another tab')).to_be_visible()
    by_mouse(other)
    page.reload()
    wait(page)
    assert ply(page) >= ply(other) > before[0]


def changed(people, file, start, path=''):
    """Return a page of a browser that runs something before a module of the page's worker."""
    opened = people.page('about:blank', service_workers='block')

    def fulfill(route):
        found = route.fetch()
        route.fulfill(response=found, body=start + found.text())

    opened.route(f'**/{file}', fulfill)
    opened.goto(people.address + path)
    return opened


REFUSED = "Object.defineProperty(self, 'indexedDB', {get() { throw new DOMException('refused', 'SecurityError'); }});\n"


@pytest.mark.slow
def test_without_storage_the_game_goes_on_in_its_tab(people):
    page = changed(people, 'local/worker.js', REFUSED)
    assert begin(page)
    assert by_mouse(page)
    expect(page.get_by_role('alert').filter(has_text='This browser keeps no games')).to_be_visible()
    before = ply(page)
    page.reload()
    assert wait(page)
    assert ply(page) == before
    while by_mouse(page):
        pass
    page.get_by_role('link', name='Replay').click()
    expect(page.locator('.place-of')).to_contain_text('0 of')


def test_an_agent_whose_network_cannot_be_loaded_moves_when_it_can(people):
    page = people.page('', service_workers='block')
    page.route('**/engine/*.bin', lambda route: route.fulfill(status=503))
    without_slips(page)  # which need no network
    page.get_by_role('radio', name='Hard').check()
    more(page)
    page.get_by_label('Seed/number or deal code').fill('7/1')  # another seat opens
    page.get_by_role('button', name='Play', exact=True).click()
    expect(page.get_by_role('alert').filter(has_text='could not be loaded completely')).to_be_visible()
    page.unroute('**/engine/*.bin')
    assert wait(page)
    assert all('503' in problem for problem in people.problems)
    people.problems.clear()


def test_full_storage_is_said(people):
    page = people.page('', service_workers='block')
    session = page.context.new_cdp_session(page)
    session.send('Storage.overrideQuotaForOrigin', {'origin': people.address.rpartition('/games')[0], 'quotaSize': 1})
    assert begin(page)
    by_mouse(page)
    expect(page.get_by_text('its storage is full or switched off')).to_be_visible()


KEEP = """([store, values]) => new Promise((resolve) => {
    indexedDB.open('big2').onsuccess = ({target: {result}}) => {
        const kept = result.transaction(store, 'readwrite');
        for (const [key, value] of Object.entries(values)) kept.objectStore(store).put(value, key);
        kept.oncomplete = () => resolve(result.close());
    };
})"""
RAISE = """() => new Promise((resolve) => {
    indexedDB.open('big2', 9).onsuccess = ({target: {result}}) => resolve(result.close());
})"""


TABLES = """() => new Promise((resolve) => {
    indexedDB.open('big2').onsuccess = ({target: {result}}) => {
        result.transaction('tables').objectStore('tables').getAll().onsuccess = (event) => resolve(event.target.result);
    };
})"""
# Asks for all that was kept; returns the listed games, and the statuses of the answers.
ASK = """async ([games, tables, order]) => {
    const {api} = (await import(document.querySelector('[src$="/page.js"]').src)).default['./api.js'];
    const statusOf = (promise) => promise.then(() => 200, (error) => error.status);
    const statuses = [await statusOf(api.score()), await statusOf(api.open(order))];
    const analysed = async (id) => api.analyse({record: await api.record(id), ply: 0});
    for (const id of games) statuses.push(await statusOf(analysed(id)));
    for (const id of tables) statuses.push(await statusOf(api.view(id)));
    return [(await api.records(null)).records.map(({id}) => id), statuses];
}"""
ODD = None, 5, 'text', [], {}


def altered(value):
    """Yield odd values, and copies of a value of JSON with odd values in place of its parts."""
    yield from ODD
    parts = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, part in parts:
        for other in altered(part):
            changed = value.copy()
            changed[key] = other
            yield changed


@pytest.mark.parametrize('key', GAMES)
def test_odd_values_in_the_storage_are_skipped_and_the_others_shown(people, key):
    page = people.page('', service_workers='block')
    rules = next(iter(GAMES[key].rules.presets().values()))
    order = {'game': key, 'rules': rules.to_json(), 'seats': ['me', *others_of(GAMES[key], rules.players)]}
    record = page.evaluate(PLAY, {'order': order, 'seed': 45})['record']
    games = {f'game-{i}': one for i, one in enumerate(altered({**record, 'started': '2000'}))}
    tables = {f'table-{i}': one for table in page.evaluate(TABLES) for i, one in enumerate(altered(table))}
    for store, values in (('games', games), ('tables', tables), ('results', dict(enumerate(altered({'won': True}))))):
        page.evaluate(KEEP, [store, values])
    strings = []
    page.route('**/static-*/strings/en.json', lambda route: strings.append(route))  # come late
    page.reload()
    listed, statuses = page.evaluate(ASK, [list(games), list(tables), order])
    assert strings
    for route in strings:
        route.continue_()
    page.unroute_all()
    assert listed[0] == record['id']
    assert statuses[:2] == [200, 200]
    assert set(statuses) == {200, 404, 422}
    page.goto('?games')
    expect(page.get_by_role('alert').filter(has_text='were kept by another version')).to_be_visible()
    expect(page.locator('tbody tr').first.locator('td.number')).to_have_text(re.compile(str(abs(record['payoffs'][0]))))


KEPT = {
    'big2': 1, 'id': 'own', 'started': '2026-01-01T00:00:00Z', 'rules': 'hong-kong', 'first_time': False,
    'seats': [{'name': 'Ann', 'kind': 'person'}, *[{'name': 'greedy', 'kind': 'agent'}] * 3],
    'payoffs': [3, -1, -1, -1], 'hands': [''] * 4,
}  # fmt: skip


def test_what_another_site_says_that_the_tab_remembers_is_not_believed(people):
    page = people.page('about:blank')
    name = 'big2 ' + json.dumps({'games': [['x', KEPT]]})
    page.add_init_script(f'window.name = {json.dumps(name)};')
    page.goto(people.address)
    for odd in ('', '5', '[1]', '{"games": 5}', '{"games": [1, null], "tables": [[]]}', '{"toString": [["x", 1]]}'):
        page.evaluate("kept => sessionStorage.setItem('big2', kept)", odd)
        page.goto('?games')
        expect(page.get_by_text('No finished games yet.')).to_be_visible()


LOST = 'The page could not be loaded completely.'


@pytest.mark.parametrize('file', ['local/worker.js', 'options.json', 'static-*/strings/en.json', 'page.js'])
def test_a_file_that_cannot_be_loaded_is_said(people, file):
    page = people.page('about:blank', service_workers='block')
    page.route(f'**/{file}', lambda route: route.abort())
    page.goto(people.address)
    if file == 'page.js':  # no script runs: the style shows the sentence, after some seconds
        expect(page.get_by_text(LOST)).not_to_be_visible()
        page.evaluate('for (const one of document.getAnimations()) one.finish()')
    expect(page.get_by_text(LOST)).to_be_visible()
    people.problems.clear()


def test_an_old_page_takes_no_files_of_a_newer_version(browser, built, tmp_path):
    game, place = GAMES['big2'], tmp_path / 'place'
    shutil.copytree(built / PLACE, place)
    with serving(tmp_path) as address:
        people = People(browser, f'{address}place/')
        page = people.page('')
        page.evaluate('navigator.serviceWorker.ready')
        page.reload()
        (old,) = place.glob('static-*')
        names = [place / name for name in ('index.html', 'service-worker.js', 'manifest.webmanifest')]
        assert all(old.name in file.read_text() for file in names)
        assert not any('"static/' in file.read_text() for file in names)
        for file in names:
            file.write_text(file.read_text().replace(old.name.removeprefix('static-'), 'newer'))
        old.rename(place / 'static-newer')
        page.goto(f'?puzzle={list(read_puzzles(game.puzzles, game.records))[-1]}')  # which is not kept
        expect(page.get_by_role('alert').filter(has_text=LOST)).to_be_visible()
        page.reload()
        expect(page.get_by_text('Find the best move.')).to_be_visible()
        assert page.locator('[src$="/page.js"]').get_attribute('src') == 'static-newer/page.js'
        page.context.close()


def test_games_kept_by_another_version_stay_and_the_others_are_shown(page):
    newer, other = {**KEPT, 'id': 'newer', 'big2': 2}, {**KEPT, 'id': 'other', 'rules': {'colour': 3}}
    page.evaluate(KEEP, ['games', {'own': KEPT, 'newer': newer, 'other': other}])
    page.goto('?games')
    expect(
        page.get_by_role('alert').filter(has_text='Some games in this browser were kept by another version')
    ).to_be_visible()
    expect(page.locator('tbody tr')).to_have_count(1)
    page.goto('?progress')
    expect(page.get_by_text('No finished games yet.')).to_be_visible()
    page.goto('?record=newer')
    expect(page.get_by_role('alert').filter(has_text='it is in format 2')).to_be_visible()
    page.goto('service-worker.js')  # where no table holds the storage
    page.evaluate(RAISE)
    page.goto('')
    assert begin(page)
    by_mouse(page)
    expect(page.get_by_role('alert').filter(has_text='were kept by a newer version of this page')).to_be_visible()


def test_a_browser_without_simd_can_read_and_solve(people):
    page = changed(people, 'local/worker.js', 'WebAssembly.validate = () => false;\n')
    page.get_by_role('button', name='Play', exact=True).click()
    expect(page.get_by_role('alert').filter(has_text='WebAssembly with SIMD')).to_be_visible()
    page.goto(people.address + '?puzzle')
    expect(page.get_by_text('Find the best move.')).to_be_visible()
    page.goto(people.address + '?rules')
    expect(page.get_by_role('heading', name='Rules: Hong Kong')).to_be_visible()


def test_records_of_other_versions_and_wrong_moves_are_refused(page):
    page.get_by_role('link', name='Analyse').first.click()
    record = {'big2': 2, 'rules': 'hong-kong', 'hands': [None] * 4, 'moves': []}
    sentences = {
        json.dumps(record): 'it is in format 2, but this page reads formats up to 1',
        json.dumps({**record, 'big2': 1}): 'no known hand holds 3d, so the seat that opens must be given',
        '{"catch5": 1': 'it is not valid JSON',
        'x': "'x' is not a game",
    }
    for text, sentence in sentences.items():
        page.get_by_role('textbox').fill(text)
        page.get_by_role('button', name='Analyse', exact=True).click()
        expect(page.get_by_role('alert').filter(has_text=sentence)).to_be_visible()


def test_it_works_without_a_network(page, people):
    assert page.evaluate('navigator.serviceWorker.ready.then(({active}) => active !== null)')  # after some seconds
    page.context.set_offline(True)
    page.reload()
    without_slips(page)
    going = begin(page, level='Hard')
    while going:
        going = by_mouse(page)
    expect(page.locator('.end')).to_be_visible()
    for game in GAMES.values():
        page.goto(f'#{game.key}')
        page.goto('?puzzle')
        expect(page.get_by_text('Find the best move.')).to_be_visible()
        page.goto(f'?puzzle={list(read_puzzles(game.puzzles, game.records))[-1]}')  # not among the first hundred
        expect(page.get_by_role('alert').filter(has_text=LOST)).to_be_visible()
    people.problems.clear()
    page.context.set_offline(False)


def test_a_puzzle_is_solved(page):
    page.get_by_role('link', name='Puzzles').first.click()
    expect(page.get_by_text('Find the best move.')).to_be_visible()
    if not page.get_by_role('button', name='Pass', exact=True).is_enabled():
        page.locator('.card:not(.dim)').first.click()
    page.keyboard.press('P')  # as with Caps Lock
    page.keyboard.press('C')
    page.keyboard.press('Enter')
    expect(page.locator('.answer .values li').first).to_be_visible()
    page.get_by_role('button', name='Watch the best move').click()
    expect(page.locator('.end')).to_be_visible()
    page.goto('?games')
    expect(page.get_by_text('No finished games yet.')).to_be_visible()


@pytest.mark.parametrize('width', [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_the_first_screen_fits_and_can_be_read(people, width):
    page = people.page('', width=width)
    expect(page.get_by_text('this browser deals and holds all hands')).to_be_visible()
    fits(page)
    judged(page)


def test_its_strings_are_in_all_languages_and_used():
    files = {file.stem: json.loads(file.read_text()) for file in (HERE / 'strings').iterdir()}
    keys = set(files['en'])
    assert set(files) == {'en', 'zh-Hans', 'zh-Hant'}
    assert all(set(strings) == keys for strings in files.values())
    sources = ''.join(file.read_text() for file in (HERE / 'local').glob('*.js'))
    assert {key for key in keys if f"'{key}'" not in sources} == {'connection.gone'}  # one of the server's page
