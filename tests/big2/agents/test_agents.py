"""The rule agent is as strong and sensible as it claims, under the rules of each state; seeds of the random agent."""

import pytest
import rlcard
from rlcard.utils import set_seed

from rlcard_big2.actions import action_text
from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.cards import SUITS
from rlcard_big2.duplicate import play_match
from rlcard_big2.rules import PRESETS
from rlcard_kit.errors import IllegalActionError
from tests.support.big2_positions import state_of


@pytest.mark.parametrize('rules', PRESETS)
@pytest.mark.parametrize(('other', 'margin'), [('random', 9.0), ('greedy', 1.5)])
def test_rule_agent_beats(other: str, margin: float, rules: str) -> None:
    played = play_match('rule', other, 200, rules, seed=4)
    assert played.payoffs.mean() > (0 if rules == 'mini' else margin * (played.game.num_seats - 1) / 3)


def choice(*position: object, **settings: object) -> str:
    return action_text(RuleAgent().step(state_of(*position, **settings)), SUITS)


@pytest.mark.parametrize(
    ('hand', 'left', 'table', 'by', 'choices'),
    [
        # It goes out.
        ('4c', (5, 5, 5), '', 0, ['4c']),
        ('5c 5h', (5, 5, 5), '4d 4s', 1, ['5c 5h']),
        ('3d 4c 5h 6s 7d', (5, 5, 5), '', 0, ['3d 4c 5h 6s 7d']),
        ('2s', (5, 5, 5), 'Ad', 1, ['2s']),
        # It leads the unbeatable of its last two plays.
        ('4c 2s', (5, 5, 5), '', 0, ['2s']),
        ('3d 6c 6h', (1, 1, 1), '', 0, ['6c 6h']),
        ('4c 5d 6s 7d 8d Ks', (4, 4, 4), '', 0, ['4c 5d 6s 7d 8d']),
        # It blocks an opponent with one card.
        ('3d 7c 7h Ks', (1, 6, 6), '', 0, ['7c 7h']),
        ('3d 7c 9h Ks', (6, 1, 6), '', 0, ['Ks']),
        ('6c 9h Ac', (1, 6, 6), '5d', 2, ['Ac']),
        ('3d 7c 9h Ks', (6, 6, 6), '', 0, ['3d']),
        ('6c 9h Ac', (6, 6, 6), '5d', 2, ['6c']),
        # It keeps combinations together.
        ('4c 7c 7d 9h Jc Jd Ks', (9, 9, 9), '6s', 3, ['9h']),
        ('3d 4c 5h 6s 7d 8c Ks', (9, 9, 9), '3h', 3, ['8c', 'Ks']),
        # It saves its twos.
        ('3d 5c 6h 8s Tc Jd Qc 2h 2s', (10, 10, 10), '9d', 3, ['Tc', 'Jd', 'Qc']),
        ('3d 3s 5c 5h 8s Tc Jd 2h 2s', (10, 10, 10), '4d 4h', 3, ['5c 5h']),
    ],
)
def test_rule_agent_chooses(hand: str, left: tuple[int, ...], table: str, by: int, choices: list[str]) -> None:
    assert choice(hand, left, table, by) in choices


def test_rule_agent_keeps_a_straight_or_leads_a_triple_only_if_the_rules_have_it() -> None:
    """A2345 is a straight of every preset but charlesworth, which has the ace high and the wrapped JQKA2."""
    known = ('charlesworth', 'hkust', 'hong-kong', 'taiwan')
    kept = [choice('3d 4c 5h Ac 2s 8h', (6, 6, 6), 'Kd', by=3, rules=rules) for rules in known]
    assert kept == ['Ac', 'pass', 'pass', 'pass']
    led = {rules for rules in known if choice('3d 3c 3h 5c 6c 9d Kd', (9, 9, 9), rules=rules) == '3d 3c 3h'}
    assert led == {'charlesworth', 'hkust', 'hong-kong'}


def test_rlcards_seed_repeats_a_random_agent_without_a_seed() -> None:
    state, actions = state_of('3d 5c 6h 8s Tc Jd Qc 2h 2s', (10, 10, 10)), []
    for seed in (5, 5, 6):
        set_seed(seed)
        agent = RandomAgent()
        actions.append([agent.step(state) for _ in range(20)])
    assert actions[0] == actions[1] != actions[2]


def test_a_state_without_actions_is_refused() -> None:
    env = rlcard.make('big2')
    _, player = env.reset()
    with pytest.raises(IllegalActionError, match='another seat'):
        RuleAgent().eval_step(env.get_state((player + 1) % 4))
