"""`python -m rlcard_big2 serve`: the command `big2`, where it is not installed."""

from rlcard_big2.cli import main

if __name__ == '__main__':
    main()
