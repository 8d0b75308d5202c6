"""Exact solutions: the tree, best responses and CFR+ of small games, compared with OpenSpiel's."""

import json
from importlib import import_module

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms.exploitability import nash_conv

import rlcard_big2.openspiel  # noqa: F401  # registers python_big2
from eval.big2.game_tree import action_values, exploitability, grow, match_value, policy_of, reach_probabilities, solve
from eval.cli import main
from rlcard_big2.duplicate import play_match
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import Rules
from rlcard_kit.errors import RulesError

SMALLEST = Rules(players=2, ranks=1, hand_size=2, opening='any')
SMALL = Rules(players=2, ranks=2, hand_size=2, opening='any')


@pytest.mark.slow
def test_openspiel_finds_the_same_exploitability(tmp_path):
    (tmp_path / 'rules.json').write_text(json.dumps(SMALLEST.to_json()))
    game = pyspiel.load_game(f'python_big2(rules={tmp_path / "rules.json"})')
    tree = grow(SMALLEST)
    random = policy_of(make_agent('random', SMALLEST), tree)
    found = nash_conv(game, spiel_policy.UniformRandomPolicy(game))
    assert found > 0.1
    assert 2 * exploitability(tree, random) == pytest.approx(found, abs=1e-9)


def test_cfr_approaches_an_equilibrium():
    tree = grow(SMALL)
    solved = solve(tree, 60)
    assert exploitability(tree, solved) < 1e-3 < exploitability(tree, solve(tree, 3))
    for name in ('random', 'greedy', 'rule'):
        policy = policy_of(make_agent(name, SMALL), tree)
        assert -exploitability(tree, policy) - 1e-12 <= match_value(tree, policy, solved) < 1e-3
        assert match_value(tree, policy, policy) == pytest.approx(0)
    assert sum(
        action_values(tree, solved, reach_probabilities(tree, solved), seat)[1].mean() for seat in (0, 1)
    ) == pytest.approx(0)


def test_values_are_those_of_a_match():
    tree, names = grow(SMALL), ('greedy', 'rule')
    greedy, rule = (policy_of(make_agent(name, SMALL), tree) for name in names)
    played = play_match(*names, deals=2000, rules=SMALL)
    assert match_value(tree, greedy, rule) == pytest.approx(played.ev.mean, abs=1.5 * played.ev.margin)
    assert played.ev.margin < 0.05


def test_what_has_no_exact_solution_is_refused():
    for rules, named in ((Rules(), 'players=2'), (Rules(players=2), '20,000,000 nodes')):
        with pytest.raises(RulesError, match=named):
            grow(rules)


def test_the_policy_of_an_agent_that_draws_its_moves_is_the_mean_of_draws():
    tree = grow(SMALL)
    greedy, random = (np.concatenate(policy_of(make_agent(name, SMALL), tree)) for name in ('greedy', 'random'))
    drawn = np.concatenate(policy_of(make_agent('greedy,epsilon=0.5', SMALL), tree, draws=40))
    assert abs(drawn - (greedy + random) / 2).mean() < 0.05
    assert drawn.sum() == pytest.approx(random.sum())


def test_the_command_lists_agents_and_the_equilibrium(monkeypatch, capsys):
    monkeypatch.setattr(
        'sys.argv', ['eval', 'exact', 'greedy', '--ranks', '2', '--hand-size', '2', '--iterations', '9']
    )
    main()
    said = capsys.readouterr().out
    assert '420 deals' in said
    assert 'greedy 0.32857' in ' '.join(said.split())


@pytest.mark.parametrize('trainer', ['dmc', pytest.param('ppo', marks=pytest.mark.slow)])
def test_training_on_a_small_game_makes_an_agent_less_exploitable(tmp_path, trainer):
    train, config = import_module(f'{trainer}.trainer').train, import_module(f'{trainer}.config').Config
    small = {'dmc': {'batch_size': 64, 'lstm_size': 8}, 'ppo': {'num_steps': 8, 'minibatch_size': 64}}[trainer]
    run = {'savedir': tmp_path, 'deterministic': True, 'total_frames': 20_000, 'eval_deals': 0}
    train(config.of(rules=SMALL.text, num_games=32, hidden_size=32, learning_rate=3e-3, **run, **small))
    tree = grow(SMALL)
    agents = make_agent(f'{trainer}:{tmp_path}', SMALL), make_agent('random', SMALL)
    trained, random = (exploitability(tree, policy_of(agent, tree)) for agent in agents)
    assert trained < 0.3 * random
