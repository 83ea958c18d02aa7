"""`size-generalisation`: weights learned on one size, tried on all; a heat map for each problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.display.outcome import Conclusion, Outcome, Sheet
from colayer.display.tables import significant
from colayer.learning.search.auto import Auto
from colayer.pretrained import pretrained
from colayer.problem.bind import bind
from colayer.problem.protocol import SomeProblem
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling
from colayer_paper.frame.config import Config
from colayer_paper.frame.judge import apart
from colayer_paper.frame.learned import Data, Learning
from colayer_paper.frame.outcome import outcome_of, picture
from colayer_paper.frame.predict import costs_of, gaps
from colayer_paper.frame.sheets import against, cells, columns, compared_unless
from colayer_paper.frame.store import Run
from colayer_paper.single_machine import datasets as single_machine
from colayer_paper.sizes.heat_map import heat_map
from colayer_paper.spanning_tree import datasets as spanning_tree
from colayer_paper.vehicle_scheduling import datasets as vehicle_scheduling

MIXED, SHIPPED, SAFE = "mixed", "shipped", "safe weights"


@dataclass(frozen=True)
class Family:
    """A problem and its instances by size: `make(held_out, size, per_cell)`."""

    problem: SomeProblem
    #: What its size is called.
    unit: str
    make: Callable[[bool, int, int], list[Any]]
    #: What else determines them.
    more: Mapping[str, Any]

    def size(self, size: int | str) -> str:
        """A size in words: `100 jobs`, `width 20`."""
        return f"width {size}" if self.unit == "width" else f"{size} {self.unit}"

    def data(self, held_out: bool, sizes: Sequence[int], per_cell: int, share: int = 1) -> Data[Any]:
        """Instances of some sizes, of each the first of `share` parts."""
        identity = {
            "problem": self.problem.name,
            "set": "test" if held_out else "train",
            "sizes": sizes,
            "per_cell": per_cell,
            "share": share,
            **self.more,
        }

        def make() -> list[Any]:
            return [x for size in sizes for x in self.make(held_out, size, per_cell)[::share]]

        return Data(identity, make)


def families(config: Config) -> list[Family]:
    """The three problems, without a decoder; the instances are of the paper's kinds."""
    features, scenarios = config["features"], config["scenarios"]

    def jobs(held_out: bool, size: int, per_cell: int) -> list[Any]:
        return single_machine.paper_set("test" if held_out else "experience", per_cell, (size,))

    def trees(held_out: bool, size: int, per_cell: int) -> list[Any]:
        return spanning_tree.paper_set("test" if held_out else "training", per_cell, (size,))

    def vehicles(held_out: bool, size: int, per_cell: int) -> list[Any]:
        name = "test" if held_out else "train-all"
        return list(vehicle_scheduling.paper_set(name, tasks=(size,), scenarios=(scenarios,), per_cell=per_cell))

    return [
        Family(SingleMachine(features["single-machine"], "none"), "jobs", jobs, {}),
        Family(SpanningTree(features["spanning-tree"]), "width", trees, {}),
        Family(VehicleScheduling(features["vehicle-scheduling"], "none"), "tasks", vehicles, {"scenarios": scenarios}),
    ]


@dataclass(frozen=True)
class Transfer:
    """Gaps in percent of each row (learned on a size, mixed, shipped, safe) on the instances of each test size."""

    family: Family
    train: tuple[int, ...]
    test: tuple[int, ...]
    rows: tuple[str, ...]
    #: test size → (rows, instances): to the best solution that any row found, and to the bound.
    to_best: dict[int, Floats]
    to_bound: dict[int, Floats]
    #: Costs on the instances of the largest test size: rows × instances.
    largest: Floats

    def table(self, gaps: Mapping[int, Floats]) -> Floats:
        """Mean gaps: rows × test sizes."""
        return np.array([gaps[size].mean(axis=1) for size in self.test]).T

    def gaps(self, row: str, size: int) -> Floats:
        """Of one row on the instances of one test size, to the best."""
        return np.asarray(self.to_best[size][self.rows.index(row)])


def experiment(run: Run, config: Config) -> Outcome:
    """Learn on each size, test on each size: a sheet, a heat map and conclusions for each problem."""
    sheets, pictures, drawn = [], [], []
    for family in families(config):
        transfer = _transfer(run, config, family)
        name = family.problem.name
        sheets.append(_sheet(transfer))
        rows = [family.size(row) if row.isdigit() else row for row in transfer.rows]
        axes = heat_map(rows, transfer.test, transfer.table(transfer.to_best), unit=family.unit)
        caption = "Mean gap in % to the best solution found, by what was learned on (rows) and tested on (columns)."
        pictures.append(picture(run, config, axes, f"{name}.svg", name, caption))
        drawn += conclusions(transfer)
    return outcome_of(
        run,
        config,
        sheets=sheets,
        pictures=pictures,
        conclusions=drawn,
        seed=config["seed"],
        method=f"auto, step {config['step']}, {config['evaluations']} evaluations",
    )


def learnings(run: Run, config: Config) -> list[Learning[Any, Any, Any]]:
    """What is learned: a model for every training size, and one for all of them together, of each problem."""
    return [learning for family in families(config) for learning in _learnings(config, family).values()]


