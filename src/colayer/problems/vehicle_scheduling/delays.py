"""A model of delays by trip and by hour, drawn, or fitted to recorded delays by its moments.

In scenario ω the congestion of hour h is C_ω(h) = exp(σ Z_ω(h) − σ²/2), of mean 1, where Z_ω is a stationary
autoregression over the hours, standard normal, with correlation ρ between an hour and the next. Trip i, which is
scheduled to take d_i and to begin in hour h, ends late by

    λ · C_ω(h) · E_iω · d_i,    E_iω exponential of mean 1, independent,

and an empty trip that leaves in hour h takes 1 + λ C_ω(h) times as long. Hence trips of one hour are late together, and
neighbouring hours are alike. With shares x = lateness / d:

    E[x] = λ,    E[x²] = 2 λ² exp(σ²),    E[x y] = λ² exp(σ² ρ) for x, y of one day in neighbouring hours,

from which λ, σ and ρ are estimated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from colayer._runtime.arrays import Floats, Ints
from colayer.errors import InputError
from colayer.io.validate import number, whole
from colayer.problems.vehicle_scheduling.kernels.travel import HOURS


@dataclass(frozen=True)
class DelayModel:
    """λ, the mean share by which trips take longer; σ and ρ, the spread of congestion and its memory over the hours."""

    late: float = 0.06
    spread: float = 0.5
    correlation: float = 0.7

    def __post_init__(self) -> None:
        for field in ("late", "spread", "correlation"):
            value = number(getattr(self, field), field)
            most = 1.0 if field == "correlation" else 100.0
            if not 0.0 <= value <= most:
                raise InputError(f"{value:g} is out of range, expected 0 to {most:g}", where=field)

    def draw(self, begin: Floats, end: Floats, scenarios: int, seed: int) -> tuple[Floats, Floats]:
        """Return the minutes (S, n) by which trips end late, and the factors (S, 24) on empty trips."""
        count = whole(scenarios, "scenarios", least=1)
        rng = np.random.default_rng(whole(seed, "seed"))
        z = rng.standard_normal((count, HOURS))
        for h in range(1, HOURS):
            z[:, h] = self.correlation * z[:, h - 1] + math.sqrt(1.0 - self.correlation**2) * z[:, h]
        congestion = np.exp(self.spread * z - self.spread**2 / 2)
        own = rng.exponential(size=(count, len(begin)))
        return self.late * congestion[:, hours_of(begin)] * own * (end - begin), 1.0 + self.late * congestion


def hours_of(minutes: Floats) -> Ints:
    """Return the hours of the day, 0 to 23, also of times after midnight."""
    return (np.floor(minutes / 60.0) % HOURS).astype(np.int64)


def fit_delays(shares: Floats, hours: Ints, days: NDArray[np.int64]) -> DelayModel:
    """Return the model with the moments of recorded shares of lateness (≥ 0), each of an hour and a day.

    Spread and correlation are 0 where the records show none; a correlation takes two neighbouring hours of a day.
    """
    late = float(shares.mean())
    if late == 0.0:
        return DelayModel(0.0, 0.0, 0.0)
    variance = math.log(max(1.0, float(np.mean(shares**2)) / (2.0 * late**2)))
    means: dict[tuple[int, int], Floats] = {}
    for day, hour in {(int(day), int(hour)) for day, hour in zip(days, hours, strict=True)}:
        means[day, hour] = shares[(days == day) & (hours == hour)].mean()
    products = [mean * means[day, hour + 1] for (day, hour), mean in means.items() if (day, hour + 1) in means]
    together = math.log(max(1.0, float(np.mean(products)) / late**2)) if products else 0.0
    return DelayModel(late, math.sqrt(variance), min(1.0, together / variance) if variance > 0.0 else 0.0)
