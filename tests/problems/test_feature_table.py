"""Feature tables: names, groups and safe weights by hand, and the sets of the three problems."""

from __future__ import annotations

import numpy as np
import pytest

from colayer.errors import OptionError
from colayer.problems.feature_table import Feature, FeatureTable, feature_set
from colayer.problems.single_machine.features import FEATURE_SETS as JOBS
from colayer.problems.spanning_tree.features import FEATURE_SETS as TREES
from colayer.problems.vehicle_scheduling.features import FEATURE_SETS as VEHICLES
from support.errors import rejects

TABLE = FeatureTable(
    (Feature("length", "size", "l"), Feature("rank", "order", "rank(l)"), Feature("width", "size", "w")),
    safe=("width", "rank"),
)


def test_columns_by_hand() -> None:
    """Groups stand in the order of their first feature; safe weights in that of the columns."""
    assert len(TABLE) == 3
    assert TABLE.names == ("length", "rank", "width")
    assert TABLE.groups == {"size": ("length", "width"), "order": ("rank",)}
    assert list(TABLE.groups) == ["size", "order"]
    assert TABLE.safe_weights.tolist() == [0.0, 1.0, 1.0]


def test_safe_weights_are_a_new_array_each_time() -> None:
    """A problem hands them out: what a user writes into them stays theirs."""
    TABLE.safe_weights[:] = 7.0
    assert TABLE.safe_weights.tolist() == [0.0, 1.0, 1.0]
    assert TABLE.safe_weights.dtype == np.float64


@pytest.mark.parametrize("sets", [JOBS, TREES, VEHICLES], ids=["single-machine", "spanning-tree", "vehicle-scheduling"])
def test_every_table_names_each_column_once_and_has_its_safe_ones(sets: dict[str, FeatureTable]) -> None:
    for table in sets.values():
        assert len(set(table.names)) == len(table)
        assert sorted(name for names in table.groups.values() for name in names) == sorted(table.names)
        assert table.safe_weights.sum() == len(table.safe) > 0


def test_a_set_is_found_by_its_name_or_refused_with_those_there_are() -> None:
    sets = {"small": TABLE, "large": TABLE}
    assert feature_set("large", sets) is TABLE
    with rejects(OptionError, where="--features"):
        feature_set("tiny", sets)
