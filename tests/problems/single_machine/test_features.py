"""Every feature against its formula, in exact arithmetic and with double loops."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from colayer.errors import OptionError
from colayer.problems.feature_table import feature_set
from colayer.problems.single_machine.features import FEATURE_SETS, FEATURES_27, FEATURES_66, features
from colayer.problems.single_machine.instance import Instance, generate
from colayer.problems.single_machine.kernels.dispatch import aprtf, dispatch_ect, dispatch_shortest
from colayer.problems.single_machine.kernels.lookahead import dispatch_lookahead
from colayer.problems.single_machine.kernels.schedule import completion_times, srpt
from support.errors import rejects

NAMES = [feature.name for feature in FEATURES_66]
DOCS = Path(__file__).parents[3] / "paper" / "docs" / "single_machine_features.md"


def srpt_by_events(r, p):
    """SRPT in exact arithmetic: the pieces (job, begin, end, work left of every job at the begin)."""
    left = list(p)
    t = Fraction(0)
    last = None
    pieces = []
    while any(left):
        ready = [j for j in range(len(r)) if r[j] <= t and left[j] > 0]
        later = [r[j] for j in range(len(r)) if r[j] > t]
        if not ready:
            t = min(later)
            continue
        job = min(ready, key=lambda j: (left[j], r[j], j))
        if last in ready and left[last] <= left[job]:
            job = last
        end = min([t + left[job], *later])
        pieces.append((job, t, end, list(left)))
        left[job] -= end - t
        t = end
        last = job
    return pieces


def reference(r, p):
    """The formulas of the feature table, by name; r and p are Fractions."""
    n = len(r)
    jobs = range(n)
    pieces = srpt_by_events(r, p)
    start = [min(b for i, b, _, _ in pieces if i == j) for j in jobs]
    end = [max(e for i, _, e, _ in pieces if i == j) for j in jobs]
    busy = [sum((e - b) * (b + e) / 2 for i, b, e, _ in pieces if i == j) / p[j] for j in jobs]
    runs = [pieces[k] for k in range(len(pieces)) if k == 0 or pieces[k][0] != pieces[k - 1][0]]
    preempted = {j: [k for k, run in enumerate(runs) if run[0] == j and runs[k + 1 :] and end[j] > runs[k + 1][1]]
                 for j in jobs}  # fmt: skip
    left = [runs[preempted[j][0] + 1][3][j] if preempted[j] else Fraction(0) for j in jobs]
    by = [p[runs[preempted[j][0] + 1][0]] if preempted[j] else p[j] for j in jobs]
    makespan = max(end)
    rp = [a + b for a, b in zip(r, p, strict=True)]

    def over(a, b):
        return a / b if b else Fraction(0)

    def share(values):
        values = list(values)
        return [over(v, sum(values)) for v in values]

    def rank(values):
        return [Fraction(sum(u <= v for u in values), n) for v in values]

    def decile(values):
        return [math.floor(10 * (n * x - 1) / n) for x in rank(values)]

    def by_decile(values):
        return share(v / (k + 1) for v, k in zip(values, decile(values), strict=True))

    def unit(values):
        low, high = min(values), max(values)
        return [(v - low) / (high - low) if high > low else 0.0 for v in values]

    def count(condition):
        return [Fraction(sum(condition(i, j) for i in jobs)) for j in jobs]

    def left_at(i, t):
        return p[i] - sum(max(min(e, t) - b, 0) for k, b, e, _ in pieces if k == i)

    def product(a, b):
        return [x * y for x, y in zip(a, b, strict=True)]

    fr, fp = np.array(r, dtype=float), np.array(p, dtype=float)
    sequences = {"aprtf": aprtf(fr, fp), "shortest": dispatch_shortest(fr, fp), "ect": dispatch_ect(fr, fp)}
    queue = [[i for i in jobs if r[i] < r[j] < end[i]] for j in jobs]
    arrivals = [[i for i in jobs if i != j and r[j] <= r[i] < rp[j]] for j in jobs]
    waiting = [end[j] - rp[j] for j in jobs]
    load = max(r) / sum(p)
    rank_p, rank_r, rank_c = rank(p), rank(r), rank(end)
    values = {
        "rank_processing": rank_p,
        "rank_release": rank_r,
        "rank_release_plus_processing": rank(rp),
        "release_over_processing": share(a / b for a, b in zip(r, p, strict=True)),
        "processing_over_release": share(over(b, a) for a, b in zip(r, p, strict=True)),
        "srpt_left": share(left),
        "srpt_left_over_preemptor": share(a / b for a, b in zip(left, by, strict=True)),
        "srpt_left_over_processing": share(a / b for a, b in zip(left, p, strict=True)),
        "decile_release": decile(r),
        "release_over_decile": by_decile(r),
        "decile_processing": decile(p),
        "processing_over_decile": by_decile(p),
        "srpt_preemptions": share(Fraction(len(preempted[j])) for j in jobs),
        "rank_srpt_completion": rank_c,
        "earlier_smaller_processing": share(count(lambda i, j: end[i] < end[j] and p[i] < p[j])),
        "earlier_smaller_release": share(count(lambda i, j: end[i] < end[j] and r[i] < r[j])),
        "earlier_larger_processing": share(count(lambda i, j: end[i] < end[j] and p[i] > p[j])),
        "earlier_larger_release": share(count(lambda i, j: end[i] < end[j] and r[i] > r[j])),
        "srpt_start_over_makespan": [v / makespan for v in start],
        "srpt_completion_over_makespan": [v / makespan for v in end],
        "srpt_mean_busy_over_makespan": [v / makespan for v in busy],
        "srpt_waiting_over_makespan": [v / makespan for v in waiting],
        "srpt_waiting_over_processing": [a / b for a, b in zip(waiting, p, strict=True)],
        "rank_release_plus_half_processing": rank([a + b / 2 for a, b in zip(r, p, strict=True)]),
        "rank_release_plus_twice_processing": rank([a + 2 * b for a, b in zip(r, p, strict=True)]),
        "rank_srpt_start": rank(start),
        "rank_srpt_mean_busy": rank(busy),
        "rank_processing_times_rank_release": product(rank_p, rank_r),
        "rank_processing_times_rank_srpt_completion": product(rank_p, rank_c),
        "rank_release_times_rank_srpt_completion": product(rank_r, rank_c),
        "rank_processing_squared": product(rank_p, rank_p),
        "rank_release_squared": product(rank_r, rank_r),
        "rank_srpt_completion_squared": product(rank_c, rank_c),
        "queue_length": [Fraction(len(q), n) for q in queue],
        "queue_work": [sum(left_at(i, r[j]) for i in queue[j]) / sum(p) for j in jobs],
        "queue_shorter": [Fraction(sum(left_at(i, r[j]) < p[j] for i in queue[j]), n) for j in jobs],
        "arrivals": [Fraction(len(a), n) for a in arrivals],
        "arrivals_work": [sum(p[i] for i in arrivals[j]) / sum(p) for j in jobs],
        "arrivals_shorter": [Fraction(sum(p[i] < p[j] for i in arrivals[j]), n) for j in jobs],
        "load_times_rank_processing": [load * v for v in rank_p],
        "load_times_rank_release": [load * v for v in rank_r],
        "load_times_rank_srpt_completion": [load * v for v in rank_c],
        "load_times_srpt_completion": [load * v / makespan for v in end],
        "decile_release_plus_processing": decile(rp),
        "release_plus_processing_over_decile": by_decile(rp),
        "decile_srpt_completion": decile(end),
        "srpt_completion_over_decile": by_decile(end),
        "log_processing": unit([math.log(v) for v in p]),
        "log_release": unit([math.log(1 + v * n / sum(p)) for v in r]),
        "log_srpt_completion": unit([math.log(v) for v in end]),
    }
    for of, numerator in (("release", r), ("processing", p), ("release_plus_processing", rp)):
        for total, divisor in (("release", sum(r)), ("processing", sum(p)), ("both", sum(rp))):
            values[f"{of}_over_total_{total}"] = [over(v, divisor) for v in numerator]
    for rule, sequence in sequences.items():
        values[f"rank_{rule}"] = [Fraction(sequence.tolist().index(j) + 1, n) for j in jobs]
        values[f"{rule}_completion_over_makespan"] = completion_times(sequence, fr, fp) / float(makespan)
    values["rank_lookahead"] = [Fraction(dispatch_lookahead(fr, fp).tolist().index(j) + 1, n) for j in jobs]
    return values


def small_instances():
    rng = np.random.default_rng(11)
    for k in range(240):
        n = int(rng.integers(1, 13)) if k > 3 else 40
        if k % 4 == 0:  # integers, many ties
            yield rng.integers(0, 10, n).astype(float), rng.integers(1, 5, n).astype(float)
        elif k % 4 == 1:  # not integers, no sum rounded
            yield rng.integers(0, 200, n) / 8, rng.integers(1, 60, n) / 8
        elif k % 4 == 2:  # not integers
            yield rng.random(n) * n * 0.4, rng.random(n) + 0.01
        else:  # everything released at once, or nearly
            yield np.zeros(n) if k % 8 == 3 else (rng.random(n) < 0.3) * 1.0, rng.integers(1, 9, n).astype(float)


def test_every_feature_is_its_formula():
    """Columns by name; O(n²) sums and counts in exact arithmetic."""
    for r, p in small_instances():
        expected = reference([Fraction(v) for v in r], [Fraction(v) for v in p])
        assert set(expected) == set(NAMES)
        matrix = features(Instance(r, p))
        for k, name in enumerate(NAMES):
            np.testing.assert_allclose(
                matrix[:, k],
                np.array([float(v) for v in expected[name]]),
                rtol=2e-7,
                atol=1e-12,
                err_msg=f"{name} {r} {p}",
            )


def test_by_hand():
    """SRPT runs job 0 in [0, 1) and [2, 5), job 1 in [1, 2), job 2 in [5, 7)."""
    matrix = features(Instance([0, 1, 5], [4, 1, 2]))
    expected = {
        "rank_processing": [1, 1 / 3, 2 / 3],
        "rank_srpt_completion": [2 / 3, 1 / 3, 1],
        "release_over_processing": [0, 2 / 7, 5 / 7],
        "processing_over_release": [0, 5 / 7, 2 / 7],
        "srpt_left": [1, 0, 0],
        "decile_processing": [6, 0, 3],
        "earlier_smaller_processing": [1 / 2, 0, 1 / 2],
        "earlier_larger_release": [1, 0, 0],
        "srpt_mean_busy_over_makespan": [2.75 / 7, 1.5 / 7, 6 / 7],
        "srpt_waiting_over_processing": [1 / 4, 0, 0],
        "queue_length": [0, 1 / 3, 0],
        "queue_work": [0, 3 / 7, 0],
        "queue_shorter": [0, 0, 0],
        "arrivals": [1 / 3, 0, 0],
        "arrivals_work": [1 / 7, 0, 0],
        "load_times_rank_release": [5 / 21, 10 / 21, 15 / 21],
        "log_processing": [1, 0, 0.5],
    }
    for name, values in expected.items():
        np.testing.assert_allclose(matrix[:, NAMES.index(name)], values, rtol=2e-7, err_msg=name)


@pytest.mark.parametrize("which", ["27", "66"])
def test_shape_and_layout(which):
    """One row per job, one column per name; feature-major in memory; the 27 are the first of the 66."""
    instance = generate(3, jobs=40, rho=0.8)
    matrix = features(instance, which)
    assert matrix.shape == (40, int(which))
    assert matrix.dtype == np.float32
    assert matrix.T.flags.c_contiguous
    np.testing.assert_array_equal(matrix, features(instance, "66")[:, : int(which)])


def test_table():
    """Sizes, unique snake_case names, the 27 first."""
    assert len(FEATURES_27) == 27
    assert len(FEATURES_66) == 66 == len(set(NAMES))
    assert FEATURES_66[:27] == FEATURES_27
    assert all(name.replace("_", "").isalpha() and name.islower() for name in NAMES)
    groups = {feature.group for feature in FEATURES_66}
    assert groups == {"rank", "ratio", "srpt", "dispatch", "queue", "load", "decile", "product", "log"}


def test_unknown_set_is_refused():
    """By the name of the option."""
    with rejects(OptionError, where="--features"):
        features(Instance([0], [1]), "28")
    with rejects(OptionError, where="--features"):
        feature_set("all", FEATURE_SETS)


def test_jobs_may_be_permuted():
    """Where nothing ties, a job's features do not depend on its index."""
    rng = np.random.default_rng(5)
    for n in (2, 10, 60):
        r, p = rng.random(n) * n * 0.5, rng.random(n) + 0.01
        shuffle = rng.permutation(n)
        permuted = features(Instance(r[shuffle], p[shuffle]))
        np.testing.assert_allclose(permuted, features(Instance(r, p))[shuffle], rtol=1e-6, atol=1e-9)


