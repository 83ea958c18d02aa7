"""Programs against enumeration and scipy's milp; determinism, pickling, threads, every form of the model."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import highspy
import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_matrix

from colayer.errors import InputError
from colayer.layers import LinearProgram
from support.errors import rejects

CUBE = np.array(list(product((0.0, 1.0), repeat=6)))


def cover(rng: np.random.Generator, rows: int = 4, columns: int = 6) -> np.ndarray:
    """A 0/1 matrix without empty rows."""
    matrix = (rng.random((rows, columns)) < 0.5).astype(float)
    matrix[:, 0] = 1.0
    return matrix


def test_whole_programs_against_enumeration() -> None:
    """Set covering over six 0/1 columns, costs of either sign and with ties."""
    rng = np.random.default_rng(0)
    for trial in range(60):
        matrix = cover(rng)
        program = LinearProgram((matrix, 1.0, np.inf), bounds=(0.0, 1.0), integrality=1)
        feasible = CUBE[(CUBE @ matrix.T >= 1.0).all(axis=1)]
        for _ in range(5):
            theta = rng.normal(size=6) + 0.5 if trial % 2 else rng.integers(-1, 4, 6).astype(float)
            y = program(theta)
            assert y.tolist() in feasible.tolist()
            assert theta @ y == pytest.approx((feasible @ theta).min(), abs=1e-9)


def test_linear_programs_against_scipy() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        matrix, limit = rng.random((4, 7)), 1.0 + rng.random(4)
        program = LinearProgram(LinearConstraint(matrix, ub=limit), bounds=Bounds(-1.0, 2.0))
        for _ in range(5):
            theta = rng.normal(size=7)
            y = program(theta)
            assert (matrix @ y <= limit + 1e-8).all()
            assert ((y >= -1.0) & (y <= 2.0)).all()
            assert theta @ y == pytest.approx(linprog(theta, matrix, limit, bounds=(-1.0, 2.0)).fun)


def test_mixed_programs_against_scipy() -> None:
    """Facilities opened (whole) and demand served (not whole), in two blocks of rows."""
    rng = np.random.default_rng(2)
    sites, clients = 3, 4
    pairs = np.arange(sites * clients)
    served = np.hstack([(pairs % clients == np.arange(clients)[:, None]), np.zeros((clients, sites))]).astype(float)
    within = np.hstack([(pairs // clients == np.arange(sites)[:, None]), -2.5 * np.eye(sites)]).astype(float)
    blocks = [LinearConstraint(served, 1.0, 1.0), LinearConstraint(csr_matrix(within), -np.inf, 0.0)]
    integrality = np.r_[np.zeros(len(pairs)), np.ones(sites)]
    program = LinearProgram(blocks, bounds=(0.0, 1.0), integrality=integrality)
    for _ in range(60):
        theta = rng.random(program.size)
        y = program(theta)
        theirs = milp(theta, integrality=integrality, bounds=Bounds(0, 1), constraints=blocks)
        assert set(y[len(pairs) :]) <= {0.0, 1.0}
        assert theta @ y == pytest.approx(theirs.fun, rel=1e-4)
        assert theta @ y <= theirs.fun + 1e-8


@pytest.mark.parametrize("integrality", [0, 1])
def test_is_a_function_of_theta_alone(integrality: int) -> None:
    """Many optima (whole θ, ties everywhere): in any order of calls, in fresh objects, in threads, the same bits."""
    rng = np.random.default_rng(3)
    matrix = cover(rng, 12, 20)

    def make() -> LinearProgram:
        return LinearProgram((matrix, 1.0, np.inf), bounds=(0.0, 1.0), integrality=integrality)

    thetas = rng.integers(0, 3, (12, 20)).astype(float)
    fresh = [make()(theta).tobytes() for theta in thetas]
    program = make()
    for order in (range(12), range(11, -1, -1), rng.permutation(12)):
        for k in order:
            assert program(thetas[k]).tobytes() == fresh[k]
    with ThreadPoolExecutor(4) as pool:
        assert [y.tobytes() for y in pool.map(program, thetas)] == fresh
    copy = pickle.loads(pickle.dumps(program))
    assert [copy(theta).tobytes() for theta in thetas] == fresh


def test_the_size_of_theta_does_not_matter() -> None:
    """Tolerances are absolute in HiGHS; θ of 1e-30 must not be taken for 0, nor 1e30 for infinite."""
    program = LinearProgram(([[1.0, 1.0, 1.0]], 1.0, 1.0), bounds=(0.0, 1.0), integrality=1)
    for factor in (2.0**-100, 1e-30, 1.0, 2.0**100, 1e30):
        assert program(factor * np.array([3.0, 1.0, 2.0])).tolist() == [0.0, 1.0, 0.0]


def test_takes_a_highs_model_and_a_file(tmp_path: Path) -> None:
    """By rows in a HighsLp, in a Highs, in an .mps and an .lp file: the same answers, whatever their own objective."""
    rng = np.random.default_rng(4)
    matrix = csr_matrix(cover(rng))
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = matrix.shape
    lp.col_cost_ = np.arange(6.0) + 1.0
    lp.col_lower_, lp.col_upper_ = np.zeros(6), np.ones(6)
    lp.row_lower_, lp.row_upper_ = np.ones(4), np.full(4, highspy.kHighsInf)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
    lp.integrality_ = [highspy.HighsVarType.kInteger] * 6
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.passModel(lp)
    for name in ("model.mps", "model.lp"):
        highs.writeModel(str(tmp_path / name))
    programs = [
        LinearProgram((matrix, 1.0, np.inf), bounds=(0.0, 1.0), integrality=1),
        LinearProgram.from_highs(lp),
        LinearProgram.from_highs(highs),
        LinearProgram.read(tmp_path / "model.mps"),
        LinearProgram.read(str(tmp_path / "model.lp")),
    ]
    for _ in range(10):
        theta = rng.normal(size=6)
        assert len({tuple(program(theta).tolist()) for program in programs}) == 1


def test_names_the_columns_of_a_file(tmp_path: Path) -> None:
    """In an .lp file columns come in the order of their appearance, which need not be the one they were meant in."""
    path = tmp_path / "model.lp"
    path.write_text("min\n obj: 1 b\nst\n r: 1 a + 1 b + 1 c >= 1\nend\n")
    program = LinearProgram.read(path)
    assert program.names == ("b", "a", "c")
    assert program([1.0, 0.5, 2.0]).tolist() == [0.0, 1.0, 0.0]
    assert LinearProgram(size=2).names == ()


def test_works_after_highs_ran_with_more_threads() -> None:
    """HiGHS keeps one scheduler a thread, and refuses another number of threads until that is reset."""
    program = LinearProgram(([[1.0, 1.0]], 1.0, 1.0))
    highspy.Highs.resetGlobalScheduler(True)
    other = highspy.Highs()
    for option, value in {"output_flag": False, "threads": 2, "parallel": "on"}.items():
        other.setOptionValue(option, value)
    column = other.addVariable(lb=0.0)
    other.minimize(column)
    assert program([2.0, 1.0]).tolist() == [0.0, 1.0]
    highspy.Highs.resetGlobalScheduler(True)


def test_without_rows_it_is_the_box() -> None:
    assert LinearProgram(bounds=([0.0, -1.0], [3.0, 1.0]))([1.0, -1.0]).tolist() == [0.0, 1.0]
    assert LinearProgram(size=2, bounds=(-1.0, 1.0))([0.5, -0.5]).tolist() == [-1.0, 1.0]
    assert LinearProgram(size=2, bounds=(0.0, 1.5), integrality=1)([-1.0, 0.0]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("integrality", [0, 1])
def test_refuses_what_has_no_optimum(integrality: int) -> None:
    impossible = LinearProgram(([[1.0, 1.0], [1.0, 1.0]], [2.0, -1.0], [3.0, 1.0]), integrality=integrality)
    for theta in ([1.0, 1.0], [-1.0, -1.0]):
        with rejects(InputError, where="constraints"):
            impossible(theta)
    endless = LinearProgram(([[1.0, -1.0]], 0.0, 0.0), integrality=integrality)
    with rejects(InputError, where="theta"):
        endless([-1.0, 0.0])
    assert endless([1.0, 0.0]).tolist() == [0.0, 0.0]  # and goes on working


def test_infeasible_in_whole_numbers_alone() -> None:
    """The relaxation has a point, 0.5; the program has none."""
    with rejects(InputError, where="constraints"):
        LinearProgram(([[2.0]], 1.0, 1.0), integrality=1)([1.0])


@pytest.mark.parametrize(
    ("call", "where"),
    [
        (lambda: LinearProgram(([[1.0, np.nan]], 0.0, 1.0)), "constraints[0]"),
        (lambda: LinearProgram(([[1.0, 1.0]], 2.0, 1.0)), "constraints[0][0]"),
        (lambda: LinearProgram(([[1.0, 1.0]], [0.0, 0.0], 1.0)), "constraints[0]"),
        (lambda: LinearProgram([([[1.0]], 0.0, 1.0), ([[1.0, 1.0]], 0.0, 1.0)]), "constraints[1]"),
        (lambda: LinearProgram([([[1.0]], 0.0)]), "constraints[0]"),
        (lambda: LinearProgram(None), "constraints"),
        (lambda: LinearProgram([1.0]), "constraints[0]"),
        (lambda: LinearProgram(([["a"]], 0.0, 1.0)), "constraints[0]"),
        (lambda: LinearProgram(size=2, bounds=None), "bounds"),
        (lambda: LinearProgram(size=2, bounds=(0.0, [1.0, -1.0])), "bounds[1]"),
        (lambda: LinearProgram(size=2, bounds=(0.0, np.nan)), "bounds[0]"),
        (lambda: LinearProgram(size=2, bounds=(0.0,)), "bounds"),
        (lambda: LinearProgram(size=2, integrality=2), "integrality"),
        (lambda: LinearProgram(size=2, integrality=[1, 0, 1]), "integrality"),
        (lambda: LinearProgram(size=2, gap=-1.0), "gap"),
        (lambda: LinearProgram(size=2)([1.0]), "theta"),
        (lambda: LinearProgram(size=1)([np.nan]), "theta[0]"),
        (lambda: LinearProgram.read("nowhere.mps"), "nowhere.mps"),
    ],
)
def test_names_what_is_wrong(call, where: str) -> None:
    with rejects(InputError, where=where):
        call()


def test_refuses_a_file_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "broken.mps").write_text("ROWS\n nonsense\n")
    with rejects(InputError, where="broken.mps"):
        LinearProgram.read(tmp_path / "broken.mps")


def test_refuses_a_quadratic_objective() -> None:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.addVariable(lb=0.0)
    hessian = highspy.HighsHessian()
    hessian.dim_ = 1
    hessian.start_, hessian.index_, hessian.value_ = np.array([0, 1]), np.array([0]), np.array([2.0])
    highs.passHessian(hessian)
    with rejects(InputError, where="model"):
        LinearProgram.from_highs(highs)
