"""Policies for dynamic vehicle scheduling, on days nobody learned from: `python benchmarks/dynamic_vehicles.py [DIR]`.

DIR holds static VRPLIB files with travel times in full (those of ortec/euro-neurips-vrp-2022-quickstart); without it,
only days of the generator are played. Every other file, by name, is for learning (6 days each), the others are held
out (200 days). The generator's days are of 180 and 200 other seeds. On the days for learning the constant c of the
rule prize = c·trip is tuned, with and without waiting, and linear weights are learned with waiting, five seeds;
`simulated` tries decisions on drawn days (`simulation.py`) under the learned weights of each seed, and under those of
the rule. On the generator's days other learners have their turn as well, on fewer days and seeds, since they play days
in Python. Costs go to benchmarks/results/dynamic_vehicles.json after each contender, those of look-ahead after every
tenth day: started again, the script goes on where it was. All of it takes about half an hour of one core.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from measure import RESULTS, machine

from colayer import Pipeline
from colayer.io.vrplib import read_routing
from colayer.problems import DynamicVehicleScheduling
from colayer.problems.dynamic_vehicle_scheduling import Day, State
from colayer.problems.dynamic_vehicle_scheduling.city import static_city
from colayer.problems.dynamic_vehicle_scheduling.instance import day_in
from colayer.problems.dynamic_vehicle_scheduling.simulation import simulated

SEEDS, PER_FILE, LEARNING, HELD_OUT = range(5), 6, 180, 200
EVALUATIONS = 600
GRID = np.round(np.arange(0.2, 1.01, 0.01), 2)
#: Other learners: on how many days, and how they are called; on the generator's days, so many seeds.
OTHERS: dict[str, tuple[int, dict[str, Any]]] = {
    "srl": (90, {"method": "srl", "evaluations": 330}),
    "DAgger": (30, {"method": "imitation", "solutions": "hindsight", "evaluations": 10}),
    "network": (30, {"method": "neural", "evaluations": 120}),
}
OTHER_SEEDS = range(3)
#: Days of look-ahead between two savings.
SAVED = 10
#: Evaluations and days whose time is measured.
TIMED = 1000, 90
PROBLEMS = {decoder: DynamicVehicleScheduling(decoder=decoder) for decoder in ("none", "wait")}
PATH = RESULTS / "dynamic_vehicles.json"


def file_days(folder: Path) -> tuple[list[Day], list[Day]]:
    """Days for learning and days held out, of different files."""
    files = sorted(folder.glob("*.txt"))
    cities, held_out = {path: static_city(read_routing(path), str(path)) for path in files}, files[1::2]
    learning = [(path, seed) for path in files[::2] for seed in range(PER_FILE)]
    seeds = range(100, 101 + HELD_OUT // len(held_out))
    testing = [(path, seed) for seed in seeds for path in held_out][:HELD_OUT]
    one, other = (
        [day_in(cities[path], np.random.default_rng(seed)) for path, seed in some] for some in (learning, testing)
    )
    return one, other


def generated_days() -> tuple[list[Day], list[Day]]:
    """Days of the generator."""
    generate = PROBLEMS["wait"].generate
    return [generate(seed) for seed in range(LEARNING)], [generate(10_000 + seed) for seed in range(HELD_OUT)]


def played(decide: Callable[[State], Any], days: list[Day]) -> list[float]:
    """The cost of each day under a policy."""
    problem, costs = PROBLEMS["wait"], []
    for day in days:
        state: State | None = problem.start(day)
        costs.append(0.0)
        while state is not None:
            cost, state = problem.step(state, decide(state))
            costs[-1] += cost
    return costs


def by_weights(weights: np.ndarray, decoder: str, days: list[Day]) -> list[float]:
    """The cost of each day under weights in raw units."""
    return [float(PROBLEMS[decoder].day_costs(weights, day)[0]) for day in days]


def tuned(decoder: str, days: list[Day]) -> float:
    """The c of the least mean loss."""
    problem = PROBLEMS[decoder]
    weights = GRID[:, None] * (problem.safe_weights > 0.0)
    losses = np.mean([problem.day_costs(weights, day) / problem.scale(day) for day in days], axis=0)
    return float(GRID[np.argmin(losses)])


def learned(seed: int, days: list[Day], **options: Any) -> Pipeline[Any, Any, Any]:
    """A pipeline learned with waiting."""
    return Pipeline(PROBLEMS["wait"], safe=False).fit(
        days, **{"evaluations": EVALUATIONS, "seed": seed, "workers": 1, **options}
    )


def contenders(
    learning: list[Day], days: list[Day], kept: dict[str, Any], others: bool
) -> dict[str, Callable[[], dict[str, Any]]]:
    """What computes each contender's costs on the held-out days, and what it learned or tuned; with the other learners.

    That of look-ahead adds some days to what is kept.
    """
    rule, trip = PROBLEMS["wait"].baseline, PROBLEMS["wait"].safe_weights > 0.0

    def prize(decoder: str) -> dict[str, Any]:
        begun = time.process_time()
        c = tuned(decoder, learning)
        return {"c": c, "learning": time.process_time() - begun, "costs": by_weights(c * trip, decoder, days)}

    def linear(seed: int) -> dict[str, Any]:
        begun = time.process_time()
        weights = learned(seed, learning).model.raw()
        spent = time.process_time() - begun
        return {"weights": weights.tolist(), "learning": spent, "costs": by_weights(weights, "wait", days)}

    def simulation(weights: Callable[[], np.ndarray]) -> dict[str, Any]:
        own = weights()
        return {"costs": played(lambda state: simulated(state, own), days)}

    def of_seed(seed: int) -> np.ndarray:
        return np.array(kept[f"linear, seed {seed}"]["weights"])

    def other(name: str, seed: int) -> dict[str, Any]:
        begun = time.process_time()
        count, options = OTHERS[name]
        pipeline = learned(seed, learning[:count], **options)
        return {"learning": time.process_time() - begun, "costs": played(pipeline.decide, days)}

    def look_ahead() -> dict[str, Any]:
        part = kept.get("look-ahead", {"costs": [], "seconds": 0.0})
        return {"costs": part["costs"] + played(partial(rule, "look-ahead"), days[len(part["costs"]) :][:SAVED])}

    names: dict[str, Callable[[], dict[str, Any]]] = {
        "greedy": lambda: {"costs": played(partial(rule, "greedy"), days)},
        "lazy": lambda: {"costs": played(partial(rule, "lazy"), days)},
        "prize": partial(prize, "none"),
        "prize, wait": partial(prize, "wait"),
    }
    names |= {f"linear, seed {seed}": partial(linear, seed) for seed in SEEDS}
    names["prize, wait, simulated"] = partial(simulation, lambda: kept["prize, wait"]["c"] * trip)
    names |= {f"simulated, seed {seed}": partial(simulation, partial(of_seed, seed)) for seed in SEEDS}
    names["hindsight"] = lambda: {"costs": [PROBLEMS["wait"].bound(day) for day in days]}
    if others:
        names |= {f"{name}, seed {seed}": partial(other, name, seed) for name in OTHERS for seed in OTHER_SEEDS}
    return names | {"look-ahead": look_ahead}


def timed(days: list[Day]) -> dict[str, float]:
    """CPU seconds of some evaluations, and of what a city draws once."""
    evaluations, count = TIMED
    problem = PROBLEMS["wait"]
    fresh = [problem.read(problem.write(day)) for day in days[:count]]
    begun = time.process_time()
    for day in fresh:
        assert day.later is not None
    priced = time.process_time()
    for day in fresh:
        problem.day_costs(np.tile(problem.safe_weights, (evaluations, 1)), day)
    done = time.process_time()
    return {
        "evaluations": evaluations,
        "days": count,
        "seconds": done - priced,
        "prices of a day": (priced - begun) / count,
    }


def compared(costs: np.ndarray, reference: np.ndarray) -> tuple[float, float]:
    """Mean difference in per cent, and its standard error over days; seeds are averaged day by day."""
    differences = 100.0 * (costs.reshape(-1, costs.shape[-1]) / reference[: costs.shape[-1]] - 1.0).mean(axis=0)
    return float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(len(differences)))


def table(name: str, kept: dict[str, Any]) -> None:
    """Print the differences to the prize rule and to that with waiting, seeds together, and their spread."""
    groups: dict[str, list[str]] = {}
    for key in kept:
        groups.setdefault(key.partition(", seed")[0], []).append(key)
    prize, waiting = (np.array(kept[key]["costs"]) for key in ("prize", "prize, wait"))
    print(f"\n{name}\n{'policy':<24}{'to the prize rule':>18}{'to prize, wait':>18}  of seeds         ms a day")
    for group, keys in groups.items():
        costs = np.array([kept[key]["costs"] for key in keys])
        seeds = [compared(row, prize)[0] for row in costs]
        spread = f"{min(seeds):+.2f} … {max(seeds):+.2f}" if len(keys) > 1 else ""
        texts = ["{:+.2f} ± {:.2f} %".format(*compared(costs, other)) for other in (prize, waiting)]
        spent = 1e3 * np.mean([kept[key]["seconds"] for key in keys])
        print(f"{group:<24}{texts[0]:>18}{texts[1]:>18}  {spread:<17}{spent:>8.2f}")
    if {"simulated", "prize, wait, simulated"} <= groups.keys():
        costs = np.array([kept[key]["costs"] for key in groups["simulated"]])
        both = compared(costs, np.array(kept["prize, wait, simulated"]["costs"]))
        print("simulated under learned weights, to under those of the rule: {:+.2f} ± {:.2f} %".format(*both))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR")
    parser.add_argument("--only", nargs="*", help="these contenders alone, by the beginning of their names")
    arguments = parser.parse_args()
    results = json.loads(PATH.read_text("utf-8")) if PATH.exists() else {}
    kinds = {"generator": generated_days}
    if arguments.folder is not None:
        kinds = {"files": partial(file_days, arguments.folder), **kinds}
    for kind, days_of in kinds.items():
        learning, days = days_of()
        kept = results.setdefault(kind, {})
        by_weights(PROBLEMS["wait"].safe_weights, "wait", days)  # compiles, and lets each city draw its days
        for name, compute in contenders(learning, days, kept, kind == "generator").items():
            if arguments.only and not name.startswith(tuple(arguments.only)):
                continue
            while len(before := kept.get(name, {"costs": [], "seconds": 0.0})["costs"]) < len(days):
                begun = time.process_time()
                found = compute()
                spent = time.process_time() - begun - found.get("learning", 0.0)
                spent += len(before) * kept.get(name, {"seconds": 0.0})["seconds"]
                kept[name] = {**found, "seconds": spent / len(found["costs"])}
                results["machine"] = machine()
                PATH.write_text(json.dumps(results) + "\n", "utf-8")
        table(kind, kept)
    if "speed" not in results:
        results["speed"] = timed(generated_days()[0])
        PATH.write_text(json.dumps(results) + "\n", "utf-8")
    print("\n{evaluations} evaluations on {days} days: {seconds:.1f} s of CPU".format(**results["speed"]))


if __name__ == "__main__":
    main()
