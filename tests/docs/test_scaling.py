"""The estimate of docs/scaling.md, its commands, and the files of examples/cluster."""

import json
import os
import re
import shlex
from pathlib import Path

import jsonschema
import pytest
import yaml

import dmc.cli
from benchmarks import cluster
from benchmarks.scaling import Figures, estimate
from dmc.config import Config
from rlcard_kit.errors import ConfigError

ROOT = Path(__file__).parents[2]


def test_the_estimate_is_the_arithmetic_that_the_page_gives():
    found = estimate(Figures(2000, 200_000, cores=64, gigabits=10, versions=5), Config.of())
    assert found['actors that feed the learner'] == 100
    assert found['nodes with actors'] == 2
    assert found['MB/s of decisions to the learner'] == pytest.approx(200_000 * found['bytes of a decision'] / 1e6)
    weights = found['MB of a version of the weights']
    assert found['MB/s of weights from the learner'] == pytest.approx(2 * 5 * weights)
    assert found['nodes at which the network out is full'] == pytest.approx(10e9 / 8 / (5 * weights * 1e6))


def test_what_travels_is_hardly_more_than_the_estimate_counts():
    found, counted = cluster.sizes(Config.of()), estimate(Figures(1, 1), Config.of())
    weights = counted['MB of a version of the weights']
    assert estimate(Figures(1, 1), Config.of(hidden_size=16, lstm_size=8))['MB of a version of the weights'] < weights
    assert 1 <= found['bytes per decision'] / counted['bytes of a decision'] < 1.01
    assert 1 <= found['bytes per version of the weights'] / (1e6 * weights) < 1.01


@pytest.mark.parametrize(
    ('kind', 'name', 'value'),
    [
        (Figures, 'actor_rate', 0.0), (Figures, 'cores', 0), (Figures, 'gigabits', -1.0),
        (cluster.Options, 'num_actors', 0), (cluster.Options, 'seconds', 0.0), (cluster.Options, 'turns', -1),
    ],
)  # fmt: skip
def test_figures_out_of_bounds_are_refused(kind, name, value):
    rates = {'actor_rate': 1.0, 'learner_rate': 1.0} if kind is Figures else {}
    with pytest.raises(ConfigError, match=f'{name}='):
        kind(**{**rates, name: value})


# The files of examples/cluster

CLUSTER = ROOT / 'examples' / 'cluster'


def test_the_launchers_file_keeps_to_the_schema_that_comes_with_ray():
    if os.environ.get('CI') != 'true':
        pytest.importorskip('ray', reason='Ray is not installed')
    import ray  # here, since the other tests do without; without it, this one fails

    schema = json.loads((Path(ray.__file__).parent / 'autoscaler' / 'ray-schema.json').read_text())
    jsonschema.validate(yaml.safe_load((CLUSTER / 'launcher.yaml').read_text()), schema)


def test_the_file_for_kubernetes_is_a_job_whose_nodes_have_one_image():
    job = yaml.safe_load((CLUSTER / 'kuberay.yaml').read_text())
    assert (job['apiVersion'], job['kind']) == ('ray.io/v1', 'RayJob')
    cluster = job['spec']['rayClusterSpec']
    groups = [cluster['headGroupSpec'], *cluster['workerGroupSpecs']]
    containers = [container for group in groups for container in group['template']['spec']['containers']]
    assert len({container['image'] for container in containers}) == 1, 'all nodes run the same'
    assert all(group['rayStartParams'] == {} for group in groups)
    for group in cluster['workerGroupSpecs']:
        assert group['minReplicas'] <= group['replicas'] <= group['maxReplicas']
    mounted = {mount['name'] for container in containers for mount in container.get('volumeMounts', ())}
    assert mounted == {volume['name'] for group in groups for volume in group['template']['spec'].get('volumes', ())}


@pytest.mark.parametrize('file', [CLUSTER / 'launcher.yaml', CLUSTER / 'kuberay.yaml', ROOT / 'docs' / 'scaling.md'])
def test_the_commands_in_the_files_are_commands(monkeypatch, file):
    seen = []
    monkeypatch.setattr(dmc.cli.Train, 'run', lambda command: seen.append(command.config))
    for words in re.findall(r'python -m dmc (train [^\'"&\n`]*)', file.read_text()):
        monkeypatch.setattr('sys.argv', ['dmc', *shlex.split(words)])
        dmc.cli.main()
    assert {config.run.ray for config in seen} == {'auto'}
