"""The page: links that hold a whole game, or eight deals and what was won with them; and pictures of positions."""

import base64
import json
import re
import zlib
from pathlib import Path

import pytest
from playwright.sync_api import expect

from rlcard_play.games import GAMES
from tests.support.page_player import fits, follow, judged, play_out, quick_game

EIGHT = {'eight': 1, 'game': 'big2', 'rules': 'hong-kong', 'seed': 5, 'results': []}
ANN = {'name': 'Ann', 'payoffs': [1, 2, 3, 4, 5, 6, 7, 8], 'helped': True}
KEEP = """([key, kept]) => localStorage.setItem(`big2.eight.${key}`,
    JSON.stringify({...JSON.parse(localStorage.getItem(`big2.eight.${key}`)), ...kept}))"""
WRITTEN = """window.written = [];
const {fillText} = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
  written.push(text);
  return fillText.call(this, text, ...rest);
};"""
MOST = {'big2', 'catch5', 'rules', 'hands', 'deal', 'moves', 'payoffs', 'match'}


def fragment(text, screen='?analyse#game'):
    """Return the end of the address of a game, or of other things, given as text."""
    packed = base64.urlsafe_b64encode(zlib.compress(text.encode())).decode().rstrip('=')
    return f'{screen}={packed}'


def packed_in(address):
    """Return what was packed in an address."""
    packed = address.partition('=')[2]
    return json.loads(zlib.decompress(base64.urlsafe_b64decode(packed + '=' * (-len(packed) % 4))))


@pytest.mark.parametrize('key', GAMES)
def test_anybody_opens_a_shared_game_which_names_nobody(people, key):
    page = people.page()
    view = quick_game(page, own='9/2', game=key, seats=['me', 'rule', 'rule', 'rule'])
    record = page.request.get(f'/api/records/{view["over"]["record"]}').json()
    page.goto(f'/?table={view["table"]}')
    page.get_by_text('Link and deal code').click()
    page.get_by_role('button', name='Link to this game').click()
    link = page.get_by_label('The whole game, in the link itself').input_value()
    shared = packed_in(link)
    assert set(shared) <= MOST
    assert shared == {name: record[name] for name in shared}
    other = people.page(link)
    expect(other.locator('.place-of')).to_have_text(f'0 of {len(record["moves"])}')
    other.get_by_role('button', name='To the end').click()
    expect(other.locator('.place-of')).to_have_text(f'{len(record["moves"])} of {len(record["moves"])}')
    other.get_by_role('button', name='Link to this game').click()
    assert other.get_by_label('The whole game, in the link itself').input_value() == link


def test_a_wrong_link_gets_a_sentence_and_the_page_goes_on(people):
    page = people.page()
    record = page.request.post('/api/analyse', data={'text': '7/1'}).json()['record']
    whole = fragment(json.dumps(record))
    assert len(whole) < 500
    broken = 'This link is cut off or damaged'
    for address, sentence in (
        (whole[:-8], broken),
        (whole[:60] + 'AAAA' + whole[64:], broken),
        ('?analyse#game=%%%', broken),
        (fragment('x' * 200_000), broken),
        (fragment(json.dumps({**record, 'big2': 99})), '99'),
        (fragment(json.dumps({**record, 'moves': ['2s']})), 'not legal'),
        (fragment('[]'), 'not a game'),
    ):
        page.goto('about:blank')
        page.goto(f'/{address}')
        expect(page.get_by_role('alert')).to_contain_text(sentence)
        page.get_by_role('button', name='Example: 7/1').click()
        expect(page.locator('.replay')).to_be_visible()
    page.goto(f'/{address}')
    expect(page.get_by_role('alert')).to_be_visible()
    # in the same tab, where only the fragment differs: the page loads itself again, which `goto` takes for an error
    page.evaluate('address => setTimeout(() => location.assign(address))', f'/{whole}')
    expect(page.locator('.place-of')).to_have_text('0 of 0')
    people.problems.clear()  # the refused requests


def kept(seed, payoffs, rules):
    """Return what a browser keeps of deals that were played, from the first one on the list that has a payoff."""
    one = {
        'table': 'gone',
        'record': 'gone',
        'helped': False,
        'levels': {'easy': 0, 'medium': 1, 'hard': 2, 'expert': 3},
    }
    return {f'{rules} {seed}/{n}': {**one, 'payoff': payoff} for n, payoff in payoffs.items()}


