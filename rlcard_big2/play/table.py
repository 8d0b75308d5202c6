"""One game after the other between a person and three agents."""

from collections.abc import Sequence
from dataclasses import replace
from time import gmtime, strftime
from typing import Any
from uuid import uuid4

import rlcard

from rlcard_big2.actions import PASS
from rlcard_big2.files import checksum
from rlcard_big2.names import weights_file
from rlcard_big2.play.advice import make_player
from rlcard_big2.play.screen import ME
from rlcard_big2.records import Record
from rlcard_big2.rules import Rules
from rlcard_big2.version import __version__


class Table:
    """A person in seat 0, and agents in the others.

    Args:
        names: of the three agents, the next one first.
        rules: to play by.
        seed: of the deals; None takes one from the operating system.
    """

    def __init__(self, names: Sequence[str], rules: Rules, seed: int | None = None) -> None:
        config = {'seed': seed, 'game_rules': rules, 'allow_step_back': True}
        self.env = rlcard.make('big2', config=config)
        self.rules = rules
        self.names = ('you', *names)
        made = {name: make_player(name, rules) for name in dict.fromkeys(names)}
        self.agents = [made[name] for name in names]
        self.deal()

    def deal(self) -> None:
        """Deal a new game."""
        self.state, self.player = self.env.reset()
        self._own: list[int] = []  # plies of the person's choices
        self.help: dict[str, list[int]] = {'takebacks': [], 'advice': []}  # plies at which it was asked for
        self.started = strftime('%Y-%m-%dT%H:%M:%SZ', gmtime())

    @property
    def ply(self) -> int:
        """Moves made."""
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
        """Whether somebody has won."""
        return bool(self.env.is_over())

    @property
    def must_pass(self) -> bool:
        """Whether nothing but a pass is legal."""
        return self.legal == [PASS]

    def play(self, move: str) -> None:
        """Make a legal move of the person."""
        if not self.must_pass:
            self._own.append(self.ply)
        self.state, self.player = self.env.step(move, raw_action=True)

    def let_play(self) -> None:
        """Have the agent to move make its move."""
        agent = self.agents[self.player - 1]
        action, _ = agent.eval_step(self.state)
        self.state, self.player = self.env.step(action, agent.use_raw)

    def take_back(self) -> bool:
        """Go back to the person's previous choice; return whether there was one."""
        if not self._own:
            return False
        self.help['takebacks'].append(self.ply)
        target = self._own.pop()
        while self.ply > target:
            self.state, self.player = self.env.step_back()
        return True

    def warm_up(self) -> None:
        """Have the agents play a game of their own, so that everything is compiled."""
        env = rlcard.make('big2', config={'seed': 0, 'game_rules': self.rules, 'allow_step_back': True})
        env.reset()
        play_out(env, [*self.agents, self.agents[0]])
        env.step_back()
        env.to_record()

    def record(self) -> Record:
        """Return the record of the game so far."""
        seats = ({'name': self.names[ME], 'kind': 'person'}, *map(_described, self.names[1:]))
        asked = {name: plies for name, plies in self.help.items() if plies}
        extra = {'id': uuid4().hex, 'started': self.started, **({'help': asked} if asked else {})}
        return replace(self.env.to_record(), seats=seats, extra=extra)


def play_out(env: Any, agents: Sequence[Any]) -> None:
    """Have four agents, by seat, play the game of an environment to its end."""
    state, player = env.get_state(env.get_player_id()), env.get_player_id()
    while not env.is_over():
        action, _ = agents[player].eval_step(state)
        state, player = env.step(action, agents[player].use_raw)


def _described(name: str) -> dict[str, Any]:
    """Return what a record says of an agent."""
    weights = weights_file(name)
    known = {} if weights is None else {'weights': f'sha256:{checksum(weights)}'}
    return {'name': name[:200], 'kind': 'agent', 'version': __version__, **known}
