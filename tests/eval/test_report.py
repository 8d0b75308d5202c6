"""Reports: tables in every form, labels, and figures of curves on the same axes."""

import csv
import io
import os
from io import StringIO
from math import inf

import pytest
from rich.console import Console

from eval.points import COLUMNS, Point, read_points, write_points
from eval.report import Report
from eval.tables import Row, Section, csv_table, latex_table, markdown_table, parts_of, rich_table
from rlcard_kit.statistics import Estimate
from tests.support.helpers import report, tables


def test_agents_are_called_by_their_labels(evaluate, tmp_path):
    words = ('--label', 'A_1', 'A_2', '3 % field', '--figures', 'svg', 'pdf')
    first, second, paired = evaluate('match', 'random', '--paired', 'greedy', 'rule', '--deals', 3, *words)
    assert report(tmp_path / 'out')['agents'] == ['greedy', 'rule', 'random']
    assert [table['title'] for table in (first, second)] == [
        f'{name} against three of 3 % field' for name in words[1:3]
    ]
    assert list(paired['rows']) == ['A_1', 'A_2', 'difference']
    files = {f'report.{kind}' for kind in ('csv', 'json', 'md', 'pdf', 'svg', 'tex')}
    files |= {'blocks', 'lock', 'payoffs.csv', 'payoffs.pdf', 'payoffs.svg'}
    assert set(os.listdir(tmp_path / 'out')) == files
    assert '>A_1<' in (tmp_path / 'out/report.svg').read_text()
    latex = (tmp_path / 'out/report.tex').read_text()
    assert r'\caption{A\_1 against three of 3 \% field}' in latex
    assert latex.count(r'\toprule') == 3


def test_a_report_is_csv_and_fits_a_terminal_of_80_columns(command, tmp_path):
    agents = ('greedy', 'random', 'greedy,epsilon=0.1')
    words = ('tournament', *agents, '--deals', 3, '--workers', 1, '--out', tmp_path)
    status, said = command(*words, '--label', 'one', 'two', 'three')
    assert status == 0
    assert max(map(len, said.splitlines()[:-1])) <= 80
    assert '…' not in said
    with (tmp_path / 'report.csv').open(newline='') as file:
        rows = {(row['table'], row['row'], row['column']): row for row in csv.DictReader(file)}
    for table in tables(tmp_path):
        assert set(table['rows']) == {'one', 'two', 'three'}
        for name, cells in table['rows'].items():
            for column, cell in cells.items():
                row = rows.pop((table['title'], name, column))
                assert (float(row['mean']), float(row['margin'])) == (cell['mean'], cell['margin'])
                assert f'{cell["mean"]:.3f}' in said
                assert f'± {cell["margin"]:.3f}' in said
    assert not rows


def test_an_unknown_interval_is_written_as_such(tmp_path):
    section = Section('t', ('EV',), (Row('a', (Estimate(1.0, float('inf')),)),))
    assert 'unknown' in markdown_table(section)
    assert latex_table(section).count('pm') == 0
    assert csv_table([section]).splitlines()[1] == 't,a,EV,1.0,'
    Report('t', {}, [section]).save(tmp_path)
    assert tables(tmp_path)[0]['rows']['a']['EV'] == {'mean': 1.0, 'margin': None}


@pytest.mark.parametrize('width', [40, 80, 120])
def test_a_wide_table_comes_in_parts_and_whole(width):
    columns = tuple(f'python:some_module:agent_{i}' for i in range(14))
    cells = tuple(Estimate(-12.345 - i, 1.25 + i) for i in range(14))
    section = Section('wide', columns, (Row('python:some_module:agent_[0]', cells),))
    console = Console(width=width, record=True, file=StringIO())
    Report('wide', {}, [section]).print(console)
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= width
    assert '…' not in text
    assert all(f'{cell.mean:.3f}' in text and f'± {cell.margin:.3f}' in text for cell in cells)
    assert len(parts_of(section, 80)) > 1
    assert rich_table(section).row_count == 1
    assert markdown_table(section).count('|') == 3 * 16


# Curves of several runs


def curve_file(folder, *rows):
    folder.mkdir(parents=True)
    (folder / 'curve.csv').write_text('\n'.join([','.join(COLUMNS), *rows]))
    return folder / 'curve.csv'


