"""The commands as users run them: output, files, and the same numbers however games are played."""

import csv
import json
import os
import random
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from dmc.config import Config
from eval.commands.curve import CurveOptions
from eval.commands.match import deals_needed
from eval.commands.tournament import differences, payoffs_by_agent, ranking
from eval.games import GAMES
from eval.ladder.ratings import Games
from rlcard_big2.duplicate import play_match
from rlcard_big2.duplicate.deals import deals_from_seed, save_deals
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.models import WEIGHTS
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.rules import PRESETS
from rlcard_catch5.models import WEIGHTS as CATCH5_WEIGHTS
from rlcard_kit.duplicate.match import Match
from rlcard_kit.statistics import estimate
from tests.support.helpers import SMALL_SPEC, report
from tests.support.training import save_network

mixed_tables = GAMES['big2'].mixed_tables
LABELS = ['000000000000', '000000250000', '000001500000']


class Drawing:
    """An agent of RLCard's protocol that draws from the global generators."""

    use_raw = False

    def eval_step(self, state):
        actions = list(state['legal_actions'])
        return actions[(random.randrange(len(actions)) + np.random.randint(len(actions))) % len(actions)], {}


DRAWING = f'python:{__name__}:Drawing'


def save_small(folder, frames):
    save_network(folder, Config.of(hidden_size=16, lstm_size=8), ValueNetwork(SMALL_SPEC), frames)


@pytest.fixture
def run_folder(tmp_path):
    """Make the folder of a run with three checkpoints."""
    for label in LABELS:
        save_small(tmp_path / 'run/checkpoints' / label, int(label))
    return tmp_path / 'run'


# The same numbers, however they are played


@pytest.mark.parametrize(
    ('agents', 'workers'),
    [(('greedy', 'random'), 3), (('random', DRAWING), 1), pytest.param(('random', DRAWING), 2, marks=pytest.mark.slow)],
)
def test_the_command_plays_the_match_of_the_library(evaluate, agents, workers):
    found = evaluate('match', *agents, '--deals', 70, '--seed', 4, workers=workers)
    ev = play_match(*agents, 70, seed=4).ev
    assert found[0]['rows']['all seats']['EV'] == {'mean': ev.mean, 'margin': ev.margin}


def test_saved_deals_are_played(command, evaluate, tmp_path):
    words = ('match', 'greedy', 'random')
    saved = evaluate(*words, '--deals', 70, '--seed', 3, '--save-deals', tmp_path / 'deals.npz')
    words = (*words, '--deals-file', tmp_path / 'deals.npz')
    assert evaluate(*words, '--seed', 3, out='again') == saved
    status, said = command(*words, '--deals', 71)
    assert (status, '70' in said) == (1, True)


def test_precision_stops_at_the_first_check_that_is_narrow_enough(evaluate, tmp_path):
    words = ('match', 'greedy', 'random', '--seed', 2, '--precision')
    assert evaluate(*words, 0.25) == evaluate(*words, 0.25, workers=2, out='two')
    played = report(tmp_path / 'out')['deals_played']
    assert played % 512 == 0
    narrow = [d for d in range(512, played + 1, 512) if play_match(*words[1:3], d, seed=2).ev.margin <= 0.25]
    assert narrow == [played]
    evaluate(*words, 0.001, '--deals', 600, out='limited')
    assert report(tmp_path / 'limited')['deals_played'] == 600


def test_the_deals_that_a_precision_needs_are_estimated():
    values = np.random.default_rng(0).normal(0, 3, 200)
    margin = estimate(values).margin
    assert deals_needed(values, margin / 2) in (800, 801)
    assert deals_needed(values, margin) == 200
    assert deals_needed(np.full(512, -13.0), 0.1) == 513, 'unknown'


