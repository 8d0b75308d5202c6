"""Files of agents: what is refused, and the files that they name."""

import json
import os
from dataclasses import replace
from hashlib import sha256

import pytest

from eval.ladder.entries import read_entries
from rlcard_kit.errors import ConfigError, FileError

GOOD = {'name': 'Bob', 'agent': 'rule', 'author': 'B. O.'}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'zoe.json').write_text(
        json.dumps({'name': 'Zoë (2)', 'agent': 'greedy', 'author': 'Z', 'note': 'first'})
    )
    return tmp_path


def test_agents_are_sorted_by_what_they_are(folder):
    (folder / 'bob.json').write_text(json.dumps(GOOD))
    (folder / 'notes.txt').write_text('no agent')
    assert [entry.name for entry in read_entries(folder)] == ['Zoë (2)', 'Bob']


@pytest.mark.parametrize(
    ('text', 'named'),
    [
        ('{', 'JSON'),
        ('[]', '[]'),
        *[(json.dumps({key: GOOD[key] for key in GOOD if key != missing}), missing) for missing in GOOD],
        *[
            (json.dumps({**GOOD, key: value}), key)
            for key, value in {
                'name': 'a|b',
                'agent': 'two\nlines',
                'author': ' ',
                'note': 5,
                'elo': 3000,
                'files': {'bot.py': 'abc'},
            }.items()
        ],
        (json.dumps({**GOOD, 'name': 'x' * 31}), 'x' * 31),
        (json.dumps({**GOOD, 'files': []}), 'files'),
        (json.dumps({**GOOD, 'name': 'Zoë (2)'}), 'zoe.json'),
        (json.dumps({**GOOD, 'agent': 'greedy'}), 'zoe.json'),
    ],
)
def test_a_wrong_file_is_named(folder, text, named):
    (folder / 'bob.json').write_text(text)
    with pytest.raises((ConfigError, FileError)) as caught:
        read_entries(folder)
    assert str(folder / 'bob.json') in str(caught.value)
    assert named in str(caught.value)


def test_one_agent_is_no_ladder(folder):
    with pytest.raises(ConfigError, match=str(folder)):
        read_entries(folder)


def test_the_files_of_an_agent_are_checked(folder):
    bot = folder / 'bot.py'
    bot.write_text('one')
    files = {str(bot): sha256(b'one').hexdigest()}
    (folder / 'bob.json').write_text(json.dumps({**GOOD, 'files': files}))
    entry = read_entries(folder)[1]
    entry.check_files()
    bot.write_text('other')
    with pytest.raises(FileError, match=sha256(b'other').hexdigest()):
        entry.check_files()
    bot.unlink()
    with pytest.raises(FileError, match=str(bot)):
        entry.check_files()
    os.mkfifo(bot)
    for other in (bot, '/dev/zero', folder, 'a\0b'):
        with pytest.raises(FileError, match=r'Bob: .* cannot be read'):
            replace(entry, files={str(other): 64 * '0'}).check_files()
