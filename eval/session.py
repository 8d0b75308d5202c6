"""One command's games: played with a progress bar, kept in a folder, reported."""

from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from eval.agents import make_agent
from eval.options import Options
from eval.report import Report, save_plot
from eval.runner import Plan, Store, play_blocks, play_until
from eval.table import AgentFailure, Outcome


def play_plan(
    plan: Plan, options: Options, folder: Path, console: Console, enough: Callable[[Outcome], bool] = lambda _: False
) -> Outcome:
    """Play a plan, or as much of it as is enough; finished games are kept in the folder.

    AgentFailure where an agent fails, with how to go on.
    """
    for name in dict.fromkeys(plan.agents):
        make_agent(name)  # a wrong name is refused before any process starts
    store = Store(folder, plan, options.resume)
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task('deals', total=len(plan.deals))
        try:
            return play_until(
                play_blocks(plan, store, options.workers), enough, lambda deals: progress.advance(task, deals)
            )
        except AgentFailure as error:
            raise AgentFailure(f'{error}\nfinished games are kept in {folder}: --resume goes on from them') from error


def finish(report: Report, folder: Path, console: Console, plot: str | None = 'EV') -> None:
    """Show a report and save it; draw a column of its last table where matplotlib is at hand."""
    report.print(console)
    report.save(folder)
    saved = ['report.json', 'report.md']
    if plot is not None and save_plot(report.sections[-1], plot, folder / 'report.png'):
        saved.append('report.png')
    console.print(f'saved in {folder}: {", ".join(saved)}', soft_wrap=True)
