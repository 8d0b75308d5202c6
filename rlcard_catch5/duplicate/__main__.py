"""`python -m rlcard_catch5.duplicate A B`: plays a match of two teams and prints it."""

import argparse
import sys

from rlcard_catch5.duplicate.play import play_match
from rlcard_catch5.registry import GRAMMAR
from rlcard_catch5.rules import PRESETS
from rlcard_kit.errors import KitError


def main() -> None:
    """Play a match of A's team against B's; exit with 1 and a message if it cannot be done."""
    parser = argparse.ArgumentParser(
        prog='python -m rlcard_catch5.duplicate',
        description="Play A's team against B's, the same deals in both pairs of seats.",
        epilog=f'Agents by name:{GRAMMAR}',
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('agents', nargs=2, metavar='A B', help='agents by name')
    parser.add_argument('--deals', type=int, default=1000, metavar='N', help='each is played twice (1000)')
    parser.add_argument(
        '--rules', default='paper', metavar='NAME', help=f'{", ".join(PRESETS)}, a file of JSON, or python:MODULE:NAME'
    )
    parser.add_argument('--seed', type=int, default=0, metavar='N', help="of the deals and of the agents' draws (0)")
    options = parser.parse_args()
    try:
        agent, other = options.agents
        print(play_match(agent, other, deals=options.deals, rules=options.rules, seed=options.seed))
    except (KitError, ImportError) as error:
        sys.exit(f'error: {error}')


if __name__ == '__main__':
    main()
