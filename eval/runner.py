"""Run a match: play a plan's blocks in worker processes, keep them in a folder, begin the report."""

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import ExitStack, closing, nullcontext
from functools import partial
from itertools import product
from operator import methodcaller
from pathlib import Path
from typing import Any, NamedTuple

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from eval.common.cli import new_console
from eval.common.ray_cluster import connected, free_cpus
from eval.figures import HAS_MATPLOTLIB
from eval.options import Options
from eval.plan import Plan, Players
from eval.provenance import provenance
from eval.report import Report
from eval.store import Store, recorded
from eval.tables import Listing
from eval.workers import Answer, Make, Pool, WorkerError
from rlcard_kit.duplicate.block import Outcome, count_faults
from rlcard_kit.duplicate.players import AgentFailure
from rlcard_kit.files import locked
from rlcard_kit.process import count_cores
from rlcard_kit.rules import rules_note

Figures = Mapping[str, Callable[[Path], None]]  # functions that draw them, by name
CHECK = 8  # blocks between two estimates of how many deals are needed


class MatchResult(NamedTuple):
    """The games of a plan, and where they are reported."""

    outcome: Outcome
    report: Report  # its title, provenance and notes
    folder: Path
    lock: ExitStack  # of the folder
    agents: dict[str, Any]  # see `Players.describe`

    def publish(self, figures: Figures, formats: Iterable[str]) -> None:
        """Publish the report, see `publish`, and release the folder."""
        with self.lock:
            publish(self.report, self.folder, figures, formats)


def publish(report: Report, folder: Path, figures: Figures, formats: Iterable[str]) -> None:
    """Draw figures in each format if matplotlib is installed, save the report, and print it."""
    for name, kind in product(figures, formats) if HAS_MATPLOTLIB else ():
        report.figures.append(f'{name}.{kind}')
        figures[name](folder / report.figures[-1])
    saved = report.save(folder) + report.figures
    console = new_console()
    report.print(console)
    console.print(f'saved in {folder}: {", ".join(saved)}', soft_wrap=True, markup=False, highlight=False)


def run_match(
    plan: Plan,
    options: Options,
    title: str,
    needed: Callable[[Outcome], int] | None = None,
    record: Path | None = None,
) -> MatchResult:
    """Play a plan with a progress bar.

    Args:
        plan: the games.
        options: how to play them, and the folder that keeps finished ones.
        title: of the report.
        needed: see `play_shown`.
        record: a file to which every game is appended, see `recorded`.

    Raises:
        AgentFailure: if an agent fails.
        WorkerError: if a process dies.
        ChangedAgentError: if an agent changes while the match is played.
        FolderInUseError: if another process writes to the folder.
        ResumeError: if the folder holds another match, or this one and it is not to be resumed.
        ClusterError: if the cluster cannot be used.
    """
    with closing(Pool(partial(Players, plan))) as pool, ExitStack() as lock:
        agents = pool.run(methodcaller('describe'), 'made the agents')
        trained_on = pool.run(methodcaller('trained_on'), 'made the agents')
        description = {**plan.describe(), **agents}
        folder, ray = options.folder(description), options.run.ray
        with connected(ray) if ray is not None else nullcontext():
            lock.enter_context(locked(folder))
            store = Store(folder, plan, description, options.run.resume)
            pool.make = partial(Players, plan, expected=agents)
            remote = None if ray is None else pool.make
            blocks = play_blocks(plan.num_blocks, pool, store.load, store.save, options.run.workers, remote)
            if record is not None:
                blocks = recorded(blocks, plan, description, record)
            outcome = play_shown(blocks, folder, len(plan.deals) if needed is None else None, needed)
        made_by = {
            **provenance(),
            **description,
            'trained_on': {name: rules.text for name, rules in trained_on.items()},
            'sources': store.sources,
            'deals_played': len(outcome.plies),
        }
        warnings = (rules_note(name, rules, plan.rules) for name, rules in trained_on.items())
        notes = [*filter(None, warnings), *store.replayed]
        report = Report(
            f'{title}, rules {plan.rules.title}', made_by, notes=notes, legend=plan.evaluated.wording.legend
        )
        report.listings += _fault_tables(plan, outcome)
        return MatchResult(outcome, report, folder, lock.pop_all(), agents)


def _fault_tables(plan: Plan, outcome: Outcome) -> list[Listing]:
    """Return a table of the moves that programs failed to make, if there are any."""
    rows = [
        (fault.agent, fault.kind, f'{fault.moves:,}', f'{fault.games:,}', f'deal {fault.deal}, seat {fault.seat}')
        for fault in count_faults(outcome.faults, plan.seatings, plan.agents)
    ]
    return [Listing('replaced moves', ('agent', 'fault', 'moves', 'games', 'first'), tuple(rows))] if rows else []


def play_shown(
    blocks: Generator[Outcome], folder: Path, total: int | None, needed: Callable[[Outcome], int] | None = None
) -> Outcome:
    """Join blocks, in order, until there are enough or none is left, with a progress bar.

    Args:
        blocks: of a plan.
        folder: of the games, which errors name.
        total: number of deals; None if it is not known.
        needed: estimates from the games so far how many deals are needed, called after every 8 blocks; None for all.
    """
    columns = TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    parts: list[Outcome] = []
    played = 0
    try:
        with Progress(*columns, console=new_console(), transient=True) as progress, closing(blocks):
            task = progress.add_task('deals', total=total)
            for number, block in enumerate(blocks, 1):
                parts.append(block)
                played += len(block.plies)
                if needed is not None and number % CHECK == 0:
                    parts = [Outcome.join(parts)]
                    total = needed(parts[0])
                    if total <= played:
                        break
                progress.update(task, completed=played, total=total)
    except (AgentFailure, WorkerError) as error:
        error.hint = f'finished games are kept in {folder}: --resume continues from them'
        raise
    return Outcome.join(parts)


def play_blocks(
    num_blocks: int,
    pool: Pool,
    load: Callable[[int], Outcome | None],
    save: Callable[[int, Outcome], None],
    workers: int | None,
    remote: Make | None,
) -> Generator[Outcome]:
    """Yield the outcomes of blocks in order; those that are loaded are not played.

    Finished blocks are saved when an exception is raised. The order does not depend on the workers' speed.

    Args:
        num_blocks: how many there are.
        pool: of objects that play them, see `Pool`.
        load: returns a finished block by its number, or None.
        save: keeps one.
        workers: number of processes; by default the cores of this machine, or those that are free in the cluster.
        remote: makes such an object on a node, to play on the cluster that this process is connected to.
    """
    known: dict[int, Answer] = {
        number: outcome for number in range(num_blocks) if (outcome := load(number)) is not None
    }
    missing = [number for number in range(num_blocks) if number not in known]
    if remote is not None and missing:
        from eval.on_ray import play_on_cluster  # needs Ray

        count = workers or max(1, free_cpus())
        answers = play_on_cluster(remote, missing, min(count, len(missing)), pool.deals_of)
    else:
        answers = pool.play(missing, min(workers or count_cores(), len(missing)))
    with closing(answers):
        for number in range(num_blocks):
            while number not in known:
                finished, answer = next(answers)
                known[finished] = answer
                if isinstance(answer, Outcome):
                    save(finished, answer)
            answer = known.pop(number)
            if not isinstance(answer, Outcome):
                raise answer  # only now, so that timing does not decide which failure is reported
            yield answer
