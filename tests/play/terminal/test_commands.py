"""The end of a session: the game in progress is saved, whatever ends it."""

import signal
from contextlib import suppress

import pytest

from rlcard_kit.signals import ENDING
from rlcard_play.games import GAMES
from rlcard_play.terminal.commands import run_session
from rlcard_play.terminal.session import LeftError
from tests.play.terminal.test_session import session


@pytest.fixture(autouse=True)
def handlers():
    earlier = {number: signal.getsignal(number) for number in ENDING}
    yield
    for number, handler in earlier.items():
        signal.signal(number, handler)


@pytest.mark.parametrize('end', [*ENDING, RuntimeError('no compiled object yet'), LeftError()])
def test_a_game_is_saved_whatever_ends_it(tmp_path, monkeypatch, end):
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL if number != signal.SIGINT else signal.default_int_handler)
    file = tmp_path / 'games.jsonl'
    made, _ = session('big2', '#0', file=file)
    ask = made._read

    def read(prompt):
        if made.game.trace:
            if isinstance(end, Exception):
                raise end
            signal.raise_signal(end)
        return ask(prompt)

    made._read = read
    with suppress(KeyboardInterrupt, RuntimeError):
        assert run_session(made) == 0
        assert isinstance(end, LeftError)
    (game,) = GAMES['big2'].records.read(file)
    assert game.moves
