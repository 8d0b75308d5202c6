"""Sealed deals: the SHA-256 of the seed before, the seed after, and secrets that were changed."""

import csv
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from eval.ladder.entries import read_entries
from eval.ladder.terms import SECRET, TERMS, Terms
from rlcard_kit.errors import FileError
from tests.support.damage import damaged

LADDER = Path(__file__).parents[3] / 'docs/results/ladder'
ASKED = Terms('big2', ('charlesworth', 'hkust'), 70)


def test_the_seed_is_secret_until_it_is_published(tmp_path):
    begun = ASKED.begin(tmp_path)
    secret = tmp_path / SECRET
    seed = secret.read_text()
    assert secret.stat().st_mode & 0o777 == 0o600
    assert sha256(seed.encode()).hexdigest() == begun.sha256
    assert seed not in (tmp_path / TERMS).read_text()
    assert Terms.read(tmp_path) == begun
    assert begun.open(tmp_path) == int(seed)
    assert ASKED.begin(tmp_path).sha256 != begun.sha256

    published = begun.publish(tmp_path, int(seed), ['rule'])
    assert not secret.exists()
    assert Terms.read(tmp_path) == published
    assert (published.seed, published.sealed_for, published.sha256) == (seed, ('rule',), begun.sha256)
    assert published.open(tmp_path) == int(seed)


@pytest.mark.parametrize('text', ['7', '', 'ff', '\x00'])
def test_another_seed_is_refused(tmp_path, text):
    begun = ASKED.begin(tmp_path)
    (tmp_path / SECRET).write_text(text)
    with pytest.raises(FileError, match=begun.sha256):
        begun.open(tmp_path)
    (tmp_path / SECRET).unlink()
    with pytest.raises(FileError, match=SECRET):
        begun.open(tmp_path)


def test_differences_are_named():
    assert ASKED.difference(ASKED) == ''
    assert ASKED.difference(Terms('big2', ('hkust',), 70)) == 'rules: charlesworth hkust, not hkust'
    more = Terms('big2', ASKED.rules, 80)
    assert ASKED.difference(more) == ''
    assert more.difference(ASKED) == 'deals: 80, not 70'
    assert replace(ASKED, seed='7').difference(more) == 'deals: 70, not 80'


def test_every_damaged_file_is_read_or_refused(tmp_path):
    ASKED.begin(tmp_path)
    path = tmp_path / TERMS
    for _, contents in damaged(path.read_bytes()):
        path.write_bytes(contents)
        with suppress(FileError):
            Terms.read(tmp_path)


@pytest.mark.parametrize(
    'folder', sorted(path.parent for path in LADDER.glob(f'**/{TERMS}')), ids=lambda path: path.name
)
def test_the_shipped_seeds_can_be_verified(folder):
    terms = Terms.read(folder)
    assert terms.open(folder) == int(terms.seed)


def test_the_shipped_ladder_is_of_its_agents():
    terms, entries = Terms.read(LADDER), read_entries(LADDER / 'agents')
    assert list(terms.sealed_for) == [entry.agent for entry in entries]
    with (LADDER / 'report.csv').open(newline='', encoding='utf-8') as file:
        assert {line['row'] for line in csv.DictReader(file)} == {entry.name for entry in entries}
