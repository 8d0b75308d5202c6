"""Scores of people's games, cached in a file."""

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from rlcard_big2 import records
from rlcard_big2.records import Record
from rlcard_big2.study.advice import Advisor
from rlcard_big2.study.score import Judge, Result, results, summaries
from rlcard_kit.files import check_file, parse_json
from rlcard_kit.version import __version__
from rlcard_kit.web.archive import lines_of

VALUES = 'games.values.jsonl'


class CachedJudge(Judge):
    """A judge that caches its results in a file.

    Args:
        advisor: its agent plays the same deals.
        folder: of the file.
    """

    def __init__(self, advisor: Advisor, folder: Path) -> None:
        super().__init__(advisor)
        self._file = folder / VALUES
        self._by = f'{advisor.name} {__version__}'
        self._known: dict[str, Result] = {}
        check_file(self._file)
        for _, line, _ in lines_of(self._file) if self._file.exists() else ():
            self._load(line)

    def _load(self, line: bytes) -> None:
        try:
            known = parse_json(self._file, line)
            if known['by'] == self._by:
                lost = None if known['given_away'] is None else float(known['given_away'])
                self._known[known['game']] = Result(int(known['payoff']), int(known['agent']), lost)
        except (ValueError, KeyError, TypeError):
            return  # to be computed again

    def result(self, game: Record, seat: int) -> Result:
        """Return the result of a person, computed once."""
        key = sha256(records.to_json(game).encode()).hexdigest()[:32]
        if key not in self._known:
            found = super().result(game, seat)
            line = {'game': key, 'by': self._by, 'payoff': found.payoff, 'agent': found.agents}
            text = json.dumps({**line, 'given_away': found.given_away})
            with self._file.open('a', encoding='utf-8') as file:
                file.write(text + '\n')
            self._known[key] = found
        return self._known[key]

    def score(self, games: Iterable[Record], agents: set[str]) -> list[dict[str, Any]]:
        """Return the scores of people's games against agents of these names, as JSON."""
        known = (game for game in games if _opponents(game) <= agents)
        return [group.to_json() for group in summaries(results(known, self))]


def _opponents(game: Record) -> set[str]:
    return {str(seat.get('name')) for seat in game.seats or () if seat.get('kind') != 'person'}
