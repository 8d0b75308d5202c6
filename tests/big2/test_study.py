"""Modules that have moved name their new place."""

from importlib import import_module

import pytest


@pytest.mark.parametrize(
    ('old', 'new'),
    [
        ('rlcard_big2.study.advice', 'rlcard_play.big2.advice'),
        ('rlcard_big2.study.review', 'rlcard_play.big2'),
        ('rlcard_big2.terminal.human_agent', 'rlcard_play.big2.terminal'),
        ('rlcard_big2.terminal.reports', 'rlcard_play.big2.terminal'),
        ('rlcard_catch5.study.puzzles', 'rlcard_play.catch5'),
        ('rlcard_catch5.study.rollouts', 'rlcard_catch5.search.analysis'),
    ],
)
def test_a_module_that_moved_names_its_new_place(old, new):
    with pytest.raises(ImportError, match=new):
        import_module(old)
    import_module(new)
