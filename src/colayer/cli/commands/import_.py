"""`colayer import`: real data into instances."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from colayer._runtime.text import counted
from colayer.cli import options as arguments
from colayer.errors import InputError, OptionError

if TYPE_CHECKING:
    from colayer.io.gtfs import ServiceDay
    from colayer.problems.vehicle_scheduling import Instance
    from colayer.problems.vehicle_scheduling.gtfs import PublishedPlan

#: So many infeasible connections of a published plan are named.
_NAMED = 3


def import_(
    kind: Annotated[Literal["gtfs"], typer.Argument(metavar="KIND", help="gtfs: a transit agency's timetable.")],
    feed: Annotated[Path, typer.Argument(metavar="FEED", help="A GTFS feed, a zip file or a folder.")],
    date: Annotated[list[str], typer.Option(metavar="DATE", help="A service day, 2016-09-20; several: repeat it.")],
    out: Annotated[Path, arguments.out_folder("The folder to write to.")],
    service: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="A service of the feed; by default all of the day.")
    ] = None,
    route_type: Annotated[
        int | None, typer.Option(metavar="N", parser=arguments.whole(), help="Kind of vehicle: 0 tram, 3 bus, ...")
    ] = None,
    count: Annotated[
        int,
        typer.Option(
            metavar="N", parser=arguments.whole(1), help="Instances for each day, each with its own scenarios."
        ),
    ] = 1,
    scenarios: Annotated[
        int, typer.Option(metavar="N", parser=arguments.whole(1), help="Scenarios of the delays.")
    ] = 40,
    seed: arguments.Seed = 0,
    late: Annotated[
        float | None, typer.Option(metavar="X", parser=arguments.number, help="Mean share by which trips take longer.")
    ] = None,
    spread: Annotated[
        float | None, typer.Option(metavar="X", parser=arguments.number, help="Spread of congestion over hours.")
    ] = None,
    correlation: Annotated[
        float | None,
        typer.Option(metavar="X", parser=arguments.number, help="Correlation of an hour's congestion with the next."),
    ] = None,
    delays: Annotated[
        Path | None, typer.Option(metavar="CSV", help="Recorded delays (date, trip, delay) to fit these three to.")
    ] = None,
    speed: Annotated[
        float, typer.Option(metavar="KM/H", parser=arguments.positive, help="Speed of empty trips.")
    ] = 25.0,
    detour: Annotated[
        float, typer.Option(metavar="X", parser=arguments.positive, help="Road over great-circle distance.")
    ] = 1.3,
    layover: Annotated[
        float, typer.Option(metavar="MIN", parser=arguments.number, help="Least scheduled rest between trips.")
    ] = 0.0,
    depot: Annotated[
        str | None, typer.Option(metavar="LAT,LON", help="A vehicle costs the mean trip from here and back too.")
    ] = None,
    drive_cost: Annotated[
        float, typer.Option(metavar="X", parser=arguments.number, help="Cost of a minute of depot trips.")
    ] = 1.0,
    vehicle_cost: Annotated[
        float, typer.Option(metavar="X", parser=arguments.number, help="Cost of a vehicle.")
    ] = 400.0,
    delay_cost: Annotated[
        float, typer.Option(metavar="X", parser=arguments.number, help="Cost of a minute of delay.")
    ] = 2.0,
    format: Annotated[Literal["json", "npz"], typer.Option(metavar="json|npz", help="File format.")] = "json",  # noqa: A002
    plot: arguments.Plot = None,
    as_json: arguments.Json = False,
) -> None:
    """Make instances of real data.

    It also says what the published plan costs.
    """
    from colayer.cli.console import emit
    from colayer.cli.outputs import picture_file
    from colayer.io.csv_files import csv_bytes
    from colayer.io.dataset import write_instances
    from colayer.io.files import encode, write_all
    from colayer.io.gtfs import read_day
    from colayer.io.new_folder import LABEL_SUFFIX, check_new_folder
    from colayer.problems import VehicleScheduling
    from colayer.problems.vehicle_scheduling.delays import DelayModel
    from colayer.problems.vehicle_scheduling.gtfs import instance_of, published, recorded

    given = {"late": late, "spread": spread, "correlation": correlation}
    own = {name: value for name, value in given.items() if value is not None}
    if delays is not None and own:
        raise OptionError("given beside --delays, to which it is fitted", where=f"--{next(iter(own))}")
    check_new_folder(out, again=True)
    picture_file(plot)
    options: dict[str, Any] = {
        "speed": speed, "detour": detour, "layover": layover, "depot": _point(depot), "drive_cost": drive_cost,
        "vehicle_cost": vehicle_cost, "delay_cost": delay_cost, "scenarios": scenarios,
    }  # fmt: skip
    instances: list[Instance] = []
    plans: list[tuple[ServiceDay, PublishedPlan | None]] = []
    try:
        for text in date:
            day = read_day(feed, text, services=service, route_type=route_type)
            model = DelayModel(**own) if delays is None else recorded(delays, day)
            made = [instance_of(day, model, seed=s, **options) for s in _seeds(seed, count)]
            instances += made
            plans += [(day, published(day, instance)) for instance in made]
    except InputError as error:
        if error.where not in ("date", "services", "route_type", "late", "spread", "correlation", "depot"):
            raise
        option = {"services": "service"}.get(error.where, error.where).replace("_", "-")
        raise OptionError(error.message, where=f"--{option}") from None
    first = plans[0][1]
    if plot is not None and first is None:
        raise OptionError("no published plan to draw: trips without block_id", where="--plot")
    problem = VehicleScheduling()
    files = write_instances(out, instances, problem, format)
    document, lines, tables = [], [], {}
    for path, instance, (day, plan) in zip(files, instances, plans, strict=True):
        plain = replace(instance, layover=0.0)  # and what it computes is let go: travel times by scenario are large
        summary = _summary(problem, plain, day, plan)
        document.append({"file": str(path), **summary})
        lines.append(_line(path, day, summary))
        if plan is not None:
            solution, name = (plan.successor, plain), f"{path.stem}.published"
            tables[path.with_name(f"{name}.csv")] = csv_bytes(problem.table(*solution))
            if not plan.short:  # else it solves the instance without the layover alone
                tables[path.with_name(f"{name}{LABEL_SUFFIX}")] = encode(problem.write_solution(*solution))
    write_all(tables)
    drawn = None if first is None else partial(problem.plot, first.successor, replace(instances[0], layover=0.0))
    emit(document, "".join(lines), as_json=as_json, out=None, plot=plot, draw=drawn)


def _summary(problem: Any, instance: Instance, day: ServiceDay, plan: PublishedPlan | None) -> dict[str, Any]:
    """Return what the published plan comes to under the scenarios of an instance."""
    from colayer.problems.vehicle_scheduling.solution import depot_trips

    said: dict[str, Any] = {"date": str(day.date), "trips": len(day.trips), "services": {}}
    for trip in day.trips:
        said["services"][trip.service] = said["services"].get(trip.service, 0) + 1
    if plan is None:
        return {**said, "published": None}
    cost = float(problem.cost(plan.successor, instance))
    trips = depot_trips(plan.successor, instance)
    delay = (cost - plan.vehicles * instance.vehicle_cost) / instance.delay_cost if instance.delay_cost else None
    return {
        **said,
        "published": {
            "blocks": plan.blocks, "connections": plan.connections, "infeasible": list(plan.infeasible),
            "short_layovers": plan.short, "vehicles": plan.vehicles, "expected_delay": delay, "cost": cost,
            "depot_minutes": None if trips is None else float(sum(minutes.sum() for minutes in trips.values())),
        },
    }  # fmt: skip


def _line(path: Path, day: ServiceDay, summary: dict[str, Any]) -> str:
    """Return the summary of an instance in words."""
    services = ", ".join(f"{name} ({trips:,})" for name, trips in summary["services"].items())
    text = f"{path}: {day.date}, {counted(len(day.trips), 'trip')} of service {services}\n"
    plan = summary["published"]
    if plan is None:
        without = sum(not trip.block for trip in day.trips)
        return text + f"  no published plan: {counted(without, 'trip')} without block_id\n"
    delay = "" if plan["expected_delay"] is None else f"{plan['expected_delay']:,.0f} minutes of delay expected, "
    text += f"  published plan: {counted(plan['blocks'], 'block')}, {counted(plan['vehicles'], 'vehicle')}, "
    text += f"{delay}cost {plan['cost']:,.6g}\n"
    if plan["depot_minutes"] is not None:
        text += f"  {plan['depot_minutes']:,.0f} minutes of depot trips; its cost counts a mean trip per vehicle\n"
    if plan["short_layovers"]:
        text += f"  {plan['short_layovers']:,} of its connections leave less than the layover\n"
    wrong = plan["infeasible"]
    if wrong:
        of = counted(plan["connections"], "connection")
        text += f"  {len(wrong):,} of its {of} infeasible here, another vehicle goes on:\n"
        text += "".join(f"    {words}\n" for words in wrong[:_NAMED])
        text += f"    … and {len(wrong) - _NAMED:,} more\n" if len(wrong) > _NAMED else ""
    return text


def _seeds(seed: int, count: int) -> list[int]:
    """Return the seed itself, then others that no other seed leads to."""
    import numpy as np

    return [seed, *map(int, np.random.SeedSequence(seed).generate_state(count - 1, np.uint64) >> 1)][:count]


def _point(text: str | None) -> tuple[float, float] | None:
    """Parse `LAT,LON`."""
    if text is None:
        return None
    try:
        lat, lon = map(float, text.split(","))
    except ValueError:
        raise OptionError(f"{text!r}, expected LAT,LON in degrees", where="--depot") from None
    if not (abs(lat) <= 90 and abs(lon) <= 180):
        raise OptionError(f"{text!r} is no latitude and longitude, expected degrees", where="--depot")
    return lat, lon