def test_features_are_free_of_scale():
    """Time may be counted in any unit; a power of two changes no bit, not even with ties."""
    instance = generate(4, jobs=80, rho=0.6)
    matrix = features(instance)
    for factor in (2.0**-900, 0.25, 2.0**900):
        scaled = Instance(instance.release * factor, instance.processing * factor)
        np.testing.assert_array_equal(features(scaled), matrix)
    rng = np.random.default_rng(6)
    r, p = rng.random(50) * 20, rng.random(50) + 0.01
    np.testing.assert_allclose(features(Instance(3.7 * r, 3.7 * p)), features(Instance(r, p)), rtol=1e-6, atol=1e-9)


def test_equal_jobs_differ_by_their_place_only():
    """What is not read off a schedule's order is equal for equal jobs."""
    matrix = features(Instance([3, 3, 0, 3], [2, 2, 5, 2]))
    for k, feature in enumerate(FEATURES_66):
        of_order = any(word in feature.name for word in ("srpt", "earlier", "aprtf", "shortest", "ect", "lookahead"))
        if not of_order:
            assert len({matrix[0, k], matrix[1, k], matrix[3, k]}) == 1, feature.name


@pytest.mark.parametrize(
    ("release", "processing"),
    [
        ([0], [1]),
        ([5], [1e-3]),
        ([0] * 5, [7] * 5),
        ([2] * 12, [3] * 12),
        ([0, 0, 0], [1, 2, 3]),
        ([1e300, 1e-300, 0], [1e-300, 1e300, 1]),
        ([1e308, 1e308, 1e308], [1e-5, 1e300, 1e-320]),
        ([5e-324, 0], [5e-324, 1e-323]),
        ([1e16, 1e16, 1e16 + 2], [0.5, 0.5, 1.0]),
    ],
)
def test_features_are_finite(release, processing):
    """One job, equal jobs, no releases, numbers of any size: nothing is NaN, infinite or negative."""
    for which in FEATURE_SETS:
        matrix = features(Instance(release, processing), which)
        assert np.isfinite(matrix).all()
        assert matrix.min() >= 0


