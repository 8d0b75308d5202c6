"""`python -m dmc`; the commands are in `dmc.cli`, which takes seconds to import."""

from eval.common.entry import run


def main() -> None:
    """Run the command that the command line names."""
    run('python -m dmc', 'dmc.cli')


if __name__ == '__main__':
    main()
