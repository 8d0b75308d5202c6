"""Count mutants, small errors put into the code, that the tests do not notice: python -m benchmarks.mutants."""

import os
import random
import re
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from cosmic_ray.commands.init import init
from cosmic_ray.mutating import mutate_and_test
from cosmic_ray.work_db import WorkDB
from cosmic_ray.work_item import MutationSpec, WorkResult

from eval.common.cli import parse
from rlcard_kit.bounds import NaturalInt, PositiveInt, check_settings
from rlcard_kit.errors import ConfigError
from rlcard_kit.process import count_cores

TESTS = {  # files, and the tests that must notice errors in them, the quickest first
    'rlcard_kit/deck.py rlcard_kit/rng.py rlcard_kit/agents.py rlcard_kit/game.py rlcard_kit/table.py '
    'rlcard_kit/vector_env.py': 'kit/test_golden.py kit/test_table.py kit/test_vector_env.py big2/engine '
    'big2/duplicate big2/search/test_pruning.py kit/duplicate/test_match.py',
    'rlcard_kit/statistics.py rlcard_kit/duplicate/match.py eval/pairs.py eval/explain/explanation.py': ''
    'kit/test_statistics.py kit/duplicate/test_match.py catch5/duplicate/test_match.py eval/explain',
    'eval/ladder/ratings.py': 'eval/ladder',
    'rlcard_kit/signals.py rlcard_kit/programs/process.py': 'kit/test_signals.py kit/programs',
    'rlcard_kit/envs/pettingzoo_env.py rlcard_kit/envs/action_set.py rlcard_kit/envs/single_agent.py '
    'rlcard_big2/action_sets/*.py': 'kit/envs big2/test_action_sets.py big2/gymnasium',
    'rlcard_big2/engine/*.py': 'kit/test_golden.py big2/engine big2/test_env.py big2/test_game.py '
    'big2/duplicate big2/agents/test_published.py big2/gymnasium/test_views.py big2/test_rules.py',
    'rlcard_catch5/engine/*.py rlcard_catch5/nets/suits.py': 'kit/test_golden.py catch5/engine catch5/test_env.py '
    'catch5/test_rules.py catch5/test_records.py catch5/agents catch5/duplicate/test_match.py ppo/test_catch5.py',
    'rlcard_big2/nets/*features.py rlcard_big2/nets/afterstates.py': 'big2/nets big2/search/test_beliefs.py',
    'rlcard_big2/search/*.py': 'big2/search',
    'rlcard_play/big2/views.py rlcard_play/web/tables.py': 'play/big2/test_views.py play/web/test_tables.py '
    'play/web/test_security.py play/web/test_server.py',
}
EQUIVALENT = {  # changed lines, and why they change nothing
    'gains: BoolArray = payoffs > -1': 'every loser has a card left and pays for it',
    'beaten = can_beat(others, kind, mask) if rules.number <= 0 else can_answer(rules, others, mask)': ''
    'no rules have the number 0, which stands for contradictions',
    'RUNNING, UNDECLARED = -1, ~2  # winners of games that last': 'any number below -1 does',
    'n = _four_kickers(hand, beat if kind_of(beat) == FOUR_KICKER else -1, out, n)': 'every combination is above 0',
    'elif rules.instant_wins != -1 and game.ply == 1 and game.winner == RUNNING:': 'without the rule, no deal wins',
    'NEVER = 100  # a count of cards that no hand reaches': 'any count beyond 52 does',
    'stronger = same_size and (rules.mixed_kinds or other == kind or KIND_SIZES[kind] < 5)': 'no kind is larger',
    "'observation': spaces.Box(0, 1, tuple(single.state_shape[ -1]), np.int8),": 'all seats have the same shape',
    'game.drawn[:] = 1': 'nobody sees it before the refill sets it',
    'c3 &= c3 - 2': 'the fourth rank of a straight is never the lowest, so c3 - 2 borrows as c3 - 1 does',
    'if kinds >> STRAIGHT == 0 and popcount(cards) < 5:': 'it only saves time: fewer cards hold no five',
    "agents = (DMCAgent.load(folder, numpy=False) for folder in SMALL.rules('playouts'))": 'torch finds the same',
    'elif is_dealer and highest > 1 and rules.bidding != OUTBID:': 'no bid is 1',
    'if hands[seat] & -hands[seat] <= hands[opener] & -hands[opener]:': 'no card is in two hands',
    "games['winner'] = 1": 'so are games that any seat has won',
    'beaten = can_beat(others, kind, mask) if rules.number < 1 else can_answer(rules, others, mask)': ''
    'no rules have the number 0, which stands for contradictions',
    'return - 2': 'any negative number stands for no game',
    'if kinds >> STRAIGHT == 0 or popcount(cards) < 4:': 'it only saves time: four cards hold no five',
    'if kinds >> FLUSH != -1:': 'it only saves time: without flushes and straight flushes none is listed',
    'if high != 1:': 'without a card that is strong enough no straight is listed, and no straight is as strong as 3d',
    'in_draws = self.draws * (count - 0) / 2': 'games that each agent wins in addition move only the mean, which is 0',
    "config = {'seed': None, 'allow_step_back': True, 'game_rules': rules}": 'it only saves memory: nobody steps back',
    "'observation': spaces.Box(0, 1, tuple(single.state_shape[ 1]), np.int8),": 'all seats see as many numbers',
    'KEPT = 2001  # bytes of the end of standard error': 'about as many do',
    'if count < 2 or (variance and games * rare > FEW):': 'both kinds of intervals do at the limit',
    'low, high = 0.0, pi / 1  # of atan(t / sqrt(freedom))': 'the first middle is pi / 2, within which all lies',
    'two = game.beat & 65534 == TWO': 'no rank is above that of the 2s',
    'return seat % players if seat >= players else seat + players if seat < 0 else seat': ''
    'no seat is counted twice around',
    'shares = np.zeros( 3 * count)': 'the first places alone are read',
    'in_draws = self.draws * (count - 1) / 3': 'games that each agent wins in addition move only the mean, which is 0',
    "table['unplayed_twos'][ -1] = rules.unplayed_twos * (1 if rules.twos_once else len(SUITS))": 'it has one row',
    'above: int = - 2': 'any negative number does',
    'shares = np.zeros(2 ** count)': 'the first places alone are read',
    'words = np.array([new_streams(seed, 3 + self.game.num_seats) for seed in seeds])': 'no seat draws from more',
    'AGENT = ~1  # in `Table.seating`': 'any negative number is no opponent',
    'KIND_SIZES = np.array([0, 0, 2, 3, 4, 4, 5, 5, 5, 5, 5], np.int64)  # [NUM_KINDS]': 'no other kind has one card',
}
# Operators that change nothing: numbers and sets here are never negative, bits that are joined are disjoint, and the
# product of truth values is their conjunction; or no computation: a decorator, a type, a star, the end of a slice of
# one, which compiled code does not check.
SKIPPED = re.compile(
    'Decorator|(Eq|Gt|Lt|E)_Is(Not)?$|NotEq_Gt$|Eq_LtE$|BitOr_(Add|BitXor)$|BitAnd_Mul$|(Add|BitXor)_BitOr$'
)
NO_CODE = re.compile(r'(?<=strict=)True|\| (None|[A-Z][a-z])|\*[,)\w]|(?<=\[i : i \+ )1')
MOST = 0.03  # share of errors that may survive
PYTEST = f'{sys.executable} -m pytest -qx -o faulthandler_exit_on_timeout=true -o faulthandler_timeout=300'  # s a test


