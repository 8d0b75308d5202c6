"""Run `big2` as `python -m rlcard_big2`."""

from rlcard_big2.cli import main

if __name__ == '__main__':
    main()
