"""A feed becomes a data set by one command, and its published plan a line and a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from colayer import read_instance, read_instances
from colayer.io.csv_files import read_csv
from colayer.problems import VehicleScheduling
from support.feed import FILES, feed

TUESDAY = ("--date", "2026-01-06", "-o", "data")


def test_from_a_feed_to_a_plan(run: Any, place: Path) -> None:
    path = feed(place / "feed.zip")
    told = run("import", "gtfs", path, *TUESDAY, "--scenarios", 5, "--plot", "plan.png")
    assert "4 trips of service week (4)" in told
    assert "published plan: 2 blocks, 2 vehicles, " in told
    assert (place / "plan.png").read_bytes()[:4] == b"\x89PNG"
    instance = read_instance("data/0000.json")
    problem = VehicleScheduling()
    assert problem.content(instance) == problem.content(problem.from_gtfs(path, date="2026-01-06", scenarios=5))
    assert dict(read_csv(place / "data" / "0000.published.csv"))["task"] == ["r1", "r2", "b1", "n1"]
    assert "0000.json" in run("solve", "data", "--decoder", "ls")
    compared = run("evaluate", "vehicle-scheduling", "data", "--plan", "published", "--json")
    costs = {row["contender"]: row["cost"] for row in compared["results"]}
    assert costs["published"] >= costs["pretrained, safe"]


def test_the_document_says_what_the_published_plan_costs(run: Any, place: Path) -> None:
    path = feed(place / "feed.zip", trips=FILES["trips.txt"].replace("b1,B2", "b1,B1"))
    (one,) = run("import", "gtfs", path, *TUESDAY, "--late", 0, "--vehicle-cost", 100, "--json")
    assert (one["trips"], one["services"]) == (4, {"week": 4})
    plan = one["published"]
    assert (plan["blocks"], plan["connections"], plan["vehicles"], plan["cost"]) == (2, 2, 4, 400.0)
    assert len(plan["infeasible"]) == 2


def test_depot_trips_are_told_as_they_are(run: Any, place: Path) -> None:
    """The depot is the north stop, where both vehicles begin or end but for the way to the mill and back, 5 km each."""
    told = run("import", "gtfs", feed(place / "feed.zip"), *TUESDAY, "--depot", "60,10", "--speed", 60, "--detour", 1)
    assert "10 minutes of depot trips" in told
    table = dict(read_csv(place / "data" / "0000.published.csv"))
    assert [round(x) for x in (*table["pull_out"], *table["pull_in"])] == [0, 0, 5, 0, 0, 0, 0, 5]


def test_infeasible_connections_are_told(run: Any, place: Path) -> None:
    path = feed(place / "feed.zip", trips=FILES["trips.txt"].replace(",B2", ",B1"))
    told = run("import", "gtfs", path, *TUESDAY)
    assert "2 of its 3 connections infeasible here" in told
    assert "block B1: r1 ends at 7:30, b1 begins at 7:10, " in told


def test_rests_shorter_than_the_layover_are_counted(run: Any, place: Path) -> None:
    told = run("import", "gtfs", feed(place / "feed.zip"), *TUESDAY, "--layover", 31)
    assert "1 of its connections leave less than the layover" in told
    assert len(read_instance("data/0000.json").arcs[1]) == 3
    assert [path.name for path in sorted((place / "data").iterdir())] == ["0000.json", "0000.published.csv"]


def test_days_and_scenarios_make_a_data_set(run: Any, place: Path) -> None:
    """Two days, three instances each, all with scenarios of their own, none of which another seed has."""
    path = feed(place / "feed.zip")
    days = ("--date", "2026-01-06", "--date", "2026-01-03", "--count", 3, "--format", "npz")
    run("import", "gtfs", path, *days, "-o", "zero")
    run("import", "gtfs", path, *days, "-o", "one", "--seed", 1)
    instances = read_instances("zero") + read_instances("one")
    assert [instance.tasks for instance in instances] == [4, 4, 4, 1, 1, 1] * 2
    contents = {VehicleScheduling().content(instance) for instance in instances}
    assert len(contents) == 12


def test_trips_without_blocks_are_said(run: Any, refused: Any, place: Path) -> None:
    path = feed(place / "feed.zip", trips=FILES["trips.txt"].replace("n1,B2", "n1,"))
    assert "no published plan: 1 trip without block_id" in run("import", "gtfs", path, *TUESDAY)
    assert not list((place / "data").glob("*.csv"))
    assert "--plot" in refused("import", "gtfs", path, *TUESDAY[:2], "-o", "other", "--plot", "x.png")
    assert not (place / "other").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--date", "2027-01-05"), "feed.zip: trips.txt: no trips on 2027-01-05"),
        (("--date", "soon"), "--date: 'soon'"),
        (("--service", "sun"), "--service: 'sun'"),
        (("--route-type", "0"), "feed.zip: trips.txt: no trips of route type 0"),
        (("--depot", "60"), "--depot: '60'"),
        (("--depot", "99,10"), "--depot: '99,10'"),
        (("--speed", "0"), "--speed: 0"),
        (("--correlation", "2"), "--correlation: 2"),
        (("--late", "0.1", "--delays", "late.csv"), "--late: given beside --delays"),
        (("--delays", "late.csv"), "late.csv: "),
        (("--plot", "x.txt"), "--plot: "),
    ],
)
def test_what_is_wrong_is_one_line(options: tuple[str, ...], said: str, refused: Any, place: Path) -> None:
    path = feed(place / "feed.zip")
    words = ("--date", "2026-01-06", *options) if "--date" not in options else options
    assert said in refused("import", "gtfs", path, *words, "-o", "data")
    assert not (place / "data").exists()


def test_another_kind_or_a_full_folder_is_refused(run: Any, refused: Any, place: Path) -> None:
    path = feed(place / "feed.zip")
    assert "KIND" in refused("import", "netex", path, *TUESDAY)
    run("import", "gtfs", path, *TUESDAY)
    assert "data: already holds instances" in refused("import", "gtfs", path, *TUESDAY, "--count", "2")
    run("import", "gtfs", path, *TUESDAY)  # the same again, as after a kill at its end
    assert "none.zip" in refused("import", "gtfs", "none.zip", *TUESDAY[:2], "-o", "other")
