"""`python -m eval`: entry point; importing the commands of `eval.cli` takes seconds."""

from eval.common.entry import run


def main() -> None:
    """Run the command that the command line names."""
    run('python -m eval', 'eval.cli')


if __name__ == '__main__':
    main()
