"""`python -m rlcard_big2.play`, and the command `big2`."""

from rlcard_big2.play.commands import main

if __name__ == '__main__':
    main()
