"""What is best of all, in the table."""

from __future__ import annotations

from colayer import Pipeline, evaluate
from colayer.cli.demos.exact import HINDSIGHT, exact_answers, with_exact, with_hindsight
from colayer.problem.bind import bind
from colayer.problems import DynamicVehicleScheduling, SpanningTree


def test_the_exact_solver_is_one_more_contender() -> None:
    problem = SpanningTree()
    trees = [problem.generate(seed, width=3, scenarios=2) for seed in range(3)]
    done: list[int] = []
    answers = exact_answers(bind(problem), trees, None, lambda: done.append(1))
    assert len(done) == 3
    learned = {"learned": Pipeline(problem, problem.safe_weights, safe=False)}
    compared = with_exact(evaluate(problem, trees, learned, bounds=answers.bounds), answers)
    assert compared.contenders == ("learned", "exact")
    exact = compared.summary()[1]
    assert exact.mean_gap is not None
    assert 0.0 <= exact.mean_gap < 1e-3
    assert exact.mean_cost == sum(answers.costs) / 3


def test_hindsight_stands_at_the_bound_and_others_above() -> None:
    problem = DynamicVehicleScheduling()
    days = [problem.generate(seed, customers=40, per_epoch=3) for seed in range(3)]
    rule = {"rule": Pipeline(problem, problem.safe_weights)}
    compared = with_hindsight(evaluate(problem, days, rule), bind(problem), days)
    rows = {row.contender: row for row in compared.summary()}
    assert rows[HINDSIGHT].mean_gap == 0.0
    assert rows[HINDSIGHT].mean_cost <= rows["rule"].mean_cost
    tree = SpanningTree()
    trees = [tree.generate(0, width=3, scenarios=2)]
    static = evaluate(tree, trees, {"safe": Pipeline(tree, tree.safe_weights)})
    assert with_hindsight(static, bind(tree), trees) is static
