"""`check_problem`: no false alarm on problems that are right, and a report that says what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from colayer import BaseProblem, InputError, Size, check_problem
from colayer.problem.bind import bind
from colayer.problem.check import CHECKS, Finding, small_instances
from colayer.problem.check.days import DAY_CHECKS
from colayer.problem.check.run import judge
from colayer.problem.check.trial import Trial
from colayer.problem.check.variants import values_of
from colayer.problems import find_problem, problem_names
from support.pick_problem import Pick
from support.registry import quick_problem
from support.selection_problem import Projects, Selection, instances

#: What a problem with the five methods alone gives no word about.
UNKNOWN = {
    "rounds", "feasible", "bound", "safe weights", "objective", "target", "exact", "files", "generate", "evaluator",
}  # fmt: skip


class Worst(Pick):
    """Two mistakes at once."""

    def scale(self, instance):
        return 0.0

    def cost(self, solution, instance):
        return float("nan")


def picks(count: int = 3) -> list[np.ndarray]:
    return [np.random.default_rng(seed).normal(size=(6, 2)) for seed in range(count)]


@pytest.mark.parametrize("name", problem_names())
def test_a_registered_problem_passes_with_every_decoder_and_feature_set(name: str) -> None:
    """On instances small enough that the layer's optimality is no matter of luck."""
    problem = quick_problem(name)
    report = check_problem(problem, small_instances(problem, 3))
    assert report.ok, str(report)
    assert len(report.variants) == 1 + sum(len(values) - 1 for values in values_of(bind(problem)).values())
    passed = {finding.check for finding in report.findings if finding.result == "passed"}
    # a layer that searches need not be the best, and its hindsight is no bound
    skipped = {"dynamic-routing": {"bound", "day costs", "objective"}}.get(name, {"rounds"})
    assert set(DAY_CHECKS if bind(problem).dynamic else CHECKS) - passed <= skipped


@pytest.mark.parametrize(("name", "options"), [
    ("single-machine", {"features": "27", "decoder": "ls"}),
    ("single-machine", {"features": "27", "decoder": "rdi"}),
    ("vehicle-scheduling", {"features": "23", "decoder": "ls"}),
], ids=str)  # fmt: skip
def test_the_registered_problems_pass_with_two_options_changed_at_once(name: str, options: dict[str, str]) -> None:
    problem = find_problem(name, **options)
    findings: dict[str, Finding] = {}
    judge(Trial(problem, small_instances(problem, 3), 0), "", findings)
    assert {key: found.detail for key, found in findings.items() if found.result == "failed"} == {}
    assert findings["evaluator"].result == "passed"


def test_every_check_passes_on_a_problem_with_every_optional_part() -> None:
    report = check_problem(Selection(), instances())
    assert report.variants == ("decoder=none", "decoder=swap")
    assert {finding.check for finding in report.findings if finding.result != "passed"} == {"rounds"}, str(report)


def test_five_methods_are_enough() -> None:
    """A problem derived from nothing; what it leaves open does not apply, and says why."""
    report = check_problem(Pick(), picks())
    assert report.ok
    left = {finding.check: finding.detail for finding in report.findings if finding.result != "passed"}
    assert set(left) == UNKNOWN
    assert "embed" in left["objective"]


def test_the_report_names_every_mistake_and_waits_with_what_depends_on_them() -> None:
    report = check_problem(Worst(), picks())
    assert [finding.check for finding in report.failures] == ["scale", "cost"]
    assert not report.ok
    with pytest.raises(InputError) as caught:
        report.raise_for_failures()
    assert caught.value.where == "pick"
    text = str(report)
    assert "\npickling          not applicable: once 'cost' passes\n" in text
    assert "\n1. scale\n   instance 0: scale of pick returned 0.0" in text
    assert max(map(len, text.splitlines())) < 120
    document = report.document()
    assert (document["problem"], document["instances"], document["ok"]) == ("pick", 3, False)
    assert [row["check"] for row in document["checks"]] == list(CHECKS)


def test_the_report_depends_on_the_arguments_alone() -> None:
    """And the instances are left as they were."""
    data = picks()
    kept = [instance.copy() for instance in data]
    assert check_problem(Pick(), data, seed=5).document() == check_problem(Pick(), data, seed=5).document()
    assert all(np.array_equal(one, two) for one, two in zip(data, kept, strict=True))


def test_global_generators_are_left_as_they_were() -> None:
    np.random.seed(3)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    check_problem(Pick(), picks())
    assert np.random.random() == expected  # noqa: NPY002


def test_features_and_scale_are_checked_on_every_instance() -> None:
    """The rest on the first six."""
    data = picks(9)
    data[8][4, 1] = np.nan
    (failure,) = check_problem(Pick(), data).failures
    assert failure.check == "features"
    assert failure.detail.startswith("instance 8: features of pick: feature 'noise' is nan in row 4")


