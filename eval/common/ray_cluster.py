"""Connect to a Ray cluster, and check that all of its nodes run the same code."""

import os
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NamedTuple

from eval.common.versions import source_digest, versions
from rlcard_kit.errors import KitError, installing, text_of
from rlcard_kit.signals import handlers_kept
from rlcard_kit.version import __version__

LOCAL, AUTO = 'local', 'auto'
CONNECT_SECONDS = 5.0  # for an address to answer
PROBE_SECONDS = 300.0  # for a busy node to start a process and import the package
STORE_BYTES = 1 << 29  # of the object store of a local cluster
SETTINGS = {
    'RAY_USAGE_STATS_ENABLED': '0',  # no usage reports
    'RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO': '0',  # no warning about processes without a GPU
    'RAY_DEDUP_LOGS_SKIP_REGEX': '^Raylet is terminated',  # nor lines of its log: `check_servers` reports the end
}
SERVERS = ('gcs_server', 'raylet')  # processes of a local cluster that must run
IN_MESSAGES = {  # the results of calls; Ray ends a process that reads them from the object store of a dead raylet
    'max_direct_call_object_size': 1 << 30,
    'task_rpc_inlined_bytes_limit': 1 << 30,
}
PREFIX = 'rlcard-ray-'  # of the folders of local clusters
COLOURS = re.compile(r'\x1b\[[0-9;]*m')
ADVICE = 'start one by `ray start --head`, or take --ray local'


class ClusterError(KitError):
    """The cluster does not exist, is too small, or has nodes that differ."""


class Node(NamedTuple):
    """A machine of a cluster."""

    id: str
    name: str
    cpus: int


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Connect to a cluster; end everything that was started there afterwards.

    Args:
        address: 'auto' for the cluster of this machine, HOST:PORT, or 'local' to start one that ends with the context.

    Raises:
        ClusterError: if Ray is not installed, nothing answers at the address, or a node runs other versions.
    """
    os.environ.update({name: value for name, value in SETTINGS.items() if name not in os.environ})
    ray = _import_ray()
    _check_address(address)
    with ExitStack() as stack:
        options = _options(address, stack)
        stack.callback(_end, ray)
        _begin(ray, address, options)
        probes = [Probe(node) for node in nodes()]
        for difference in (probe.result() for probe in probes):
            if difference is not None:
                raise ClusterError(difference)
        yield


def _begin(ray: ModuleType, address: str, options: Mapping[str, Any]) -> None:
    try:
        with handlers_kept():  # Ray sets its own
            ray.init(**options, logging_level='error', log_to_driver=False)
    except Exception as error:  # Ray raises nothing more specific if a process of its own does not start in time
        reason = 'no cluster runs on this machine' if address == AUTO else plain(error).splitlines()[0]
        raise ClusterError(f'ray={address!r}: {reason}: {ADVICE}') from error


def _end(ray: ModuleType) -> None:
    """Disconnect and end a local cluster, with its agents, which would wait a minute for a server that has ended."""
    import psutil  # which Ray brings

    process = psutil.Process()
    before = set(process.children(recursive=True))
    ray.shutdown()
    for orphan in before.difference(process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            orphan.kill()


def _import_ray() -> ModuleType:
    try:
        import ray
    except ImportError as error:
        raise ClusterError(f'ray: Ray is not installed: {installing("ray")}; or leave out --ray') from error
    return ray


def _check_address(address: str) -> None:
    """Refuse an address at which nothing answers; Ray itself would wait for minutes."""
    if address in (LOCAL, AUTO):
        return
    host, _, port = address.rpartition(':')
    if not host or not port.isdecimal() or '/' in address or not 0 < int(port) < 1 << 16:
        raise ClusterError(f'ray={address!r} is not an address: write auto, local or HOST:PORT, such as 10.0.0.1:6379')
    try:
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
    except OSError as error:
        raise ClusterError(f'ray={address!r}: nothing answers there ({error.strerror or error}): {ADVICE}') from error


def _options(address: str, stack: ExitStack) -> dict[str, Any]:
    """Return the arguments of `ray.init`."""
    if address != LOCAL:
        return {'address': address}
    folder = stack.enter_context(TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True))
    return {
        'address': LOCAL,
        'include_dashboard': False,
        'object_store_memory': STORE_BYTES,
        '_temp_dir': folder,
        '_node_ip_address': '127.0.0.1',
        '_system_config': IN_MESSAGES,
    }


def check_servers() -> None:
    """Raise ClusterError if a server of the local cluster has ended; within a minute, Ray would end this process."""
    import ray

    for name, _ in ray._private.worker._global_node.dead_processes():
        if name in SERVERS:
            raise ClusterError(f"ray='local': Ray's {name} has ended: continue with --resume")


def plain(error: BaseException) -> str:
    """Return the text of an error without the colours that Ray gives it."""
    return COLOURS.sub('', text_of(error)).strip()


def nodes() -> list[Node]:
    """Return the nodes that are alive, in the order of their ids."""
    import ray

    alive = [node for node in ray.nodes() if node['Alive']]
    return sorted(
        Node(
            node['NodeID'],
            f'{node["NodeName"] or node["NodeManagerAddress"]} ({node["NodeID"][:6]})',
            int(node['Resources'].get('CPU', 0)),
        )
        for node in alive
    )


def free_cpus() -> int:
    """Return the number of free CPUs of the cluster."""
    import ray

    return int(ray.available_resources().get('CPU', 0))


def check_room(setting: str, wanted: int) -> None:
    """Raise ClusterError if a setting asks for more actors or workers than the cluster has free CPUs."""
    free = free_cpus()
    if wanted > free:
        known = ', '.join(f'{node.name}: {node.cpus}' for node in nodes())
        raise ClusterError(f'{setting}={wanted}: the cluster has {free} free CPUs ({known}): ask for {free} or fewer')


def on_node(node: Node) -> Any:
    """Return the scheduling strategy that uses this node only."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return NodeAffinitySchedulingStrategy(node.id, soft=False)