def _learnings(config: Config, family: Family) -> dict[str, Learning[Any, Any, Any]]:
    problem, chosen = family.problem, config["sizes"][family.problem.name]
    train, per_cell = tuple(chosen["train"]), chosen["per_cell"]
    data = {str(size): family.data(False, (size,), per_cell) for size in train}
    data[MIXED] = family.data(False, train, per_cell, share=len(train))
    method, options = Auto(steps=(config["step"],)), {"seed": config["seed"]}
    return {
        row: Learning(f"{problem.name}, {row}", problem, instances, method, config["evaluations"], options=options)
        for row, instances in data.items()
    }


def _transfer(run: Run, config: Config, family: Family) -> Transfer:
    problem, chosen = family.problem, config["sizes"][family.problem.name]
    train, test, per_cell = tuple(chosen["train"]), tuple(chosen["test"]), chosen["per_cell"]
    weights: dict[str, Floats] = {
        row: learning.learn(run).linear().raw() for row, learning in _learnings(config, family).items()
    }
    shipped = pretrained(problem)
    if shipped is not None:
        weights[SHIPPED] = shipped.raw()
    weights[SAFE] = np.asarray(bind(problem).safe_weights)
    W = np.array(list(weights.values()))
    to_best, to_bound = {}, {}
    for size in test:
        costs, bounds = _evaluate(run, problem, W, family.data(True, (size,), per_cell), f"{problem.name}, {size}")
        to_best[size], to_bound[size] = gaps(costs, costs.min(axis=0)), gaps(costs, bounds)
    return Transfer(family, train, test, tuple(weights), to_best, to_bound, costs)


def _evaluate(run: Run, problem: SomeProblem, W: Floats, data: Data[Any], what: str) -> tuple[Floats, Floats]:
    """The stage "evaluate": costs (rows of W × instances) and bounds."""
    identity = {"options": bind(problem).options, "weights": W, "data": data.identity}

    def make() -> dict[str, Any]:
        run.report(f"evaluate: {what}", 0, 1)
        costs = costs_of(run, problem, W, data.values)
        return {"costs": costs, "bounds": [bind(problem).lower_bound(instance) for instance in data.values]}

    found = run.cached("evaluate", identity, make)
    return np.array(found["costs"]), np.array(found["bounds"])


def _sheet(transfer: Transfer) -> Sheet:
    """A row per training size: gaps to the best at each test size, and to the bound at the largest."""
    family, unit = transfer.family, transfer.family.unit
    best, bound = transfer.table(transfer.to_best), transfer.table(transfer.to_bound)
    sizes = [f"{family.size(size)} (%)" for size in transfer.test]
    largest = family.size(transfer.test[-1])
    to_safe = [f"{largest}, {label}" for label in against(SAFE)]
    head = columns(f"learned on ({unit})", *sizes, f"{largest}, to the bound (%)", *to_safe)
    safe = transfer.largest[transfer.rows.index(SAFE)]
    rows = tuple(
        cells(
            int(row) if row.isdigit() else row,
            *to_best.tolist(),
            float(to_bound[-1]),
            *compared_unless(row == SAFE, costs, safe, SAFE),
        )
        for row, to_best, to_bound, costs in zip(transfer.rows, best, bound, transfer.largest, strict=True)
    )
    counts = ", ".join(f"{size}: {transfer.to_best[size].shape[1]}" for size in transfer.test)
    caption = (
        f"Mean gap to the best solution that any of the rows found. {MIXED}: about as many instances, of all sizes to "
        f"learn on; {SHIPPED}: the weights that come with colayer. One seed each. Test instances by {unit}: "
        f"{counts}."
    )
    name = transfer.family.problem.name
    return Sheet(name, name.capitalize().replace("-", " "), head, rows, caption)


def conclusions(transfer: Transfer) -> list[Conclusion]:
    """What is lost on the largest size by learning on the smallest, and whether it is worth it all the same."""
    family, largest = transfer.family, transfer.test[-1]
    small, same = str(transfer.train[0]), str(transfer.train[-1])
    at = f"{family.problem.name}: at {family.size(largest)},"

    def words(*rows: str) -> str:
        gaps = {row: significant(float(transfer.gaps(row, largest).mean())) for row in rows}
        return "mean gap " + ", ".join(
            f"{row if row == SAFE else f'learned on {family.size(row) if row.isdigit() else row}'} {gap} %"
            for row, gap in gaps.items()
        )

    def beats(claim: str, first: str, second: str, more: str = "") -> Conclusion:
        told = apart(transfer.gaps(first, largest), transfer.gaps(second, largest))
        return Conclusion(f"{at} {claim}.", told.less, words(first, second) + more, of="colayer", test=told.test)

    lost = float((transfer.gaps(small, largest) - transfer.gaps(same, largest)).mean())
    loses = f"; learning on the smallest loses {significant(lost)} percentage points"
    return [
        beats(f"weights learned on {family.size(small)} beat the safe weights", small, SAFE),
        beats(f"learning on {family.size(same)} beats learning on {family.size(small)}", same, small, loses),
        beats(f"learning on all sizes together beats learning on {family.size(small)} alone", MIXED, small),
    ]
