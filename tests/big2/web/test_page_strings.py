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


def named():
    return {key for source in SOURCES for key in NAMED.findall(source)}


def composed():
    return [
        re.compile(re.escape(head) + '.+' + re.escape(tail))
        for source in SOURCES
        for head, tail in COMPOSED.findall(source)
    ]


def forms(text):
    return list(text.values()) if isinstance(text, dict) else [text]


@pytest.mark.parametrize('tag', LANGUAGES)
def test_languages_have_the_same_keys(tag):
    assert set(STRINGS[tag]) == KEYS


def test_every_key_that_the_page_names_exists():
    assert named()
    assert sorted(named() - KEYS) == []


def test_every_key_is_used():
    patterns = composed()
    unused = {key for key in KEYS - named() if not any(pattern.fullmatch(key) for pattern in patterns)}
    assert sorted(unused) == []


def test_what_the_engine_names_has_a_string():
    wanted = (
        {f'move.{kind}' for kind in KIND_NAMES}
        | {f'rank.{rank}' for rank in RANKS}
        | {f'suit.{suit}' for suit in 'dchs'}
    )
    wanted |= {f'mark.{mark}' for mark in ('doubtful', 'mistake', 'blunder')}
    wanted |= {f'grade.{grade}' for grade in ('best', 'close', 'worse')}
    assert sorted(wanted - KEYS) == []


@pytest.mark.parametrize('tag', LANGUAGES[1:])
def test_translations_fill_in_the_same_values(tag):
    for key, english in STRINGS['en'].items():
        wanted = {name for text in forms(english) for name in PLACES.findall(text)}
        for text in forms(STRINGS[tag][key]):
            used = set(PLACES.findall(text))
            assert used <= wanted | ({'suit'} if key == 'move.straight flushes' else set()), key
            assert used >= wanted - {'n'}, key


@pytest.mark.parametrize('tag', LANGUAGES[1:])
def test_chinese_strings_are_translated(tag):
    for key, english in STRINGS['en'].items():
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
        assert not re.search(r'innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function', text), (
            path.name
        )
