"""Lists the shipped models: python -m rlcard_big2.models [--rules NAME]."""

import argparse

from rlcard_big2.errors import Big2Error
from rlcard_big2.models import describe_models
from rlcard_big2.rules import find_rules


def main() -> None:
    """Print a line for each model, and a note if it was not trained on the rules that are asked about."""
    parser = argparse.ArgumentParser(prog='python -m rlcard_big2.models', description='List the shipped models.')
    parser.add_argument('--rules', metavar='NAME', help='say which models were not trained on these rules')
    named = parser.parse_args().rules
    try:
        rules = None if named is None else find_rules(named)
    except Big2Error as error:
        parser.error(str(error))
    print(f'{"model":10} {"rules":14} {"frames":>12} {"MB":>5}  SHA-256 of the weights')
    for model in describe_models():
        size = model.num_bytes / 1e6
        print(f'{model.name:10} {model.rules.title:14} {model.frames:12,} {size:5.1f}  {model.sha256}')
        note = model.note(rules) if rules else ''
        if note:
            print(f'{"":10} {note}')


if __name__ == '__main__':
    main()