class Probe:
    """A check, under way, of whether a node runs the same code as this process.

    Args:
        node: to check.
    """

    def __init__(self, node: Node) -> None:
        import ray

        self.node = node
        self._reference = ray.remote(about).options(num_cpus=0, scheduling_strategy=on_node(node)).remote()

    @property
    def is_done(self) -> bool:
        """Whether `result` would return at once."""
        import ray

        return bool(ray.wait([self._reference], timeout=0)[0])

    def result(self) -> str | None:
        """Return how the node differs, or why it cannot run the package; None if it fits or has left."""
        import ray

        try:
            return difference(self.node.name, ray.get(self._reference, timeout=PROBE_SECONDS), about())
        except ray.exceptions.RayError as error:
            if self.node.id not in {node.id for node in nodes()}:
                return None
            reason = plain(error).splitlines()[-1]
            return f'node {self.node.name} cannot run this program: {reason}; it needs the same checkout and packages'


def difference(name: str, there: Mapping[str, str], here: Mapping[str, str]) -> str | None:
    """Return the first difference between two results of `about`, in one line; None if they are equal."""
    for key in here:
        if there.get(key) != here[key]:
            return (
                f'node {name} runs {key} {there.get(key)}, and this process {here[key]}: install the same on all nodes'
            )
    return None


def about() -> dict[str, str]:
    """Return the versions that must be equal on all nodes, by name."""
    return {**versions(), 'rlcard-big2': __version__, 'sources': source_digest()[:12]}


def here() -> str:
    """Return the id of the node of this process."""
    import ray

    return str(ray.get_runtime_context().get_node_id())


def work_in(folder: str) -> None:
    """Change to the folder of the command if this node has it, because file names are relative to it."""
    if os.path.isdir(folder):
        os.chdir(folder)
