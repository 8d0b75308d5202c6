"""Draws the house and the rooms of the library: what imports what, read from the code."""

from collections.abc import Mapping, Sequence
from functools import cache

import grimp

from docs.shapes import FIELD, arrow, box, picture
from rlcard_big2.render.svg import PALE, draw_text

BOX_WIDTH, BOX_HEIGHT, COLUMN, FLOOR = 112, 30, 140, 58
# The column of each, chosen so that arrows pass between boxes. Its floor follows from the imports.
HOUSE = {
    **{'benchmarks': 0, 'experiments': 1, 'dmc': 0, 'ppo': 1, 'training': 0.5, 'eval': 0.5},
    **{'common': 0, 'rlcard_catch5': 1, 'rlcard_big2': 0.5},
}
LIBRARY = {
    **{'web': 1, 'play': 2, 'models': 5, 'openspiel': 0, 'duplicate': 1, 'search': 2, 'gymnasium': 3, 'pettingzoo': 4},
    **{'names': 1, 'nets': 2, 'env': 4, 'agents': 1, 'game': 4, 'vector': 0, 'charlesworth': 1, 'records': 4},
    **{'engine': 1, 'neural': 2, 'face': 5, 'lockstep': 2},
}


def house() -> str:
    """Draw the packages of the checkout."""
    return _drawn('What imports what in the checkout', HOUSE, imports_between(tuple(HOUSE)))


def library() -> str:
    """Draw the rooms of the library."""
    found = imports_between(tuple(f'rlcard_big2.{room}' for room in LIBRARY))
    short = {_room(importer): tuple(_room(imported) for imported in importeds) for importer, importeds in found.items()}
    return _drawn('What imports what in rlcard_big2', LIBRARY, short)


def _room(module: str) -> str:
    return module.rpartition('.')[2]


@cache
def imports_between(names: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return which of some packages each of them imports, without imports that others of its imports imply."""
    roots = sorted({name.partition('.')[0] for name in names})
    graph = grimp.build_graph(*roots, exclude_type_checking_imports=True, cache_dir=None)
    for name in names:
        graph.squash_module(name)
    direct = {name: graph.find_modules_directly_imported_by(name) & set(names) - {name} for name in names}
    return {
        name: [one for one in sorted(found) if not any(graph.chain_exists(other, one) for other in found - {one})]
        for name, found in direct.items()
    }


def _drawn(title: str, columns: Mapping[str, float], imports: Mapping[str, Sequence[str]]) -> str:
    """Draw boxes in their columns, each on the floor above all that it imports, and an arrow for each import."""

    def floor(name: str) -> int:
        return 1 + max(map(floor, imports[name]), default=-1)

    top = max(map(floor, columns))
    places = {name: (14 + int(column * COLUMN), 14 + (top - floor(name)) * FLOOR) for name, column in columns.items()}
    middle = BOX_WIDTH // 2
    parts = [
        arrow(places[name][0] + middle, places[name][1] + BOX_HEIGHT, places[one][0] + middle, places[one][1])
        for name, importeds in imports.items()
        for one in importeds
    ]
    for name, (left, upper) in places.items():
        parts += [box(left, upper, BOX_WIDTH, BOX_HEIGHT, FIELD), draw_text(left + 7, upper + 20, name)]
    low = 14 + top * FLOOR + BOX_HEIGHT
    parts.append(draw_text(14, low + 24, 'An arrow: imports', PALE))
    return picture(title, 10 + int((1 + max(columns.values())) * COLUMN), low + 38, parts)
