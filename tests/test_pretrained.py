"""The weights that are shipped."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

import colayer.pretrained
from colayer.models import LinearModel, read_model
from colayer.pretrained import pretrained
from colayer.problem import declared, variant
from colayer.problems import SingleMachine, SpanningTree, VehicleScheduling, find_problem, problem_names
from support.pick_problem import Pick

FILES = sorted(Path(colayer.pretrained.__file__).parent.glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shipped_file_is_found_by_the_problem_it_was_made_for(path: Path) -> None:
    """Its name is the problem's and the options'; its features are those of the problem."""
    model = read_model(path)
    problem = variant(find_problem(model.problem), **model.options)
    assert path.stem == "-".join([model.problem, *model.options.values()])
    assert model.feature_names == declared(problem).feature_names
    found = pretrained(problem)
    assert isinstance(found, LinearModel)
    assert found.document() == model.document()


@pytest.mark.parametrize("name", problem_names())
def test_every_problem_has_shipped_weights_for_its_defaults(name: str) -> None:
    assert pretrained(find_problem(name)) is not None


def test_a_decoder_without_weights_takes_those_of_the_plainest() -> None:
    """Of the same features."""
    plain = pretrained(SingleMachine("27", "none"))
    assert plain is not None
    for problem in (SingleMachine("27", "ls"), SingleMachine("27", "rdi")):
        found = pretrained(problem)
        assert found is not None
        assert found.document() == plain.document()
    for features, decoder in itertools.product(("23", "extended"), VehicleScheduling.decoders):
        found = pretrained(VehicleScheduling(features=features, decoder=decoder))
        assert found is not None
        assert found.options["features"] == features


def test_a_problem_of_the_users_has_none() -> None:
    assert pretrained(Pick()) is None
    assert pretrained(type("Other", (SpanningTree,), {"name": "other"})()) is None
