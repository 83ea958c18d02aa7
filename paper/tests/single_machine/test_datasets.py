"""The paper's sets: their cells, and streams that never meet."""

from __future__ import annotations

from colayer.errors import InputError
from colayer.problems.single_machine.instance import PAPER_JOBS, PAPER_RHO
from colayer_paper.single_machine.datasets import paper_set
from support.errors import rejects


def test_every_size_and_load_has_its_instances() -> None:
    instances = paper_set("test", per_cell=2, jobs=(50, 75))
    assert [x.jobs for x in instances] == [50] * 20 + [75] * 20
    assert len(PAPER_JOBS) * len(PAPER_RHO) * 20 == 2400  # what there is by default
    for x, rho in zip(instances[::2], PAPER_RHO * 2, strict=True):  # released within 50.5·n·ρ
        assert 0.7 < x.release.max() / (50.5 * x.jobs * rho) < 1.02


def test_sets_share_no_instance_and_fewer_are_the_first_of_each_cell() -> None:
    many = {name: paper_set(name, per_cell=3, jobs=(50,)) for name in ("experience", "test")}
    contents = [x.processing.tobytes() for instances in many.values() for x in instances]
    assert len(set(contents)) == len(contents) == 60
    fewer = paper_set("test", per_cell=1, jobs=(50,))
    assert [x.release.tobytes() for x in fewer] == [x.release.tobytes() for x in many["test"][::3]]


def test_an_unknown_set_is_refused() -> None:
    with rejects(InputError, "train"):
        paper_set("train")
