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
from rlcard_big2.agents.base import GreedyAgent
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.models import WEIGHTS
from rlcard_big2.rules import Rules
from rlcard_kit.duplicate.block import play_block
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.files import checksum, locked
from tests.support.damage import damaged
from tests.support.faults import fail_each
from tests.support.helpers import report, tables


@pytest.fixture
def match(command, monkeypatch, tmp_path):
    """Run a match in this process, in a folder of its own; return its exit status and all that it prints."""
    monkeypatch.chdir(tmp_path)

    def run(*words, agents=('greedy', 'random'), kind='match', deals=130):
        return command(kind, *agents, '--deals', deals, '--workers', '1', *words)

    return run


@pytest.fixture
def out(match, tmp_path):
    """Play a match of 130 deals, three blocks; return its folder."""
    assert match('--out', 'out')[0] == 0
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


def test_a_damaged_block_is_named_and_played_again(match, out):
    before, kept = tables(out), times(out)
    (out / 'blocks/000001.npz').write_bytes(b'')
    status, said = match('--out', 'out', '--resume')
    assert (status, 'out/blocks/000001.npz' in said.replace('\n', '')) == (0, True)
    assert tables(out) == before
    assert [now == then for now, then in zip(times(out), kept, strict=True)] == [True, False, True]
    assert '000001.npz' not in match('--out', 'out', '--resume')[1]


def test_a_block_that_is_not_a_file_ends_the_match_before_it_is_played(match, out):
    block = out / 'blocks/000001.npz'
    block.unlink()
    os.mkfifo(block)
    kept = times(out)
    status, said = match('--out', 'out', '--resume', deals=300)
    assert (status, 'out/blocks/000001.npz' in said) == (1, True)
    assert times(out) == kept


# Locks


def test_the_second_of_two_matches_with_one_folder_is_refused(match, tmp_path, monkeypatch):
    """The lock is held while games are played and reported, not only while the folder is looked at."""
    with locked(tmp_path / 'out'):
        for more in ((), ('--resume',)):
            status, said = match('--out', 'out', *more)
            assert (status, str(os.getpid()) in said) == (1, True)
    tries, publish = [], MatchResult.publish

    def watched(*arguments):
        with pytest.raises(ValueError, match=str(os.getpid())), locked(tmp_path / 'out'):
            pass
        tries.append(publish(*arguments))

    monkeypatch.setattr(MatchResult, 'publish', watched)
    assert match('--out', 'out')[0] == 0
    assert tries


# Folders that are taken


@pytest.mark.parametrize('rest', ['all', 'blocks', 'report.json'])
def test_a_folder_that_is_taken_is_left_as_it_is(match, out, rest):
    if rest == 'blocks':
        (out / 'report.json').unlink()
    if rest == 'report.json':
        shutil.rmtree(out / 'blocks')
    before = {path: path.read_bytes() for path in out.rglob('*') if path.is_file() and path.name != 'lock'}
    for more in ((), ('--seed', 1), *[('--resume',)] * (rest == 'report.json')):
        status, said = match('--out', 'out', *more)
        assert (status, 'resume' in said) == (1, True)
    assert before == {path: path.read_bytes() for path in before}


def test_folders_by_default_tell_matches_apart_and_are_numbered(match, tmp_path):
    saved, close = tmp_path / 'deals.npz', 'greedy,epsilon=0.' + '0' * 120
    different = [
        {'words': ('--save-deals', saved)}, {'agents': ('random', 'greedy')}, {'kind': 'tournament'}, {'deals': 3},
        {'words': ('--seed', 1)}, {'words': ('--rules', 'hkust')}, {'words': ('--deals-file', saved, '--seed', 2)},
        {'agents': (close + '1', 'random')}, {'agents': (close + '2', 'random')},
    ]  # fmt: skip
    names = []
    for number, question in enumerate(different, 1):
        assert match(*question.pop('words', ()), **{'deals': 2, **question})[0] == 0
        names += set(os.listdir('runs/eval')) - set(names)
        assert len(names) == number
    assert all(name[-2:] != '-2' for name in names)
    assert max(map(len, names)) < 130
    assert match(deals=2)[0] == 0
    again = tmp_path / f'runs/eval/{names[0]}-2'
    stamp = times(again)
    assert match('--resume', deals=2)[0] == 0
    assert len(os.listdir('runs/eval')) == len(different) + 1
    assert times(again) == stamp


