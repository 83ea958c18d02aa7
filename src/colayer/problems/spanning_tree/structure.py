"""How (edge, stage) pairs relate: through the nodes of the graph, and to the other stage of the same edge."""

from __future__ import annotations

import numpy as np

from colayer.problems.spanning_tree.instance import Instance
from colayer.structure import Graph, Groups


def structure(instance: Instance) -> tuple[Graph, Groups]:
    """The graph, in which both rows of an edge connect its ends, and the edge of each row."""
    u, v = instance.arrays[:2]
    edge = np.arange(instance.edge_count)
    return Graph(instance.nodes, np.tile(u, 2), np.tile(v, 2)), Groups(np.tile(edge, 2))
