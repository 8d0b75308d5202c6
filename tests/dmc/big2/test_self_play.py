"""The loop of the commands that learn from games of a trained network: saved, resumed, and sound after an error."""

import json

import pytest
import torch
from safetensors.numpy import load_file

from dmc.big2 import beliefs, refine, self_play
from dmc.big2.beliefs import Beliefs
from dmc.big2.distil import Distil
from dmc.big2.refine import Refine
from dmc.big2.self_play import StudentLearner
from dmc.cli import main
from rlcard_kit.errors import KitError
from rlcard_kit.nets.checkpoint import CheckpointError
from tests.support.helpers import interrupt_after

SMALL = {
    Distil: {'hidden_size': 8},
    Beliefs: {'hidden_size': 8, 'worlds': 4, 'precision': 'bfloat16'},
    Refine: {'others': ('big2-dmc-2026-11',)},
}


@pytest.fixture(autouse=True)
def few_games(monkeypatch):
    monkeypatch.setattr(refine, 'COUNT', 48)
    for module in (self_play, beliefs):
        monkeypatch.setattr(module, 'GAMES', 64)


@pytest.fixture(params=list(SMALL), ids=lambda kind: kind.command)
def options(request, tmp_path):
    """Options of a command that does not end of itself."""
    return request.param(tmp_path / 'own', positions=10**6, **SMALL[request.param])


def after_two_steps(monkeypatch, act):
    """Call a function, given the learner, before each step after the second."""
    step = StudentLearner.step

    def counted(learner, batch, factor):
        if learner.steps >= 2:
            act(learner)
        step(learner, batch, factor)

    monkeypatch.setattr(StudentLearner, 'step', counted)


def provenance(folder):
    return json.loads((folder / 'settings.json').read_text())['provenance']


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob('*.*')}


def test_an_interrupted_run_goes_on_with_its_options_and_other_games(options, monkeypatch, capsys):
    kind, seeds = type(options), []
    batches = kind.batches
    monkeypatch.setattr(kind, 'batches', lambda own, networks: seeds.append(own.seed) or batches(own, networks))
    with monkeypatch.context() as patch:
        interrupt_after(patch, StudentLearner, 'step')
        options.run()
    first = provenance(options.folder)
    assert f'interrupted at {first["frames"]:,} of 1,000,000 choices; wrote' in capsys.readouterr().out
    flags = f'{kind.command} {options.folder} --resume --positions {first["frames"] + 1}'
    monkeypatch.setattr('sys.argv', ['dmc', *flags.split()])
    main()
    last = provenance(options.folder)
    assert last['frames'] > first['frames']
    changed = f'--positions {first["frames"] + 1}'
    assert last['command'] == first['command'].replace('--positions 1000000', changed) != first['command']
    assert len(set(seeds)) == 2
    state = load_file(max((options.folder / 'state').glob('*.safetensors')))
    assert state['steps'] == 2
    with pytest.raises(KitError, match=f'own has learned from {last["frames"]} already'):
        kind(options.folder, resume=True).run()


def test_what_cannot_be_begun_or_resumed_is_refused_before_a_step(options, monkeypatch, tmp_path):
    with monkeypatch.context() as patch:
        interrupt_after(patch, StudentLearner, 'step')
        options.run()
    before = files_of(options.folder)
    monkeypatch.setattr(StudentLearner, 'step', lambda *batch: pytest.fail('a step'))
    (tmp_path / 'file').touch()
    kind, folder = type(options), options.folder
    other = Distil if kind is Refine else Refine
    for refused, error, message in [
        (options, CheckpointError, 'already holds a run: resume it with --resume, choose another folder'),
        (kind(folder, resume=True, seed=5), CheckpointError, 'is of seed 0: expected 5'),
        (other(folder, resume=True), CheckpointError, f"is of command '{kind.command}'|'beliefs'"),
        (kind(tmp_path / 'none', resume=True), CheckpointError, 'none holds no state'),
        (kind(tmp_path / 'file' / 'x', **SMALL[kind]), OSError, 'Not a directory'),
    ]:
        with pytest.raises(error, match=message):
            refused.run()
    assert files_of(folder) == before


@pytest.mark.parametrize(
    ('kind', 'flags', 'message'),
    [
        (Distil, {'agent': 'rule'}, 'agent=rule: expected big2-dmc or dmc:FOLDER, which have values'),
        (Beliefs, {'rules': 'chess'}, 'chess'),
        (Distil, {'positions': 0}, 'positions'),
        (Refine, {'others': ('big2-ppo',)}, 'others=big2-ppo: expected big2-dmc or dmc:FOLDER, which have values'),
        (Refine, {'rules': 'hkust'}, 'agent=big2-dmc: expected a network in torch without the rules among its inputs'),
    ],
)
def test_what_cannot_be_learned_from_is_refused(tmp_path, kind, flags, message):
    with pytest.raises(KitError, match=message):
        kind(tmp_path / 'own', **flags).run()
    assert not (tmp_path / 'own').exists()


def test_it_saves_on_the_way_and_a_full_disk_does_not_end_it(options, monkeypatch, capsys):
    monkeypatch.setattr(self_play, 'SAVE_SECONDS', -1.0)
    write, counts = self_play.write_network, []

    def full_at_first(folder, weights, settings):
        counts.append(settings.frames)
        if len(counts) == 1:
            raise OSError(28, 'No space left on device')
        if len(counts) == 2:
            write(folder, weights, settings)
            raise SystemExit('killed')

    monkeypatch.setattr(self_play, 'write_network', full_at_first)
    with pytest.raises(SystemExit):
        options.run()
    assert 'No space left on device; the previous checkpoint is kept; training continues' in capsys.readouterr().out
    assert provenance(options.folder)['frames'] == counts[1] > counts[0]


def test_a_batch_whose_loss_is_no_number_ends_a_run_with_the_weights_before_it(options, monkeypatch):
    kind, loss, last = type(options), type(options).loss, {}

    def spoiled(own, network, *batch):
        right, figure = loss(own, network, *batch)
        return right * (float('nan') if torch.is_grad_enabled() else 1.0), figure

    def spoil(learner):
        last.update({f'network.{name}': weights.clone() for name, weights in learner.network.state_dict().items()})
        monkeypatch.setattr(kind, 'loss', spoiled)

    after_two_steps(monkeypatch, spoil)
    with pytest.raises(FloatingPointError, match=r'loss nan .* this update is left out, and the run ends'):
        options.run()
    state = load_file(max((options.folder / 'state').glob('*.safetensors')))
    assert state['steps'] == 2
    assert all((state[name] == weights.numpy()).all() for name, weights in last.items())


def test_a_run_that_diverges_keeps_its_last_sound_state(options, monkeypatch):
    monkeypatch.setattr(self_play, 'SAVE_SECONDS', -1.0)
    after_two_steps(monkeypatch, lambda learner: torch.nn.init.constant_(next(learner.network.parameters()), 1e29))
    with pytest.raises(FloatingPointError, match=r'diverged: .* This is not saved'):
        options.run()
    assert load_file(max((options.folder / 'state').glob('*.safetensors')))['steps'] == 2
