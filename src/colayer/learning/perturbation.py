"""The Gaussian draws of the perturbed loss, E_Z ℓ(w + σZ, x), and of the perturbed pipeline.

They are common random numbers: Z_1..Z_K are the same for every w, every instance and every worker.
"""

from __future__ import annotations

from colayer._runtime import seeds
from colayer._runtime.arrays import Floats
from colayer.errors import OptionError

#: Of σ, and of the radius of the search: beyond, θ might overflow.
LARGEST = 1e100
#: More draws than any use of them needs; all of them are in memory.
MOST_DRAWS = 1_000_000


def draws(seed: int, samples: int, dimension: int) -> Floats:
    """Z_1..Z_K, standard Gaussian, shape (samples, dimension).

    They depend on the seed alone and are nested: the first rows for a larger K are the rows for a smaller one.
    """
    if samples < 0:
        raise OptionError(f"{samples} is out of range, expected at least 0", where="--samples")
    if seed < 0:
        raise OptionError(f"{seed} is out of range, expected at least 0", where="--seed")
    return seeds.generator(seed, seeds.SAMPLES).standard_normal((samples, dimension))
