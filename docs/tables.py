"""Generate the tables of these pages from code and results: python docs/tables.py.

Each table is between `<!-- NAME -->` and `<!-- end -->`. A test fails if a table is stale.
"""

import ast
import csv
import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rlcard_big2.action_sets.options import NAMES, OPTIONS
from rlcard_big2.actions import action_text
from rlcard_big2.engine import actions
from rlcard_big2.engine.batch import settle_games
from rlcard_big2.engine.observation import LAYOUT, OBSERVATION, Observation
from rlcard_big2.engine.ruleset import rated, tabulate
from rlcard_big2.engine.state import new_games
from rlcard_big2.rules import PRESETS, Rules
from rlcard_catch5 import actions as catch5
from rlcard_catch5 import rules as catch5_rules
from rlcard_catch5.engine import observation as catch5_seen

FOLDER = Path(__file__).parent
LADDER = FOLDER / 'results' / 'ladder'

ACTION_BLOCKS = dict(zip((*NAMES.values(), 'pass'), [*actions.FIRST_IDS[1:].tolist(), actions.PASS_ID], strict=True))
CATCH5_BLOCKS = {'pass': catch5.PASS, 'bid': catch5.FIRST_BID, 'trumps': catch5.FIRST_TRUMP, 'card': catch5.FIRST_CARD}


