"""A table of the attacks in tests: `make attacks` runs those marked `attack` and prints it.

The marker names the kind of attack. A test with several tries records their number as the property `tries`.
"""

from collections import Counter, defaultdict


def pytest_collection_modifyitems(items):
    for item in items:
        item.user_properties += [('attack', mark.args[0]) for mark in item.iter_markers('attack')]


def pytest_terminal_summary(terminalreporter, config):
    if 'attack' not in config.option.markexpr:
        return
    tries, failures, files = Counter(), Counter(), defaultdict(set)
    for outcome in ('passed', 'failed'):
        for report in terminalreporter.getreports(outcome):
            known = dict(report.user_properties)
            if report.when == 'call' and 'attack' in known:
                kind = known['attack']
                tries[kind] += known.get('tries', 1)
                failures[kind] += report.failed
                files[kind].add(f'`{report.nodeid.partition("::")[0]}`')
    terminalreporter.section('attacks')
    terminalreporter.write_line('| attack | tries | failures | tests |\n|---|---|---|---|')
    for kind, number in sorted(tries.items()):
        terminalreporter.write_line(f'| {kind} | {number:,} | {failures[kind]} | {", ".join(sorted(files[kind]))} |')
