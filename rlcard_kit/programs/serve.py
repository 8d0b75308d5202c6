"""Agents as programs: questions on standard input, answers on standard output."""

import json
import os
import sys
from collections.abc import Callable
from typing import IO, Any

from rlcard_kit.errors import RecordError, describe
from rlcard_kit.files import parse_json


def serve(choose: Callable[[dict[str, Any]], str]) -> int:
    """Answer questions until the end of the input; return the exit status, 0.

    Args:
        choose: returns the text of a move, given a question. If it raises an error of input, the answer is that error.
    """
    answers = _take_output()
    for line in sys.stdin:
        answer = _answer(choose, line)
        if answer is not None:
            answers.write(f'{json.dumps(answer)}\n')
    return 0


def _take_output() -> IO[str]:
    """Return standard output; what is printed from now on goes to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), 'w', buffering=1)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answers


def _answer(choose: Callable[[dict[str, Any]], str], line: str) -> dict[str, str] | None:
    """Return the answer to a line; None if it is the start of a game."""
    try:
        message = parse_json('the line', line)
        if not isinstance(message, dict):
            raise RecordError(f'{line.strip()!r:.60} is not a JSON object')
        return None if 'game' in message else {'move': choose(message)}
    except KeyError as error:
        return {'error': f'the key {error} is missing'}
    except (ValueError, TypeError, LookupError) as error:  # KitError among them
        return {'error': describe(error)}
