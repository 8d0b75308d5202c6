"""The action spaces of the Gymnasium face, and policies as agents."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from rlcard_big2 import Rules, VectorEnv, make_agent
from rlcard_big2.actions import ACTION_FEATURES, action_id
from rlcard_big2.cards import format_cards, parse_cards
from rlcard_big2.charlesworth import index_of
from rlcard_big2.duplicate import play_match
from rlcard_big2.engine.actions import ACTION_MASKS, PASS_ID
from rlcard_big2.engine.batch import list_legal, observe_games
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.observation import new_observations
from rlcard_big2.engine.ruleset import strength, tabulate
from rlcard_big2.engine.state import new_games
from rlcard_big2.gymnasium import PolicyAgent
from rlcard_big2.gymnasium.options import NUM_OPTIONS, OPTIONS
from rlcard_big2.gymnasium.views import make_view
from rlcard_big2.notation import kind_name
from rlcard_big2.testing import check_agent
from rlcard_kit.errors import ConfigError
from rlcard_kit.positions import Positions

PRESETS = ('charlesworth', 'hkust', 'hong-kong', 'taiwan')
VIEWS = ('slots', 'scored', 'reduced')


def positions_of(rules: str, count: int, turns: int, seed: int = 5) -> Iterator[Positions]:
    """Yield the positions of some games that are played at random."""
    env = VectorEnv(count, rules, seed=seed)
    draws = np.random.default_rng(seed)
    observations, (moves, offsets) = env.new_observations(), env.new_legal()
    for _ in range(turns):
        env.observe(observations)
        total = env.legal(moves, offsets)
        positions = Positions(observations.copy(), moves[:total].copy(), offsets.copy())
        yield positions
        chosen = moves[draws.integers(positions.offsets[:-1], positions.offsets[1:])]
        env.step(chosen, env.new_payoffs(), np.empty(count, np.bool_))


@pytest.mark.parametrize('actions', VIEWS)
@pytest.mark.parametrize('rules', PRESETS)
def test_every_legal_action_means_a_legal_move_of_its_game(actions: str, rules: str) -> None:
    view = make_view(Rules.preset(rules), actions)
    for positions in positions_of(rules, 32, 60):
        masks = view.masks(positions)
        assert masks.any(axis=1).all()
        reached = set()
        for game, action in np.argwhere(masks).tolist():
            one = positions.select(np.array([game]))
            index = int(view.indices(one, np.array([action]))[0])
            assert 0 <= index < len(one.moves)
            reached.add((game, index))
        if actions != 'reduced':
            assert len(reached) == len(positions.moves)


def test_every_combination_has_a_slot_of_its_own_in_every_hand() -> None:
    draws = np.random.default_rng(4)
    for mask in ACTION_MASKS[draws.permutation(PASS_ID)[:4000]].tolist():
        others = [card for card in range(52) if not mask >> card & 1]
        more = draws.choice(others, draws.integers(0, 14 - mask.bit_count()), replace=False).tolist()
        hand = mask | sum(1 << card for card in more)
        assert index_of(mask, hand) >= 0


def test_scored_moves_have_their_features_and_the_pass_is_never_left_out() -> None:
    every, few = (make_view(Rules(), 'scored', most) for most in (None, 4))
    left_out = 0
    for positions in positions_of('charlesworth', 16, 40):
        seen, short = every.observe(positions)['moves'], few.observe(positions)['moves']
        for game in range(16):
            moves = positions.moves[positions.offsets[game] : positions.offsets[game + 1]].tolist()
            expected = np.array([[*ACTION_FEATURES[action_id(move)], move == 0] for move in moves])
            assert np.array_equal(seen[game, : len(moves)], expected)
            assert not seen[game, len(moves) :].any()
            kept = moves if len(moves) <= 4 else [*moves[:3], moves[-1] if moves[-1] == 0 else moves[3]]
            left_out += len(moves) - len(kept)
            assert np.array_equal(short[game, : len(kept), :52], [ACTION_FEATURES[action_id(move)] for move in kept])
            one = positions.select(np.array([game]))
            meant = [one.moves[few.indices(one, np.array([place]))[0]] for place in range(len(kept))]
            assert meant == kept
            assert few.masks(one).sum() == len(kept)
    assert left_out > 0


def meanings(hand: str, table: str = '', rules: str = 'charlesworth') -> dict[str, str]:
    """Return what each option means to the holder of a hand that has control, or may answer: its cards."""
    ruleset, games = tabulate(Rules.preset(rules)), new_games(1)
    games['hands'][0, 0], games['ply'], games['winner'] = parse_cards(hand), 4, -1
    if table:
        games['table'] = parse_cards(table)
        games['beat'] = strength(ruleset[0], parse_cards(table))
    observations, moves, offsets = new_observations(1), np.empty(MAX_LEGAL, np.int64), np.empty(2, np.int64)
    observe_games(ruleset, games, np.zeros(1, np.int64), observations)
    count = list_legal(ruleset, games, moves, offsets)
    positions = Positions(observations, moves[:count], offsets)
    view = make_view(Rules.preset(rules), 'reduced')
    found = {}
    for action in np.flatnonzero(view.masks(positions)[0]).tolist():
        move = int(positions.moves[view.indices(positions, np.array([action]))[0]])
        found[OPTIONS[action].text] = format_cards(move) or 'pass'
    return found


def test_options_keep_what_they_say() -> None:
    hand = '3d 5d 5c 6c 7h 8s 9d Jh Qs Qc Kd 2c 2h'  # 5 to 9 is a straight
    found = meanings(hand)
    assert found['the lowest single that breaks no pair, straight or flush'] == '3d'
    assert found['the next such single'] == 'Jh'
    assert found['the highest such single'] == 'Kd'
    assert found['the lowest single that breaks no pair'] == '3d'
    assert found['the highest single that breaks no pair'] == 'Kd'
    assert found['the highest single below a 2'] == 'Kd'
    assert found['the weakest single'] == '3d'
    assert found['the strongest single'] == '2h'
    assert found['the lowest pair that breaks no triple, straight or flush'] == 'Qc Qs'
    assert found['the lowest pair that breaks no triple'] == '5d 5c'
    assert found['the highest pair below the 2s'] == 'Qc Qs'
    assert found['the strongest pair'] == '2c 2h'
    assert found['the weakest straight'] == '5d 6c 7h 8s 9d'
    assert 'the weakest straight that breaks no pair' not in found
    assert found['the weakest five cards'] == found['the strongest five cards'] == '5d 6c 7h 8s 9d'
    assert found['the strongest two pair'].endswith('2c 2h')
    assert 'the pass' not in found


def test_an_answer_has_the_options_of_its_size_and_the_pass() -> None:
    found = meanings('4d 4c 9c 9h Ks', table='8s')
    assert set(found.values()) == {'9c', 'Ks', 'pass'}
    assert found['the lowest single that breaks no pair, straight or flush'] == 'Ks'
    assert found['the weakest single'] == '9c'
    assert 'the next such single' not in found
    assert meanings('4d 4c', table='8s') == {'the pass': 'pass'}


def test_a_flush_keeps_its_cards_together_if_the_rules_know_flushes() -> None:
    hand = '3h 6h 8h Th Kh As'
    single = 'the lowest single that breaks no pair, straight or flush'
    assert meanings(hand)[single] == 'As'
    assert meanings('3h 6h 8h Th Kh As', rules='taiwan')[single] == '3h'


@pytest.mark.parametrize('rules', PRESETS)
def test_weakest_and_strongest_of_a_kind_are_those_that_beat_or_are_beaten_by_the_others(rules: str) -> None:

    ruleset, table = Rules.preset(rules), tabulate(Rules.preset(rules))
    view = make_view(ruleset, 'reduced')
    numbers = {option.text: number for number, option in enumerate(OPTIONS)}
    names = {'triples': 'three of a kind', 'two pairs': 'two pair', 'fours': 'four of a kind'}
    names |= {'straights': 'straight', 'flushes': 'flush', 'full houses': 'full house', 'singles': 'single'}
    names |= {'pairs': 'pair', 'fours with a kicker': 'four of a kind with a kicker'}
    names |= {'straight flushes': 'straight flush'}
    for positions in positions_of(rules, 16, 12):
        for game in range(16):
            one = positions.select(np.array([game]))
            kinds: dict[str, list[int]] = {}
            for index, move in enumerate(one.moves.tolist()):
                if move:
                    name = names[kind_name(format_cards(move, ruleset.suits), ruleset)]
                    kinds.setdefault(name, []).append(index)
            for name, indices in kinds.items():
                rated = [strength(table[0], one.moves[index]) for index in indices]
                for word, best in (('weakest', min(rated)), ('strongest', max(rated))):
                    number = numbers[f'the {word} {name}']
                    assert view.indices(one, np.array([number]))[0] == indices[rated.index(best)]


def test_options_are_told_apart() -> None:
    assert len({option.text for option in OPTIONS}) == NUM_OPTIONS == 35
    assert all(option.above < number for number, option in enumerate(OPTIONS))


def first_legal(observations: Any, masks: Any) -> Any:
    return masks.argmax(axis=1)


@pytest.mark.parametrize('actions', VIEWS)
def test_a_policy_is_an_agent(actions: str) -> None:
    shapes = []

    def policy(observations: Any, masks: Any) -> Any:
        seen = observations['observation'] if actions == 'scored' else observations
        shapes.append((seen.shape[1:], len(seen) == len(masks)))
        return masks.argmax(axis=1)

    agent = PolicyAgent(policy, actions)
    check_agent(agent)
    match = play_match(agent, 'greedy', deals=4, rules='hkust')
    assert match.num_deals == 4
    assert set(shapes) == {((1339,), True)}


def test_a_policy_plays_what_it_chooses() -> None:
    agent = PolicyAgent(first_legal, 'scored')
    for positions in positions_of('charlesworth', 8, 5):
        assert np.array_equal(agent.choose(positions, None).indices, positions.offsets[:-1])


@pytest.mark.parametrize(
    ('policy', 'text'),
    [
        (lambda observations, masks: np.full(len(masks), 9999), 'the policy chose action 9999, which is not legal'),
        (lambda observations, masks: masks.argmin(axis=1), 'which is not legal'),
        (lambda observations, masks: masks.argmax(axis=1)[:1], r'the policy returned int64 \[1\]: expected'),
        (lambda observations, masks: np.zeros(len(masks)), r'the policy returned float64'),
    ],
)
def test_a_policy_that_chooses_what_it_may_not_is_refused(policy: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        play_match(PolicyAgent(policy), 'greedy', deals=2)


def test_a_model_without_masks_is_refused() -> None:
    class Model:
        """A model of Stable-Baselines3 that takes no masks."""

        def predict(self, observation: Any, state: Any = None, deterministic: bool = False) -> Any: ...

    with pytest.raises(ConfigError, match='Model knows no masks'):
        PolicyAgent.of_sb3(Model())


@pytest.mark.parametrize('actions', ['slots', 'scored'])
def test_a_model_trained_with_other_actions_is_refused(actions: str) -> None:
    class Model:
        """A model of Stable-Baselines3 that was trained with the options."""

        observation_space = make_view(Rules(), 'reduced').observation_space
        action_space = spaces.Discrete(NUM_OPTIONS)

        def predict(self, observation: Any, action_masks: Any, deterministic: bool) -> Any:
            return action_masks.argmax(axis=1), None

    assert play_match(PolicyAgent.of_sb3(Model(), actions='reduced'), 'greedy', deals=2).num_deals == 2
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
    _, info = env.reset(seed=1)
    assert info['action_mask'].any()
    assert env.unwrapped.names().count(name) == 2
