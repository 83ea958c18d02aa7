"""The Gaussian draws of the perturbed loss, E_Z ℓ(w + σZ, x), and of the perturbed pipeline.

They are common random numbers: Z_1..Z_K are the same for every w, every instance and every worker.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from colayer.errors import OptionError

Floats = NDArray[np.float64]

#: Of σ, and of the radius of the search: beyond, θ might overflow.
LARGEST = 1e100
#: Keeps the draws apart from whatever else is derived from the same seed.
_SPAWN_KEY = (0x5A,)


def draws(seed: int, samples: int, dimension: int) -> Floats:
    """Z_1..Z_K, standard Gaussian, shape (samples, dimension).

    They depend on the seed alone and are nested: the first rows for a larger K are the rows for a smaller one.
    """
    if samples < 0:
        raise OptionError(f"{samples} is out of range, expected at least 0", where="--samples")
    if seed < 0:
        raise OptionError(f"{seed} is out of range, expected at least 0", where="--seed")
    generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=_SPAWN_KEY))
    return generator.standard_normal((samples, dimension))
