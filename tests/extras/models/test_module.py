"""θ of a torch module, in units of its own, kept by torch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from colayer import InputError, Pipeline
from colayer.models.module import ModuleModel
from support.context_samples import SIZE, problem
from support.errors import rejects


def model() -> ModuleModel:
    """Return a linear map of two numbers, which doubles what the module says."""
    torch.manual_seed(0)
    header = (), np.empty(0), np.empty(0), "pick"
    module = torch.nn.Linear(2, SIZE)
    return ModuleModel(*header, module=module, mean=np.array([1.0, 2.0]), spread=np.array([2.0, 4.0]), size=2.0)


def test_theta_is_in_the_units_of_the_problem() -> None:
    found = model()
    wanted = found.module(torch.tensor([[1.0, 0.5]])).detach().numpy()[0]
    assert np.allclose(found.from_context(np.array([3.0, 4.0])), 2.0 * wanted)
    with rejects(InputError, where="context"):
        found.from_context(np.ones(3))


def test_torch_keeps_it_and_json_does_not(tmp_path: Path) -> None:
    one, contexts = Pipeline.from_model(problem(), model()), np.eye(2)
    torch.save(one.model, tmp_path / "model.pt")
    again = Pipeline.from_model(problem(), torch.load(tmp_path / "model.pt", weights_only=False))
    assert np.array_equal(again.decide(contexts), one.decide(contexts))
    with rejects(InputError, "torch.save"):
        one.save(tmp_path / "model.json")
    for refused in (one.model.document, lambda: ModuleModel.from_document({})):
        with rejects(InputError, "torch.save"):
            refused()
