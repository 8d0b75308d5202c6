"""The ladder as users run it: sealed deals, resumption, new agents, broken programs, and what is refused."""

import csv
import json
import sys
from hashlib import sha256

import pytest

from tests.support.helpers import report

BROKEN = """
import sys
for line in sys.stdin:
    if 'actions' in line:
        print('{"move": "9x"}', flush=True)
"""


@pytest.fixture
def ladder(command, tmp_path, monkeypatch):
    """Make a folder with two agents; return a function that plays it, without figures unless they are named."""
    monkeypatch.chdir(tmp_path)
    add(tmp_path, 'greedy', 'greedy')
    add(tmp_path, 'random', 'random')
    words = ('ladder', tmp_path / 'agents', '--workers', 1, '--figures')
    return lambda *more, figures=(): command(*words, *figures, *more)


def add(tmp_path, name, agent, **more):
    (tmp_path / 'agents').mkdir(exist_ok=True)
    about = {'name': name, 'agent': agent, 'author': 'A. B.', **more}
    (tmp_path / f'agents/{name}.json').write_text(json.dumps(about))


def times(results):
    return {path: path.stat().st_mtime_ns for path in results.rglob('*.npz')}


def sections(results):
    return {table['title']: table['rows'] for table in report(results)['tables']}


@pytest.mark.slow
def test_new_agents_join_while_the_deals_are_sealed(ladder, command, evaluate, tmp_path):
    results = tmp_path / 'agents/results'
    words = ('--deals', 2, '--rules', 'hkust', 'charlesworth')
    assert ladder(*words, '--keep-sealed')[0] == 0
    terms, seed = json.loads((results / 'ladder.json').read_text()), (results / 'secret').read_text()
    assert (terms['seed'], terms['sha256']) == ('', sha256(seed.encode()).hexdigest())
    assert [path.name for path in results.rglob('*') if path.is_file() and seed.encode() in path.read_bytes()] == [
        'secret'
    ]
    before, kept = sections(results), times(results)

    bot = tmp_path / 'bot.py'
    bot.write_text(BROKEN)
    add(tmp_path, 'broken', f'program:{sys.executable} {bot}', files={str(bot): sha256(BROKEN.encode()).hexdigest()})
    status, said = ladder(*words)
    assert (status, '--resume' in said) == (1, True)
    assert ladder('--resume', figures=('png',))[0] == 0
    assert json.loads((results / 'ladder.json').read_text())['seed'] == seed
    assert not (results / 'secret').exists()
    assert len(times(results)) == 3 * len(kept)
    assert times(results).items() >= kept.items()

    found = sections(results)
    duels, twos = (
        next(rows for title, rows in found.items() if words in title and 'charlesworth' in title)
        for words in ('three of', 'two against two')
    )
    alone, field = duels['greedy']['random'], duels['random']['greedy']
    assert found['score of the row, charlesworth']['greedy']['random']['mean'] == pytest.approx(
        (alone['mean'] - field['mean'] + 3 * twos['greedy']['random']['mean']) / 7
    )
    for title in ('score of the row, hkust', 'score of the row, all rules'):
        assert found[title]['greedy']['random'] == before[title]['greedy']['random']
    assert list(found['ranking, all rules']) == ['greedy', 'random', 'broken']
    (match,) = evaluate('match', 'greedy', 'random', '--deals', 2, '--seed', seed)
    assert match['rows']['all seats']['EV'] == alone, 'anyone can play the deals now'

    with (results / 'report.csv').open(newline='') as file:
        cells = [row for row in csv.DictReader(file) if row['table'] == 'score of the row, hkust']
    assert len(cells) == 6
    agents = {row[0]: row for row in report(results)['listings'][0]['rows']}
    moves = agents['broken'][4]
    assert agents['broken'][5] == f'illegal move {moves}', 'none was legal'
    assert agents['greedy'][5] == 'none'
    assert float(agents['broken'][3]) > float(agents['greedy'][3]) > 0
    assert '![matrix](matrix.png)' in (results / 'report.md').read_text()
    assert min((results / f'{name}.png').stat().st_size for name in ('matrix', 'ranking')) > 5000

    next(iter(kept)).unlink()
    add(tmp_path, 'late', 'rule')
    assert ladder('--resume')[0] == 0
    assert (
        sections(results)['score of the row, hkust']['greedy']['random']
        == found['score of the row, hkust']['greedy']['random']
    )
    assert any('joined: late' in note for note in report(results)['notes'])

    bot.write_text(BROKEN + '# changed')
    status, said = ladder('--resume')
    assert (status, str(bot) in said) == (1, True)
    add(tmp_path, 'broken', f'program:{sys.executable} {bot}')
    status, said = ladder('--resume')
    assert (status, 'agent_sources' in said) == (1, True)


def test_teams_have_a_ladder(ladder, tmp_path):
    (tmp_path / 'agents/greedy.json').unlink()
    add(tmp_path, 'pass', 'pass')
    assert ladder('--deals', 3)[0] == 0
    found = sections(tmp_path / 'agents/results')
    assert found['score of the row, paper'] == found['score difference of the row against two of the column, paper']
    assert next(iter(found)) == 'ranking, paper'
    (tmp_path / 'agents/pass.json').unlink()
    add(tmp_path, 'rule', 'rule')
    assert ladder('--resume')[0] == 0, 'neither agent names the game'


def test_deals_are_added_while_they_are_sealed(ladder, tmp_path):
    results, words = tmp_path / 'agents/results', ('--rules', 'hkust', '--resume', '--deals')
    assert ladder(*words, 2, '--keep-sealed')[0] == 0
    sealed = json.loads((results / 'ladder.json').read_text())
    assert ladder(*words, 3)[0] == 0
    terms = json.loads((results / 'ladder.json').read_text())
    assert (terms['deals'], terms['sha256']) == (3, sealed['sha256'])
    assert report(results)['notes'][0].startswith('3 deals')
    assert ladder(*words, 2)[0] == 1
    status, said = ladder(*words, 4)
    assert (status, '3, not 4' in said) == (1, True), 'anyone can know the fourth deal'


def test_another_ladder_is_refused(ladder, tmp_path):
    results = tmp_path / 'agents/results'
    assert ladder('--deals', 2, '--rules', 'hkust')[0] == 0
    for words, named in (
        (('--deals', 3), '2, not 3'),
        (('--rules', 'hkust', 'taiwan'), 'hkust taiwan'),
        (('--rules', 'vegas'), 'vegas'),
        (('--rules', 'hkust', 'hkust'), 'hkust hkust'),
        (('--game', 'catch5'), "'greedy' plays Big 2"),
    ):
        status, said = ladder('--resume', *words)
        assert (status, named in said) == (1, True), said
    (results / 'ladder.json').unlink()
    status, said = ladder('--resume')
    assert (status, 'ladder.json' in said) == (1, True)


def test_an_unknown_agent_is_named_and_a_seal_without_games_kept(ladder, tmp_path):
    add(tmp_path, 'odd', 'gredy')
    status, said = ladder('--deals', 2)
    assert (status, "'gredy'" in said) == (1, True)
    terms = (tmp_path / 'agents/results/ladder.json').read_text()
    ladder('--deals', 2)
    assert (tmp_path / 'agents/results/ladder.json').read_text() == terms
    ladder('--deals', 3)
    assert (tmp_path / 'agents/results/ladder.json').read_text() != terms
