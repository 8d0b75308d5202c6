"""Results as a table in the terminal."""

from rich.table import Table

from eval.match import Match
from eval.statistics import by_seat, overall


def match_table(title: str, match: Match) -> Table:
    """Build a table of WP and EV, per seat and together, with 95 % intervals."""
    table = Table(title=title, title_justify='left')
    table.add_column('seat')
    table.add_column('WP (share of games won)', justify='right')
    table.add_column('EV (cards per game)', justify='right')
    for seat, result in enumerate(by_seat(match)):
        table.add_row(str(seat), *map(str, result))
    table.add_section()
    table.add_row('all', *map(str, overall(match)), style='bold')
    return table
