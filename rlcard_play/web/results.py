"""Results of people's games against agents, kept in a file."""

import json
from collections import UserDict
from pathlib import Path

from rlcard_kit.files import check_file, parse_json
from rlcard_kit.version import __version__
from rlcard_play.study.score import Result
from rlcard_play.web.archive import lines_of

FILE = 'games.values.jsonl'


class ResultFile(UserDict[str, Result]):
    """Results by a checksum of the game; new ones are appended to a file.

    Args:
        folder: of the file.
        agent: name of the agent that they are compared with; those of others, or of other versions, are ignored.
    """

    def __init__(self, folder: Path, agent: str) -> None:
        super().__init__()
        self._file, self._by = folder / FILE, f'{agent} {__version__}'
        check_file(self._file)
        for _, line, _ in lines_of(self._file) if self._file.exists() else ():
            self._load(line)

    def _load(self, line: bytes) -> None:
        try:
            known = parse_json(self._file, line)
            if known['by'] == self._by:
                lost, luck = (None if known[name] is None else float(known[name]) for name in ('given_away', 'luck'))
                payoff, won, agent = int(known['payoff']), bool(known['won']), int(known['agent'])
                self.data[known['game']] = Result(payoff, won, agent, lost, luck)
        except (ValueError, KeyError, TypeError):
            return  # to be computed again

    def __setitem__(self, key: str, result: Result) -> None:
        text = json.dumps({'game': key, 'by': self._by, **result._asdict()})
        with self._file.open('a', encoding='utf-8') as file:
            file.write(text + '\n')
        self.data[key] = result
