"""Pictures of estimates with their 95 % intervals, drawn if matplotlib is installed."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rlcard_big2.duplicate.intervals import Estimate

Lines = Mapping[str, Sequence[tuple[float, Estimate]]]  # points of lines by name
FRAMES = 'million decisions learned from'


def draw_points(path: Path, points: Sequence[tuple[str, Estimate]], title: str, label: str) -> bool:
    """Draw an estimate per name into a PNG.

    Args:
        path: of the PNG.
        points: the names and their estimates, from top to bottom.
        title: of the picture.
        label: of the axis of the estimates.

    Returns:
        False if matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(7, 1.2 + 0.4 * len(points)), layout='constrained')
    axes = figure.subplots()
    means, margins = [found.mean for _, found in points], [found.margin for _, found in points]
    axes.errorbar(means, range(len(points)), xerr=margins, fmt='o', capsize=3)
    axes.set_yticks(range(len(points)), [name for name, _ in points])
    axes.invert_yaxis()
    axes.axvline(0, linewidth=0.8, color='grey')
    axes.set(title=title, xlabel=f'{label} (95 % intervals)')
    figure.savefig(path, dpi=150)
    return True


def draw_lines(path: Path, lines: Lines, title: str = '', across: str = FRAMES) -> bool:
    """Draw EV, a line per name, into a PNG.

    Args:
        path: of the PNG.
        lines: the points of each line: where it stands on the horizontal axis, and its EV.
        title: of the picture.
        across: label of the horizontal axis.

    Returns:
        False if matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(8, 4.5), layout='constrained')
    axes = figure.subplots()
    for name, points in lines.items():
        means, margins = [ev.mean for _, ev in points], [ev.margin for _, ev in points]
        axes.errorbar([x for x, _ in points], means, margins, marker='o', capsize=3, label=name)
    axes.axhline(0, linewidth=0.8, color='grey')
    axes.set(xlabel=across, ylabel='EV against three of them (95 % intervals)')
    axes.set_title(title, fontsize='small')
    axes.legend()
    figure.savefig(path, dpi=150)
    return True