def test_one_instance_with_one_row_is_enough() -> None:
    report = check_problem(Pick(), [np.ones((1, 2))])
    assert report.ok
    assert next(f for f in report.findings if f.check == "theta").result == "not applicable"


def test_without_instances_there_is_nothing_to_check() -> None:
    with pytest.raises(InputError) as caught:
        check_problem(Pick(), [])
    assert caught.value.where == "pick"
    with pytest.raises(InputError, match="Pick is a class"):
        check_problem(Pick, picks())


def test_a_bound_problem_is_checked_as_the_problem_it_was_made_of() -> None:
    assert check_problem(bind(Pick()), picks()) == check_problem(Pick(), picks())


def test_instances_may_come_from_a_generator() -> None:
    assert check_problem(Pick(), iter(picks())).document() == check_problem(Pick(), picks()).document()


@pytest.mark.parametrize("seed", [-1, 0.5])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(InputError) as caught:
        check_problem(Pick(), picks(), seed=seed)
    assert caught.value.where == "seed"


@pytest.mark.parametrize("part", ["name", "feature_names", "features", "layer", "cost"])
def test_a_problem_that_lacks_a_needed_part_is_refused_by_name(part: str) -> None:
    """Also where it inherits from BaseProblem, which has defaults for decode and scale alone."""
    parts = {key: getattr(Pick, key) for key in ("name", "feature_names", "features", "layer", "cost") if key != part}
    problem = type("Partial", (BaseProblem,), parts)()
    with pytest.raises(InputError, match=f"Partial .*{part}$"):
        check_problem(problem, picks())


class CostWithoutGetter(Pick):
    cost = property()


def test_a_needed_part_that_cannot_be_had_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="cost of CostWithoutGetter raised AttributeError"):
        check_problem(CostWithoutGetter(), picks())


@pytest.mark.parametrize("sizes", [("items",), Size("items", int, 3, "number of items"), "items"], ids=repr)
def test_sizes_that_are_none_are_a_mistake(sizes: Any) -> None:
    parts = {key: getattr(Pick, key) for key in ("name", "feature_names", "features", "layer", "cost")}
    problem = type("Sized", (BaseProblem,), {**parts, "sizes": sizes})()
    failure = check_problem(problem, picks()).failures[0]
    assert failure.check == "declarations"
    assert failure.detail.startswith("sizes of Sized is ")


class Caching(BaseProblem):
    """Caches where it may: in private attributes, of the problem and of what it returns."""

    name = "caching"
    feature_names = ("value",)

    def __init__(self) -> None:
        self._kept: dict[bytes, Any] = {}

    def features(self, instance):
        key = instance.values.tobytes()
        return self._kept.setdefault(key, instance.values[:, None].copy())

    def layer(self, theta, instance):
        return int(np.argmin(theta))

    def cost(self, solution, instance):
        instance._calls = None
        instance.seen = True
        return float(instance.values[solution])


class Row:
    def __init__(self, seed: int) -> None:
        self.values = np.random.default_rng(seed).normal(size=5)


def test_a_cache_that_changes_no_answer_is_no_mistake() -> None:
    report = check_problem(Caching(), [Row(seed) for seed in range(3)])
    assert report.ok, str(report)


def test_small_instances_have_small_sizes_and_depend_on_the_seed_alone() -> None:
    made = small_instances(Selection(), 3)
    assert [len(x.price) for x in made] == [4, 7, 9, 4, 7, 9]  # 9 is the usual size, larger ones are not tried
    assert all(np.array_equal(a.price, b.price) for a, b in zip(made, small_instances(Selection(), 3), strict=True))
    assert not np.array_equal(made[0].price, small_instances(Selection(), 4)[0].price)


class Particular(Selection):
    """Instances of the usual size, or none."""

    sizes = (Size("projects", int, 30, "number of projects", minimum=2),)

    def generate(self, seed: Any, projects: int = 30) -> Projects:
        if projects != 30:
            raise ValueError("30 or nothing")
        return super().generate(seed, projects)


class Ungenerous(Particular):
    def generate(self, seed: Any, projects: int = 30) -> Projects:
        raise ValueError("nothing at all")


def test_small_sizes_that_the_generator_refuses_are_left_for_the_usual_ones() -> None:
    assert [len(x.price) for x in small_instances(Particular(), 0)] == [30] * 6
    with pytest.raises(InputError, match="generate of selection raised ValueError: nothing at all"):
        small_instances(Ungenerous(), 0)
    with pytest.raises(InputError, match="pick has no instance generator"):
        small_instances(Pick(), 0)
