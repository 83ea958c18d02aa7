"""The instance generator: a random city and its scenarios.

The distributions are those of earlier work on the problem (Parmentier, "Learning to approximate industrial problems by
operations research classic problems", Operations Research 70, 2022).
"""

from __future__ import annotations

import numpy as np

from colayer._runtime.arrays import Floats
from colayer.errors import InputError
from colayer.problems.vehicle_scheduling.city import City
from colayer.problems.vehicle_scheduling.instance import Instance
from colayer.problems.vehicle_scheduling.kernels.travel import HOURS, leave_into

WIDTH, DISTRICT_WIDTH = 50.0, 10.0
FIRST_BEGIN, LAST_BEGIN = 360.0, 1200.0
VEHICLE_COST, DELAY_COST = 1000.0, 2.0

#: The sizes `generate` makes if not told otherwise.
TASKS, SCENARIOS = 150, 20


def generate(seed: int | np.random.SeedSequence, tasks: int = TASKS, scenarios: int = SCENARIOS) -> Instance:
    """Draw tasks from 6:00 to 20:00 in a city 50 minutes wide with districts of 10, delays by task, district and hour.

    End = begin + U(1.2, 1.6) × distance. Scenarios: a task begins late by LogNormal(μ, σ), with its own μ ~ U(1, 3) and
    σ ~ U(0.8, 1.2). The delay of a district in hour h is half that of the hour before plus LogNormal(μ, σ), with its
    own μ ~ U(0.8, 1.2) and σ ~ U(0.4, 0.6); between districts it is (that of the hour before + 0.1) × LogNormal(0.02,
    0.05). Both start from 0. ξ_end of a task is the arrival of a trip that leaves at its ξ_begin.
    """
    for field, size in (("tasks", tasks), ("scenarios", scenarios)):
        if size < 1:
            raise InputError(f"{size} is out of range, expected at least 1", where=field)
    rng = np.random.default_rng(seed)
    start = rng.uniform(0.0, WIDTH, size=(tasks, 2))
    finish = rng.uniform(0.0, WIDTH, size=(tasks, 2))
    begin = np.sort(rng.uniform(FIRST_BEGIN, LAST_BEGIN, size=tasks))
    end = begin + rng.uniform(1.2, 1.6, size=tasks) * np.sqrt(((finish - start) ** 2).sum(axis=1))
    late = rng.lognormal(rng.uniform(1.0, 3.0, size=tasks), rng.uniform(0.8, 1.2, size=tasks), size=(scenarios, tasks))
    city = City(WIDTH, DISTRICT_WIDTH, start, finish, _district_delay(rng, scenarios), _inter_delay(rng, scenarios))
    scenario_begin = begin + late
    return Instance(
        vehicle_cost=VEHICLE_COST,
        delay_cost=DELAY_COST,
        begin=begin,
        end=end,
        scenario_begin=scenario_begin,
        scenario_end=_scenario_end(city, scenario_begin, end - begin),
        city=city,
    )


def _district_delay(rng: np.random.Generator, scenarios: int) -> Floats:
    k = round(WIDTH / DISTRICT_WIDTH)
    mu = rng.uniform(0.8, 1.2, size=(k, k))
    sigma = rng.uniform(0.4, 0.6, size=(k, k))
    delay = rng.lognormal(mu, sigma, size=(scenarios, HOURS, k, k))
    for h in range(1, HOURS):
        delay[:, h] += delay[:, h - 1] / 2
    return delay


def _inter_delay(rng: np.random.Generator, scenarios: int) -> Floats:
    delay = rng.lognormal(0.02, 0.05, size=(scenarios, HOURS))
    before = np.zeros(scenarios)
    for h in range(HOURS):
        delay[:, h] *= before + 0.1
        before = delay[:, h]
    return delay


def _scenario_end(city: City, scenario_begin: Floats, duration: Floats) -> Floats:
    """Return ξ_end of each task: a trip from its start at ξ_begin, of its scheduled duration, to its finish."""
    district, inter = city.tables()
    leave, arrival = (np.empty(scenario_begin.T.shape) for _ in range(2))
    leave_into(np.array(scenario_begin.T, order="C"), city.zones(city.start), district, inter, leave)
    # what is left of a trip: the delay of the district where it ends
    leave_into(leave + duration[:, np.newaxis], city.zones(city.finish), district, np.zeros_like(inter), arrival)
    return arrival.T
