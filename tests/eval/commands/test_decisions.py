"""A file of decisions: whole questions, values of all legal moves, and the same file from the same seed."""

import json

import pytest
import rlcard

from eval.cli import main
from rlcard_big2 import make_agent
from rlcard_big2.agents.program import state_of


def write(monkeypatch, path, agent, *words):
    monkeypatch.setattr('sys.argv', ['eval', 'decisions', agent, str(path), '--count', '60', *words])
    main()
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_line_has_the_question_and_the_values_that_the_agent_has_there(monkeypatch, tmp_path):
    lines = write(monkeypatch, tmp_path / 'a', 'big2-dmc,numpy', '--rules', 'hong-kong', '--epsilon', '0.3')
    assert len(lines) == 60
    agent = make_agent('big2-dmc,numpy', 'hong-kong')
    for line in lines:
        _, info = agent.eval_step(state_of(line))
        assert line['values'] == pytest.approx(info['values'], abs=1e-4)
        assert list(line['values']) == list(line['cards']) == list(line['win']) == line['actions']
        assert line['best'] == max(line['values'], key=line['values'].get)
        assert f'> seat {line["self"]}' in line['text']
        assert line['current_hand'] in line['text']
    assert any(line['best'] != line['move'] for line in lines)
    assert all(0 <= chance <= 1 for line in lines for chance in line['win'].values())
    assert lines == write(monkeypatch, tmp_path / 'b', 'big2-dmc,numpy', '--rules', 'hong-kong', '--epsilon', '0.3')


def test_the_moves_of_a_game_lead_to_its_payoffs(monkeypatch, tmp_path):
    lines = write(monkeypatch, tmp_path / 'a', 'catch5-ppo', '--game', 'catch5', '--seed', '4')
    env = rlcard.make('catch5', config={'seed': 4, 'game_rules': lines[0]['rules']})
    state, seat = env.reset()
    first = [line for line in lines if line['id'] == 0]
    assert len({line['id'] for line in lines}) > 1
    for line in first:
        while len(state['raw_legal_actions']) == 1:
            state, seat = env.step(state['raw_legal_actions'][0], raw_action=True)
        assert (line['self'], line['text'], line['actions']) == (seat, str(state), state['raw_legal_actions'])
        assert sum(line['probs'].values()) == pytest.approx(1)
        state, seat = env.step(line['move'], raw_action=True)
    while not env.is_over():
        state, seat = env.step(state['raw_legal_actions'][0], raw_action=True)
    assert [line['payoff'] for line in first] == [env.get_payoffs()[line['self']] for line in first]


def test_what_cannot_be_written_is_refused(monkeypatch, tmp_path):
    (tmp_path / 'taken').touch()
    for agent, path, named in (('big2-dmc', 'taken', 'exists'), ('greedy', 'new', 'neither values nor probabilities')):
        with pytest.raises(SystemExit, match=named):
            write(monkeypatch, tmp_path / path, agent)
    assert [path.name for path in tmp_path.iterdir()] == ['taken']
