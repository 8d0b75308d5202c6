"""Folders of matches: locks, resumption, damaged blocks, and no loss of games."""

import os
import shutil
from contextlib import suppress

import numpy as np
import pytest

from eval.plan import Plan
from eval.runner import MatchResult
from eval.store import ResumeError, Store
from rlcard_big2 import records
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.rules import Rules
from rlcard_kit.duplicate.block import play_block
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.files import locked
from tests.support.damage import damaged
from tests.support.helpers import report, tables


@pytest.fixture
def command(command, monkeypatch, tmp_path):
    """Run a match in this process, in a folder of its own; return its exit status and all that it prints."""
    monkeypatch.chdir(tmp_path)

    def run(*words, agents=('greedy', 'random'), kind='match', deals=130):
        return command(kind, *agents, '--deals', deals, '--workers', '1', *words)

    return run


@pytest.fixture
def out(command, tmp_path):
    """Play a match of 130 deals, three blocks; return its folder."""
    assert command('--out', 'out')[0] == 0
    return tmp_path / 'out'


def times(folder):
    return [path.stat().st_mtime_ns for path in sorted((folder / 'blocks').glob('*.npz'))]


# Altered blocks


def rewrite(path, **changes):
    """Change arrays of a block; None removes one."""
    with np.load(path) as arrays:
        parts = dict(arrays)
    for name, change in changes.items():
        old = parts.pop(name)
        if change is not None:
            parts[name] = change(old)
    np.savez(path, **parts)


ALTERATIONS = {  # of a block, given the folder of another match, and a word of the reason
    'values': (
        lambda block, other: rewrite(block, payoffs=lambda payoffs: np.add(payoffs, [3, -1, -1, -1])),
        'contents',
    ),
    'another number': (lambda block, other: shutil.copy(block.with_name('000000.npz'), block), 'block 0'),
    'another match': (lambda block, other: shutil.copy(other / 'blocks/000001.npz', block), 'another match'),
    'truncated': (lambda block, other: block.write_bytes(block.read_bytes()[:-300]), ''),
    'type': (lambda block, other: rewrite(block, payoffs=lambda payoffs: payoffs.astype(np.float64)), 'contents'),
    'shape': (lambda block, other: rewrite(block, plies=lambda plies: plies[:-1]), 'contents'),
    'garbage': (lambda block, other: block.write_bytes(bytes(range(256)) * 40), ''),
    'empty': (lambda block, other: block.write_bytes(b''), ''),
    'no seal': (lambda block, other: rewrite(block, seal=None), ''),
}


@pytest.mark.parametrize('kind', ALTERATIONS)
def test_an_altered_block_is_named_and_played_again(command, out, kind):
    alter, reason = ALTERATIONS[kind]
    assert command('--out', 'other', agents=('random', 'greedy'))[0] == 0
    before, kept = tables(out), times(out)
    block = out / 'blocks/000001.npz'
    alter(block, out.parent / 'other')
    status, said = command('--out', 'out', '--resume')
    said = ' '.join(said.split())
    assert status == 0
    assert 'out/blocks/000001.npz' in said
    assert reason in said
    assert tables(out) == before
    now = times(out)
    assert [now[0], now[2]] == [kept[0], kept[2]]
    assert '000001.npz' not in command('--out', 'out', '--resume')[1]


def test_a_block_that_is_not_a_file_ends_the_match_before_it_is_played(command, out):
    block = out / 'blocks/000001.npz'
    block.unlink()
    os.mkfifo(block)
    kept = times(out)
    status, said = command('--out', 'out', '--resume', deals=300)
    assert (status, 'out/blocks/000001.npz' in said) == (1, True)
    assert times(out) == kept


@pytest.fixture
def plan():
    return Plan(('a', 'b'), BIG2.seatings(0, 1), Rules(), deals_from_seed(0, 64), 0)


def test_no_damage_to_a_block_is_taken(tmp_path, plan):
    store = Store(tmp_path, plan, plan.describe(), resume=False)
    outcome = play_block(plan.block(0), [MatchPlayer(GreedyAgent(), name) for name in plan.agents])
    store.save(0, outcome)
    path, generator = tmp_path / 'blocks/000000.npz', np.random.default_rng(1)
    whole = np.frombuffer(path.read_bytes(), np.uint8)
    for _ in range(200):
        data = whole.copy()
        data[generator.integers(0, data.size, 3)] ^= generator.integers(1, 256, 3).astype(np.uint8)
        path.write_bytes(data.tobytes())
        found = store.load(0)
        assert found is None or all(map(np.array_equal, found, outcome))


