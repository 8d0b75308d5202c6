"""Tables against an environment that is played in the same way: moves, mistakes, retries, take-backs, restarts."""

import asyncio
import tempfile
from pathlib import Path

import rlcard
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rlcard_big2.agents.base import GreedyAgent
from rlcard_big2.cards import format_cards
from rlcard_big2.rules import FOUR_PLAYERS
from tests.support.web_client import Client, serving


class Tables(RuleBasedStateMachine):
    """One person with three agents that always do the same; the environment is the oracle."""

    def __init__(self):
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.server = None
        self.client = Client(None)
        self.choices = []  # plies of the person's choices
        self.sent = None  # the last move that was accepted
        self.restart()

    def run(self, work):
        return self.loop.run_until_complete(work)

    def restart(self):
        """End the server without a word, and start another."""
        if self.server is not None:
            self.run(self.server.__aexit__(None, None, None))
        self.server = serving(Path(self.folder.name))
        self.lobby, self.client.app = self.run(self.server.__aenter__())

    def teardown(self):
        self.run(self.server.__aexit__(None, None, None))
        self.loop.close()
        self.folder.cleanup()

    @initialize(seat=st.integers(0, 3), rules=st.sampled_from(list(FOUR_PLAYERS)), number=st.integers(0, 99))
    def begin(self, seat, rules, number):
        self.seat = seat
        seats = ['greedy'] * 4
        seats[seat] = 'me'
        self.table, view = self.run(self.client.begin(seats, rules=rules, deal=f'7/{number}'))
        position = self.lobby.tables[view['table']].game.record().at(0)
        config = {'seed': 0, 'game_rules': rules, 'allow_step_back': True}
        self.oracle, self.agent = rlcard.make('big2', config=config), GreedyAgent()
        self.oracle.reset(position=position)
        self.advance()

    def advance(self):
        """Have the oracle's agents play, and the person pass if nothing else is possible."""
        oracle = self.oracle
        while not oracle.is_over():
            player = oracle.get_player_id()
            state = oracle.get_state(player)
            if player != self.seat:
                oracle.step(self.agent.eval_step(state)[0])
            elif state['raw_legal_actions'] == ['pass']:
                oracle.step('pass', raw_action=True)
            else:
                return
        self.view = None

    @property
    def legal(self):
        return self.oracle.get_state(self.seat)['raw_legal_actions']

    @property
    def ply(self):
        return len(self.oracle.action_recorder)

    def post(self, name, **body):
        return self.run(self.client.post(f'{self.table}/{name}', body))

    @precondition(lambda self: not self.oracle.is_over())
    @rule(number=st.integers(0, 100))
    def move(self, number):
        move = self.legal[number % len(self.legal)]
        self.sent = {'ply': self.ply, 'move': move}
        answer = self.post('moves', **self.sent)
        assert answer.status == 200, answer.body
        assert answer.json()['log'][: self.ply + 1] == [*map(list, self.oracle.action_recorder), [self.seat, move]]
        self.choices.append(self.ply)
        self.oracle.step(move, raw_action=True)
        self.advance()

    @precondition(lambda self: self.sent is not None and self.sent['ply'] < self.ply)
    @rule()
    def retry(self):
        assert self.post('moves', **self.sent).status == 409

    @precondition(lambda self: not self.oracle.is_over())
    @rule(ply=st.integers(0, 60))
    def move_at_a_wrong_ply(self, ply):
        if ply != self.ply:
            assert self.post('moves', ply=ply, move=self.legal[0]).status == 409

    @precondition(lambda self: not self.oracle.is_over())
    @rule(cards=st.integers(1, (1 << 52) - 1))
    def move_that_is_not_legal(self, cards):
        text = format_cards(cards, self.oracle.game.rules.suits)
        if text not in self.legal:
            assert self.post('moves', ply=self.ply, move=text).status == 422

    @rule()
    def take_back(self):
        answer = self.post('takeback', ply=self.ply)
        if self.oracle.is_over() or not self.choices:
            assert answer.status == 409
            return
        assert answer.status == 200, answer.body
        target = self.choices.pop()
        while self.ply > target:
            self.oracle.step_back()

    @rule()
    def advice(self):
        answer = self.run(self.client.get(f'{self.table}/advice'))
        assert answer.status == (409 if self.oracle.is_over() else 200)

    @rule()
    def end_and_start(self):
        self.restart()

    @invariant()
    def both_are_at_the_same_position(self):
        if not hasattr(self, 'oracle'):
            return
        view = self.run(self.client.turn(self.table))
        seen = self.oracle.get_state(self.seat)['raw_obs']
        assert view['log'] == [list(move) for move in self.oracle.action_recorder]
        assert view['hand'] == seen['current_hand']
        assert view['left'] == seen['num_cards_left']
        assert view['legal'] == seen['actions']
        if self.oracle.is_over():
            assert view['over']['payoffs'] == self.oracle.get_payoffs().tolist()


Tables.TestCase.settings = settings(max_examples=6, stateful_step_count=25, deadline=None, derandomize=True)
TestTables = Tables.TestCase
