"""Edges of a user's: a column per scenario, nodes by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from colayer import InputError
from colayer.problems import SpanningTree

PROBLEM = SpanningTree()
EDGES = pd.DataFrame(
    {"from": ["C", "C", "A"], "to": ["A", "B", "B"], "first": [3, 2, 4], "second_1": [1, 5, 2], "second_2": [6, 1, 3]}
)
SECOND = [[1, 5, 2], [6, 1, 3]]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((EDGES,), {}),
        ((EDGES.to_dict("list"),), {}),
        ((EDGES.rename(columns={"second_1": "wet", "second_2": "dry"}),), {"second": ["wet", "dry"]}),
        ((EDGES,), {"second": np.array(SECOND)}),
        ((EDGES,), {"second": pd.DataFrame(SECOND)}),
        ((EDGES.rename(columns={"from": "u", "to": "v", "first": "now"}),), {"start": "u", "to": "v", "first": "now"}),
        ((), {"start": EDGES["from"], "to": ["A", "B", "B"], "first": EDGES["first"], "second": SECOND}),
    ],
)
def test_the_same_instance_of_whatever_holds_it(arguments: Any, options: Any) -> None:
    instance = PROBLEM.instance(*arguments, **options)
    assert instance.names == ("C", "A", "B")
    assert instance.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert instance.first.tolist() == [3, 2, 4]
    assert instance.second.tolist() == SECOND


def test_numbered_nodes_keep_their_order() -> None:
    instance = PROBLEM.instance(start=[2, 0], to=[1, 2], first=[1, 1], second=[[1, 1]])
    assert instance.names == (0, 1, 2)
    assert instance.edges.tolist() == [[2, 1], [0, 2]]


@pytest.mark.parametrize(
    ("edges", "options", "message"),
    [
        (
            EDGES.drop(columns=["second_1", "second_2"]),
            {},
            r"^columns second: no such columns, expected one per scenario",
        ),
        (EDGES.assign(second_2=[1, "x", 3]), {}, r"^column second_2, row 2: 'x', expected a number$"),
        (EDGES.assign(second_2=[1, np.inf, 3]), {}, r"^column second_2, row 2: inf is not finite, expected a number$"),
        (EDGES.assign(to=["A", "C", "B"]), {}, r"^column to, row 2: a loop at node 0, expected two different nodes$"),
        (EDGES.assign(to=["A", "B", None]), {}, r"^column to, row 3: empty, expected a node$"),
        (EDGES.assign(**{"from": list("ACA"), "to": list("BDB")}), {}, r"^edges: the graph is not connected"),
        (EDGES, {"second": [[1, 2]]}, r"^second\[0\]: 2 entries, expected 3$"),
        (EDGES, {"second": ["dry"]}, r"^column dry: no such column, there are"),
        (EDGES, {"start": ["A"]}, r"^start: 1 entries, expected 3 as in first$"),
        (None, {"start": [0], "to": [1], "first": [1]}, r"^second: missing, expected an array with a row per scenario"),
    ],
)
def test_a_mistake_is_named_by_column_and_row(edges: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        PROBLEM.instance(edges, **options)
