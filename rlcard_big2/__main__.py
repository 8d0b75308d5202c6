"""Run the installed command `big2`, as in `python -m rlcard_big2 play`."""

import sys
from importlib.metadata import entry_points

if __name__ == '__main__':
    for command in entry_points(group='console_scripts', name='big2'):
        sys.exit(command.load()())
    sys.exit('the command big2 is not installed: pip install .')