@pytest.mark.parametrize('deals', [131, 300])
def test_deals_are_added_to_a_finished_match(match, out, deals):
    kept = times(out)
    assert match('--out', 'out', '--resume', deals=deals)[0] == 0
    assert times(out)[:2] == kept[:2]
    assert match('--out', 'whole', deals=deals)[0] == 0
    assert tables(out) == tables(out.parent / 'whole')
    assert report(out)['deals_played'] == deals
    status, said = match('--out', 'out', '--resume')
    assert (status, str(deals) in said) == (1, True)


# Games as records


@pytest.fixture
def play(command, tmp_path):
    """Play a match, in folder `a` by default, and record it; return its report and all games in the file."""

    def run(*options, agents=('greedy', 'random'), deals=6, file=tmp_path / 'new/games', out='a'):
        words = ('match', *agents, '--deals', deals, '--out', tmp_path / out, '--workers', 1, *options)
        status, said = command(*words, *(('--record', file) if file else ()))
        assert status == 0, said
        return report(tmp_path / out), records.read(file) if file else []

    return run


def ev_of(games, name):
    """Return the mean payoff of the only seat of that name."""
    seats = [[seat['name'] for seat in game.seats] for game in games]
    assert all(names.count(name) == 1 for names in seats)
    return np.mean([game.payoffs[names.index(name)] for game, names in zip(games, seats, strict=True)])


def test_records_equal_the_table(play):
    found, games = play('--seed', 3, deals=70)
    assert len(games) == len({game.extra['id'] for game in games}) == 4 * 70
    assert {game.hands for game in games} == {tuple(deal) for deal in deals_from_seed(3, 70).tolist()}
    total = found['tables'][0]['rows']['all seats']
    assert ev_of(games, 'greedy') == pytest.approx(total['EV']['mean'])
    assert np.mean([len(game.moves) for game in games]) == pytest.approx(total['length']['mean'])


def test_no_game_is_recorded_twice(play, tmp_path):
    file = tmp_path / 'new/games'
    games = play('--rules', 'taiwan')[1]
    file.write_bytes(b''.join(file.read_bytes().splitlines(keepends=True)[:10]))  # as if interrupted
    assert play('--rules', 'taiwan', '--resume')[1] == games
    more = play('--rules', 'taiwan', '--resume', deals=70)[1]
    assert more[: len(games)] == games
    assert len({game.extra['id'] for game in more}) == len(more) == 4 * 70
    assert play('--rules', 'taiwan', '--seed', 1, out='b')[1][: len(more)] == more


def test_blocks_that_were_finished_without_moves_are_played_again(play):
    plain, _ = play(file=None)
    recorded, games = play('--resume')
    assert plain['tables'] == recorded['tables']
    assert len(games) == 24


def test_weights_are_named(play):
    agents = (f'dmc:{WEIGHTS / "dmc"},numpy', 'rule')
    seats = {seat['name']: seat for game in play(agents=agents, deals=2)[1] for seat in game.seats}
    assert set(seats) == set(agents)
    assert seats[agents[0]]['weights'] == f'sha256:{checksum(WEIGHTS / "dmc/network.safetensors")}'
    assert 'weights' not in seats['rule']


def test_a_file_of_something_else_is_refused(command, tmp_path):
    notes, words = tmp_path / 'notes.txt', ('match', 'greedy', 'random', '--deals', 2, '--workers', 1)
    notes.write_text('not games\n')
    status, said = command(*words, '--record', notes, '--out', tmp_path)
    assert (status, 'line 1' in said) == (1, True)
    assert notes.read_text() == 'not games\n'
