"""The process of a program: one line in, one line out, within a time limit."""

import os
import selectors
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from time import monotonic

from rlcard_kit.errors import KitError

GUARD = Path(__file__).with_name('guard.py')
ONE_THREAD = {'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1', 'MKL_NUM_THREADS': '1'}
LONGEST = 65536  # bytes of an answer
KEPT = 2000  # bytes of the end of standard error
LEAVING = 1.0  # seconds from the end of a program's output to its own end
LOOK = 0.5  # seconds between two looks at the pipes; twice that count at most, so that a stopped match costs no move

KINDS = ('not started', 'crash', 'time-out', 'flood', 'nonsense', 'illegal move', 'error')
NOT_STARTED, CRASH, TIME_OUT, FLOOD, NONSENSE, ILLEGAL, ERROR = KINDS


class FaultError(KitError):
    """A program's failure to give a legal move.

    Args:
        kind: of `KINDS`.
        reason: in words; control characters of the program are written as escapes.
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(''.join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in reason))
        self.kind = kind


class ProgramProcess:
    """A program that runs in a process group of its own, which ends with this process.

    Args:
        command: the program and its arguments, which no shell reads.
        megabytes: limit of its memory, enforced on Linux.
    """

    def __init__(self, command: Sequence[str], megabytes: float) -> None:
        self.answered = False
        self.waited = 0.0  # seconds for the last answer, without those in which this process was stopped
        self._unsent = self._answer = self._errors = b''
        lifeline, self._lifeline = os.pipe()
        guard = [sys.executable, '-I', '-S', str(GUARD), str(lifeline), str(megabytes)]
        try:
            self._process = Popen(
                [*guard, *command],
                bufsize=0,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                pass_fds=[lifeline],
                start_new_session=True,
                env={**os.environ, **ONE_THREAD},
            )
        except (OSError, ValueError) as error:  # ValueError: an argument with a NUL
            os.close(self._lifeline)
            raise FaultError(NOT_STARTED, str(error)) from error
        finally:
            os.close(lifeline)
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in pipes if pipe is not None)
        self._selector = selectors.DefaultSelector()
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe, False)
        for pipe in (self._stdout, self._stderr):
            self._selector.register(pipe, selectors.EVENT_READ)

    def ask(self, question: bytes, seconds: float) -> bytes:
        """Write a question and return the answer, a line; FaultError if there is none in time, or more than one."""
        self.waited = 0.0
        self._transfer(0)
        if self._answer.strip():
            raise FaultError(FLOOD, f'it wrote {self._answer[:60]!r} without being asked')
        self._answer, self._unsent = b'', question
        self._selector.register(self._stdin, selectors.EVENT_WRITE)
        last = monotonic()
        while self._unsent or b'\n' not in self._answer:
            if self.waited >= seconds:
                raise FaultError(TIME_OUT, f'it did not answer within {seconds:.3g} s')
            try:
                self._transfer(min(seconds - self.waited, LOOK))
            finally:
                last, before = monotonic(), last
                self.waited += min(last - before, 2 * LOOK)
        answer, _, self._answer = self._answer.partition(b'\n')
        self.answered = True
        return answer

    def kill(self) -> None:
        """Kill the program and all other processes of its group."""
        with self._process, suppress(ProcessLookupError, PermissionError):  # closes the pipes, and waits
            os.killpg(self._process.pid, signal.SIGKILL)
        self._selector.close()
        os.close(self._lifeline)

    def _transfer(self, seconds: float) -> None:
        """Wait until a pipe is ready, then read or write what can be."""
        for key, _ in self._selector.select(seconds):
            if key.fd == self._stdin:
                self._write()
            elif key.fd == self._stderr:
                self._read_errors()
            else:
                self._read_answer()

    def _write(self) -> None:
        try:
            sent = os.write(self._stdin, self._unsent)
        except BrokenPipeError:  # it no longer reads, but may still answer
            sent = len(self._unsent)
        self._unsent = self._unsent[sent:]
        if not self._unsent:
            self._selector.unregister(self._stdin)

    def _read_errors(self) -> None:
        data = os.read(self._stderr, LONGEST)
        self._errors = (self._errors + data)[-KEPT:]
        if not data:
            self._selector.unregister(self._stderr)

    def _read_answer(self) -> None:
        data = os.read(self._stdout, LONGEST)
        if not data:
            raise self._death()
        self._answer += data
        if len(self._answer) > LONGEST:
            raise FaultError(FLOOD, f'it wrote more than {LONGEST:,} bytes')

    def _death(self) -> FaultError:
        """Return the fault of a program whose output has ended: its status, and the last line of its errors."""
        try:
            code = self._process.wait(LEAVING)
            how = f'it was killed by signal {-code}' if code < 0 else f'it ended with status {code}'
        except TimeoutExpired:
            how = 'it closed its output'
        with suppress(BlockingIOError):
            self._errors += os.read(self._stderr, LONGEST)
        last = self._errors.decode(errors='replace').strip().splitlines()[-1:]
        return FaultError(CRASH if self.answered else NOT_STARTED, ': '.join((how, *last)))
