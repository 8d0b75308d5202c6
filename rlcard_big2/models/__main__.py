"""Lists the shipped models: python -m rlcard_big2.models [--rules NAME]."""

from rlcard_big2.models import describe_models
from rlcard_big2.rules import find_rules
from rlcard_kit.nets.zoo import list_models


def main() -> None:
    """Print a line for each model, and a note if it was not trained on the rules that are asked about."""
    print(list_models('rlcard_big2.models', describe_models(), find_rules))


if __name__ == '__main__':
    main()
