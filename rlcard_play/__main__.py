"""Run `big2` or `catch5` from a checkout: `python -m rlcard_play big2 play`."""

from rlcard_play.cli import main

if __name__ == '__main__':
    main()
