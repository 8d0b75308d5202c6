"""The commands as users run them: output, files, and the same numbers however games are played."""

import csv
import json
import os
import random
from contextlib import closing
from functools import partial

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from dmc.config import Config
from eval.commands.match import deals_needed
from eval.commands.tournament import differences, payoffs_by_agent, ranking
from eval.games import GAMES
from eval.plan import Plan
from eval.players import Players
from eval.runner import play_blocks, play_until
from eval.store import Store
from eval.workers import Pool
from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.duplicate import play_match
from rlcard_big2.duplicate.deals import deals_from_seed, save_deals
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.models import WEIGHTS
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.rules import PRESETS, Rules
from tests.support.helpers import SMALL_SPEC, report, tables
from training.checkpoint import save_checkpoint

mixed_tables = GAMES['big2'].mixed_tables


class Drawing:
    """An agent of RLCard's protocol that draws from the global generators."""

    use_raw = False

    def eval_step(self, state):
        actions = list(state['legal_actions'])
        return actions[(random.randrange(len(actions)) + np.random.randint(len(actions))) % len(actions)], {}


DRAWING = f'python:{__name__}:Drawing'


@pytest.fixture
def run_folder(tmp_path):
    """Make the folder of a run with three checkpoints."""
    for frames in (0, 250_000, 1_500_000):
        folder = tmp_path / 'run/checkpoints' / f'{frames:012d}'
        save_checkpoint(folder, Config.of(hidden_size=16, lstm_size=8), ValueNetwork(SMALL_SPEC), frames)
    return tmp_path / 'run'


def plan_of(*names, seats=None, deals=200, seed=3):
    seats = BIG2.seatings(0, 1) if seats is None else seats
    return Plan(names, seats, Rules(), deals_from_seed(seed, deals), seed)


def play(plan, folder, workers):
    with closing(Pool(partial(Players, plan))) as pool:
        blocks = play_blocks(plan, pool, Store(folder, plan, plan.describe(), False), workers)
        return play_until(blocks, None, lambda played, total: None)


# The same numbers, however they are played


@pytest.mark.parametrize(('field', 'numbers'), [('greedy', (2, 3)), (DRAWING, (2,))])
def test_the_number_of_workers_changes_nothing(tmp_path, field, numbers):
    plan = plan_of('random', field, deals=130)
    alone = play(plan, tmp_path / 'alone', 1)
    for workers in numbers:
        together = play(plan, tmp_path / str(workers), workers)
        assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


def test_the_command_plays_the_match_of_the_library(command, tmp_path):
    assert command('match', 'greedy', 'random', '--deals', 100, '--seed', 4, '--out', tmp_path)[0] == 0
    ev = play_match(GreedyAgent(), RandomAgent(), 100, seed=4).ev
    assert tables(tmp_path)[0]['rows']['all seats']['EV'] == {'mean': ev.mean, 'margin': ev.margin}


def test_saved_deals_are_played(command, tmp_path):
    words = ('match', 'greedy', 'random', '--workers', 1, '--deals', 70)
    assert command(*words, '--save-deals', tmp_path / 'deals.npz', '--out', tmp_path / 'a')[0] == 0
    words = ('match', 'greedy', 'random', '--workers', 1, '--deals-file', tmp_path / 'deals.npz')
    assert command(*words, '--out', tmp_path / 'b')[0] == 0
    assert tables(tmp_path / 'a') == tables(tmp_path / 'b')
    status, said = command(*words, '--deals', 71)
    assert status == 1
    assert '70' in said


# --precision and --paired


