"""Configuration of Sphinx: `make docs`."""

import os
import re
import runpy
import sys
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from unittest.mock import patch

from docutils.nodes import Node, literal_block
from docutils.parsers.rst import Directive

ROOT = Path(__file__).parents[1]
WIDTH = 88  # of help texts, which fit the page
HOME = '/home/you'  # in place of the builder's in help texts, which show ~
REPOSITORY = os.environ.get('GITHUB_REPOSITORY', '')  # that builds the site
sys.path.insert(0, str(ROOT))

from rlcard_kit.version import __version__  # noqa: E402  # after the path

project = 'Big 2 for reinforcement learning'
author = copyright = 'the maintainers'
release = version = __version__

extensions = [
    'myst_nb',
    'sphinx.ext.autodoc',
    'sphinx.ext.napoleon',
    'sphinx.ext.viewcode',
    'sphinx_copybutton',
]
exclude_patterns = ['_build', 'changes', 'jupyter_execute', '**/.ipynb_checkpoints']
# Notebooks are stored without outputs and run for the site.
nb_execution_mode = 'force'
nb_execution_raise_on_error = True
nb_execution_timeout = 900  # seconds for a cell
nb_output_stderr = 'remove'
nb_render_markdown_format = 'myst'  # with tables
html_theme = 'furo'
html_title = f'Big 2, {__version__}'
html_static_path, html_css_files = ['site.css'], ['site.css']
toc_object_entries_show_parents = 'hide'
if REPOSITORY:
    html_theme_options = {
        'footer_icons': [{'name': 'Source', 'url': f'https://github.com/{REPOSITORY}', 'html': 'Source', 'class': ''}],
        'source_repository': f'https://github.com/{REPOSITORY}',
        'source_branch': 'main',
        'source_directory': 'docs/',
    }
if (ROOT / 'docs' / '_build' / 'play' / 'index.html').exists():  # the front page then has the game, else its picture
    tags.add('play')  # type: ignore[name-defined]  # noqa: F821  # by Sphinx
myst_enable_extensions = ['colon_fence']
myst_heading_anchors = 3
autodoc_member_order = 'bysource'
autodoc_typehints = 'description'
autodoc_typehints_format = 'short'
add_module_names = False
default_role = 'code'
copybutton_prompt_text = '> '


def outside(app: object, docname: str, source: list[str]) -> None:
    """Link files outside this folder in the repository, or leave the words alone if it is unknown; pictures stay.

    Intervals and percentages are not broken, but for those of matrices.
    """
    folder = (ROOT / 'docs' / docname).parent

    def named(link: re.Match[str]) -> str:
        file = os.path.relpath(folder / link[2], ROOT)
        if file.startswith('docs/'):
            return link[0]
        return f'[{link[1]}](https://github.com/{REPOSITORY}/blob/main/{file})' if REPOSITORY else link[1]

    source[0] = re.sub(r'(?<!!)\[([^]]*)\]\((\.\./[^)]*)\)', named, source[0])
    if not docname.startswith('notebooks/') and not docname.endswith('/report'):
        source[0] = re.sub(r' ± |(?<=\d) %', lambda found: found[0].replace(' ', '\xa0'), source[0])


class CommandHelp(Directive):
    """The help text of a command, `python -m` and what follows; run in this process, since torch is slow to import."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[Node]:
        """Return the text as a block of code."""
        text = TextIOWrapper(BytesIO(), 'utf-8')
        sys.argv[:] = [*self.arguments[0].split(), '--help']
        with redirect_stdout(text), patch.dict(os.environ, COLUMNS=str(WIDTH), XDG_DATA_HOME=f'{HOME}/.local/share'):
            try:
                runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)
            except SystemExit as end:
                if end.code:
                    raise self.error(f'{" ".join(sys.argv)}: exit code {end.code}') from end
        text.seek(0)
        shown = text.read().replace(HOME, '~')
        return [literal_block(shown, shown, language='text')]


def setup(app: object) -> None:
    """Add the directive, and connect `outside` to the reading of pages."""
    app.add_directive('command-help', CommandHelp)  # type: ignore[attr-defined]
    app.connect('source-read', outside)  # type: ignore[attr-defined]
