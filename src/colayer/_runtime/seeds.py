"""Random generators, and the keys that keep apart what is drawn from one seed.

Results depend on every key: a new one may be added, none may change.
"""

from __future__ import annotations

import numpy as np

SPLIT = 1  # which instances are kept for validation
SIGMA = 0x51  # weights around the learned ones, of which the σ of draws is chosen
SRL = 0x51  # order of the instances in each pass of `srl`; its keys are longer than that of SIGMA
SAMPLES = 0x5A  # weights around the learned ones that a solve tries
SGD = 0x5D  # directions of `sgd`
PROBES = 0x6A  # weights under which guarantees measure the range of the loss
NETWORK = 0x9E  # order of the batches and draws of θ as a network learns
WAVE = 0xA7  # weights around the best, while a time limit lasts
MIXED = 0xA8  # weights mixed from members of a portfolio, in rounds
ROUND = 0xA9  # weights around the learned ones, anew in each round
BAYES = 0xBA  # first designs and candidates of `bayes`
CMA_ES = 0xCE  # populations of `cma-es`
DIRECT = 0xD1  # ties in the searches of `direct`
DRAWN = 0xDA  # days that a city draws, to price requests (then 0) or to try decisions on (then 1)
DEMONSTRATION = 0xDE  # order of the examples in each epoch (then 0), perturbations of each example (then 1)
FACTORS = 0xE0  # factors of the features that hold on to the solution of the round before: a seed, not a key
PORTFOLIO = 0xF0  # weights that may become members of a portfolio
TURNS = 0xF1  # weights that may become members of a portfolio for rounds
FORWARDS = 0xF0D  # perturbations of θ in each forward of a torch module
FRESH = 0xF5E  # sizes and instances that a network learns from beside its own
JITTER = 0x7264  # shifts of the dates by the decoder of single-machine
IMITATION = 0x51A1  # perturbations of θ in the imitations of `srl`


def sequence(seed: int, *key: int) -> np.random.SeedSequence:
    """Return the seed sequence of `key`, one of the constants and whatever numbers it needs, derived from `seed`."""
    return np.random.SeedSequence(seed, spawn_key=key)


def generator(seed: int, *key: int) -> np.random.Generator:
    """Return a new generator of `key`, derived from `seed`."""
    return np.random.default_rng(sequence(seed, *key))


def below(parent: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    """Return the seed sequence of further numbers of a key."""
    return np.random.SeedSequence(parent.entropy, spawn_key=(*parent.spawn_key, *key))
