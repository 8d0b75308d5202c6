"""Configuration of Sphinx: `make docs`."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOTEBOOKS = 'notebooks/'
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
    'sphinxcontrib.programoutput',
]
exclude_patterns = ['_build', 'jupyter_execute', '**/.ipynb_checkpoints']
# Notebooks are stored without outputs and run for the site.
nb_execution_mode = 'force'
nb_execution_raise_on_error = True
nb_execution_timeout = 900  # seconds for a cell
nb_output_stderr = 'remove'
nb_render_markdown_format = 'myst'  # with tables
html_theme = 'furo'
html_title = f'Big 2, {__version__}'
myst_enable_extensions = ['colon_fence']
myst_heading_anchors = 3
autodoc_member_order = 'bysource'
autodoc_typehints = 'description'
autodoc_typehints_format = 'short'
add_module_names = False
default_role = 'code'
copybutton_prompt_text = '> '


def outside(app: object, docname: str, source: list[str]) -> None:
    """Replace links to files that are not pages by their names in code style."""

    def named(link: re.Match[str]) -> str:
        return f'`{link[2].removeprefix("../")}`'

    if docname.startswith(NOTEBOOKS):  # their links with .. lead to pages
        return
    source[0] = re.sub(r'\[([^]]*)\]\((\.\./(?!CHANGELOG|CONTRIBUTING)[^)]*)\)', named, source[0])


def setup(app: object) -> None:
    """Connect `outside` to the reading of pages."""
    app.connect('source-read', outside)  # type: ignore[attr-defined]
