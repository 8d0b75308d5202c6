"""Folders of matches: locks, resumption, damaged blocks, and no loss of games."""

import os
import shutil
from contextlib import suppress

import numpy as np
import pytest

from eval.plan import Plan
from eval.runner import MatchResult
from eval.store import ResumeError, Store
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.rules import Rules
from rlcard_kit.duplicate.block import play_block
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.files import locked
from tests.support.damage import damaged
from tests.support.faults import fail_each
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


@pytest.fixture
def kept(tmp_path):
    """Keep the two blocks of a match, and those of another; return the first store and outcome."""

    def keep(seed):
        plan = Plan(('a', 'b'), BIG2.seatings(0, 1), Rules(), deals_from_seed(0, 70), seed)
        store = Store(tmp_path / str(seed), plan, plan.describe(), resume=False)
        outcomes = [
            play_block(plan.block(i), [MatchPlayer(GreedyAgent(), name) for name in plan.agents]) for i in (0, 1)
        ]
        for number, outcome in enumerate(outcomes):
            store.save(number, outcome)
        return store, outcomes[0]

    keep(1)
    return keep(0)


def rewrite(path, **changes):
    """Change arrays of a block; None removes one."""
    with np.load(path) as arrays:
        parts = dict(arrays)
    for name, change in changes.items():
        old = parts.pop(name)
        if change is not None:
            parts[name] = change(old)
    np.savez(path, **parts)


ALTERATIONS = {  # of a block, and a word of the reason
    'values': (lambda block: rewrite(block, payoffs=lambda payoffs: np.add(payoffs, [3, -1, -1, -1])), 'contents'),
    'another number': (lambda block: shutil.copy(block.with_name('000001.npz'), block), 'block 1'),
    'another match': (lambda block: shutil.copy(block.parents[2] / '1/blocks/000000.npz', block), 'another match'),
    'type': (lambda block: rewrite(block, payoffs=lambda payoffs: payoffs.astype(np.float64)), 'contents'),
    'shape': (lambda block: rewrite(block, plies=lambda plies: plies[:-1]), 'contents'),
    'no seal': (lambda block: rewrite(block, seal=None), 'seal'),
    'truncated': (lambda block: block.write_bytes(block.read_bytes()[:-300]), ''),
    'garbage': (lambda block: block.write_bytes(bytes(range(256)) * 40), ''),
    'empty': (lambda block: block.write_bytes(b''), ''),
}


@pytest.mark.parametrize('kind', ALTERATIONS)
def test_an_altered_block_is_named_and_not_used(kept, tmp_path, kind):
    (alter, reason), path = ALTERATIONS[kind], tmp_path / '0/blocks/000000.npz'
    alter(path)
    assert kept[0].load(0) is None
    assert kept[0].load(1) is not None
    (sentence,) = kept[0].replayed
    assert str(path) in sentence
    assert reason in sentence


@pytest.mark.attack('damaged or forged files')
def test_no_damage_to_a_block_is_taken(kept, tmp_path, record_property):
    (store, outcome), path, generator = kept, tmp_path / '0/blocks/000000.npz', np.random.default_rng(1)
    whole = np.frombuffer(path.read_bytes(), np.uint8)
    record_property('tries', 200)
    for _ in range(200):
        data = whole.copy()
        data[generator.integers(0, data.size, 3)] ^= generator.integers(1, 256, 3).astype(np.uint8)
        path.write_bytes(data.tobytes())
        found = store.load(0)
        assert found is None or all(map(np.array_equal, found, outcome))


@pytest.mark.attack('each call of the file system fails')
def test_a_fault_of_any_call_keeps_the_block(kept, monkeypatch, record_property):
    store, outcome = kept
    failures = fail_each(
        monkeypatch, lambda: store.save(0, outcome), lambda: np.testing.assert_equal(store.load(0), outcome)
    )
    record_property('tries', failures)
    assert failures > 3


def test_every_damaged_plan_is_read_or_refused(tmp_path):
    plan = Plan(('a', 'b'), BIG2.seatings(0, 1), Rules(), deals_from_seed(0, 64), 0)
    Store(tmp_path, plan, plan.describe(), resume=False)
    path = tmp_path / 'blocks/plan.json'
    for _, contents in damaged(path.read_bytes()):
        path.write_bytes(contents)
        with suppress(ResumeError):
            Store(tmp_path, plan, plan.describe(), resume=True)


