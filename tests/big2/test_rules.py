"""Rules of Big 2: fields, numbers, and settings of trainers and evaluations that keep them by value."""

import json
from dataclasses import fields, replace

import pytest

import dmc.config
import dmc.trainer
import ppo.config
import ppo.trainer
from eval.options import GameOptions, Options
from rlcard_big2 import Rules
from rlcard_big2.engine.ruleset import number_of_rules, rules_of
from rlcard_big2.nets.agents import DMCAgent, PPOAgent
from rlcard_big2.rules import PRESETS, find_rules
from rlcard_kit.errors import RulesError
from rlcard_kit.nets.checkpoint import CheckpointError

OWN = Rules(straights='T2A', penalty_thresholds=(7, 9), unplayed_twos=True)


@pytest.fixture
def file(tmp_path):
    """Write rules of one's own as JSON; return the file."""
    path = tmp_path / 'rules.json'
    path.write_text(json.dumps(OWN.to_json()))
    return path


WRONG = {
    'players': [1, 5, 4.0, '3', None, True],
    'hand_size': [0, 27, 13.0, '13', None],
    'leftover': ['opponent', None, True],
    'ranks': [0, 14, 13.0, None],
    'suits': ['shcd', '', None, 1, ['d']],
    'opening': ['first', True, None],
    'straights': ['A2T', 't2a', 0, None],
    'flush_order': ['ranks', False, None],
    'last_card': ['low', True, None],
    'instant_wins': ['four', True, None],
    'settlement': ['losers', False, None],
    'leads': ['4', 0, None],
    'penalty_thresholds': [
        [8], 8, None, (8, 8), (10, 8), (0,), (-1, 3), (8.0,), (True,), ('8',), (1, 2, 3, 4), (8, 53), (10**30,),
    ],
    **{field.name: [0, 1, None, 'yes'] for field in fields(Rules) if isinstance(field.default, bool)},
}  # fmt: skip


def test_wrong_values_are_named_with_their_field():
    assert set(WRONG) == {field.name for field in fields(Rules)}
    for name, values in WRONG.items():
        for value in values:
            with pytest.raises(RulesError) as error:
                Rules(**{name: value})
            assert f'{name}={value!r}' in str(error.value)


@pytest.mark.parametrize(
    ('changes', 'named'),
    [
        ({'hand_size': 14}, '4 players of 14 cards need 56: ranks=13 are 52'),
        ({'players': 2, 'ranks': 6}, '2 players of 13 cards need 26: ranks=6 are 24'),
        ({'players': 3, 'hand_size': 16, 'leftover': 'opener'}, '1 to 2 .* leave 4'),
        ({'hand_size': 12, 'instant_wins': 'dragon'}, 'hand_size of at least 13: 4 players of 12'),
        ({'bombs': True}, 'four_kickers=True'),
        ({'mixed_kinds': False}, 'bombs=True'),
        ({'four_highest': True}, 'four_kickers=True'),
        ({'low_twos': True, 'straights': 'T'}, "straights='T'"),
        ({'last_card': 'pays', 'final_pass': True}, 'final_pass=False'),
        ({'twos_once': True}, 'unplayed_twos=True'),
        ({'players': 2, 'leads': '2'}, 'seats 0 to 1'),
        ({'places': True, 'last_card': 'pays', 'unplayed_twos': True}, "last_card='pays', unplayed_twos=True needs"),
        ({'separate_bonuses': True}, 'unplayed_bombs=True or final_play=True'),
        ({'straights': 'A23'}, "'T2A' .A2345 over 23456 over TJQKA., .*'9TJ' .JQKA2 over TJQKA"),
        ({'suits': []}, "'dchs' .diamonds lowest., 'cdhs' .clubs"),
        ({'penalty_thresholds': 8}, 'tuple of whole numbers'),
        ({'penalty_thresholds': [10**30]}, 'from 1 to 52'),
    ],
)
def test_errors_name_what_is_needed_or_possible(changes, named):
    with pytest.raises(RulesError, match=named):
        find_rules(json.dumps({**Rules().fields(), **changes}))