def table(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table."""
    header = list(header)
    lines = [header, ['---'] * len(header), *([str(cell).replace('|', r'\|') for cell in row] for row in rows)]
    return '\n'.join(f'| {" | ".join(line)} |' for line in lines)


def field_docs(kind: type) -> dict[str, str]:
    """Return the text under each field of a class, without its full stop; '' if there is none."""
    body = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(body, ast.ClassDef)
    texts = {}
    for node, after in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            texts[node.target.id] = ' '.join(str(after.value.value).split()).rstrip('.') if is_text else ''  # type: ignore[union-attr]
    return texts


def action_table(blocks: Mapping[str, int], count: int, text: Callable[[int], str]) -> str:
    """Return a row for each block of action ids, given the first id of each and the number of all."""
    ends = [*list(blocks.values())[1:], count]
    rows = zip(blocks.items(), ends, strict=True)
    return table(
        ('kind', 'first id', 'last id', 'actions', 'the first'),
        ((kind, first, end - 1, f'{end - first:,}', f'`{text(first)}`') for (kind, first), end in rows),
    )


def feature_table(layout: Iterable[Any]) -> str:
    """Return a row for each block of `state['obs']`."""
    rows, start = [], 0
    for feature in layout:
        rows.append((f'{start}..{start + feature.size - 1}', feature.size, feature.name))
        start += feature.size
    return table(('index', 'size', 'feature'), rows)


def packed_table(kind: type, dtype: Any) -> str:
    """Return a row for each field of a packed observation."""
    rows = (
        (f'`{name}`', f'{dtype[name].base}{list(dtype[name].shape) or ""}', text)
        for name, text in field_docs(kind).items()
    )
    return table(('field', 'type', 'meaning'), rows)


def rule_table(kind: Any, presets: Mapping[str, Any]) -> str:
    """Return a row for each field of a game's `Rules`, with its value in each preset; '·' if it is the default."""
    docs, rows = field_docs(kind), []
    for field in fields(kind):
        values = [getattr(rules, field.name) for rules in presets.values()]
        cells = ['·' if i and value == field.default else shown(value) for i, value in enumerate(values)]
        rows.append((f'`{field.name}`', docs[field.name], *cells))
    return table(('field', 'meaning', *(f'`{name}`' for name in presets)), rows)


def shown(value: Any) -> str:
    """Return a value of a rule as text."""
    return {True: 'yes', False: 'no', (): 'none'}.get(value, str(value))


def word_table() -> str:
    """Return a row for each word that a rule of Catch Five takes."""
    meanings = ((field, *one) for field, words in catch5_rules.MEANINGS.items() for one in words.items())
    rows = ((f'`{field}`', f"`'{word}'`", meaning) for field, word, meaning in meanings)
    return table(('field', 'word', 'meaning'), rows)


def payoff_table() -> str:
    """Return the lowest and highest payoff of a seat for each preset."""
    payoffs = {name: worst_payoffs(rules) for name, rules in PRESETS.items()}
    rows = ((f'`{name}`', found.min(), f'+{found.max()}') for name, found in payoffs.items())
    return table(('rules', 'lowest', 'highest'), rows)


def worst_payoffs(rules: Rules) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the payoffs of a game whose losers still hold all of their cards, one of them the four 2s."""
    game, payoffs, size = new_games(1), np.empty((1, rules.players), np.int64), rules.hand_size
    cards = sorted(range(52), key=lambda card: (card < 48, card % 3))
    for seat in range(1, rules.players):
        game['hands'][0, seat] = sum(1 << card for card in cards[size * (seat - 1) : size * seat])
    game['winner'], game['beat'] = 0, rated(actions.SINGLE, 0)
    settle_games(tabulate(rules), game, payoffs)
    return payoffs[0]


def ladder_table(folder: Path = LADDER, ours: str = 'big2-dmc') -> str:
    """Return the ranking of a ladder, with the authors, and the scores against our best agent in it."""
    cells = cells_of(folder / 'report.csv')
    entries = (json.loads(path.read_text(encoding='utf-8')) for path in folder.glob('agents/*.json'))
    authors = {entry['name']: entry['author'] for entry in entries}
    ranking, rows = 'ranking, all rules', []
    for name in [row for title, row, column in cells if (title, column) == (ranking, 'rating')]:
        scores = [
            estimate_in(cells, *key) for key in ((ranking, name, 'score'), ('score of the row, all rules', name, ours))
        ]
        rows.append((name, authors[name], '{:+.0f} ± {:.0f}'.format(*cells[ranking, name, 'rating']), *scores))
    return table(('agent', 'author', 'rating', 'score', f'score against `{ours}`'), rows)


def match_table() -> str:
    """Return the EV of each agent against three of each other, from `docs/results/agents`."""
    cells = cells_of(LADDER.parent / 'agents' / 'report.csv')
    title = 'EV of the row against three of the column'
    names = list(dict.fromkeys(row for found, row, _ in cells if found == title))
    return table(('', *names), ((name, *(estimate_in(cells, title, name, other) for other in names)) for name in names))


def cells_of(path: Path) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Return the means and margins of a report by table, row and column."""
    with path.open(newline='', encoding='utf-8') as file:
        lines = csv.DictReader(file)
        return {(one['table'], one['row'], one['column']): (float(one['mean']), float(one['margin'])) for one in lines}


def estimate_in(cells: Mapping[tuple[str, str, str], tuple[float, float]], *key: str) -> str:
    """Return a mean and its margin as text; '' if there is none."""
    return '{:+.2f} ± {:.2f}'.format(*cells[key]) if key in cells else ''  # type: ignore[index]


def csv_table(path: str) -> str:
    """Return a file in `results` as a table."""
    with (FOLDER / 'results' / path).open(newline='', encoding='utf-8') as file:
        header, *rows = csv.reader(file)
    return table(header, rows)


def curve_table(path: str) -> str:
    """Return a learning curve in `results`: a row for each checkpoint, and its EV against three of each opponent."""
    with (FOLDER / 'results' / path).open(newline='', encoding='utf-8') as file:
        points = [point for point in csv.DictReader(file) if not point['opponent'].isdigit()]  # not earlier checkpoints
    opponents = dict.fromkeys(point['opponent'] for point in points)
    rows: dict[str, list[str]] = {}
    for point in points:
        start = [f'{float(point["minutes"]):.0f}', f'{int(point["frames"]) / 1e6:.2f}']
        rows.setdefault(point['frames'], start).append(f'{float(point["ev"]):+.2f} ± {float(point["ev_margin"]):.2f}')
    return table(('minutes', 'million decisions', *opponents), rows.values())


def exploiter_table() -> str:
    """Return what the networks in `docs/results/exploit` and searches with them win from three of their agents."""
    rows = []
    for search in sorted((FOLDER / 'results' / 'exploit').glob('*/search.csv')):
        name, row = search.parent.name, []
        own = [(f'{player} against three of {name}', 'all seats') for player in ('start', 'exploiter')]
        for cells in map(cells_of, (search.with_name('report.csv'), search)):
            row += [estimate_in(cells, *key, 'EV') for key in (*own, ('paired on the same deals', 'difference'))]
        rows.append((name, *row))
    kinds = '`big2-dmc`', 'exploiter', 'gain, paired'
    return table(('agent', *kinds, *(f'search: {kind}' for kind in kinds)), rows)


TABLES: dict[str, dict[str, Callable[[], str]]] = {
    '../README.md': {'ladder': ladder_table},
    'results/dmc/README.md': {
        name: partial(csv_table, f'dmc/{name}.csv')
        for name in ('half-hour', 'gpu', 'trials', 'optimizers', 'diet', 'refine')
    },
    'results/paper/README.md': {
        name: partial(curve_table, f'paper/{name}/curve.csv') for name in ('first', 'dmc', 'ppo', 'catch5')
    },
    'results/exploit/README.md': {'exploiters': exploiter_table},
    'results/seeds/README.md': {'seeds': lambda: csv_table('seeds/means.csv')},
    '../rlcard_big2/models/dmc/MODEL_CARD.md': {'shipped': lambda: csv_table('dmc/shipped.csv')},
    'ladder.md': {'ladder': ladder_table, 'catch5': lambda: ladder_table(LADDER / 'catch5', 'catch5-ppo')},
    'measuring.md': {
        'agents': match_table,
        'luck': lambda: csv_table('luck/intervals.csv'),
    },
    'search-results.md': {
        'over new': lambda: csv_table('search/over-new.csv'),
        'noise': lambda: csv_table('search/noise.csv'),
        'adaptive': lambda: csv_table('search/adaptive.csv'),
        'clones': lambda: csv_table('search/clones.csv'),
        'true hands': lambda: csv_table('search/true-hands.csv'),
        'arena': lambda: csv_table('ladder/search/arena.csv'),
        'catch5': lambda: csv_table('ladder/catch5/search.csv'),
    },
    'play.md': {
        'levels': lambda: csv_table('levels/big2.csv'),
        'levels of catch5': lambda: csv_table('levels/catch5.csv'),
    },
    'big2.md': {
        'actions': lambda: action_table(ACTION_BLOCKS, actions.NUM_ACTIONS, lambda action: action_text(action, 'dchs')),
        'features': lambda: feature_table(LAYOUT),
        'packed': lambda: packed_table(Observation, OBSERVATION),
        'rules': lambda: rule_table(Rules, PRESETS),
        'payoffs': payoff_table,
    },
    'catch5.md': {
        'actions': lambda: action_table(CATCH5_BLOCKS, catch5.NUM_ACTIONS, catch5.TEXTS.__getitem__),
        'features': lambda: feature_table(catch5_seen.LAYOUT),
        'packed': lambda: packed_table(catch5_seen.Observation, catch5_seen.OBSERVATION),
        'rules': lambda: rule_table(catch5_rules.Rules, catch5_rules.PRESETS),
        'words': word_table,
    },
    'gymnasium.md': {
        'options': lambda: table(('action', 'option'), ((i, option.text) for i, option in enumerate(OPTIONS))),
    },
}


def filled(page: str) -> str:
    """Return the text of a page with its tables generated again."""
    text = (FOLDER / page).read_text(encoding='utf-8')
    for name, make in TABLES[page].items():
        before, marker, rest = text.partition(f'<!-- {name} -->\n')
        assert marker, f'{page} needs a line <!-- {name} -->'
        _, end, after = rest.partition('<!-- end -->')
        text = f'{before}{marker}{make()}\n{end}{after}'
    return text


if __name__ == '__main__':
    for page in TABLES:
        (FOLDER / page).write_text(filled(page), encoding='utf-8')
