"""The paper's sets: their cells, and streams that never meet."""

from __future__ import annotations

from colayer.errors import InputError
from colayer_paper.spanning_tree.datasets import paper_set
from support.errors import rejects


def test_paper_sets_have_its_shape_and_share_nothing() -> None:
    sets = {name: paper_set(name, per_cell=2, widths=(10, 20)) for name in ("training", "validation", "test")}
    contents = [x.first.tobytes() for instances in sets.values() for x in instances]
    assert len(set(contents)) == len(contents) == 3 * 2 * 5 * 4 * 2
    cells = [(x.nodes, x.scenarios, -x.second.min()) for x in sets["test"]]
    assert cells[0] == cells[1] == (100, 5, 10)
    assert cells[-1] == (400, 20, 30)
    assert len(set(cells)) == 2 * 5 * 4
    fewer = paper_set("test", per_cell=1, widths=(10,))
    assert [x.first.tobytes() for x in fewer] == [x.first.tobytes() for x in sets["test"][:40:2]]


def test_an_unknown_set_is_refused() -> None:
    with rejects(InputError, "experience"):
        paper_set("experience")
