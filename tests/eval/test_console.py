"""What commands print is what was meant: names have colons and brackets."""

from rich.table import Table

from common.cli import new_console


def test_names_are_written_as_they_are():
    console, table, names = new_console(), Table('python:m:Agent[1]'), 'ppo:x: and python:m:Agent[1] [red]'
    table.add_row('ppo:x:')
    with console.capture() as printed:
        console.print(names, table)
    assert names in printed.get()
    assert 'python:m:Agent[1]' in printed.get().replace(names, '')
    assert printed.get().count('ppo:x:') == 2