def test_precision_stops_at_the_first_check_that_is_narrow_enough(command, tmp_path):
    words = ('match', 'greedy', 'random', '--precision', 0.25, '--seed', 2)
    for workers in (1, 2):
        assert command(*words, '--workers', workers, '--out', tmp_path / str(workers))[0] == 0
    assert tables(tmp_path / '1') == tables(tmp_path / '2')
    played = report(tmp_path / '1')['deals_played']
    margins = {
        deals: play_match(GreedyAgent(), RandomAgent(), deals, seed=2).ev.margin
        for deals in range(512, played + 1, 512)
    }
    assert played % 512 == 0
    assert [deals for deals, margin in margins.items() if margin <= 0.25] == [played]
    words = ('match', 'greedy', 'random', '--precision', 0.001, '--deals', 600, '--workers', 1, '--out', tmp_path / '3')
    assert command(*words)[0] == 0
    assert report(tmp_path / '3')['deals_played'] == 600


def test_the_deals_that_a_precision_needs_are_estimated(tmp_path):
    outcome = play(plan_of('greedy', 'random'), tmp_path, 1)
    evs = outcome.payoffs[:, range(4), range(4)].mean(axis=1)
    margin = play_match(GreedyAgent(), RandomAgent(), 200, seed=3).ev.margin
    assert deals_needed(evs, margin / 2) in (800, 801)
    assert deals_needed(evs, margin) == 200


@pytest.mark.parametrize('other', ['greedy,epsilon=0.05', DRAWING])
def test_pairs_are_compared_on_the_numbers_of_their_matches(command, tmp_path, other):
    shared = ('--deals', 70 if other == DRAWING else 300, '--seed', 9, '--workers', 1)
    assert command('match', 'random', '--paired', 'greedy', other, *shared, '--out', tmp_path / 'p')[0] == 0
    assert command('match', 'greedy', 'random', *shared, '--out', tmp_path / 'a')[0] == 0
    assert command('match', other, 'random', *shared, '--out', tmp_path / 'b')[0] == 0
    first, second, paired = tables(tmp_path / 'p')
    assert first == tables(tmp_path / 'a')[0]
    assert second == tables(tmp_path / 'b')[0]
    rows = paired['rows']
    assert rows['greedy'] == first['rows']['all seats']
    assert rows['difference']['EV']['mean'] == pytest.approx(rows['greedy']['EV']['mean'] - rows[other]['EV']['mean'])
    if other != DRAWING:
        assert rows['difference']['EV']['margin'] < 0.7 * min(rows[name]['EV']['margin'] for name in ('greedy', other))


# --resume


@pytest.fixture
def finished(command, tmp_path):
    """Play a match, and return its words with --out."""
    network = tmp_path / 'run'
    save_checkpoint(network, Config.of(hidden_size=16, lstm_size=8), ValueNetwork(SMALL_SPEC), 100)
    words = ('match', f'dmc:{network}', 'greedy', '--deals', 130, '--workers', 1, '--out', tmp_path / 'out')
    assert command(*words)[0] == 0
    return words


def test_another_match_is_not_resumed(command, finished, tmp_path):
    save_deals(tmp_path / 'deals', np.roll(deals_from_seed(0, 130), 1, axis=0))
    for key, more in {
        'seed': ('--seed', 1), 'rules': ('--rules', 'hkust'), '129': ('--deals', 129),
        'deals': ('--deals-file', tmp_path / 'deals'),
    }.items():  # fmt: skip
        status, said = command(*finished, '--resume', *more)
        assert (status, key in said) == (1, True), said
    status, said = command(*(word if word != 'greedy' else 'random' for word in finished), '--resume')
    assert (status, 'agents' in said) == (1, True)
    weights = load_file(tmp_path / 'run/network.safetensors')
    save_file({name: weight + 1 for name, weight in weights.items()}, tmp_path / 'run/network.safetensors')
    status, said = command(*finished, '--resume')
    assert (status, 'weights' in said) == (1, True)
    plan = tmp_path / 'out/blocks/plan.json'
    plan.write_text(plan.read_text().replace('"game": "big2"', '"game": "catch5"'))
    status, said = command(*finished, '--resume')
    assert (status, 'catch5' in said) == (1, True)


