"""Searches of several budgets on the same deals: python -m experiments.budgets."""

import csv
from dataclasses import replace

import pytest

from experiments import budgets
from rlcard_big2.duplicate import play_match
from rlcard_big2.errors import ConfigError


def test_budgets_are_compared_in_the_same_deals(tmp_path, monkeypatch):
    monkeypatch.setattr(budgets, 'BLOCK', 2)
    options = budgets.Options(tmp_path / 'out', deals=4, field='greedy')
    kinds = [budgets.Budget(0), budgets.Budget(2), budgets.Budget(2, 'uniform')]
    blocks = [budgets.join([budgets.play(options, (kind, number)) for number in range(2)]) for kind in kinds]
    rows = [budgets.row_of(*one, blocks[0]) for one in zip(kinds, blocks, strict=True)]
    match = play_match('big2-dmc,numpy', 'greedy', 2, seed=1_000_000)
    assert blocks[0].payoffs[:2].tolist() == match.payoffs.mean(axis=1).tolist()
    assert rows[0].seconds == blocks[0].choices == rows[0].gain.mean == 0
    assert rows[1].seconds > 0 < blocks[1].choices
    assert rows[1].gain.mean == pytest.approx(rows[1].ev.mean - rows[0].ev.mean)
    budgets.write(options, rows)
    with (options.savedir / 'budgets.csv').open(newline='') as file:
        found = {row['budget']: float(row['EV']) for row in csv.DictReader(file)}
    assert found == {
        '0 worlds': rows[0].ev.mean,
        '2 worlds': rows[1].ev.mean,
        '2 worlds, uniform': rows[2].ev.mean,
    }
    assert (options.savedir / 'budgets.png').stat().st_size > 1000
    again = replace(options, savedir=tmp_path / 'again', also=(options.savedir / 'budgets.csv',))
    assert budgets.read_points(again.also[0])[2] == ('uniform', pytest.approx(rows[2].seconds, abs=1e-4), rows[2].ev)
    drawn = {}
    monkeypatch.setattr(budgets, 'draw_lines', lambda path, lines, *labels, **more: drawn.update(lines))
    budgets.write(again, rows[:1])
    assert [ev for _, ev in drawn['posterior']] == [rows[0].ev, rows[0].ev, rows[1].ev]
    assert [ev for _, ev in drawn['uniform']] == [rows[2].ev]


@pytest.mark.parametrize('text', [None, 'EV\n1\n', 'budget,seconds,EV,EV margin\n"2 worlds",a,1,1\n'])
def test_what_is_not_a_file_of_budgets_is_refused(tmp_path, text):
    path = tmp_path / 'budgets.csv'
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigError, match=r'expected a budgets\.csv of this command'):
        budgets.read_points(path)
