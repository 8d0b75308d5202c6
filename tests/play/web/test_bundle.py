"""The page in one script."""

from graphlib import CycleError

import pytest
from playwright.sync_api import expect

from rlcard_play.web.bundle import bundle


def test_the_page_loads_few_and_small_files(people):
    page, loaded = people.page('about:blank'), []
    page.on('requestfinished', lambda request: loaded.append(request.sizes()['responseBodySize']))
    page.goto(people.address)
    expect(page.get_by_role('button', name='Play', exact=True)).to_be_visible()
    page.wait_for_load_state('networkidle')
    assert 0 < len(loaded) <= 12
    assert 0 < sum(loaded) < 160_000


def test_modules_that_import_each_other_cannot_be_bundled(tmp_path):
    sources = {name: tmp_path / name for name in ('a.js', 'b.js')}
    sources['a.js'].write_text("import { b } from './b.js';\nexport const a = 1;\n")
    sources['b.js'].write_text("import { a } from './a.js';\nexport const b = a;\n")
    with pytest.raises(CycleError):
        bundle('a.js', sources)