def test_a_match_has_the_share_of_games_by_payoff(evaluate, tmp_path):
    evaluate('match', 'greedy', 'random', '--deals', 70, '--seed', 9)
    played = play_match('greedy', 'random', 70, seed=9)
    assert (tmp_path / 'out/payoffs.png').stat().st_size > 5000
    shares = {
        name: {int(row['payoff']): float(row['share']) for row in rows_of(tmp_path / 'out/payoffs.csv', name)}
        for name in ('greedy', 'random')
    }
    for name, mean in (('greedy', played.ev.mean), ('random', -played.ev.mean / 3)):
        assert sum(shares[name].values()) == pytest.approx(1)
        assert sum(payoff * share for payoff, share in shares[name].items()) == pytest.approx(mean)
    won = sum(share for payoff, share in shares['greedy'].items() if payoff > 0)
    assert won == pytest.approx(played.wp.mean)
    (listed,) = report(tmp_path / 'out')['listings']
    assert [row[0] for row in listed['rows']] == ['greedy', 'random']
    assert listed['rows'][0][1:] == [f'{x:g}' for x in np.percentile(played.payoffs, (1, 5, 25, 50, 75, 95, 99))]


def test_games_that_are_all_lost_leave_open_by_how_much():
    shape = 5, 4
    figures = np.zeros((*shape, len(BIG2.figures)), np.int64)
    lost, others = np.full(shape, -13), np.broadcast_to([13, 0, 0], (*shape, 3))
    match = Match(BIG2, np.zeros(shape, bool), lost, others, figures, np.full(shape, 30))
    table = GAMES['big2'].table('lost', ('a', 'b'), match)
    for row in table.rows:
        cells = dict(zip(table.columns, row.cells, strict=True))
        assert cells['WP'] == (0, pytest.approx(0.434, abs=1e-3))
        assert cells['EV'] == (-13, np.inf)
    assert 'WP 0.000 ± 0.434, EV -13.000 ± unknown' in str(match)


def test_pairs_are_compared_on_the_numbers_of_their_matches(evaluate):
    shared = ('--deals', 70, '--seed', 9)
    first, second, paired = evaluate('match', 'random', '--paired', 'greedy', DRAWING, *shared)
    assert first == evaluate('match', 'greedy', 'random', *shared, out='a')[0]
    assert second == evaluate('match', DRAWING, 'random', *shared, out='b')[0]
    evs = {name: row['EV']['mean'] for name, row in paired['rows'].items()}
    assert evs['greedy'] == first['rows']['all seats']['EV']['mean']
    assert evs['difference'] == pytest.approx(evs['greedy'] - evs[DRAWING])


# --resume


@pytest.fixture
def finished(evaluate, tmp_path):
    """Play a match in folder `out`, and return its words with --out."""
    save_small(tmp_path / 'run', 100)
    words = ('match', f'dmc:{tmp_path / "run"}', 'greedy', '--deals', 4)
    evaluate(*words)
    return (*words, '--workers', 1, '--out', tmp_path / 'out')


def test_another_match_is_not_resumed(command, finished, tmp_path):
    save_deals(tmp_path / 'deals', np.roll(deals_from_seed(0, 4), 1, axis=0))

    def refuse(named, *words):
        status, said = command(*words, '--resume')
        assert (status, named in said) == (1, True), said

    refuse('seed', *finished, '--seed', 1)
    refuse('rules', *finished, '--rules', 'hkust')
    refuse('of 4 deals, not of 3', *finished, '--deals', 3)
    refuse('deals', *finished, '--deals-file', tmp_path / 'deals')
    refuse('agents', *(word if word != 'greedy' else 'random' for word in finished))
    weights = load_file(tmp_path / 'run/network.safetensors')
    save_file({name: weight + 1 for name, weight in weights.items()}, tmp_path / 'run/network.safetensors')
    refuse('weights', *finished)
    plan = tmp_path / 'out/blocks/plan.json'
    plan.write_text(plan.read_text().replace('"game": "big2"', '"game": "catch5"'))
    refuse('catch5', *finished)


# Reports


def test_a_report_has_its_provenance(command, finished, tmp_path):
    parts = report(tmp_path / 'out')
    assert parts['command'] == 'python -m eval ' + ' '.join(map(str, finished))
    assert parts['agents'] == list(parts['weights']) == [finished[1], 'greedy']
    assert (parts['seed'], parts['deals_played'], parts['game']) == (0, 4, 'big2')
    assert parts['rules']['straights'] == '9TJ'
    assert {'python', 'numpy', 'rlcard-big2', 'torch'} <= set(parts['versions'])
    assert [len(weights) for weights in parts['weights'].values()] == [64, len('none')]
    assert [len(sources) for sources in parts['sources']] == [64]
    assert parts['machine']['cores'] >= 1
    assert parts['machine']['processor']
    text = (tmp_path / 'out/report.md').read_text()
    for value in (parts['command'], parts['weights'][finished[1]], '| all seats | ', parts['versions']['numpy']):
        assert value in text
    assert (tmp_path / 'out/report.png').stat().st_size > 5000

    plan = tmp_path / 'out/blocks/plan.json'
    plan.write_text(json.dumps({**json.loads(plan.read_text()), 'sources': ['earlier']}))
    assert command(*finished, '--resume')[0] == 0
    assert report(tmp_path / 'out')['sources'] == ['earlier', *parts['sources']], 'all that played it'


