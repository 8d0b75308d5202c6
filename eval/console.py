"""One command's games: played with a progress bar, kept in a folder, reported."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from eval.options import Options
from eval.origin import origin_of_numbers
from eval.plan import Plan
from eval.pool import WorkerError
from eval.recording import recorded
from eval.report import Report, draw_column
from eval.runner import Players, play_blocks, play_until
from eval.store import Store
from rlcard_big2.duplicate.block import Outcome
from rlcard_big2.duplicate.limits import Watch
from rlcard_big2.duplicate.players import AgentFailure
from rlcard_big2.files import locked
from rlcard_big2.rules import find_rules, rules_note


@contextmanager
def played(
    title: str,
    plan: Plan,
    options: Options,
    console: Console,
    watch: Watch,
    needed: Callable[[Outcome], int] | None = None,
    record: Path | None = None,
) -> Iterator[tuple[Outcome, Report, Path]]:
    """Play a plan; the context is the outcome, the report begun and its folder, which no other process writes to.

    Args:
        title: of the report.
        plan: what to play; finished games are kept in the folder that the options give it.
        options: how to play it.
        console: for the progress bar.
        watch: is told what this process waits for.
        needed: see `play_until`.
        record: a file to which every game is appended, see `recorded`.

    Raises:
        AgentFailure: if an agent fails, saying how to resume.
        WorkerError: if a process dies, likewise.
        FolderInUseError: if another process writes to the folder.
        ResumeError: if the folder holds another match, or this one and it is not to be resumed.
    """
    players = Players(plan, watch)
    description = {**plan.describe(), **players.describe()}
    folder = options.folder(description)
    with locked(folder):
        store = Store(folder, plan, description, options.resume)
        blocks = play_blocks(plan, players, store, options.workers)
        if record is not None:
            blocks = recorded(blocks, plan, description, record)
        try:
            with _progress_bar(console, len(plan.deals) if needed is None else None) as on_block, closing(blocks):
                outcome = play_until(blocks, needed, on_block)
        except (AgentFailure, WorkerError) as error:
            raise type(error)(f'{error}\nfinished games are kept in {folder}: --resume continues from them') from error
        trained_on, played = players.trained_on(), {'sources': store.sources, 'deals_played': len(outcome.plies)}
        known = {'trained_on': {name: rules.text for name, rules in trained_on.items()}}
        origin = {**origin_of_numbers(), **description, **known, **played}
        said = (rules_note(name, rules, plan.rules) for name, rules in trained_on.items())
        notes = [note for note in said if note] + store.replayed
        yield outcome, Report(f'{title}, rules {find_rules(options.rules).title}', origin, notes=notes), folder


@contextmanager
def _progress_bar(console: Console, total: int | None) -> Iterator[Callable[[int, int | None], None]]:
    """Show a bar; the context is a function that takes the deals played, and the deals needed or None."""
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task('deals', total=total)
        yield lambda played, needed: progress.update(task, completed=played, total=needed or total)


def finish(report: Report, folder: Path, console: Console, plot: str | None = 'EV') -> None:
    """Show a report and save it; draw a column of its last table if matplotlib is installed."""
    report.print(console)
    saved = report.save(folder)
    if plot is not None and draw_column(report.sections[-1], plot, folder / 'report.png'):
        saved.append('report.png')
    console.print(f'saved in {folder}: {", ".join(saved)}', soft_wrap=True, markup=False, highlight=False)
