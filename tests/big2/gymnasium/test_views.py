"""The action spaces of the Gymnasium environments, and policies as agents."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from rlcard_big2 import Rules, make_agent
from rlcard_big2.action_sets.options import NAMES, NUM_OPTIONS, OPTIONS
from rlcard_big2.actions import ACTION_FEATURES, action_id
from rlcard_big2.cards import format_cards
from rlcard_big2.duplicate import play_match
from rlcard_big2.engine.ruleset import strength, tabulate
from rlcard_big2.gymnasium import PolicyAgent
from rlcard_big2.gymnasium.views import VIEWS, make_view
from rlcard_big2.rules import FOUR_PLAYERS
from rlcard_big2.testing import check_agent
from rlcard_kit.errors import ConfigError
from tests.support.big2_positions import state_of
from tests.support.positions import random_positions


def test_scored_moves_have_their_features_and_the_pass_is_never_left_out() -> None:
    every, few = (make_view(Rules(), 'scored', most) for most in (None, 4))
    left_out = 0
    for positions in random_positions(16, 'charlesworth', 40):
        seen, short = every.observe(positions)['moves'], few.observe(positions)['moves']
        for game in range(16):
            one = positions.select(np.array([game]))
            moves = one.moves.tolist()
            expected = np.array([[*ACTION_FEATURES[action_id(move)], move == 0] for move in moves])
            assert np.array_equal(seen[game, : len(moves)], expected)
            assert not seen[game, len(moves) :].any()
            kept = moves if len(moves) <= 4 else [*moves[:3], moves[-1] if moves[-1] == 0 else moves[3]]
            left_out += len(moves) - len(kept)
            assert np.array_equal(short[game, : len(kept), :52], [ACTION_FEATURES[action_id(move)] for move in kept])
            assert [one.moves[few.actions.indices(one, np.array([place]))[0]] for place in range(len(kept))] == kept
            assert (every.actions.masks(one).sum(), few.actions.masks(one).sum()) == (len(moves), len(kept))
            assert every.actions.indices(one, np.array([len(moves) - 1]))[0] == len(moves) - 1
    assert left_out > 0


def meanings(hand: str, table: str = '', rules: str = 'charlesworth') -> dict[str, str]:
    """Return the cards that each option means to the holder of a hand with control, or with an answer to give."""
    positions = make_agent('greedy').positions_of(state_of(hand, table=table, rules=rules))
    view = make_view(Rules.preset(rules), 'reduced')
    legal = np.flatnonzero(view.actions.masks(positions)[0])
    moves = [int(positions.moves[view.actions.indices(positions, np.array([action]))[0]]) for action in legal]
    texts = [format_cards(move) or 'pass' for move in moves]
    return {OPTIONS[action].text: text for action, text in zip(legal, texts, strict=True)}


def test_an_answer_has_the_options_of_its_size_and_the_pass() -> None:
    found = meanings('4d 4c 9c 9h Ks', table='8s')
    assert set(found.values()) == {'9c', 'Ks', 'pass'}
    assert found['the lowest single that breaks no pair, straight or flush'] == 'Ks'
    assert found['the weakest single'] == '9c'
    assert 'the next such single' not in found
    assert meanings('4d 4c', table='8s') == {'the pass': 'pass'}


def test_a_flush_keeps_its_cards_together_if_the_rules_have_flushes() -> None:
    singles = {rules: meanings('3h 6h 8h Th Kh As', rules=rules)[OPTIONS[0].text] for rules in ('hkust', 'taiwan')}
    assert singles == {'hkust': 'As', 'taiwan': '3h'}


@pytest.mark.parametrize('rules', FOUR_PLAYERS)
def test_weakest_and_strongest_of_a_kind(rules: str) -> None:
    (table,), view = tabulate(Rules.preset(rules)), make_view(Rules.preset(rules), 'reduced')
    numbers = {option.text: number for number, option in enumerate(OPTIONS)}
    for positions in random_positions(16, rules, 12):
        for game in range(16):
            one = positions.select(np.array([game]))
            rated = [strength(table, move) if move else 0 for move in one.moves.tolist()]
            for kind in {each >> 16 for each in rated if each}:
                of_kind = [each for each in rated if each >> 16 == kind]
                for word, best in (('weakest', min(of_kind)), ('strongest', max(of_kind))):
                    number = numbers[f'the {word} {NAMES[kind]}']
                    assert view.actions.indices(one, np.array([number]))[0] == rated.index(best)


@pytest.mark.parametrize('actions', VIEWS)
def test_a_policy_is_an_agent(actions: str) -> None:
    def policy(observations: Any, masks: Any) -> Any:
        seen = observations['observation'] if actions == 'scored' else observations
        assert seen.shape == (len(masks), 1339)
        return masks.argmax(axis=1)

    check_agent(PolicyAgent(policy, actions))
    if actions == 'scored':
        positions = next(random_positions(8, 'charlesworth', 1))
        assert np.array_equal(PolicyAgent(policy, actions).choose(positions, None).indices, positions.offsets[:-1])


@pytest.mark.parametrize(
    ('policy', 'text'),
    [
        (lambda observations, masks: np.full(len(masks), 9999), '9999'),
        (lambda observations, masks: masks.argmin(axis=1), 'not legal'),
        (lambda observations, masks: masks.argmax(axis=1)[:1], r'int64 \[1\]'),
        (lambda observations, masks: np.zeros(len(masks)), 'float64'),
    ],
)
def test_a_policy_that_chooses_no_legal_action_is_refused(policy: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        play_match(PolicyAgent(policy), 'greedy', deals=2)


class Model:
    """A model of Stable-Baselines3 that was trained with the options."""

    observation_space = make_view(Rules(), 'reduced').observation_space
    action_space = spaces.Discrete(NUM_OPTIONS)

    def predict(self, observation: Any, action_masks: Any, deterministic: bool) -> Any:
        return action_masks.argmax(axis=1), None


class Maskless(Model):
    def predict(self, observation: Any, state: Any = None, deterministic: bool = False) -> Any: ...


def test_a_model_needs_masks_and_the_actions_of_its_training() -> None:
    assert play_match(PolicyAgent.of_sb3(Model(), actions='reduced'), 'greedy', deals=2).num_deals == 2
    with pytest.raises(ConfigError, match='Maskless'):
        PolicyAgent.of_sb3(Maskless(), actions='reduced')
    for actions in ('slots', 'scored'):
        with pytest.raises(ConfigError, match=rf"35 actions .* actions='{actions}' has 1695"):
            PolicyAgent.of_sb3(Model(), actions=actions)


def test_a_policy_has_a_name_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'lowest_policy.py').write_text(
        'from rlcard_big2.gymnasium import PolicyAgent\n'
        "make = lambda: PolicyAgent(lambda observations, masks: masks.argmax(axis=1), 'reduced')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    name = 'python:lowest_policy:make'
    assert isinstance(make_agent(name, 'taiwan'), PolicyAgent)
    env = gymnasium.make('Big2-v0', opponents=[name, 'rule', name], rules='taiwan')
    env.reset(seed=1)
    assert env.unwrapped.names().count(name) == 2