ONE = '0.5,10,rule,50,0.2,0.01,-2.5,0.2', '1.0,20,rule,50,0.3,0.01,-1.5,0.2'
TWO = '0.5,15,rule,50,0.2,0.01,-2.0,0.2', '0.5,15,random,50,0.2,0.01,9.0,0.2'


@pytest.mark.parametrize(('by', 'across'), [((), [10e-6, 20e-6]), (('--by', 'minutes'), [0.5, 1.0])])
def test_curves_are_drawn_over_decisions_or_minutes(command, tmp_path, monkeypatch, by, across):
    drawn = []
    monkeypatch.setattr('eval.commands.curve.draw_lines', lambda path, lines, across, label: drawn.append(lines))
    assert command('curve', curve_file(tmp_path / 'one', *ONE), *by) == (0, 'drawn: curves.png\n')
    assert drawn == [{'one': list(zip(across, [(-2.5, 0.2), (-1.5, 0.2)], strict=True))}]


def test_curves_of_runs_are_drawn_on_the_same_axes_in_each_format(command, tmp_path):
    one, two = curve_file(tmp_path / 'one', *ONE), curve_file(tmp_path / 'two', *TWO)
    alike = curve_file(tmp_path / 'more/one', ONE[0])
    files = [tmp_path / 'new' / f'curves.{kind}' for kind in ('svg', 'pdf', 'png')]
    for words, names in (
        ((one, two, '--against', 'rule'), ('one', 'two')),
        ((one.parent, two.parent, '--against', 'rule', '--label', 'A & B', 'C'), ('A &amp; B', 'C')),
        ((one.parent, alike.parent), (str(one.parent), str(alike.parent))),
    ):
        words = ('curve', *words, '--out', tmp_path / 'new', '--figures', 'svg', 'pdf', 'png')
        assert command(*words) == (0, f'drawn: {", ".join(map(str, files))}\n')
        assert [file.read_bytes()[:4] for file in files] == [b'<?xm', b'%PDF', b'\x89PNG']
        text = files[0].read_text()
        assert all(f'>{name}<' in text for name in (*names, 'against three of rule')), names
        assert 'EV in cards a game (95 % intervals)' in text


def test_a_curve_whose_interval_is_unknown_is_read_back_and_drawn(command, tmp_path):
    point = Point(0.5, 10, 'rule', 50, Estimate(0, 0.01), Estimate(-13.0, inf))
    (tmp_path / 'run').mkdir()
    write_points(tmp_path / 'run/curve.csv', [point])
    assert (tmp_path / 'run/curve.csv').read_text().splitlines()[1].endswith(',-13.0,')
    assert read_points(tmp_path / 'run/curve.csv') == [point]
    assert command('curve', tmp_path / 'run/curve.csv', '--out', tmp_path)[0] == 0
    assert (tmp_path / 'curves.png').stat().st_size > 5000


def test_what_is_no_curve_is_refused(command, tmp_path):
    one, two = curve_file(tmp_path / 'one', ONE[0]), curve_file(tmp_path / 'two', TWO[1])
    untimed = curve_file(tmp_path / 'untimed', TWO[1].removeprefix('0.5'))
    for words, named in (
        ((), 'run=none'),
        ((one, '--out', one), str(one)),
        ((one, '--figures'), 'figures='),
        ((one, '--label', 'a', 'b'), 'label=a b'),
        ((one.parent, tmp_path), 'curve.csv'),
        ((one, two), 'random, rule'),
        ((one, two, '--against', 'rule'), f"{two} has no match against 'rule'"),
        ((one, two, '--against', 'rule', 'random'), 'against=rule random'),
        ((tmp_path / 'none.csv',), 'none.csv'),
        ((untimed, '--by', 'minutes'), 'minutes'),
        ((curve_file(tmp_path / 'empty'),), 'empty/curve.csv'),
    ):
        status, said = command('curve', *words)
        assert (status, named in said) == (1, True), said


def test_a_report_is_in_utf_8_whatever_the_locale(evaluate, tmp_path, monkeypatch):
    monkeypatch.setattr(io, 'text_encoding', lambda encoding, stacklevel=2: encoding or 'ascii')
    evaluate('match', 'random', 'greedy', '--deals', 2)
    assert '±' in (tmp_path / 'out/report.md').read_text(encoding='utf-8')
