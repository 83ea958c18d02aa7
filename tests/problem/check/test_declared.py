"""Mistakes in what a problem declares, one at a time: the check of its kind finds each, alone."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from colayer import BaseProblem
from support.planted import assert_found
from support.selection_problem import Selection


class TakenName(Selection):
    name = "single-machine"


class BlankInName(Selection):
    name = "my projects"


class SlashInName(Selection):
    name = "projects/mine"


class OneWordForAllFeatures(Selection):
    feature_names = "price"


class NoFeatures(Selection):
    feature_names = ()


class NamedTwice(Selection):
    feature_names = ("price", "risk", "price")


class SafeWeightsOfAnotherLength(Selection):
    safe_weights = np.array([1.0, 0.0])


class SafeWeightNotFinite(Selection):
    safe_weights = np.array([1.0, np.nan, 0.0])


class SafeWeightsOfWords(Selection):
    safe_weights = "price"


class SafeWeightsWithATypo(Selection):
    @property
    def safe_weights(self):
        return self.safe_wieghts_of_all


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


#: mistake → (the check that finds it, words of what it says).
PLANTED: dict[Any, tuple[str, str]] = {
    TakenName: ("name", "a built-in problem: choose another"),
    BlankInName: ("name", "one word without blanks"),
    SlashInName: ("name", "one word without blanks, slashes and colons"),
    OneWordForAllFeatures: ("feature names", "feature_names is 'price': give a tuple of words"),
    NoFeatures: ("feature names", "feature_names is empty: θ needs at least one feature"),
    NamedTwice: ("feature names", "'price' twice"),
    SafeWeightsOfAnotherLength: ("safe weights", "one number for each of the 3 features"),
    SafeWeightNotFinite: ("safe weights", "the safe weight of 'risk' is not finite"),
    SafeWeightsOfWords: ("safe weights", "safe_weights is 'price': give one number for each of the 3 features"),
    SafeWeightsWithATypo: ("safe weights", "safe_weights of SafeWeightsWithATypo raised AttributeError: "),
    DecodersOfOneWord: ("options", "decoders of DecodersOfOneWord is 'none', expected a tuple of words"),
    SwitchThatIsLost: ("options", "with_options(rounded=True) gives the options"),
    OptionThatJsonChanges: ("options", "options are not the same after JSON"),
    AnotherDecoderIsLost: ("options", "with_options(decoder='swap') gives the options {'decoder': 'none'}"),
    partial(OptionNotReturned, power=3.0): ("options", "has another `power`"),
    DecoderNotAnOption: ("options", "options has no 'decoder'"),
}


@pytest.mark.parametrize("mistake", PLANTED, ids=lambda mistake: getattr(mistake, "func", mistake).__name__)
def test_a_planted_mistake_is_found_by_the_check_of_its_kind_alone(mistake: Any) -> None:
    assert_found(mistake(), *PLANTED[mistake])
