"""Tests mirror the tree: `tests/PKG/x/test_y.py` tests the module or package `x/y`."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
PACKAGES = {'kit': 'rlcard_kit', 'big2': 'rlcard_big2', 'catch5': 'rlcard_catch5', 'play': 'rlcard_play'}
SUITES = {  # of whole programs, packages, properties of a game, and documents
    'big2': 'checkouts positions reference rlcard',
    'big2/engine': 'perft',
    'catch5': 'reference',
    'catch5/engine': 'perft',
    'eval/common': 'paths',
    'dmc': 'catch5 faults networks',
    'docs': 'contributing examples frameworks mirror recipes records_schema scaling',
    'kit': 'damaged golden toy_game',
    'kit/nets': 'precision',
    'play/catch5': 'page',
    'play/web': ''
    'model page_advice page_day page_drag page_felt page_layout page_play page_progress page_share page_splits '
    'page_strings page_study security',
    'ppo': 'catch5',
    'training': 'devices faults runs',
}


def has_module(test):
    """Whether a test file has the name of a module or package in its place, or of its own folder."""
    top, *folders, file = test.relative_to(TESTS).parts
    name = file.removeprefix('test_').removesuffix('.py')
    place = TESTS.parent.joinpath(PACKAGES.get(top, top), *folders)
    files = (place / f'{name}.py', place / f'_{name}.py')
    return name == [top, *folders][-1] or (place / name).is_dir() or any(file.is_file() for file in files)


def test_each_test_file_has_a_module():
    missing = {str(test.relative_to(TESTS)) for test in TESTS.glob('*/**/test_*.py') if not has_module(test)}
    assert missing <= {f'{folder}/test_{name}.py' for folder, names in SUITES.items() for name in names.split()}