def test_a_report_names_the_rules_that_an_agent_was_trained_on(evaluate, tmp_path):
    agent = f'dmc:{WEIGHTS / "dmc"},numpy'
    evaluate('match', agent, 'greedy', '--deals', 2, '--rules', 'taiwan')
    assert any(agent in note and 'charlesworth' in note for note in report(tmp_path / 'out')['notes'])
    assert report(tmp_path / 'out')['trained_on'] == {agent: 'charlesworth'}


# Tournament


def test_a_tournament_has_the_numbers_of_its_matches(evaluate, tmp_path):
    names = ('greedy', 'random', 'greedy,epsilon=0.3')
    shared = ('--deals', 70, '--seed', 6, '--rules', 'hong-kong')
    *matrices, mixed = evaluate('tournament', *names, *shared)
    figures = [matrix['title'].partition(' of the row')[0] for matrix in matrices]
    assert figures == ['WP', 'EV', 'EV next', 'EV across', 'EV prev.']
    for name in names:
        assert list(matrices[0]['rows'][name]) == [other for other in names if other != name]
        for field in matrices[0]['rows'][name]:
            match = evaluate('match', name, field, *shared, out=f'{name} {field}')[0]['rows']['all seats']
            for figure, matrix in zip(figures, matrices, strict=True):
                assert matrix['rows'][name][field] == match[figure]
    assert list(mixed['rows']) == ['greedy', 'greedy,epsilon=0.3', 'random']
    *alone, ranks = evaluate('tournament', *names, *shared, '--no-mixed', out='alone')
    assert [matrix['rows'] for matrix in alone] == [matrix['rows'] for matrix in matrices]
    assert (ranks['title'], list(ranks['rows'])) == ('all matches', list(mixed['rows']))
    assert any(note.startswith('greedy is better than random: ') for note in report(tmp_path / 'out')['notes'])
    assert {'report.json', 'report.md', 'report.png'} <= set(os.listdir(tmp_path / 'out'))


def test_tables_of_four_agents_come_in_all_seatings():
    assert len(mixed_tables(4)) == 24
    assert len(mixed_tables(5)) == len(set(map(tuple, mixed_tables(5)))) == 5 * 24
    for count in (2, 3):
        seats = mixed_tables(count)
        assert all((seats == agent).sum() == seats.size / count for agent in range(count))


def test_the_ranking_follows_what_was_won():
    seats = mixed_tables(4)
    payoffs = np.tile(np.array([5, -9, 1, 3])[seats], (20, 1, 1))
    games = Games.of(4, seats, payoffs == 5)
    section = ranking(('a', 'b', 'c', 'd'), seats, payoffs, games, 'mixed tables', 'EV')
    assert [(row.name, row.cells[1].mean) for row in section.rows] == [('a', 5), ('d', 3), ('c', 1), ('b', -9)]
    first, *others = (row.cells[0].mean for row in section.rows)
    assert first > 0 > others[0] == pytest.approx(others[1]) == pytest.approx(others[2])
    (note,) = games.pool_notes('abcd')
    assert 'pools: a; b; c; d.' in note
    assert payoffs_by_agent(4, seats, payoffs)[0].tolist() == [5, -9, 1, 3]


def test_comparisons_of_many_agents_are_corrected_for_their_number():
    names, seats = ('a', 'b', 'c', 'd'), mixed_tables(4)
    payoffs = np.random.default_rng(0).normal(0.0, 1.0, (400, 24, 4))
    payoffs -= payoffs.mean(axis=2, keepdims=True)
    pairs = differences(names, seats, payoffs, 'cards a game')
    assert len(pairs) == 6
    assert not any('better' in sentence for sentence in pairs)
    shifted = payoffs + np.where(seats == 2, 1.0, -1 / 3)
    better = [sentence for sentence in differences(names, seats, shifted, '') if 'better' in sentence]
    assert sorted((sentence[0], sentence.partition(':')[0][-1]) for sentence in better) == [('c', x) for x in 'abd']


