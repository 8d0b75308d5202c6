"""Lists the shipped models: python -m rlcard_catch5.models [--rules NAME]."""

from rlcard_catch5.models import describe_models
from rlcard_catch5.rules import find_rules
from rlcard_kit.nets.zoo import list_models


def main() -> None:
    """Print a line for each model, and a note if it was not trained on the rules of the option."""
    print(list_models('rlcard_catch5.models', describe_models(), find_rules))


if __name__ == '__main__':
    main()
