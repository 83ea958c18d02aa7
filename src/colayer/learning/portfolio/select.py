"""Learn a selector: how to order the members of a portfolio for an instance (see `models/selector.py`).

Relevance and bandwidth are those with which, leaving out one training instance at a time, the first, the first two and
the first three members would have done best on it. The selector is kept only where the first, or these together, are
measurably better than those that are best on all instances, and the first is no worse on instances held out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.learning.search.simple import by_errors
from colayer.models.selector import FARTHEST, Selector, greedy_order, similarity, standardised

#: Fewest training instances that can tell, and the most that are kept: the first.
_FEWEST, _MOST = 20, 256
#: Relevance is the share of the losses' variance that a descriptor explains, to one of these powers.
_POWERS = (1.0, 2.0, 4.0)
#: Of a spread of the descriptors together.
_BANDWIDTHS = (0.1, 0.2, 0.3, 0.5, 1.0)
#: Descriptors kept at most, and first members that the choice looks at.
_DESCRIPTORS, _FIRST = 12, 3
#: Standard errors by which it must be better: it is the best of several, each measured.
_ERRORS = 2.5
#: Of a descriptor's size: a spread below is rounding.
_CONSTANT = 1e-9
#: Significant digits of what is stored.
_DIGITS = 6


def choose_selector(losses: Floats, descriptors: Floats, held_out: Floats | None = None) -> Selector | None:
    """Return the selector of members whose `losses` (members, instances) are known; None where it gains nothing.

    `descriptors` are those of the training instances, which come first in `losses`, `held_out` those of the others.
    """
    count = min(len(descriptors), _MOST)
    if len(losses) < 2 or count < _FEWEST:
        return None
    others, losses = losses[:, len(descriptors) :], _rounded(losses[:, :count])
    descriptors = descriptors[:count]
    spread = descriptors.std(axis=0)
    varying = np.flatnonzero(spread > _CONSTANT * np.maximum(1.0, np.abs(descriptors).max(axis=0)))
    center, spread = descriptors[:, varying].mean(axis=0), spread[varying]
    own = standardised(descriptors[:, varying], center, spread)
    share = _explained(own, losses)
    if share.sum() == 0.0:
        return None
    kept = np.sort(np.argsort(-share, kind="stable")[:_DESCRIPTORS])
    own, share = _rounded(own[:, kept]), share[kept]
    tried = [_normed(share**power) / width**2 for power in _POWERS for width in _BANDWIDTHS]
    found = [_left_out(own, losses, relevance) for relevance in tried]
    best = min(range(len(tried)), key=lambda k: found[k].sum())
    blind = greedy_order(losses, np.ones(count), _FIRST)  # what it would do if all instances were alike
    gain = found[best] - np.minimum.accumulate(losses[blind], axis=0)
    if gain[0].sum() > 0.0 or not (by_errors(gain[0], _ERRORS) or by_errors(gain.sum(axis=0), _ERRORS)):
        return None
    columns = tuple(int(k) for k in varying[kept])
    selector = Selector(columns, center[kept], spread[kept], _rounded(tried[best]), own, losses)
    if held_out is None:
        return selector
    first = [selector.order_of(one, 1)[0] for one in held_out]
    if others[first, np.arange(len(first))].sum() > others[0].sum():
        return None
    more = _rounded(standardised(held_out[:, columns], selector.center, selector.spread))
    return replace(
        selector,
        descriptors=np.vstack([own, more])[:_MOST],
        losses=np.hstack([losses, _rounded(others)])[:, :_MOST],
    )


def _explained(own: Floats, losses: Floats) -> Floats:
    """Return the share of the variance of the regrets that each descriptor explains, as a line or as a parabola.

    A regret is how much more a member loses than the best one; few large ones would rule, so that they are cut at twice
    their median.
    """
    regrets = losses - losses.min(axis=0)
    regrets = regrets / (float(regrets.max()) or 1.0)  # so that no square overflows
    if (regrets > 0.0).any():
        regrets = np.minimum(regrets, 2.0 * np.median(regrets[regrets > 0.0]))
    apart = (regrets - regrets.mean(axis=0)).T
    apart = apart - apart.mean(axis=0)
    total = float((apart**2).mean(axis=0).sum())
    if total == 0.0:
        return np.zeros(own.shape[1])
    shares = []
    for curve in (own, own**2):
        curve = curve - curve.mean(axis=0)
        curve = curve / np.maximum(curve.std(axis=0), 1.0 / FARTHEST**2)
        products = (curve[:, :, None] * apart[:, None, :]).mean(axis=0)
        shares.append((products**2).sum(axis=1) / total)
    return np.asarray(np.maximum(*shares))


def _left_out(own: Floats, losses: Floats, relevance: Floats) -> Floats:
    """Return (first members, instances): the least loss on each instance of the first ones chosen without it."""
    near = similarity(own, own, relevance, leave_out=True)
    np.fill_diagonal(near, 0.0)
    first = min(_FIRST, len(losses))
    least = np.full((len(own), len(own)), np.inf)  # of the members taken for each (row), on every instance
    found = np.empty((first, len(own)))
    for place in range(first):
        means = np.array([(np.minimum(least, member) * near).sum(axis=1) for member in losses])
        taken = np.argmin(means, axis=0)
        least = np.minimum(least, losses[taken])
        found[place] = np.diagonal(least)
    return found


def _normed(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum())


def _rounded(values: Floats) -> Floats:
    """Return what a model file keeps of values: so many significant digits, so that a file gives the same order."""
    return np.array([float(f"{value:.{_DIGITS}g}") for value in values.ravel()]).reshape(values.shape)