@pytest.mark.parametrize(
    'keep',
    [
        lambda rules: dmc.config.Config.of(rules=rules).game,
        lambda rules: ppo.config.Config.of(rules=rules).game,
        lambda rules: Options(game=GameOptions(rules=rules)).game,
    ],
    ids=['dmc', 'ppo', 'eval'],
)
def test_settings_keep_rules_by_value(keep, file):
    assert keep(str(file)).rules == keep(OWN).rules == OWN.text
    assert find_rules(OWN.text) == OWN
    with pytest.raises(RulesError, match="'bridge'"):
        keep('bridge')


SMALL = {'hidden_size': 8, 'num_games': 8, 'deterministic': True, 'eval_deals': 0}


@pytest.mark.parametrize(
    ('settings', 'train', 'load'),
    [
        (dmc.config.Config.of(**SMALL, lstm_size=4, batch_size=64), dmc.trainer.train, DMCAgent.load),
        (ppo.config.Config.of(**SMALL), ppo.trainer.train, PPOAgent.load),
    ],
    ids=['dmc', 'ppo'],
)
def test_a_run_learns_rules_from_a_file_and_keeps_them(tmp_path, file, settings, train, load):
    run = settings.changed(rules=str(file), savedir=tmp_path / 'run')
    train(run.changed(total_frames=300))
    assert load(tmp_path / 'run').trained_on == OWN
    with pytest.raises(CheckpointError, match=r"rules='charlesworth': .*unplayed_twos"):
        train(run.changed(rules='charlesworth', resume=True, total_frames=600))


def test_a_report_names_the_rules_from_a_file(tmp_path, file, command):
    words = ['match', 'random', 'greedy', '--rules', file, '--deals', '2', '--workers', '1', '--out', tmp_path / 'out']
    status, printed = command(*words)
    assert status == 0, printed
    assert OWN.title in (tmp_path / 'out/report.md').read_text()
    assert Rules.from_json(json.loads((tmp_path / 'out/report.json').read_text())['rules']) == OWN


def test_each_set_of_rules_has_a_number():
    changed = [replace(rules, penalty_thresholds=(8, 52), final_play=True) for rules in PRESETS.values()]
    rules = [*PRESETS.values(), *changed]
    numbers = [*map(number_of_rules, rules)]
    assert len(set(numbers)) == len(rules)
    assert 0 <= min(numbers) <= max(numbers) < 2**63
    assert [*map(rules_of, numbers)] == rules
    with pytest.raises(RulesError):
        rules_of(2**63)
    usual, others = ([number_of_rules(one) for one in rules if one.is_usual_size == wanted] for wanted in (True, False))
    assert max(usual) < min(others)  # sizes are the highest digits, 0 for four players: older numbers stay as they are
    largest = Rules(players=2, hand_size=26, leftover='out', ranks=13)
    assert rules_of(number_of_rules(largest)) == largest


def test_the_rules_of_a_sessions_next_game():
    session, two = Rules(leads='winner'), Rules(leads='2')
    assert session.after((-5, 9, -4, 0)).after((-5, -9, 20, -6)) == two
    assert two.after(None) == session
    assert (two.title, session.title) == ("charlesworth with leads='winner'",) * 2
    assert Rules().after((9, -3, -3, -3)) == Rules()


def test_players_and_cards():
    three, two = Rules.preset('hong-kong-3'), Rules.preset('two')
    assert (three.num_cards, three.num_left_over, three.most_cards, three.is_all_in_play) == (52, 1, 18, True)
    assert (two.num_left_over, two.most_cards, two.is_all_in_play) == (26, 13, False)
    assert Rules(ranks=5, hand_size=5).pack == (1 << 52) - (1 << 32)
    assert three.hand_sizes(opener=1) == [17, 18, 17]
