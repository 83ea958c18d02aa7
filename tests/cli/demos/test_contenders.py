"""Whom learning is compared with."""

from __future__ import annotations

from contextlib import ExitStack

from colayer import Pipeline
from colayer.cli.demos.catalogue import DEFAULT, DEMOS
from colayer.cli.demos.contenders import contenders, tuned_rules
from colayer.problem.bind import bind
from support.selection_problem import Selection, instances


def test_what_is_plain_runs_through_the_same_decoder() -> None:
    """Ten candidates of the safe weights are a search: no reference, but shown beside ten of the learned ones."""
    problem = Selection("swap")
    model = Pipeline(problem, [1.0, 1.0, 0.0]).model
    found = contenders(bind(problem), model, instances(3), DEFAULT, {})
    assert [(c.name, c.kind) for c in found if "feature" not in c.name] == [
        ("safe weights", "safe"),
        ("cheapest", "rule"),
        ("safest", "rule"),
        ("safe weights, 10 candidates", "solver"),
        ("learned", "learned"),
        ("learned, 10 candidates", "learned"),
    ]
    safe, own = found[0], Pipeline(problem, problem.safe_weights, safe=False)
    for x in instances(3):
        assert problem.cost(safe.attempt(x, 1.0).solutions[-1][1], x) == own.solve(x).cost


def test_a_tuned_rule_stands_in_the_place_of_the_rule() -> None:
    """Its constant is the best on the training days; the safe weights, which are that rule, are left out."""
    with ExitStack() as stack:
        problem = DEMOS["dynamic-vehicle-scheduling"].problem("dynamic-vehicle-scheduling", stack)
    days = [problem.generate(seed, customers=40, per_epoch=4) for seed in range(4)]  # type: ignore[misc]
    demo = DEMOS[problem.name]
    tuned = tuned_rules(problem, demo, days, lambda done, total: None)
    assert set(tuned) == {"prize", "prize+wait"}
    for rule, order in tuned.items():
        means = [
            sum(
                problem.cost(problem.need("baseline")(rule, day, **constants), day) / problem.scale(day) for day in days
            )
            for constants in order
        ]
        assert means == sorted(means)
    model = Pipeline(problem, problem.safe_weights).model
    names = [one.name for one in contenders(problem, model, days, demo, tuned)]
    assert f"prize+wait, factor {tuned['prize+wait'][0]['factor']:g}, tuned" in names
    assert not {"prize", "prize+wait", "safe weights", "look-ahead"} & set(names)
