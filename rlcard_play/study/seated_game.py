"""A game between seats, each taken by a person or an agent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from secrets import token_urlsafe
from time import gmtime, strftime
from typing import Any, ClassVar, NamedTuple

import rlcard

from rlcard_kit.files import checksum
from rlcard_kit.records import MAX_NAME, Format, read_wholes
from rlcard_kit.rules import Rulebook
from rlcard_kit.version import __version__
from rlcard_play.study.protocols import Json, State

ID_BYTES = 16  # of randomness; 22 characters


class Seat(NamedTuple):
    """The player in a seat."""

    name: str
    agent: str | None = None  # name the agent was made by; None for a person


class SeatedGame:
    """A game with its players; it knows all hands.

    Args:
        seats: the players; None is an open seat.
        rules: of the game.
        seed: of the deals; None takes one from the operating system.
        agents: by name, for `play_agent`.
    """

    records: ClassVar[Format[Any]]
    """Its key is the name of the environment."""
    weights_file: ClassVar[Callable[[str, Any], Path | None]]
    """Returns the weights file of an agent under some rules, or None."""

    def __init__(
        self,
        seats: Sequence[Seat | None],
        rules: Any,
        seed: int | None = None,
        agents: Mapping[str, Any] | None = None,
    ) -> None:
        config = {'seed': seed, 'game_rules': rules, 'allow_step_back': True}
        self.env = rlcard.make(self.records.key, config=config)
        self.rules = rules
        self.seats = list(seats)
        self.agents = agents or {}
        self.deal()

    def deal(self, position: Any = None) -> None:
        """Deal a new game, or start from a position, a record."""
        self.state, self.player = self._reset(position)
        self._choices: list[tuple[int, int]] = []  # (ply, seat) of people's moves, without forced ones
        self.help: Json = {'takebacks': [], 'advice': []}  # plies of each
        self.id = token_urlsafe(ID_BYTES)
        self.started = strftime('%Y-%m-%dT%H:%M:%SZ', gmtime())

    def following(self, is_new: bool = False) -> 'SeatedGame':
        """Return a new game of the same players, the next of the session or the first of a new one."""
        return type(self)(self.seats, self.rules.after(None if is_new else self.env.get_payoffs().tolist()))

    def resume(self, record: Any) -> None:
        """Go on with the game of a record, with the help asked for until then; RecordError if that is not valid."""
        self.deal(record)
        self.started = str(record.extra.get('started', self.started))
        noted = record.extra.get('help', {})
        self.help = {name: list(read_wholes(noted.get(name, []), f'help.{name}')) for name in self.help}

    def deal_next(self) -> None:
        """Deal the next game of the session."""
        rules = self.rules.after(self.env.get_payoffs().tolist())
        if rules != self.rules:
            self.rules = rules
            self.env.game.configure({'game_rules': rules})
        self.deal()

    def _reset(self, position: Any) -> tuple[State, int]:
        state, player = self.env.reset(position=position)
        return state, player

    @property
    def ply(self) -> int:
        """Number of moves made."""
        return len(self.trace)

    @property
    def trace(self) -> list[tuple[int, str]]:
        """The moves made, as (seat, text)."""
        trace: list[tuple[int, str]] = self.env.action_recorder
        return trace

    @property
    def legal(self) -> list[str]:
        """Texts of the legal moves."""
        legal: list[str] = self.state['raw_legal_actions']
        return legal

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(self.env.is_over())

    @property
    def is_forced(self) -> bool:
        """Whether the seat to move is not asked, because it has no choice."""
        return len(self.legal) == 1

    @property
    def has_choices(self) -> bool:
        """Whether a person has chosen a move."""
        return bool(self._choices)

    def play(self, move: str, chosen: bool = True) -> None:
        """Make a move of the seat to move.

        Args:
            move: its text.
            chosen: whether a person made it, who may take it back.

        Raises:
            IllegalActionError: if it is not legal; the game is unchanged.
        """
        choice = (self.ply, self.player)
        is_choice = chosen and not self.is_forced
        self.state, self.player = self.env.step(move, raw_action=True)
        if is_choice:
            self._choices.append(choice)

    def play_agent(self) -> None:
        """Make the move of the agent to move."""
        seat = self.seats[self.player]
        if seat is None or seat.agent is None:
            raise TypeError(f'no agent sits in seat {self.player}')
        self.play(choose_move(self.agents[seat.agent], self.state), chosen=False)

    def step_back(self) -> None:
        """Undo the last move."""
        self.state, self.player = self.env.step_back()
        while self._choices and self._choices[-1][0] >= self.ply:
            self._choices.pop()

    def take_back(self, seat: int) -> bool:
        """Undo moves back to a person's previous choice; return whether there was one."""
        last = next((ply for ply, owner in reversed(self._choices) if owner == seat), None)
        if last is None:
            return False
        self.help['takebacks'].append(self.ply)
        while self.ply > last:
            self.step_back()
        return True

    def note_advice(self) -> None:
        """Note that advice was given at this ply."""
        if self.ply not in self.help['advice']:
            self.help['advice'].append(self.ply)

    def record(self) -> Any:
        """Return the record of the game so far."""
        asked = {name: noted for name, noted in self.help.items() if noted}
        extra = {'id': self.id, 'started': self.started, **({'help': asked} if asked else {})}
        return replace(self.env.to_record(), seats=tuple(map(self._described, self.seats)), extra=extra)

    def _described(self, seat: Seat | None) -> Json:
        """Describe a seat for a record."""
        if seat is None:
            return {}
        if seat.agent is None:
            return {'name': seat.name, 'kind': 'person'}
        weights = _checksum_of(type(self).weights_file(seat.agent, self.rules))
        return {'name': seat.name[:MAX_NAME], 'kind': 'agent', 'version': __version__, **weights}


@lru_cache
def _checksum_of(weights: Path | None) -> Json:
    return {} if weights is None else {'weights': f'sha256:{checksum(weights)}'}


def seats_of(names: Sequence[str]) -> list[Seat]:
    """Return a person in seat 0 and the agents of the names in the seats after it."""
    return [Seat('you'), *(Seat(name, name) for name in names)]


def choose_move(agent: Any, state: State) -> str:
    """Return the text of an agent's move in a state of its seat."""
    action, _ = agent.eval_step(state)
    texts: list[str] = state['raw_legal_actions']
    return str(action) if agent.use_raw else texts[list(state['legal_actions']).index(action)]


def play_out(env: Any, agents: Sequence[Any]) -> None:
    """Play the game of an environment to its end with agents, in the order of the seats."""
    state, player = env.get_state(env.get_player_id()), env.get_player_id()
    while not env.is_over():
        action, _ = agents[player].eval_step(state)
        state, player = env.step(action, agents[player].use_raw)


def warm_up(game: str, agents: Sequence[Any], rules: Rulebook) -> None:
    """Play a game between agents, one for each seat, so that all kernels are compiled."""
    env = rlcard.make(game, config={'seed': 0, 'game_rules': rules, 'allow_step_back': True})
    env.reset()
    play_out(env, agents)
    env.step_back()
    env.to_record()
