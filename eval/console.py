"""One command's games: played with a progress bar, kept in a folder, reported."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from common.ray_cluster import connected
from eval.options import Options
from eval.plan import Plan
from eval.provenance import origin_of_numbers
from eval.recording import recorded
from eval.report import Report
from eval.runner import Players, play_blocks, play_until
from eval.store import Store
from eval.workers import WorkerError
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.duplicate.players import AgentFailure
from rlcard_kit.duplicate.time_limit import Watch
from rlcard_kit.files import locked
from rlcard_kit.rules import rules_note


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
        ClusterError: if the cluster cannot be used.
    """
    ray = options.run.ray
    players = Players(plan, watch)
    description = {**plan.describe(), **players.describe()}
    folder = options.folder(description)
    with connected(ray) if ray else nullcontext(), locked(folder):
        store = Store(folder, plan, description, options.run.resume)
        blocks = play_blocks(plan, players, store, options.run.workers, on_cluster=bool(ray))
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
        yield (
            outcome,
            Report(f'{title}, rules {plan.rules.title}', origin, notes=notes, legend=plan.evaluated.legend),
            folder,
        )


@contextmanager
def _progress_bar(console: Console, total: int | None) -> Iterator[Callable[[int, int | None], None]]:
    """Show a bar; the context is a function that takes the deals played, and the deals needed or None."""
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task('deals', total=total)
        yield lambda played, needed: progress.update(task, completed=played, total=needed or total)


def finish(report: Report, folder: Path, console: Console, figures: Mapping[str, Callable[[Path], bool]]) -> None:
    """Show a report, save it, and draw its figures if matplotlib is installed.

    Args:
        report: what was found out.
        folder: for the files.
        console: to show it on.
        figures: what draws into a file, by the file's name.
    """
    report.print(console)
    saved = report.save(folder) + [name for name, draw in figures.items() if draw(folder / name)]
    console.print(f'saved in {folder}: {", ".join(saved)}', soft_wrap=True, markup=False, highlight=False)
