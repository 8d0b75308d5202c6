"""Run a program with limits, and kill its process group once the process that started it is gone.

This file is run as a script, with the standard library alone: `guard.py LIFELINE MEGABYTES COMMAND ...`. It is the
leader of its process group and becomes the program. LIFELINE is the reading end of a pipe that the starter holds open.
"""

import os
import resource
import signal
import sys


def main() -> None:
    """Set the limits, leave a watcher behind, and become the program; exit with a message if it cannot be run."""
    lifeline, megabytes, command = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    _limit(resource.RLIMIT_DATA, int(megabytes * 2**20))
    _limit(resource.RLIMIT_CORE, 0)
    _leave_watcher(lifeline)
    os.close(lifeline)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f'{command[0]} cannot be run: {error.strerror}')


def _limit(kind: int, most: int) -> None:
    allowed = resource.getrlimit(kind)[1]
    most = most if allowed == resource.RLIM_INFINITY else min(most, allowed)
    resource.setrlimit(kind, (most, most))


def _leave_watcher(lifeline: int) -> None:
    """Start a process that is not a child of the program, so that the program cannot wait for it."""
    if os.fork() == 0:
        if os.fork() == 0:
            for stream in range(3):
                os.close(stream)
            os.read(lifeline, 1)  # returns once no process holds the other end
            os.killpg(0, signal.SIGKILL)
        os._exit(0)
    os.wait()


if __name__ == '__main__':
    main()
