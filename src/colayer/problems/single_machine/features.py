"""The features of a job: a table of names and formulas, and the matrix of their values.

`FEATURES_27` are those of the earlier work the paper cites (Parmentier and T'kindt, "Structured learning based
heuristics to solve the single machine scheduling problem with release times and sum of completion times", 2021).
`FEATURES_66` are these and 39 more of colayer's own: the paper uses 66 but does not list them.
"""

from __future__ import annotations

from colayer._runtime.arrays import Singles
from colayer.problems.feature_table import Feature, FeatureTable, feature_set
from colayer.problems.single_machine.instance import Instance
from colayer.problems.single_machine.kernels.features import feature_matrix

#: The rows of the kernel's matrix, in its order: the kernel and this table change together.
FEATURES_27 = (
    Feature("rank_processing", "rank", "rank(p)"),
    Feature("rank_release", "rank", "rank(r)"),
    Feature("rank_release_plus_processing", "rank", "rank(r + p)"),
    Feature("release_over_processing", "ratio", "share(r / p)"),
    Feature("processing_over_release", "ratio", "share(p / r), p / r = 0 where r = 0"),
    Feature("release_over_total_release", "ratio", "r / Σr"),
    Feature("release_over_total_processing", "ratio", "r / Σp"),
    Feature("release_over_total_both", "ratio", "r / Σ(r + p)"),
    Feature("processing_over_total_release", "ratio", "p / Σr"),
    Feature("processing_over_total_processing", "ratio", "p / Σp"),
    Feature("processing_over_total_both", "ratio", "p / Σ(r + p)"),
    Feature("release_plus_processing_over_total_release", "ratio", "(r + p) / Σr"),
    Feature("release_plus_processing_over_total_processing", "ratio", "(r + p) / Σp"),
    Feature("release_plus_processing_over_total_both", "ratio", "(r + p) / Σ(r + p)"),
    Feature("srpt_left", "srpt", "share(L)"),
    Feature("srpt_left_over_preemptor", "srpt", "share(L / p_b), b the job that preempts j first; 0 if none does"),
    Feature("srpt_left_over_processing", "srpt", "share(L / p)"),
    Feature("decile_release", "decile", "decile(r)"),
    Feature("release_over_decile", "decile", "share(r / (decile(r) + 1))"),
    Feature("decile_processing", "decile", "decile(p)"),
    Feature("processing_over_decile", "decile", "share(p / (decile(p) + 1))"),
    Feature("srpt_preemptions", "srpt", "share(number of preemptions of j)"),
    Feature("rank_srpt_completion", "rank", "rank(C)"),
    Feature("earlier_smaller_processing", "srpt", "share(#{i: C_i < C_j, p_i < p_j})"),
    Feature("earlier_smaller_release", "srpt", "share(#{i: C_i < C_j, r_i < r_j})"),
    Feature("earlier_larger_processing", "srpt", "share(#{i: C_i < C_j, p_i > p_j})"),
    Feature("earlier_larger_release", "srpt", "share(#{i: C_i < C_j, r_i > r_j})"),
)

_MORE = (
    Feature("srpt_start_over_makespan", "srpt", "S / C_max"),
    Feature("srpt_completion_over_makespan", "srpt", "C / C_max"),
    Feature("srpt_mean_busy_over_makespan", "srpt", "M / C_max"),
    Feature("srpt_waiting_over_makespan", "srpt", "(C - r - p) / C_max"),
    Feature("srpt_waiting_over_processing", "srpt", "(C - r - p) / p"),
    Feature("rank_release_plus_half_processing", "rank", "rank(r + p/2)"),
    Feature("rank_release_plus_twice_processing", "rank", "rank(r + 2p)"),
    Feature("rank_srpt_start", "rank", "rank(S)"),
    Feature("rank_srpt_mean_busy", "rank", "rank(M)"),
    Feature("rank_aprtf", "dispatch", "position in APRTF / n"),
    Feature("rank_shortest", "dispatch", "position in SHORTEST / n"),
    Feature("rank_ect", "dispatch", "position in ECT / n"),
    Feature("rank_lookahead", "dispatch", "position in LOOKAHEAD / n"),
    Feature("aprtf_completion_over_makespan", "dispatch", "completion in APRTF / C_max"),
    Feature("shortest_completion_over_makespan", "dispatch", "completion in SHORTEST / C_max"),
    Feature("ect_completion_over_makespan", "dispatch", "completion in ECT / C_max"),
    Feature("rank_processing_times_rank_release", "product", "rank(p) · rank(r)"),
    Feature("rank_processing_times_rank_srpt_completion", "product", "rank(p) · rank(C)"),
    Feature("rank_release_times_rank_srpt_completion", "product", "rank(r) · rank(C)"),
    Feature("rank_processing_squared", "product", "rank(p)²"),
    Feature("rank_release_squared", "product", "rank(r)²"),
    Feature("rank_srpt_completion_squared", "product", "rank(C)²"),
    Feature("queue_length", "queue", "#Q / n"),
    Feature("queue_work", "queue", "work left of Q at r_j / Σp"),
    Feature("queue_shorter", "queue", "#{i ∈ Q: work left of i at r_j < p_j} / n"),
    Feature("arrivals", "queue", "#A / n"),
    Feature("arrivals_work", "queue", "Σ_{i ∈ A} p_i / Σp"),
    Feature("arrivals_shorter", "queue", "#{i ∈ A: p_i < p_j} / n"),
    Feature("load_times_rank_processing", "load", "ρ · rank(p)"),
    Feature("load_times_rank_release", "load", "ρ · rank(r)"),
    Feature("load_times_rank_srpt_completion", "load", "ρ · rank(C)"),
    Feature("load_times_srpt_completion", "load", "ρ · C / C_max"),
    Feature("decile_release_plus_processing", "decile", "decile(r + p)"),
    Feature("release_plus_processing_over_decile", "decile", "share((r + p) / (decile(r + p) + 1))"),
    Feature("decile_srpt_completion", "decile", "decile(C)"),
    Feature("srpt_completion_over_decile", "decile", "share(C / (decile(C) + 1))"),
    Feature("log_processing", "log", "unit(log p)"),
    Feature("log_release", "log", "unit(log(1 + r / p̄))"),
    Feature("log_srpt_completion", "log", "unit(log C)"),
)

FEATURES_66 = FEATURES_27 + _MORE

#: name of the feature set → its table. The safe weights sort by SRPT completion: weight 1 on C / C_max, or on rank(C)
#: in the 27. A 2-approximation: Phillips, Stein and Wein (1998), "Minimizing average completion time in the presence of
#: release dates", Mathematical Programming 82.
FEATURE_SETS = {
    "66": FeatureTable(FEATURES_66, safe=("srpt_completion_over_makespan",)),
    "27": FeatureTable(FEATURES_27, safe=("rank_srpt_completion",)),
}


def features(instance: Instance, which: str = "66") -> Singles:
    """Return φ(j, x) of every job, shape (n, d): the transposed view of a C-contiguous (d, n) array. O(n log n)."""
    matrix, by_release, start, completion = feature_matrix(*instance.arrays, len(feature_set(which, FEATURE_SETS)))
    instance.note_preemptive(by_release, start, completion)
    return matrix.T
