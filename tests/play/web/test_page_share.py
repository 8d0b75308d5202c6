"""The page: links that hold a whole game."""

import base64
import json
import zlib

import pytest
from playwright.sync_api import expect

from rlcard_play.games import GAMES
from tests.support.page_player import quick_game

MOST = {'big2', 'catch5', 'rules', 'hands', 'deal', 'moves', 'payoffs', 'match'}


def fragment(text):
    """Return the end of the address of a game, given as text."""
    packed = base64.urlsafe_b64encode(zlib.compress(text.encode())).decode().rstrip('=')
    return f'?analyse#game={packed}'


@pytest.mark.parametrize('key', GAMES)
def test_anybody_opens_a_shared_game_which_names_nobody(people, key):
    page = people.page()
    view = quick_game(page, own='9/2', game=key, seats=['me', 'rule', 'rule', 'rule'])
    record = page.request.get(f'/api/records/{view["over"]["record"]}').json()
    page.goto(f'/?table={view["table"]}')
    page.get_by_text('Link and deal code').click()
    page.get_by_role('button', name='Link to this game').click()
    link = page.get_by_label('The whole game, in the link itself').input_value()
    packed = link.partition('#game=')[2]
    shared = json.loads(zlib.decompress(base64.urlsafe_b64decode(packed + '=' * (-len(packed) % 4))))
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
