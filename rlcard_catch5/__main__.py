"""Run the installed command `catch5`, as in `python -m rlcard_catch5 play`."""

import sys
from importlib.metadata import entry_points

if __name__ == '__main__':
    for command in entry_points(group='console_scripts', name='catch5'):
        sys.exit(command.load()())
    sys.exit('the command catch5 is not installed: pip install .')
