"""The commands of docs/scaling.md, and the files of examples/cluster."""

import json
import os
import re
import shlex
from pathlib import Path

import jsonschema
import pytest
import yaml

import dmc.cli

ROOT = Path(__file__).parents[2]


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
