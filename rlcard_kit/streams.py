"""Standard streams of commands: closed ones, and terminals that lack characters."""

import codecs
import os
import sys
import unicodedata
from io import TextIOWrapper

PLAIN = {'±': '+-', '·': '.', '→': '->'}  # for characters that do not decompose into ASCII


def prepare_streams() -> None:
    """Open closed standard streams on nothing, and let open ones write plain characters in place of those they lack."""
    for name, mode in (('stdin', 'r'), ('stdout', 'w'), ('stderr', 'w')):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  # open until the process ends
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors='plain')


def _substitute(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that a stream lacks, and bytes that it cannot decode."""
    if not isinstance(error, UnicodeEncodeError):
        return codecs.replace_errors(error)  # type: ignore[return-value]
    text = unicodedata.normalize('NFKD', error.object[error.start : error.end])
    letters = (letter for letter in text if not unicodedata.combining(letter))
    return ''.join(PLAIN.get(letter, letter if letter.isascii() else '?') for letter in letters), error.end


codecs.register_error('plain', _substitute)
