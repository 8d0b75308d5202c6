"""Where the actors of a run on a cluster go: which nodes may have some, and which is next."""

from collections import Counter
from collections.abc import Iterable

from common.ray_cluster import Node, Probe, nodes


class Placement:
    """Follows the nodes of a cluster, and finds one for the next actor.

    Args:
        known: nodes that may have actors: they are known to run the same as the learner.
        learners: id of the learner's node.
        reserved: cores of that node that are the learner's, unless there is no other room.
    """

    def __init__(self, known: Iterable[Node], learners: str, reserved: int) -> None:
        self.nodes = {node.id: node for node in known}
        self._learners, self._reserved = learners, reserved
        self._refused: set[str] = set()
        self._probes: dict[str, Probe] = {}

    def room(self) -> int:
        """Return for how many actors there is room beside the learner, at least one."""
        return max(1, sum(max(0, self._cores(node)) for node in self.nodes.values()))

    def _cores(self, node: Node) -> int:
        return node.cpus - (self._reserved if node.id == self._learners else 0)

    def choose(self, taken: Counter[str]) -> Node | None:
        """Return the node with the most free cores, given how many are taken by id; None if there are none."""
        free = [node for node in self.nodes.values() if taken[node.id] < node.cpus]
        return max(free, key=lambda node: (self._cores(node) - taken[node.id], node.id), default=None)

    def follow(self) -> list[str]:
        """Look for nodes that have joined or left; return a report on each."""
        alive = {node.id: node for node in nodes()}
        reports = [f'node {self.nodes.pop(gone).name} has left' for gone in set(self.nodes) - set(alive)]
        for new in set(alive) - set(self.nodes) - self._refused - set(self._probes):
            self._probes[new] = Probe(alive[new])
        for probed in [found for found, probe in self._probes.items() if found not in alive or probe.is_done]:
            reports += self._judge(self._probes.pop(probed), probed in alive)
        return reports

    def _judge(self, probe: Probe, is_alive: bool) -> list[str]:
        """Take a node that was looked at, or refuse it; return a report."""
        if not is_alive:
            return []
        difference = probe.result()
        if difference is not None:
            self._refused.add(probe.node.id)
            return [f'{difference}; it is not used']
        self.nodes[probe.node.id] = probe.node
        return [f'node {probe.node.name} has joined, with {probe.node.cpus} cores']
