"""Text report of scores."""

from collections.abc import Iterator, Sequence
from typing import Any

from rlcard_kit.statistics import Estimate
from rlcard_kit.text import margin_text
from rlcard_play.study.score import Judge, Summary
from rlcard_play.terminal.style import Style


def score_lines(games: Sequence[Any], judge: Judge, style: Style) -> Iterator[str]:
    """Write scores, one group of lines for each set of conditions."""
    found = judge.summaries(games)
    for group in found:
        yield from _group_lines(group, judge, style)
    skipped = len(games) - sum(group.games for group in found)
    if skipped:
        yield f' {skipped:,} records not counted: unfinished, without exactly one person, or of a deal played before.'


def _group_lines(group: Summary, judge: Judge, style: Style) -> Iterator[str]:
    rules, others, aided = group.conditions
    yield f' {rules.title}, {judge.against(others)}, with{"" if aided else "out"} help'
    figures = {
        'games won': f'{group.won:,} of {group.games:,}',
        judge.unit: _estimate_text(group.payoff),
        f'{judge.advisor.name}, same seat and deals': _estimate_text(group.agent),
        'difference': _estimate_text(group.difference),
    }
    further = {'without the luck of the cards': group.less_luck, 'lost per game by mistakes': group.given_away}
    figures |= {name: _estimate_text(figure) for name, figure in further.items() if figure is not None}
    for name, figure in figures.items():
        yield style.line('   ', [f'{name}:', figure], ' ')


def _estimate_text(figure: Estimate) -> str:
    return f'{figure.mean:+.2f}{margin_text(figure.margin, 2)}'
