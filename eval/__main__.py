"""`python -m eval`; the commands are in `eval.cli`, which takes seconds to import."""

from common.entry import run


def main() -> None:
    """Run the command that the command line names."""
    run('python -m eval', 'eval.cli')


if __name__ == '__main__':
    main()
