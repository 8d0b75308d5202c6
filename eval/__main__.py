"""`python -m eval`; the commands are in `eval.cli`, which takes seconds to import."""

from common.entry import run
from common.watchdog import Note, supervised

KEPT = 'finished games are kept, and --resume continues from them'


def main(note: Note | None = None) -> None:
    """Run the command that the command line names; what it waits for is noted."""
    run('python -m eval', 'eval.cli', note)


if __name__ == '__main__':
    supervised('python -m eval', main, KEPT)