def test_a_resumed_match_names_all_sources_that_played_it(command, finished, tmp_path):
    plan = tmp_path / 'out/blocks/plan.json'
    stored = json.loads(plan.read_text())
    plan.write_text(json.dumps({**stored, 'sources': ['earlier']}))
    assert command(*finished, '--resume')[0] == 0
    assert report(tmp_path / 'out')['sources'] == ['earlier', *stored['sources']]


def test_a_report_names_the_rules_that_an_agent_was_trained_on(command, tmp_path):
    agent = f'dmc:{WEIGHTS / "dmc"},numpy'
    words = ('match', agent, 'greedy', '--deals', 2, '--workers', 1, '--rules', 'taiwan')
    assert command(*words, '--out', tmp_path)[0] == 0
    assert any(agent in note and 'charlesworth' in note for note in report(tmp_path)['notes'])
    assert report(tmp_path)['trained_on'] == {agent: 'charlesworth'}


# Tournament


def test_a_tournament_has_the_numbers_of_its_matches(command, tmp_path):
    names = ('greedy', 'random', 'greedy,epsilon=0.3')
    shared = ('--deals', 70, '--seed', 6, '--workers', 1, '--rules', 'hong-kong')
    status, said = command('tournament', *names, *shared, '--out', tmp_path / 't')
    assert status == 0
    matrix, mixed = tables(tmp_path / 't')
    for name in names:
        for field in names:
            if name == field:
                assert field not in matrix['rows'][name]
                continue
            out = tmp_path / f'{name} {field}'
            assert command('match', name, field, *shared, '--out', out)[0] == 0
            assert matrix['rows'][name][field] == tables(out)[0]['rows']['all seats']['EV']
    assert list(mixed['rows']) == ['greedy', 'greedy,epsilon=0.3', 'random']
    assert 'greedy is better than random: ' in said
    assert {'report.json', 'report.md', 'report.png'} <= set(os.listdir(tmp_path / 't'))


def test_tables_of_four_agents_come_in_all_seatings():
    assert len(mixed_tables(4)) == 24
    assert sorted(map(tuple, mixed_tables(5))) == sorted(set(map(tuple, mixed_tables(5))))
    assert len(mixed_tables(5)) == 5 * 24
    for count in (2, 3):
        seats = mixed_tables(count)
        assert all(len((seats == agent).nonzero()[0]) == seats.size / count for agent in range(count))


def test_the_ranking_follows_what_was_won():
    tables_played = mixed_tables(4)
    strength = np.array([5, -9, 1, 3])
    payoffs = np.tile(strength[tables_played], (20, 1, 1))
    section = ranking(('a', 'b', 'c', 'd'), tables_played, payoffs, 'mixed tables', 'EV')
    assert [row.name for row in section.rows] == ['a', 'd', 'c', 'b']
    skills = [row.cells[0].mean for row in section.rows]
    assert skills == sorted(skills, reverse=True)
    assert [row.cells[1].mean for row in section.rows] == [5, 3, 1, -9]
    assert payoffs_by_agent(4, tables_played, payoffs)[0].tolist() == [5, -9, 1, 3]


def test_comparisons_of_many_agents_are_corrected_for_their_number():
    names, tables_played = ('a', 'b', 'c', 'd'), mixed_tables(4)
    payoffs = np.random.default_rng(0).normal(0.0, 1.0, (400, 24, 4))
    payoffs -= payoffs.mean(axis=2, keepdims=True)
    pairs = differences(names, tables_played, payoffs, 'cards a game')
    assert len(pairs) == 6
    assert not any('better' in sentence for sentence in pairs)
    shifted = payoffs + np.where(tables_played == 2, 1.0, -1 / 3)
    better = [sentence for sentence in differences(names, tables_played, shifted, '') if 'better' in sentence]
    assert sorted((sentence[0], sentence.partition(':')[0][-1]) for sentence in better) == [('c', x) for x in 'abd']


# Curve


LABELS = ['000000000000', '000000250000', '000001500000']


