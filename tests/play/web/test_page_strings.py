"""Strings of the page: the same keys in every language, none missing and none unused."""

import json
import re

import pytest

from rlcard_big2.cards import RANKS
from rlcard_big2.notation import KIND_NAMES
from rlcard_big2.rules import PRESETS
from rlcard_catch5.rules import PRESETS as CATCH5_PRESETS
from rlcard_kit.bounds import choices_of
from rlcard_kit.drawing import SUIT_PATHS
from rlcard_play.games import GAMES as PLAYED
from rlcard_play.web.routes import STATIC

GAMES = {key: game.static for key, game in PLAYED.items()}
BIG2_REASONS = (
    'lead', 'no combination', 'opening alone', 'opening holding', 'passed', 'count', 'kind', 'weaker', 'last card',
    'lone two',
)  # fmt: skip
CATCH5_REASONS = 'bid', 'must bid', 'only pass', 'name trumps', 'follow strict', 'follow trump'
LANGUAGES = ('en', 'zh-Hant', 'zh-Hans')
PLACES = re.compile(r'\{(\w+)\}')


def strings_of(folder, tag='en'):
    return json.loads((folder / f'strings/{tag}.json').read_text())


def sources_of(*folders):
    files = [STATIC / 'index.html', *(path for folder in folders for path in sorted(folder.glob('*.js')))]
    return [path.read_text() for path in files]


def forms(text):
    return list(text.values()) if isinstance(text, dict) else [text]


def keys_in(sources, known):
    """Return the keys that sources name, and patterns of those that they compose of parts."""
    groups = '|'.join(sorted({key.partition('.')[0] for key in known}))
    named = re.compile(rf"""['"]((?:{groups})\.[a-z][\w ]*)['"]""")
    composed = re.compile(rf'`((?:{groups})\.)\$\{{[^}}]*\}}([\w ]*)`')
    parts = [found for source in sources for found in composed.findall(source)]
    patterns = [re.compile(rf'{re.escape(head)}.+{re.escape(tail)}') for head, tail in parts]
    return {key for source in sources for key in named.findall(source)}, patterns


@pytest.mark.parametrize('game', GAMES)
def test_every_key_that_the_page_names_exists_and_every_key_is_used(game):
    shared, own = set(strings_of(STATIC)), set(strings_of(GAMES[game]))
    named, composed = keys_in(sources_of(STATIC, GAMES[game]), shared | own)
    assert named
    assert sorted(named - shared - own) == []
    assert [key for key in own - named if not any(pattern.fullmatch(key) for pattern in composed)] == []
    named, composed = keys_in(sources_of(STATIC, *GAMES.values()), shared)
    assert [key for key in shared - named if not any(pattern.fullmatch(key) for pattern in composed)] == []


def test_what_the_engines_name_has_a_string():
    grades = ('certain', 'best', 'good', 'worse')
    shared = {'rank': RANKS, 'suit': 'dchs', 'grade': grades, 'move': ('pass',), 'why': ('no card', 'not held')}
    big2 = {
        'move': KIND_NAMES[1:],
        'mark': ('inaccuracy', 'mistake', 'blunder'),
        'preset': PRESETS,
        'why': BIG2_REASONS,
        'reason': ('win', 'lead', 'few'),
    }
    catch5 = {
        'move': ('bid', 'trump'),
        'mark': ('odd',),
        'preset': CATCH5_PRESETS,
        'why': CATCH5_REASONS,
        'reason': ('ahead', 'make', 'set', 'trick', 'five'),
    }
    for game, groups in (('big2', big2), ('catch5', catch5)):
        choices = choices_of(PLAYED[game].rules)
        words = {f'{field} {word}' for field, values in choices.items() for word in values if isinstance(word, str)}
        groups |= {
            'named': PLAYED[game].agents,
            'field': {*PLAYED[game].rules.preset(PLAYED[game].default_rules).fields()},
        }
        groups['field'] |= {word for word in words if not re.match('suits|straights|leads [0-3]', word)}
    for folder, groups in ((STATIC, shared), (GAMES['big2'], big2), (GAMES['catch5'], catch5)):
        assert {f'{group}.{name}' for group, names in groups.items() for name in names} <= set(strings_of(folder))


@pytest.mark.parametrize('folder', [STATIC, *GAMES.values()], ids=['shared', *GAMES])
@pytest.mark.parametrize('tag', LANGUAGES[1:])
def test_translations_have_the_same_keys_and_values_in_their_own_words(tag, folder):
    ours, theirs = strings_of(folder), strings_of(folder, tag)
    assert set(theirs) == set(ours)
    for key, english in ours.items():
        wanted = {name for text in forms(english) for name in PLACES.findall(text)}
        for text in forms(theirs[key]):
            used = set(PLACES.findall(text))
            assert used <= wanted | ({'suit'} if key == 'move.straight flushes' else set()), key
            assert used >= wanted - {'n'}, key
        words = re.search('[a-z]{3}', PLACES.sub('', forms(english)[0]))
        assert not words or theirs[key] != english or key == 'analyse.placeholder', key
    assert all(set(text) == {'one', 'other'} for text in ours.values() if isinstance(text, dict))
    assert not any(isinstance(text, dict) for text in theirs.values())


@pytest.mark.parametrize('tag', LANGUAGES)
def test_buttons_of_the_hand_have_words_of_their_own(tag):
    words = strings_of(STATIC, tag) | strings_of(GAMES['big2'], tag)
    assert len({words[key] for key in ('button.walk', 'sort.rank', 'sort.suit', 'sort.groups')}) == 4


def test_suits_are_those_of_the_drawing():
    shown = dict(re.findall(r'id="suit-(\w)" viewBox="0 0 20 20"><path d="([^"]+)"', sources_of()[0]))
    assert shown == SUIT_PATHS


def test_the_page_takes_nothing_from_elsewhere():
    files = [path for folder in (STATIC, *GAMES.values()) for path in folder.rglob('*.*')]
    assert sum(path.stat().st_size for path in files) < 400_000
    assert max(len(path.read_text().splitlines()) for path in files if path.suffix == '.js') < 250
    for path in files:
        text = path.read_text().replace('http://www.w3.org/2000/svg', '')
        assert not re.search(r'https?://|@import|url\(', text), path.name
        found = re.findall(r'innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function', text)
        assert found == [], path.name
