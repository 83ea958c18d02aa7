"""Edges of a user's: a column per scenario, nodes by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from colayer import InputError
from colayer.problems import SpanningTree
from support.errors import rejects

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
    ("edges", "options", "where"),
    [
        (
            EDGES.drop(columns=["second_1", "second_2"]),
            {},
            "columns second",
        ),
        (EDGES.assign(second_2=[1, "x", 3]), {}, "column second_2, row 2"),
        (EDGES.assign(second_2=[1, np.inf, 3]), {}, "column second_2, row 2"),
        (EDGES.assign(to=["A", "C", "B"]), {}, "column to, row 2"),
        (EDGES.assign(to=["A", "B", None]), {}, "column to, row 3"),
        (EDGES.assign(**{"from": list("ACA"), "to": list("BDB")}), {}, "edges"),
        (EDGES, {"second": [[1, 2]]}, "second[0]"),
        (EDGES, {"second": ["dry"]}, "column dry"),
        (EDGES, {"start": ["A"]}, "start"),
        (None, {"start": [0], "to": [1], "first": [1]}, "second"),
    ],
)
def test_a_mistake_is_named_by_column_and_row(edges: Any, options: Any, where: str) -> None:
    with rejects(InputError, where=where):
        PROBLEM.instance(edges, **options)


def test_numbers_in_one_end_column_and_names_in_the_other_ended_in_a_key_error() -> None:
    edges = EDGES.assign(**{"from": [1, 1, 2], "to": ["2", "Mill", "Mill"]})
    instance = PROBLEM.instance(edges)
    assert instance.names == ("1", "2", "Mill")
    assert instance.edges.tolist() == [[0, 1], [0, 2], [1, 2]]


@pytest.mark.parametrize("column", ["second_4", "second_mean"])
def test_a_missing_scenario_or_a_summary_was_taken_for_one(column: str) -> None:
    with rejects(InputError, where="column second_mean" if column == "second_mean" else "column second_3"):
        PROBLEM.instance(EDGES.assign(**{column: [1, 2, 3]}))