@dataclass(frozen=True)
class Options:
    """Change one operator or number at a time, run the tests of its file, and print the changes that none notices."""

    count: PositiveInt = 300
    """Number of changes, at most one of each operator or number."""
    seed: NaturalInt = 1
    """Chooses the changes; a choice does not depend on other lines of the code."""
    files: tuple[str, ...] = ()
    """Change these files alone; otherwise all that have tests here."""
    workers: PositiveInt = field(default_factory=count_cores)
    """Processes, each with its own copy of the checkout."""


def choose(options: Options) -> list[tuple[MutationSpec, str]]:
    """Return changes, and the tests of their files."""
    files = {path: tests for words, tests in TESTS.items() for word in words.split() for path in Path().glob(word)}
    only = [Path(name) for name in options.files] or files
    if unknown := [str(path) for path in only if path not in files]:
        raise ConfigError(f'{", ".join(unknown)} stands in no row of TESTS in benchmarks/mutants.py')
    files = {path: files[path] for path in only}
    work = WorkDB(':memory:', WorkDB.Mode.create)
    init(sorted(files), work, {})
    mutants: dict[tuple[str, ...], list[MutationSpec]] = {}  # by path, function, line and column
    for mutant in (mutant for item in work.work_items for mutant in item.mutations):
        line, start = mutant.module_path.read_text().splitlines()[mutant.start_pos[0] - 1], mutant.start_pos[1]
        if not SKIPPED.search(mutant.operator_name) and not NO_CODE.match(line, start):
            key = str(mutant.module_path), str(mutant.definition_name), line, str(start)
            mutants.setdefault(key, []).append(mutant)
    draws = {key: random.Random(f'{options.seed} {key}') for key in mutants}
    chosen = sorted(sorted(mutants, key=lambda key: draws[key].random())[: options.count])
    return [(draws[key].choice(mutants[key]), files[Path(key[0])]) for key in chosen]


