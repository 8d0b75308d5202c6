"""Console and error messages of the command lines."""

import ast
import os
import re
import shlex
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import cleandoc
from pathlib import Path
from textwrap import fill
from typing import Any, TypeVar

import tyro
from docstring_parser import attrdoc
from rich.console import Console
from tyro import _strings
from tyro.conf import arg
from tyro.constructors import ConstructorRegistry, PrimitiveConstructorSpec, PrimitiveTypeInfo

from eval.common.entry import missing
from rlcard_kit.errors import INTERRUPTED, KitError, text_of
from rlcard_kit.files import user_path

WANT_OF_MEMORY = ('allocate memory', 'out of memory', 'could not create a primitive')  # the last is oneDNN's
PATHS = ConstructorRegistry()
"""Makes every option of type `Path` by `user_path`."""

T = TypeVar('T')


def new_console() -> Console:
    """Return a console without markup, since rich reads `ppo:x:` as an emoji and brackets as a style.

    A terminal that cannot move its cursor, or has no name, gets plain lines.
    """
    is_plain = os.environ.get('TERM', '') in ('', 'dumb', 'unknown')
    return Console(emoji=False, markup=False, force_terminal=False if is_plain else None)


def description_of(command: object) -> str:
    """Return the docstring of a command; '' under `python -OO`, where a dataclass has its signature in place of it."""
    return '' if sys.flags.optimize > 1 else cleandoc(command.__doc__ or '')


def option(metavar: str, **settings: Any) -> Any:
    """Return the `tyro.conf.arg` of an option; its help names no default that is None or empty."""

    def hint(default: str) -> str:
        return '' if default in ('', 'None') else f'(default: {default})'

    return arg(metavar=metavar, help_behavior_hint=hint, **settings)


def fitted(text: str) -> str:
    """Return a description, each paragraph in lines that fit the terminal; indented lines are items of a list."""
    width = shutil.get_terminal_size().columns
    lines = re.sub(r'(?<=\S)\n(?=\S)', ' ', text).splitlines()
    return '\n'.join(fill(line, width, subsequent_indent='    ' * line.startswith(' ')) for line in lines)


def _constant(node: ast.AST) -> Any:
    """Return the value of a constant, the docstring of a field in one line."""
    value = getattr(node, 'value', None)
    return ' '.join(value.split()) if isinstance(value, str) else value


# tyro joins lines, except before one that does not begin with a letter: with these two it gets a single line.
attrdoc.ast_get_constant_value = _constant
_strings.remove_single_line_breaks = str  # type: ignore[assignment]


@PATHS.primitive_rule
def _path_rule(info: PrimitiveTypeInfo) -> PrimitiveConstructorSpec[Path] | None:
    if info.type is not Path:
        return None
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar='PATH',
        instance_from_str=lambda words: user_path(words[0]),
        is_instance=lambda value: isinstance(value, Path),
        str_from_instance=lambda path: [str(path)],
    )


def parse(kind: Callable[..., T], **settings: Any) -> T:
    """Return what `tyro.cli` makes of the command line, `~` in its paths being the home folder.

    The usage names the module that `python -m` runs, unless `prog` names another program.
    """
    module = sys.modules['__main__'].__spec__
    program = {'prog': f'python -m {module.name}'} if module else {}
    about = fitted(settings.pop('description', None) or description_of(kind))
    return tyro.cli(kind, registry=PATHS, description=about, **{**program, **settings})


def python() -> str:
    """Return the interpreter of this process as a shell in the current folder finds it."""
    own, found = Path(sys.executable), shutil.which('python')
    if found and Path(found).parent == own.parent:
        return 'python'
    return shlex.quote(str(own.relative_to(Path.cwd()) if own.is_relative_to(Path.cwd()) else own))


@contextmanager
def reported(program: str, if_interrupted: str = 'interrupted') -> Iterator[None]:
    """Exit with a one-line message on errors that a user can fix; all others keep their traceback.

    Bad input, files and numbers, and too little memory, exit with status 1, Ctrl-C with 130. Warnings are single lines
    without their source line.

    Args:
        program: the beginning of the message.
        if_interrupted: the message after Ctrl-C.
    """

    def in_one_line(
        message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
    ) -> str:
        return f'{program}: {message}\n'

    earlier, warnings.formatwarning = warnings.formatwarning, in_one_line
    try:
        yield
    except (KitError, OSError, FloatingPointError) as error:
        hint = getattr(error, 'hint', '')
        sys.exit(f'{program}: {text_of(error)}' + (f'\n{hint}' if hint else ''))
    except ModuleNotFoundError as error:
        sys.exit(f'{program}: {missing(error)}')
    except (MemoryError, RuntimeError) as error:
        if not _is_of_memory(error):
            raise
        sys.exit(f'{program}: there is too little memory: {text_of(error)}')
    except KeyboardInterrupt:
        sys.stderr.write(f'{program}: {if_interrupted}\n')
        sys.exit(INTERRUPTED)
    finally:
        warnings.formatwarning = earlier


def _is_of_memory(error: BaseException) -> bool:
    """Whether an error means that memory ran out; torch raises several kinds."""
    return isinstance(error, MemoryError) or any(words in text_of(error) for words in WANT_OF_MEMORY)