def rows_of(file):
    with file.open(newline='') as opened:
        return list(csv.DictReader(opened))


def test_a_curve_is_written_as_csv_and_png(command, run_folder, tmp_path):
    (run_folder / 'checkpoints/best').mkdir()
    words = ('curve', run_folder, '--against', 'random', 'greedy', '--deals', 10, '--workers', 1)
    assert command(*words, '--out', tmp_path / 'out')[0] == 0
    rows = rows_of(tmp_path / 'out/curve.csv')
    assert [(int(row['frames']), row['opponent']) for row in rows] == [
        (int(label), opponent) for label in LABELS for opponent in [*LABELS, 'random', 'greedy'] if opponent != label
    ]
    assert min((tmp_path / f'out/{name}.png').stat().st_size for name in ('curve', 'final')) > 5000
    fixed, other = (table['rows'][LABELS[0]] for table in tables(tmp_path / 'out'))
    assert list(fixed) == ['random', 'greedy', 'other checkpoints']
    assert float(rows[2]['ev']) == fixed['random']['mean']
    assert float(rows[0]['ev']) == other[LABELS[1]]['mean']
    both = [other[label]['mean'] for label in LABELS[1:]]
    assert fixed['other checkpoints']['mean'] == pytest.approx(np.mean(both))
    assert [len(weights) for weights in report(tmp_path / 'out')['weights'].values()] == [64, 64, 64, 4, 4]


@pytest.mark.parametrize(
    ('words', 'points'),  # minutes and opponents
    [
        (('--points', 2, '--others', 'none'), [(1.0, 'random'), (2.0, 'random')]),
        (('--points', 1), [(2.0, 'random')]),
        (('--others', 'none'), [(1.0, 'random'), (1.5, 'random'), (2.0, 'random')]),
        (
            ('--others', 'last', '--options', 'epsilon=0.5'),
            [(1.0, 'random'), (1.5, 'random'), (2.0, LABELS[0]), (2.0, LABELS[1]), (2.0, 'random')],
        ),
    ],
)
def test_a_curve_has_the_points_that_are_asked_for(command, run_folder, tmp_path, words, points):
    (run_folder / 'metrics.csv').write_text('seconds,frames\n60,0\n120,500000\n')
    shared = ('curve', run_folder, '--against', 'random', '--deals', 4, '--workers', 1, '--out', tmp_path / 'out')
    assert command(*shared, *words)[0] == 0
    rows = rows_of(tmp_path / 'out/curve.csv')
    assert [(float(row['minutes']), row['opponent']) for row in rows] == points
    fixed, *others = tables(tmp_path / 'out')
    assert list(fixed['rows']) == list(dict.fromkeys(f'{int(row["frames"]):012d}' for row in rows))
    assert bool(others) == ('none' not in words) == (tmp_path / 'out/final.png').exists()
    agents = report(tmp_path / 'out')['agents'][:-1]
    assert all(name.endswith(',epsilon=0.5') == ('--options' in words) for name in agents)


def test_settings_of_checkpoints_name_the_agent(command, run_folder):
    for settings in (run_folder / 'checkpoints').glob('*/settings.json'):
        settings.write_text(settings.read_text().replace('"agent": "dmc"', '"agent": "chess"'))
    words = ('curve', run_folder, '--deals', 4, '--workers', 1)
    assert "'chess:" in command(*words)[1]
    settings.write_text('{}')
    assert 'settings.json' in command(*words)[1]
    assert '--against' in command(*words, '--others', 'none', '--against')[1]


# Reports