def test_a_damaged_block_is_named_and_played_again(command, out):
    before, kept = tables(out), times(out)
    (out / 'blocks/000001.npz').write_bytes(b'')
    status, said = command('--out', 'out', '--resume')
    assert (status, 'out/blocks/000001.npz' in said.replace('\n', '')) == (0, True)
    assert tables(out) == before
    assert [now == then for now, then in zip(times(out), kept, strict=True)] == [True, False, True]
    assert '000001.npz' not in command('--out', 'out', '--resume')[1]


def test_a_block_that_is_not_a_file_ends_the_match_before_it_is_played(command, out):
    block = out / 'blocks/000001.npz'
    block.unlink()
    os.mkfifo(block)
    kept = times(out)
    status, said = command('--out', 'out', '--resume', deals=300)
    assert (status, 'out/blocks/000001.npz' in said) == (1, True)
    assert times(out) == kept


# Locks


def test_the_second_of_two_matches_with_one_folder_is_refused(command, tmp_path, monkeypatch):
    """The lock is held while games are played and reported, not only while the folder is looked at."""
    with locked(tmp_path / 'out'):
        for more in ((), ('--resume',)):
            status, said = command('--out', 'out', *more)
            assert (status, str(os.getpid()) in said) == (1, True)
    tries, publish = [], MatchResult.publish

    def watched(result, figures):
        with pytest.raises(ValueError, match=str(os.getpid())), locked(tmp_path / 'out'):
            pass
        tries.append(publish(result, figures))

    monkeypatch.setattr(MatchResult, 'publish', watched)
    assert command('--out', 'out')[0] == 0
    assert tries


# Folders that are taken


@pytest.mark.parametrize('rest', ['all', 'blocks', 'report.json'])
def test_a_folder_that_is_taken_is_left_as_it_is(command, out, rest):
    if rest == 'blocks':
        (out / 'report.json').unlink()
    if rest == 'report.json':
        shutil.rmtree(out / 'blocks')
    before = {path: path.read_bytes() for path in out.rglob('*') if path.is_file() and path.name != 'lock'}
    for more in ((), ('--seed', 1), *[('--resume',)] * (rest == 'report.json')):
        status, said = command('--out', 'out', *more)
        assert (status, 'resume' in said) == (1, True)
    assert before == {path: path.read_bytes() for path in before}


def test_folders_by_default_tell_matches_apart_and_are_numbered(command, tmp_path):
    saved, close = tmp_path / 'deals.npz', 'greedy,epsilon=0.' + '0' * 120
    different = [
        {'words': ('--save-deals', saved)}, {'agents': ('random', 'greedy')}, {'kind': 'tournament'}, {'deals': 3},
        {'words': ('--seed', 1)}, {'words': ('--rules', 'hkust')}, {'words': ('--deals-file', saved, '--seed', 2)},
        {'agents': (close + '1', 'random')}, {'agents': (close + '2', 'random')},
    ]  # fmt: skip
    names = []
    for number, question in enumerate(different, 1):
        assert command(*question.pop('words', ()), **{'deals': 2, **question})[0] == 0
        names += set(os.listdir('runs/eval')) - set(names)
        assert len(names) == number
    assert all(name[-2:] != '-2' for name in names)
    assert max(map(len, names)) < 130
    assert command(deals=2)[0] == 0
    again = tmp_path / f'runs/eval/{names[0]}-2'
    stamp = times(again)
    assert command('--resume', deals=2)[0] == 0
    assert len(os.listdir('runs/eval')) == len(different) + 1
    assert times(again) == stamp


@pytest.mark.parametrize('deals', [131, 300])
def test_deals_are_added_to_a_finished_match(command, out, deals):
    kept = times(out)
    assert command('--out', 'out', '--resume', deals=deals)[0] == 0
    assert times(out)[:2] == kept[:2]
    assert command('--out', 'whole', deals=deals)[0] == 0
    assert tables(out) == tables(out.parent / 'whole')
    assert report(out)['deals_played'] == deals
    status, said = command('--out', 'out', '--resume')
    assert (status, str(deals) in said) == (1, True)
