"""One command's games: played with a progress bar, kept in a folder, reported."""

from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from eval.options import Options
from eval.plan import Plan
from eval.pool import WorkerError
from eval.report import Report, draw_column
from eval.runner import play_blocks, play_until
from eval.store import Store
from rlcard_big2.duplicate.block import AgentFailure, Outcome
from rlcard_big2.names import make_agent


def play_plan(
    plan: Plan,
    options: Options,
    folder: Path,
    console: Console,
    needed: Callable[[Outcome], int] | None = None,
) -> Outcome:
    """Play a plan, or as many deals as are `needed`, see `play_until`; finished games are kept in the folder.

    AgentFailure if an agent fails and WorkerError if a process dies, with how to resume.
    """
    for name in dict.fromkeys(plan.agents):
        make_agent(name)  # a wrong name is refused before any process starts
    store = Store(folder, plan, options.resume)
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task('deals', total=len(plan.deals) if needed is None else None)
        blocks = play_blocks(plan, store, options.workers)
        try:
            return play_until(
                blocks,
                needed or (lambda _: len(plan.deals)),
                lambda played, total: progress.update(task, completed=played, total=total),
            )
        except (AgentFailure, WorkerError) as error:
            raise type(error)(f'{error}\nfinished games are kept in {folder}: --resume continues from them') from error
        finally:
            blocks.close()


def new_report(title: str, plan: Plan, outcome: Outcome) -> Report:
    """Start the report on what was played of a plan."""
    return Report(title, {**plan.describe(), 'deals_played': len(outcome.plies)})


def finish(report: Report, folder: Path, console: Console, plot: str | None = 'EV') -> None:
    """Show a report and save it; draw a column of its last table where matplotlib is at hand."""
    report.print(console)
    saved = report.save(folder)
    if plot is not None and draw_column(report.sections[-1], plot, folder / 'report.png'):
        saved.append('report.png')
    console.print(f'saved in {folder}: {", ".join(saved)}', soft_wrap=True, markup=False, highlight=False)
