"""`colayer evaluate`: learned pipelines and plain rules on one folder of instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from colayer.commands import options
from colayer.commands.output import emit, progress, search
from colayer.dataset import instance_files, label_path, read_document, read_files, read_solution
from colayer.errors import InputError, OptionError
from colayer.evaluation import Comparison, Contender, compare

_ROUNDING = 1e-9  # relative, between a bound and a cost that are equal


def run(
    problem: str,
    folder: str,
    *,
    models: Sequence[str],
    decoder: str | None,
    samples: str,
    sigma: str,
    seed: str,
    safe: bool | None,
    tight: bool,
    time_limit: str | None,
    plot: str | None,
    as_json: bool,
    output: str | None,
) -> None:
    """Compare; nothing is solved before all options, models and files are checked."""
    from colayer.report.tables import summary_table

    draws = {
        "samples": options.whole(samples, "--samples"),
        "sigma": options.number(sigma, "--sigma", zero=True),
        "seed": options.whole(seed, "--seed", maximum=2**63),
    }
    limit = options.limit(time_limit, "--tight", tight)
    found = options.find(problem, decoder=decoder)
    if tight:
        options.need(found, "exact", "exact solver", "--tight")
    files = [Path(model) for model in models]
    if len({path.resolve() for path in files}) < len(files):
        raise OptionError("a model is given twice, expected each once", where="--model")
    out = options.output(output, "-o", files, folder=Path(folder))
    drawing = options.picture(plot, "--plot", [*files, *([out] if out else [])])
    contenders = learners(found, files, decoder, draws, safe)
    contenders.update(rules(found))
    if not contenders:
        raise OptionError(f"{found.name} has no weights and no baselines, expected a model", where="--model")
    paths = instance_files(folder)
    instances = read_files(paths, found)[1]
    bounds = tight_bounds(found, instances, limit, paths) if tight else None
    with progress("comparing") as shown:
        comparison = compare(found, instances, contenders, bounds=bounds, progress=shown)
    if drawing is not None:
        draw(comparison, drawing)
    text = (
        f"{len(instances)} instance{'s' * (len(instances) > 1)} of {found.name}\n\n"
        + summary_table(comparison.summary()).text()
    )
    emit(comparison.to_document(), text, as_json=as_json, out=out)


def tight_bounds(
    problem: Any, instances: Sequence[Any], limit: float | None, paths: Sequence[Path] = ()
) -> list[float | None]:
    """The better one of the cheap bound and the one of the label beside the file, where it has one, else of `exact`."""
    bounds: list[float | None] = []
    with search("bounding", len(instances)) as shown:
        for k, instance in enumerate(instances):
            known = labelled_bound(paths[k], problem, instance) if paths else None
            if known is None:
                known = problem.exact(instance, time_limit=limit, progress=shown.told)[1]
            cheap = problem.bound(instance)
            bounds.append(float(known) if cheap is None else max(float(known), float(cheap)))
            shown.next()
    return bounds


def labelled_bound(path: Path, problem: Any, instance: Any) -> float | None:
    """The bound that `colayer label` wrote beside the instance; None where there is no label."""
    label = label_path(path)
    if not label.exists():
        return None
    cost = float(problem.cost(read_solution(label, problem, instance), instance))
    bound = read_document(label).get("bound")  # a number, or `read_solution` had refused
    if bound is not None and bound > cost + _ROUNDING * abs(cost):
        raise InputError(f"{bound} is above {cost:g}, the cost of the solution", where=f"{label}: bound")
    return None if bound is None else float(bound)


def learners(
    problem: Any, files: Sequence[Path], decoder: str | None, draws: dict[str, Any], safe: bool | None
) -> dict[str, Contender]:
    """The models given (the pretrained one where none is), without and with the safe weights as a fallback."""
    from colayer.pipeline import Pipeline, pretrained

    loaded: dict[str, tuple[Any, Any]] = {}
    for path in files:
        name = path.stem if [p.stem for p in files].count(path.stem) == 1 else str(path)
        loaded[name] = options.load_model(path, problem, decoder)
    shipped = pretrained(problem) if not files else None
    if shipped is not None:
        loaded["pretrained"] = problem, shipped
    contenders: dict[str, Contender] = {}
    for name, (variant, model) in loaded.items():
        for guarded in (False, True):
            if safe in (None, guarded) and not (guarded and safe is None and variant.safe_weights is None):
                pipeline = Pipeline.from_model(variant, model, safe=guarded)
                contenders[f"{name}, safe" if guarded else name] = partial(pipeline.solve, **draws)
    return contenders


def rules(problem: Any) -> dict[str, Contender]:
    """The safe weights alone, and the plain rules of the problem."""
    from colayer.pipeline import Pipeline

    def rule(name: str) -> Callable[[Any], Any]:
        return lambda instance: problem.baseline(name, instance)

    contenders: dict[str, Contender] = {}
    if problem.safe_weights is not None:
        contenders["safe weights"] = Pipeline(problem, problem.safe_weights, safe=False)
    contenders.update({name: rule(name) for name in problem.baselines})
    return contenders


def draw(comparison: Comparison, path: Path) -> None:
    """Mean gaps by the first group key that tells instances apart, else one bar per contender."""
    from colayer.report.figures import gap_bars, gap_by, save

    keys = [key for key in comparison.results[0].group if len({r.group.get(key) for r in comparison.results}) > 1]
    save(gap_by(comparison, keys[0]) if keys else gap_bars(comparison), path)