def test_a_report_has_its_provenance(command, finished, tmp_path):
    parts = report(tmp_path / 'out')
    assert parts['command'] == 'python -m eval ' + ' '.join(map(str, finished))
    assert parts['agents'] == list(parts['weights']) == [finished[1], 'greedy']
    assert (parts['seed'], parts['deals_played'], parts['game']) == (0, 130, 'big2')
    assert parts['rules']['straights'] == '9TJ'
    assert {'python', 'numpy', 'rlcard-big2', 'torch'} <= set(parts['versions'])
    assert [len(weights) for weights in parts['weights'].values()] == [64, len('none')]
    assert [len(sources) for sources in parts['sources']] == [64]
    assert {'system', 'processor', 'cores', 'features'} == set(parts['machine'])
    assert (tmp_path / 'out/report.tex').read_text().startswith('\\begin{table}')
    text = (tmp_path / 'out/report.md').read_text()
    for value in (parts['command'], parts['weights'][finished[1]], '| all seats | ', parts['versions']['numpy']):
        assert value in text
    assert (tmp_path / 'out/report.png').stat().st_size > 5000


# Help and errors


@pytest.mark.parametrize(
    ('name', 'agents'), [('match', 'A B'), ('tournament', 'A B ...'), ('curve', 'RUN'), ('explain', 'A B')]
)
def test_help_lists_agents_rules_and_examples(command, name, agents):
    status, said = command(name, '--help')
    assert status == 0
    for words in ('published-ppo:FILE', 'dmc:FOLDER', 'python:MODULE:FACTORY', 'epsilon=0.05', f'  {name} ', *PRESETS):
        assert words in said
    assert f' {agents}\n' in said
    assert said.index(' --rules ') < said.index(' --workers ') < said.index(' --label ')
    assert f' {name} ' in command('--help')[1]


@pytest.mark.parametrize(
    ('words', 'answer'),
    [
        (('match', 'greedy', 'random', '--dealz', '5'), '--deals'),
        (('match',), 'match A B'),
        (('match', 'greedy'), 'match A B'),
        (('match', 'greedy', 'random', '--paired', 'rule', 'random'), 'FIELD --paired A1 A2'),
        (('match', 'greedy', 'gredy'), "'greedy'"),
        (('match', 'greedy', 'random', '--precision', '0'), 'precision=0.0'),
        (('match', 'greedy', 'random', '--deals', '1'), 'deals=1'),
        (('match', 'greedy', 'random', '--deals', '100000000'), 'deals=100000000'),
        (('match', 'greedy', 'random', '--workers', '0'), 'workers=0'),
        (('match', 'greedy', 'random', '--seed', '-1'), 'seed=-1'),
        (('match', 'greedy', 'random', '--seconds', 'nan'), 'seconds=nan'),
        (('match', 'greedy', 'random', '--deals-file', 'no-such-file'), 'no-such-file'),
        (('match', 'greedy', 'random', '--save-deals', '/dev/null/deals'), '/dev/null'),
        (('match', 'greedy', 'random', '--out', '/dev/null'), '/dev/null'),
        (('tournament', 'greedy'), 'agents=greedy'),
        (('tournament', 'greedy', 'greedy'), 'agents=greedy greedy'),
        (('curve', 'no/such/run'), 'no/such/run/checkpoints'),
        (('match', 'random', 'greedy', '--rules', 'vegas'), 'vegas'),
    ],
)
def test_a_wrong_command_is_answered(command, words, answer):
    status, said = command(*words)
    assert status != 0
    assert answer in said
    assert 'Traceback' not in said


@pytest.mark.parametrize('preset', PRESETS)
def test_every_preset_is_played(command, tmp_path, preset):
    words = ('match', 'random', DRAWING, '--deals', 3, '--workers', 1, '--rules', preset, '--out', tmp_path)
    assert command(*words)[0] == 0


def test_a_part_of_an_outcome_is_that_of_its_seatings(tmp_path):
    seats = np.concatenate([BIG2.seatings(0, 1), BIG2.seatings(1, 0)])
    both = play(plan_of('greedy', 'random', seats=seats, deals=70), tmp_path / 'both', 1)
    one = play(plan_of('greedy', 'random', deals=70), tmp_path / 'one', 1)
    assert np.array_equal(both.of_seatings(slice(0, 4)).payoffs, one.payoffs)
