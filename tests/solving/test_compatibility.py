"""Which model belongs to which problem."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from colayer.errors import InputError
from colayer.problem.bind import bind
from colayer.problems import SingleMachine
from colayer.solving.compatibility import default_model, given_model, problem_of_model, raw_model, require_model_for
from support.errors import rejects
from support.pick_problem import Pick
from support.selection_problem import Selection

MODEL = raw_model(bind(SingleMachine("27", decoder="ls")), np.ones(27), "given")


def test_the_problem_that_a_model_names_with_its_options() -> None:
    assert problem_of_model(MODEL).options == {"features": "27", "decoder": "ls"}


def test_a_model_without_options_leaves_the_problem_as_it_is() -> None:
    own = bind(Pick())
    assert problem_of_model(raw_model(own, np.ones(2), "given"), own) is own


def test_options_that_were_chosen_stay_where_they_may() -> None:
    chosen = bind(SingleMachine("27", decoder="rdi"))
    assert problem_of_model(MODEL, chosen).options["decoder"] == "ls"
    assert problem_of_model(MODEL, chosen, keep=True).options["decoder"] == "rdi"


def test_a_model_of_another_problem_or_of_other_features_is_refused() -> None:
    assert require_model_for(bind(SingleMachine("27")), MODEL) is MODEL
    with rejects(InputError, where="problem"):
        require_model_for(bind(Selection()), MODEL)
    with rejects(InputError, where="feature_names"):
        require_model_for(bind(SingleMachine("66")), MODEL)
    as_many = replace(MODEL, feature_names=(*MODEL.feature_names[:-1], "other"))
    with pytest.raises(InputError, match=r"27 features, expected the 27 of .*: 'other' in the place of "):
        require_model_for(bind(SingleMachine("27")), as_many)


def test_without_shipped_weights_the_safe_ones_are_used_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="safe weights"):
        model = default_model(bind(Selection()))
    assert model.weights.tolist() == Selection.safe_weights.tolist()


def test_given_weights_come_first_and_once_in_their_portfolio() -> None:
    model = given_model(bind(Pick()), [1.0, 2.0], [[3.0, 4.0], [1.0, 2.0], [1.0, 5.0]])
    assert model is not None
    assert model.portfolio.tolist() == [[1.0, 2.0], [3.0, 4.0], [1.0, 5.0]]