@pytest.mark.parametrize('key', GAMES)
def test_eight_deals_are_played_and_compared_by_a_link(people, key):
    game = GAMES[key]
    page = people.page(f'/#{key}')
    page.get_by_role('link', name='The same eight deals').click()
    page.get_by_label('Your name').fill('Ben')
    page.keyboard.press('Tab')
    asked = packed_in(page.get_by_label('Link to these deals').input_value())
    assert asked == {**EIGHT, 'game': key, 'rules': asked['rules'], 'seed': asked['seed']}
    page.goto(fragment(json.dumps({**asked, 'results': [ANN]}), '?eight#eight'))
    expect(page.locator('.eight thead')).to_contain_text('Annwith help')
    expect(page.locator('.eight tbody td:last-child')).to_have_text(['?'] * 8)
    follow(page, 'Play deal 1 of 8')
    page.goto('/?eight')  # the deals that are not finished
    follow(page, 'Go on with deal 1', 'link')
    view = play_out(page)
    record = page.request.get(f'/api/records/{view["over"]["record"]}').json()
    rules = game.rules.preset(asked['rules'])
    wanted = game.find_deal(f'{asked["seed"]}/0', rules)
    assert game.deal_key(record) == game.deal_key(game.records.to_dict(wanted))
    mine = game.judge(game.make_advisor(game.advisor, rules)).payoff(record['payoffs'], 0)
    page.get_by_role('link', name='On with the eight deals').click()
    expect(page.get_by_role('button', name='Play deal 2 of 8')).to_be_visible()
    expect(page.locator('.eight tbody td:last-child')).to_have_text(['+1', *['?'] * 7])
    page.evaluate(KEEP, [key, kept(asked['seed'], {0: mine, 1: 2} | dict.fromkeys(range(2, 8), 9), asked['rules'])])
    page.reload()
    total = mine + 2 + 6 * 9
    better = 6 + (mine > 1)
    text = f'{total - 36:+d}'.replace('-', '\N{MINUS SIGN}') + f' against Ann, better in {better} of 8 deals'
    expect(page.locator('.day-result')).to_have_text(text.replace('+0', '0'))
    ranks = page.locator('.results:not(.eight) tr')
    expect(ranks.filter(has_text='Expert')).to_have_text('Expert+24')
    expect(ranks.filter(has_text='Easy')).to_have_text('Easy0')
    expect(page.locator('.eight tfoot td:last-child')).to_have_text('+36')
    line = page.get_by_label('Your result as a line of text').input_value()
    own = {'name': 'Ben', 'payoffs': [mine, 2, *[9] * 6], 'helped': False}
    assert packed_in(line) == {**asked, 'results': [own, ANN]}
    assert line.startswith(f'{game.title} · The same eight deals · ')
    judged(page)
    page.set_viewport_size({'width': 320, 'height': 568})
    fits(page)
    page.goto('about:blank')
    page.goto(line.rpartition(' ')[2])  # somebody's own results are not compared with themselves
    expect(page.locator('.eight thead th')).to_have_text(['You', 'Annwith help'])
    page.get_by_role('link', name='Eight other deals').click()
    expect(page.get_by_role('button', name='Play deal 1 of 8')).to_be_visible()
    assert packed_in(page.get_by_label('Link to these deals').input_value())['seed'] != asked['seed']


def test_a_wrong_link_to_eight_deals_gets_a_sentence_and_other_deals(people):
    page = people.page()
    whole = fragment(json.dumps({**EIGHT, 'results': [ANN]}), '?eight#eight')
    wrong = (
        {'eight': 2}, {'game': 'whist'}, {'rules': 'bogus'}, {'rules': {'players': 4}}, {'seed': -1}, {'seed': 1.5},
        {'seed': '7'}, {'seed': 10**9}, {'results': None}, {'results': [ANN] * 9}, {'results': [None]},
        {'results': [{**ANN, 'payoffs': [1] * 7}]}, {'results': [{**ANN, 'payoffs': [0.5] * 8}]},
        {'results': [{**ANN, 'name': 'x' * 41}]}, {'results': [{'name': 'Ann'}]},
    )  # fmt: skip
    forged = [fragment(json.dumps({**EIGHT, **fields}), '?eight#eight') for fields in wrong]
    for address in (
        whole[:-8],
        whole[:40] + 'AAAA' + whole[44:],
        '?eight#eight=%%%',
        fragment('[', '?eight#eight'),
        *forged,
    ):
        page.goto('about:blank')
        page.goto(f'/{address}')
        expect(page.get_by_role('alert')).to_contain_text('cut off, damaged or of another version')
        expect(page.get_by_role('button', name='Play deal 1 of 8')).to_be_visible()
    page.goto('about:blank')
    page.goto(f'/{whole}')
    expect(page.locator('.eight thead')).to_contain_text('Ann')
    expect(page.get_by_role('alert')).to_have_count(0)


@pytest.mark.parametrize('key', GAMES)
def test_a_picture_has_the_cards_and_the_question_and_names_nobody(people, key):
    page = people.page()
    page.context.add_init_script(WRITTEN)
    view = quick_game(page, own='9/2', game=key, seats=['me', 'rule', 'rule', 'rule'])
    name = view['over']['record']
    record = page.request.get(f'/api/records/{name}').json()
    ply = next(i for i, (seat, _) in enumerate(view['log']) if i > 8 and seat == 0)  # the first seat's
    found = page.request.post('/api/analyse', data={'record': record, 'ply': ply}).json()['position']
    page.goto(f'/?record={name}&ply={ply}')
    with page.expect_download() as saved:
        page.get_by_role('button', name='Save picture').click()
    picture = Path(saved.value.path()).read_bytes()
    assert saved.value.suggested_filename == f'{key}.png'
    assert picture.startswith(b'\x89PNG')
    assert [int.from_bytes(picture[at : at + 4], 'big') for at in (16, 20)] == [1200, 630]
    texts = page.evaluate('written')
    cards = [text for text in texts if re.fullmatch('[2-9JQKA]|10', text)]
    shown = [found['hands'][0], *filter(None, found['last'][1:])]
    ranks = re.findall(r'\b([2-9TJQKA])[dchs]\b', ' '.join(shown))
    assert sorted(cards) == sorted('10' if rank == 'T' else rank for rank in ranks)
    assert any('What would you do?' in text for text in texts)
    assert not [text for text in texts if 'Ann' in text]