# Curve


def rows_of(file, player=None):
    with file.open(newline='') as opened:
        return [row for row in csv.DictReader(opened) if row.get('player') == player]


def test_a_curve_is_written_as_csv_and_png(evaluate, run_folder, tmp_path):
    (run_folder / 'checkpoints/best').mkdir()
    found = evaluate('curve', run_folder, '--against', 'random', 'greedy', '--deals', 10)
    rows = rows_of(tmp_path / 'out/curve.csv')
    assert [(int(row['frames']), row['opponent']) for row in rows] == [
        (int(label), opponent) for label in LABELS for opponent in [*LABELS, 'random', 'greedy'] if opponent != label
    ]
    assert min((tmp_path / f'out/{name}.png').stat().st_size for name in ('curve', 'final')) > 5000
    fixed, other = (table['rows'][LABELS[0]] for table in found)
    assert list(fixed) == ['random', 'greedy', 'other checkpoints']
    assert float(rows[2]['ev']) == fixed['random']['mean']
    assert float(rows[0]['ev']) == other[LABELS[1]]['mean']
    assert fixed['other checkpoints']['mean'] == pytest.approx(np.mean([other[label]['mean'] for label in LABELS[1:]]))
    assert [len(weights) for weights in report(tmp_path / 'out')['weights'].values()] == [64, 64, 64, 4, 4]


@pytest.mark.parametrize(
    ('words', 'points'),  # minutes and opponents
    [
        (('--points', 2, '--others', 'none'), [(1.0, 'random'), (2.0, 'random')]),
        (('--points', 1), [(2.0, 'random')]),
        (
            ('--others', 'last', '--options', 'epsilon=0.5'),
            [(1.0, 'random'), (1.5, 'random'), (2.0, LABELS[0]), (2.0, LABELS[1]), (2.0, 'random')],
        ),
    ],
)
def test_a_curve_has_the_points_that_are_asked_for(evaluate, run_folder, tmp_path, words, points):
    (run_folder / 'metrics.csv').write_text('seconds,frames\n60,0\n120,500000\n')
    fixed, *others = evaluate('curve', run_folder, '--against', 'random', '--deals', 4, *words)
    rows = rows_of(tmp_path / 'out/curve.csv')
    assert [(float(row['minutes']), row['opponent']) for row in rows] == points
    assert list(fixed['rows']) == list(dict.fromkeys(f'{int(row["frames"]):012d}' for row in rows))
    assert bool(others) == ('none' not in words) == (tmp_path / 'out/final.png').exists()
    agents = report(tmp_path / 'out')['agents'][:-1]
    assert all(name.endswith(',epsilon=0.5') == ('--options' in words) for name in agents)


def test_a_run_that_goes_on_adds_no_points_to_a_curve_that_has_begun(run_folder):
    options = CurveOptions(runs=(run_folder,), points=2, against=('random',))
    pairs, players = options.pairs(), options.players()
    shutil.copytree(run_folder / 'checkpoints' / LABELS[-1], run_folder / 'checkpoints/999999999999')
    assert (options.pairs(), options.players()) == (pairs, players)


def test_settings_of_checkpoints_name_the_agent(command, run_folder):
    for settings in (run_folder / 'checkpoints').glob('*/settings.json'):
        settings.write_text(settings.read_text().replace('"agent": "dmc"', '"agent": "chess"'))
    words = ('curve', run_folder, '--deals', 4, '--workers', 1)
    assert "'chess:" in command(*words)[1]
    settings.write_text('{}')
    assert 'settings.json' in command(*words)[1]
    assert 'against=none' in command(*words, '--others', 'none', '--against')[1]


# Help and errors


