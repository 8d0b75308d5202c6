"""Generate the tables of these pages from the code: python docs/tables.py.

Each table is between `<!-- NAME -->` and `<!-- end -->`. A test fails if a table is stale.
"""

import ast
import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from rlcard_big2.actions import action_text
from rlcard_big2.engine import actions
from rlcard_big2.engine.batch import settle_games
from rlcard_big2.engine.observation import LAYOUT, OBSERVATION, Observation
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import new_games
from rlcard_big2.gymnasium.options import OPTIONS
from rlcard_big2.rules import PRESETS, Rules
from rlcard_catch5 import actions as catch5
from rlcard_catch5 import rules as catch5_rules
from rlcard_catch5.engine import observation as catch5_seen

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent

KINDS = (
    'single', 'pair', 'three of a kind', 'two pair', 'four of a kind', 'straight', 'flush', 'full house',
    'four of a kind with a kicker', 'straight flush', 'pass',
)  # fmt: skip


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
            texts[node.target.id] = str(after.value.value).rstrip('.') if is_text else ''  # type: ignore[union-attr]
    return texts


def action_rows() -> Iterator[tuple[object, ...]]:
    """Yield kind, first and last id, number and first action of each block of action ids."""
    firsts = [*actions.FIRST_IDS[1:].tolist(), actions.PASS_ID, actions.NUM_ACTIONS]
    for kind, (first, end) in zip(KINDS, pairwise(firsts), strict=True):
        yield kind, first, end - 1, f'{end - first:,}', f'`{action_text(first, "dchs")}`'


def feature_rows(layout: Iterable[Any]) -> Iterator[tuple[object, ...]]:
    """Yield the indices, size and meaning of each block of `state['obs']`."""
    start = 0
    for feature in layout:
        yield f'{start}..{start + feature.size - 1}', feature.size, feature.name
        start += feature.size


def packed_rows(kind: type, dtype: Any) -> Iterator[tuple[object, ...]]:
    """Yield the name, type and meaning of each field of a packed observation."""
    for name, text in field_docs(kind).items():
        field = dtype[name]
        yield f'`{name}`', f'{field.base}{list(field.shape) or ""}', text


def rule_rows(kind: Any, presets: Mapping[str, Any]) -> Iterator[tuple[object, ...]]:
    """Yield each field of a game's `Rules` with its value in each preset; '·' where it is the default."""
    docs = field_docs(kind)
    for field in fields(kind):
        values = [getattr(rules, field.name) for rules in presets.values()]
        cells = ['·' if i and value == field.default else shown(value) for i, value in enumerate(values)]
        yield f'`{field.name}`', docs[field.name], *cells


def shown(value: Any) -> str:
    """Return a value of a rule as text."""
    return {True: 'yes', False: 'no', (): 'none'}.get(value, str(value))


def catch5_action_rows() -> Iterator[tuple[object, ...]]:
    """Yield kind, first and last id, number and first action of each block of Catch Five's action ids."""
    firsts = {'pass': catch5.PASS, 'bid': catch5.FIRST_BID, 'trumps': catch5.FIRST_TRUMP, 'card': catch5.FIRST_CARD}
    ends = [*list(firsts.values())[1:], catch5.NUM_ACTIONS]
    for (kind, first), end in zip(firsts.items(), ends, strict=True):
        yield kind, first, end - 1, end - first, f'`{catch5.TEXTS[first]}`'


def word_rows() -> Iterator[tuple[object, ...]]:
    """Yield each word that a rule of Catch Five takes, and what it means."""
    for field, meanings in catch5_rules.MEANINGS.items():
        for word, meaning in meanings.items():
            yield f'`{field}`', f"`'{word}'`", meaning


def rule_header(presets: Iterable[str]) -> tuple[str, ...]:
    """Return the header of a table of rules."""
    return ('field', 'meaning', *(f'`{name}`' for name in presets))


def payoff_rows() -> Iterator[tuple[object, ...]]:
    """Yield the lowest and highest payoff of a seat for each preset."""
    for name, rules in PRESETS.items():
        payoffs = worst_payoffs(rules)
        yield f'`{name}`', payoffs.min(), f'+{payoffs.max()}'


def worst_payoffs(rules: Rules) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the payoffs of a game whose losers still hold all of their cards, one of them the four 2s."""
    game, payoffs = new_games(1), np.empty((1, 4), np.int64)
    hands = [sorted(range(52), key=lambda card: (card < 48, card % 3))[start : start + 13] for start in (0, 13, 26)]
    game['hands'] = [[0, *(sum(1 << card for card in hand) for hand in hands)]]
    game['winner'], game['beat'] = 0, actions.SINGLE << 16
    settle_games(tabulate(rules), game, payoffs)
    return payoffs[0]


ACTIONS = ('kind', 'first id', 'last id', 'actions', 'the first')
FEATURES = ('index', 'size', 'feature')
PACKED = ('field', 'type', 'meaning')
TABLES = {
    'big2.md': {
        'actions': lambda: table(ACTIONS, action_rows()),
        'features': lambda: table(FEATURES, feature_rows(LAYOUT)),
        'packed': lambda: table(PACKED, packed_rows(Observation, OBSERVATION)),
        'rules': lambda: table(rule_header(PRESETS), rule_rows(Rules, PRESETS)),
        'payoffs': lambda: table(('rules', 'lowest', 'highest'), payoff_rows()),
    },
    'catch5.md': {
        'actions': lambda: table(ACTIONS, catch5_action_rows()),
        'features': lambda: table(FEATURES, feature_rows(catch5_seen.LAYOUT)),
        'packed': lambda: table(PACKED, packed_rows(catch5_seen.Observation, catch5_seen.OBSERVATION)),
        'rules': lambda: table(rule_header(catch5_rules.PRESETS), rule_rows(catch5_rules.Rules, catch5_rules.PRESETS)),
        'words': lambda: table(('field', 'word', 'meaning'), word_rows()),
    },
    'gymnasium.md': {
        'options': lambda: table(('action', 'option'), ((i, option.text) for i, option in enumerate(OPTIONS))),
    },
}


def filled(page: str) -> str:
    """Return the text of a page with its tables written anew."""
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