def command(tests: str) -> str:
    """Return the command that runs tests, names of files and folders in `tests`, until one fails."""
    return ' '.join([PYTEST, *(f'tests/{name}' for name in dict.fromkeys(tests.split()))])


def prepare(folder: str) -> None:
    """Copy the checkout into a new folder inside `folder`, and go there."""
    copy = mkdtemp(dir=folder)
    shutil.copytree('.', copy, ignore=shutil.ignore_patterns('.*', '__pycache__', 'runs'), dirs_exist_ok=True)
    os.chdir(copy)


def test(chosen: tuple[MutationSpec, str]) -> WorkResult:
    """Run the tests of a change."""
    return mutate_and_test([chosen[0]], command(chosen[1]), None)


def test_unchanged(tests: str) -> None:
    """Run tests: if one failed without a change, every mutant would seem to be noticed."""
    subprocess.run(command(tests).split(), check=True)


def reason(diff: str) -> str | None:
    """Return why a change changes nothing, if that is known."""
    after = [line[1:].strip() for line in diff.splitlines() if line.startswith('+') and line[1:2] != '+']
    return EQUIVALENT.get(' '.join(after))


def main() -> None:
    """Test the changes, print the survivors, and exit with 1 if too many of these are errors."""
    options = parse(Options, description=Options.__doc__)
    check_settings(options)
    chosen, reasons = choose(options), []
    with TemporaryDirectory() as folder, ProcessPoolExecutor(options.workers, None, prepare, (folder,)) as pool:
        pool.submit(test_unchanged, ' '.join(tests for _, tests in chosen)).result()
        for result in pool.map(test, chosen):
            if not result.is_killed:
                reasons.append(reason(str(result.diff)))
                outcome = f'changes nothing: {reasons[-1]}' if reasons[-1] else 'survived'
                print(f'{outcome}\n{result.diff}\n', flush=True)
    survivors = reasons.count(None)
    errors = len(chosen) - len(reasons) + survivors
    print(f'{survivors} of {errors} survived; {len(reasons) - survivors} more change nothing')
    sys.exit(survivors > MOST * errors)


if __name__ == '__main__':
    main()
