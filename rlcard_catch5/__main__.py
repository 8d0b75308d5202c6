"""Run `catch5` as `python -m rlcard_catch5`."""

from rlcard_catch5.cli import main

if __name__ == '__main__':
    main()
