"""`python -m ppo`; the commands are in `ppo.cli`, which takes seconds to import."""

from eval.common.entry import run


def main() -> None:
    """Run the command that the command line names."""
    run('python -m ppo', 'ppo.cli')


if __name__ == '__main__':
    main()
