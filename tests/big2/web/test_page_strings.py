"""Strings of the page: the same keys in every language, none missing and none unused."""

import json
import re
from pathlib import Path

import pytest

import rlcard_big2
from rlcard_big2.cards import RANKS
from rlcard_big2.notation import KIND_NAMES
from rlcard_big2.render.svg import SUIT_PATHS

STATIC = Path(rlcard_big2.__file__).parent / 'web/static'
LANGUAGES = ('en', 'zh-Hant', 'zh-Hans')
STRINGS = {tag: json.loads((STATIC / f'strings/{tag}.json').read_text()) for tag in LANGUAGES}
KEYS = set(STRINGS['en'])
GROUPS = {key.partition('.')[0] for key in KEYS}
SOURCES = [path.read_text() for path in [STATIC / 'index.html', *sorted(STATIC.glob('*.js'))]]

NAMED = re.compile(rf"""['"]((?:{'|'.join(sorted(GROUPS))})\.[a-z][\w ]*)['"]""")
COMPOSED = re.compile(rf'`((?:{"|".join(sorted(GROUPS))})\.)\$\{{[^}}]*\}}([\w ]*)`')
PLACES = re.compile(r'\{(\w+)\}')


def forms(text):
    return list(text.values()) if isinstance(text, dict) else [text]


def test_every_key_that_the_page_names_exists_and_every_key_is_used():
    named = {key for source in SOURCES for key in NAMED.findall(source)}
    composed = [rf'{re.escape(head)}.+{re.escape(tail)}' for text in SOURCES for head, tail in COMPOSED.findall(text)]
    assert named
    assert sorted(named - KEYS) == []
    assert [key for key in KEYS - named if not any(re.fullmatch(pattern, key) for pattern in composed)] == []


def test_what_the_engine_names_has_a_string():
    groups = {
        'move': KIND_NAMES, 'rank': RANKS, 'suit': 'dchs', 'mark': ('doubtful', 'mistake', 'blunder'),
        'grade': ('best', 'close', 'worse'),
    }  # fmt: skip
    assert {f'{group}.{name}' for group, names in groups.items() for name in names} <= KEYS


@pytest.mark.parametrize('tag', LANGUAGES[1:])
def test_translations_have_the_same_keys_and_values_in_their_own_words(tag):
    assert set(STRINGS[tag]) == KEYS
    for key, english in STRINGS['en'].items():
        wanted = {name for text in forms(english) for name in PLACES.findall(text)}
        for text in forms(STRINGS[tag][key]):
            used = set(PLACES.findall(text))
            assert used <= wanted | ({'suit'} if key == 'move.straight flushes' else set()), key
            assert used >= wanted - {'n'}, key
        words = re.search('[a-z]{3}', PLACES.sub('', forms(english)[0]))
        assert not words or STRINGS[tag][key] != english or key == 'analyse.placeholder', key


def test_plurals_have_the_forms_of_the_language():
    assert all(set(text) == {'one', 'other'} for text in STRINGS['en'].values() if isinstance(text, dict))
    for tag in LANGUAGES[1:]:
        assert not any(isinstance(text, dict) for text in STRINGS[tag].values())


def test_suits_are_those_of_the_drawing():
    shown = dict(re.findall(r'id="suit-(\w)" viewBox="0 0 20 20"><path d="([^"]+)"', SOURCES[0]))
    assert shown == SUIT_PATHS


def test_the_page_takes_nothing_from_elsewhere():
    for path in STATIC.rglob('*.*'):
        text = path.read_text().replace('http://www.w3.org/2000/svg', '')
        assert not re.search(r'https?://|@import|url\(', text), path.name
        found = re.findall(r'innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function', text)
        assert found == [], path.name