@pytest.mark.parametrize("which", ["27", "66"])
def test_safe_weights_sort_by_srpt_completion(which):
    """θ = features · w̃ orders the jobs as SRPT completes them."""
    weights = FEATURE_SETS[which].safe_weights
    assert weights.dtype == np.float64
    assert sorted(weights)[-2:] == [0.0, 1.0]
    for seed in range(5):
        instance = generate(seed, jobs=200, rho=1.0)
        theta = features(instance, which).astype(np.float64) @ weights
        expected = np.argsort(srpt(instance.release, instance.processing)[1], kind="stable")
        np.testing.assert_array_equal(np.argsort(theta, kind="stable"), expected)


def test_docs_list_every_feature():
    """The page's table is the feature table, row by row."""
    rows = [line for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("| ") and "`" in line]
    expected = [f"| {k} | `{f.name}` | {f.group} | {f.formula} |" for k, f in enumerate(FEATURES_66, 1)]
    assert rows == expected


@pytest.mark.parametrize("which", ["27", "66"])
@pytest.mark.parametrize("unit", [1.0, 0.3, 1e-300, 1e300])
def test_they_leave_the_preemptive_schedule_behind(which: str, unit: float) -> None:
    """The bits of one computed for itself, in any unit of time."""
    drawn = generate(3, jobs=40)
    left, own = (Instance(unit * drawn.release, unit * drawn.processing) for _ in range(2))
    features(left, which)
    assert "preemptive" in vars(left)
    for found, expected in zip(left.preemptive, own.preemptive, strict=True):
        assert found.tobytes() == expected.tobytes()
