"""Mistakes in tables: the check of their kind finds each, alone; tables with other names are no mistake."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import check_problem
from colayer.problem.check.report import NOT_APPLICABLE, PASSED
from colayer.problems import SingleMachine
from support.planted import assert_found
from support.selection_problem import Projects, Tables, instances


class ColumnsSwapped(Tables):
    def instance(self, table, choose=1):
        return super().instance({"price": table["risk"], "risk": table["price"]}, choose)


class ForFramesAlone(Tables):
    """A CSV file comes as columns of plain lists."""

    def instance(self, table, choose=1):
        return Projects(table["price"].to_numpy(), table["risk"].to_numpy(), choose)


class NothingReturned(Tables):
    def instance(self, table, choose=1):
        super().instance(table, choose)


class OptionForgotten(Tables):
    """Features do not see it, files do."""

    def instance(self, table, choose=1):
        return super().instance(table)


class ColumnsOfTwoLengths(Tables):
    def table(self, solution, instance):
        return {"project": solution, "price": instance.price}


class TableRaises(Tables):
    def table(self, solution, instance):
        return {"project": solution[len(instance.price)]}


#: mistake → (the check that finds it, words of what it says).
PLANTED: dict[Any, tuple[str, str]] = {
    ColumnsSwapped: ("instance table", "features[0, 0] is not the same after write and instance: take every column"),
    ForFramesAlone: ("instance table", "instance 0: instance raised AttributeError: 'list' object has no"),
    NothingReturned: ("instance table", "instance returned None, generate and read a Projects: return an instance"),
    OptionForgotten: ("instance table", "content is not the same after write and instance"),
    ColumnsOfTwoLengths: ("solution table", "expected a dict of columns of one length"),
    TableRaises: ("solution table", "table raised IndexError"),
}


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.__name__)
def test_the_mistake_is_found(planted: Any) -> None:
    assert_found(planted(), *PLANTED[planted])


def results(problem: Any, data: Any) -> list[tuple[str, str]]:
    findings = {finding.check: finding for finding in check_problem(problem, data, decoder="none").findings}
    return [(findings[name].result, findings[name].detail) for name in ("instance table", "solution table")]


def test_tables_without_a_mistake_pass() -> None:
    assert results(Tables(), instances()) == [(PASSED, "")] * 2
    ours = SingleMachine()
    assert results(ours, [ours.generate(seed, jobs=4) for seed in range(2)]) == [(PASSED, "")] * 2


def test_what_takes_other_columns_than_are_written_is_no_mistake() -> None:
    class OwnNames(Tables):
        def instance(self, table, choose=1):
            return super().instance({"price": table["euros"], "risk": table["chance"]}, choose)

    class Unwritten(Tables):
        write = None

    class Scalars(Tables):
        def write(self, instance):
            return {"all": [[instance.price.tolist(), instance.risk.tolist()]], "choose": instance.choose}

        def read(self, document):
            ((price, risk),) = document["all"]
            return Projects(np.array(price), np.array(risk), int(document["choose"]))

        fields = ("all", "choose")

    for problem, reason in (
        (OwnNames(), "instance takes other columns than write gives"),
        (Unwritten(), "the problem has no write"),
        (Scalars(), "write gives no columns of one length"),
    ):
        assert results(problem, instances()) == [(NOT_APPLICABLE, reason), (PASSED, "")]