def test_help_lists_agents_rules_and_examples(command):
    status, said = command('match', '--help')
    assert status == 0
    for words in ('published-ppo:FILE', 'dmc:FOLDER', 'python:MODULE:FACTORY', 'epsilon=0.05', '  match ', *PRESETS):
        assert words in said
    assert ' A B\n' in said
    assert said.index(' --rules ') < said.index(' --workers ') < said.index(' --label ')
    said = command('--help')[1]
    assert all(f' {name} ' in said for name in ('match', 'tournament', 'curve', 'explain', 'exact'))


MATCH = ('match', 'greedy', 'random')
TOY = 'python:examples.own_game_training:GAME'
REFUSED = [
    ((*MATCH, '--dealz', '5'), '--deals'),
    (('match',), 'match A B'),
    (('match', 'greedy'), 'match A B'),
    ((*MATCH, '--paired', 'rule', 'random'), ': name one, the opponent of --paired A1 A2'),
    (('match', 'rule'), 'agents=rule: name two, as in match A B'),
    (('curve',), 'run=none: name the folder of a run'),
    (('match', 'greedy', 'gredy'), "'greedy'"),
    ((*MATCH, '--precision', '0'), 'precision=0.0'),
    ((*MATCH, '--deals', '1'), 'deals=1'),
    ((*MATCH, '--deals', '100000000'), 'deals=100000000'),
    ((*MATCH, '--workers', '0'), 'workers=0'),
    ((*MATCH, '--seed', '-1'), 'seed=-1'),
    ((*MATCH, '--seconds', 'nan'), 'seconds=nan'),
    ((*MATCH, '--deals-file', 'no-such-file'), 'no-such-file'),
    ((*MATCH, '--save-deals', '/dev/null/deals'), '/dev/null'),
    ((*MATCH, '--out', '/dev/null'), '/dev/null'),
    ((*MATCH, '--rules', 'vegas'), 'vegas'),
    *[((*MATCH, '--label', *label), f'label={" ".join(label)}') for label in ('a', 'aa', 'abc', ('a', ''))],
    (('tournament', 'greedy'), 'agents=greedy'),
    (('tournament', 'greedy', 'greedy'), 'agents=greedy greedy'),
    (('curve', 'no/such/run'), 'no/such/run/checkpoints'),
    (('explain', 'rule', 'rule'), 'agents=rule rule'),
    (('explain', 'rule', 'greedy', '--deals', 100_001), 'deals=100001'),
    (('explain', 'rule', 'greedy', '--swings', -1), 'swings=-1'),
    (('explain', 'rule', 'nobody'), "'nobody'"),
    (('explain', 'rule', 'greedy', '--against', 'random', '--label', 'a', 'b'), 'rule, greedy, random'),
    (('explain', 'pass', 'greedy'), "'greedy' plays Big 2"),
    (('match', 'catch5-ppo', 'greedy'), "'greedy' plays Big 2"),
    (('match', 'greedy', 'rule', '--game', 'catch5'), "'greedy' plays Big 2"),
    (('match', f'ppo:{CATCH5_WEIGHTS / "ppo"}', 'rule', '--game', 'big2'), 'plays Catch Five'),
    (('match', 'pass', 'rule', '--rules', 'hkust'), "'hkust'"),
    (('match', 'rule', 'nobody', '--game', 'catch5'), "'nobody'"),
    (('match', 'rule', 'python:rlcard_big2.agents.base:GreedyAgent', '--game', 'catch5'), 'rlcard_big2.Rules'),
    *[
        (('match', 'shy', 'random', '--game', TOY, option, 'file'), 'the toy game has no')
        for option in ('--record', '--deals-file', '--save-deals')
    ],
    (('explain', 'shy', 'random', '--game', TOY), 'swings=20'),
    (('match', 'dmc:run/checkpoints/1', 'random'), "plays 'toy', which --game python:MODULE:NAME has to name"),
    (('curve', 'run'), "plays 'toy', which --game python:MODULE:NAME has to name"),
    (('curve', 'run', '--game', 'big2'), "'run' plays 'toy'"),
]


@pytest.mark.parametrize(('words', 'named'), REFUSED)
def test_a_wrong_command_is_answered(command, tmp_path, monkeypatch, words, named):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'run/checkpoints/1').mkdir(parents=True)
    (tmp_path / 'run/checkpoints/1/settings.json').write_text('{"game": "toy"}')
    status, said = command(*words)
    assert status != 0
    assert named in ' '.join(said.split())
    assert 'Traceback' not in said
