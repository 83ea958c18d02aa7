"""Mistakes in name and options, and the variants of a problem: every value of an option that it declares."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import pytest

from colayer import BaseProblem, InputError, OptionError, check_problem
from colayer.problem.check.variants import variants
from support.pick_problem import Pick
from support.planted import assert_found
from support.selection_problem import Selection, instances


class Optional(Selection):
    """Three options beside the decoder, of which two list their values."""

    def __init__(
        self,
        decoder: str = "none",
        size: Literal["small", "large"] | str = "small",
        squared: bool = True,
        power: float = 2.0,
        notes: list[bool] | None = None,
        later: "OnlyForTypeCheckers" = None,  # type: ignore  # noqa: F821, UP037, RUF100
    ) -> None:
        super().__init__(decoder)
        self._options = {"decoder": decoder, "size": size, "squared": squared, "power": power}

    @property
    def options(self) -> dict[str, Any]:
        return dict(self._options)


class InfeasibleSwap(Selection):
    """A mistake of one decoder alone."""

    def decode(self, y, instance):
        return y if self.decoder == "none" else y[:-1]


class WrongWhenLarge(Optional):
    """A mistake of one value of an option alone."""

    def bound(self, instance):
        return super().bound(instance) + (1e6 if self.options["size"] == "large" else 0.0)


class SwapCannotBeMade(Selection):
    def with_options(self, **changes):
        if changes.get("decoder") == "swap":
            raise RuntimeError("no swap today")
        return super().with_options(**changes)


def test_one_option_is_changed_at_a_time() -> None:
    found = variants(Optional())
    assert list(found) == [
        "decoder=none, size=small, squared=True, power=2.0", "size=large", "squared=False", "decoder=swap",
    ]  # fmt: skip
    assert found["squared=False"].options == {"decoder": "none", "size": "small", "squared": False, "power": 2.0}


def test_a_decoder_that_is_chosen_is_the_only_one() -> None:
    found = variants(Optional(), "swap")
    assert {problem.options["decoder"] for problem in found.values()} == {"swap"}
    assert len(found) == 3


def test_a_problem_without_options_is_its_only_variant() -> None:
    pick = Pick()
    assert variants(pick) == {"no options": pick}


@pytest.mark.parametrize(("problem", "decoder"), [(Selection(), "swop"), (Pick(), "swap")], ids=["unknown", "none"])
def test_a_decoder_that_the_problem_does_not_have_is_refused(problem: Any, decoder: str) -> None:
    with pytest.raises(OptionError) as caught:
        check_problem(problem, instances(), decoder=decoder)
    assert caught.value.where == "--decoder"


def test_a_decoder_that_cannot_be_made_is_refused() -> None:
    with pytest.raises(InputError, match="with_options of selection raised RuntimeError: no swap today"):
        check_problem(SwapCannotBeMade(), instances(), decoder="swap")


@pytest.mark.parametrize(("problem", "check", "said"), [
    (InfeasibleSwap(), "feasible", "with decoder=swap: instance 0: decode made an infeasible solution"),
    (WrongWhenLarge(), "bound", "with size=large: instance 0: bound returned"),
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_a_mistake_of_one_variant_alone_names_it(problem: Any, check: str, said: str) -> None:
    report = check_problem(problem, instances())
    assert [failure.check for failure in report.failures] == [check]
    assert report.failures[0].detail.startswith(said)


def test_a_mistake_of_another_decoder_than_the_chosen_one_is_not_looked_for() -> None:
    assert check_problem(InfeasibleSwap(), instances(), decoder="none").ok
    (failure,) = check_problem(InfeasibleSwap(), instances(), decoder="swap").failures
    assert failure.detail.startswith("instance 0: decode made")


def test_a_variant_that_cannot_be_made_is_a_mistake_of_the_options() -> None:
    (failure,) = check_problem(SwapCannotBeMade(), instances()).failures
    assert failure.check == "declarations"
    assert failure.detail.startswith("with_options of selection raised RuntimeError: no swap today")


class TakenName(Selection):
    name = "single-machine"


class BlankInName(Selection):
    name = "my projects"


class SlashInName(Selection):
    name = "projects/mine"


class DecodersOfOneWord(Selection):
    decoders = "none"


class SwitchThatIsLost(Selection):
    """Made again, it has the switch where it was."""

    def __init__(self, decoder="none", rounded: bool = False):
        super().__init__(decoder)
        self.rounded = False

    @property
    def options(self):
        return {"decoder": self.decoder, "rounded": self.rounded}


class OptionThatJsonChanges(Selection):
    @property
    def options(self):
        return {"decoder": self.decoder, "powers": (1, 2)}


class AnotherDecoderIsLost(Selection):
    def with_options(self, **changes):
        return type(self)()


class OptionNotReturned(Selection):
    """Known by a power that is not the usual one."""

    def __init__(self, decoder="none", power=2.0):
        super().__init__(decoder)
        self.power = power


class DecoderNotAnOption(Selection):
    def __init__(self):
        super().__init__()

    options = BaseProblem.options


#: mistake → words of what is said of it.
PLANTED: dict[Any, str] = {
    TakenName: "a built-in problem: choose another",
    BlankInName: "one word without blanks",
    SlashInName: "one word without blanks, slashes and colons",
    DecodersOfOneWord: "decoders of DecodersOfOneWord is 'none', expected a tuple of words",
    SwitchThatIsLost: "with_options of selection returned a problem with rounded False",
    OptionThatJsonChanges: "JSON",
    AnotherDecoderIsLost: "with_options of selection returned a problem with decoder 'none'",
    partial(OptionNotReturned, power=3.0): "has another `power`",
    DecoderNotAnOption: "options has no 'decoder'",
}


@pytest.mark.parametrize("mistake", PLANTED, ids=lambda mistake: getattr(mistake, "func", mistake).__name__)
def test_a_planted_mistake_is_found_by_the_check_of_declarations_alone(mistake: Any) -> None:
    assert_found(mistake(), "declarations", PLANTED[mistake])