def test_every_damaged_plan_is_read_or_refused(tmp_path, plan):
    Store(tmp_path, plan, plan.describe(), resume=False)
    path = tmp_path / 'blocks/plan.json'
    for _, contents in damaged(path.read_bytes()):
        path.write_bytes(contents)
        with suppress(ResumeError):
            Store(tmp_path, plan, plan.describe(), resume=True)


# Locks


def test_the_second_of_two_matches_with_one_folder_is_refused(command, tmp_path):
    with locked(tmp_path / 'out'):
        for more in ((), ('--resume',)):
            status, said = command('--out', 'out', *more)
            assert (status, str(os.getpid()) in said) == (1, True)
    assert command('--out', 'out')[0] == 0


def test_a_match_in_progress_cannot_be_joined(command, out, monkeypatch):
    """The lock is held while games are played and reported, not only while the folder is looked at."""
    tries = []
    publish = MatchResult.publish

    def watched(result, figures):
        with pytest.raises(ValueError, match=str(os.getpid())), locked(out.parent / 'new'):
            pass
        tries.append(True)
        publish(result, figures)

    monkeypatch.setattr(MatchResult, 'publish', watched)
    assert command('--out', 'new')[0] == 0
    assert tries


# Folders that are taken


@pytest.mark.parametrize('kind', ['match', 'tournament'])
@pytest.mark.parametrize('rest', ['all', 'blocks', 'report.json'])
def test_a_folder_that_is_taken_is_left_as_it_is(command, out, kind, rest):
    if rest == 'blocks':
        (out / 'report.json').unlink()
    if rest == 'report.json':
        shutil.rmtree(out / 'blocks')
    before = {path: path.read_bytes() for path in out.rglob('*') if path.is_file() and path.name != 'lock'}
    for more in ((), ('--seed', 1)):
        status, said = command('--out', 'out', *more, kind=kind)
        assert status == 1
        assert '--resume' in said
    if rest == 'report.json':
        assert command('--out', 'out', '--resume')[0] == 1
    assert before == {path: path.read_bytes() for path in before}


def test_folders_by_default_tell_matches_apart_and_are_numbered(command, tmp_path):
    saved = tmp_path / 'deals.npz'
    first = ('--save-deals', saved)
    plain = None
    different = [
        {}, {'agents': ('random', 'greedy')}, {'kind': 'tournament'}, {'deals': 3}, {'words': ('--seed', 1)},
        {'words': ('--rules', 'hkust')}, {'agents': ('greedy,epsilon=0.1', 'random')},
        {'agents': ('random',), 'words': ('--paired', 'greedy', 'rule')},
        {'words': ('--deals-file', saved, '--seed', 2)},
        {'agents': ('greedy,epsilon=0.' + '0' * 120 + '1', 'random')},
        {'agents': ('greedy,epsilon=0.' + '0' * 120 + '2', 'random')},
    ]  # fmt: skip
    for number, question in enumerate(different):
        question = {'deals': 2, **question}
        words = question.pop('words', ())
        assert command(*first, *words, **question)[0] == 0
        first = ()
        plain = plain or os.listdir('runs/eval')[0]
        assert len(os.listdir('runs/eval')) == number + 1
    assert all(name[-2:] != '-2' for name in os.listdir('runs/eval'))
    assert max(map(len, os.listdir('runs/eval'))) < 130
    assert command(deals=2)[0] == 0
    assert (tmp_path / f'runs/eval/{plain}-2/report.json').exists()
    stamp = times(tmp_path / f'runs/eval/{plain}-2')
    assert command('--resume', deals=2)[0] == 0
    assert len(os.listdir('runs/eval')) == len(different) + 1
    assert times(tmp_path / f'runs/eval/{plain}-2') == stamp


# Deals that are added


@pytest.mark.parametrize('deals', [131, 192, 300])
def test_deals_are_added_to_a_finished_match(command, out, deals):
    kept = times(out)
    assert command('--out', 'out', '--resume', deals=deals)[0] == 0
    assert times(out)[:2] == kept[:2]
    assert command('--out', 'whole', deals=deals)[0] == 0
    assert tables(out) == tables(out.parent / 'whole')
    assert report(out)['deals_played'] == deals
    assert 'is of' in command('--out', 'out', '--resume')[1]


def test_games_of_deals_that_are_added_are_recorded_once(command, out):
    file = out / 'games.jsonl'
    assert command('--out', 'new', '--record', file)[0] == 0
    assert command('--out', 'new', '--record', file, '--resume', deals=140)[0] == 0
    games = records.read(file)
    assert len(games) == 4 * 140
    assert len({game.extra['id'] for game in games}) == 4 * 140
