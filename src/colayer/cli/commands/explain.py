"""`colayer explain`: what the weights of a model do, feature by feature and group by group."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from colayer.cli import options as arguments

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from colayer.analysis.explain import Explanation
    from colayer.display.tables import Table

#: Bars in the picture.
_SHOWN = 20


def explain(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A trained model.")],
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Instances on which to measure what is lost without a feature."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(metavar="K", parser=arguments.whole(1), help="Show the K features that contribute most."),
    ] = None,
    problem: Annotated[
        str | None, typer.Option(metavar="MODULE:NAME", help="The problem of the model, if it is yours.")
    ] = None,
    plot: arguments.Plot = None,
    as_json: arguments.Json = False,
    output: arguments.Out = None,
) -> None:
    """Show what the weights of a model do.

    What each feature contributes and, with --data, what is lost without it.
    """
    from colayer.analysis.explain import explain as explain_model
    from colayer.cli.console import emit
    from colayer.cli.lookup import find, load_model
    from colayer.cli.outputs import output_file, picture_file
    from colayer.errors import InputError
    from colayer.io.dataset import instance_files, read_files

    found, loaded = load_model(model, None if problem is None else find(problem), None)
    out = output_file(output, "-o", [model], folder=data)
    drawing = picture_file(plot, inputs=[model, out])
    instances = None if data is None else read_files(instance_files(data), found)[1]
    about = {"problem": found.name, "model": str(model), "options": loaded.options}
    try:
        explained = explain_model(loaded, found, instances)
    except InputError as error:
        raise (error.at(str(model)) if error.where == "model" else error) from None
    parts = _parts(model, found.name, explained, top)
    document = {**about, **explained.to_document()}
    emit(document, parts, as_json=as_json, out=out, plot=drawing, draw=lambda: draw(explained))


def draw(explained: Explanation) -> Figure:
    """Draw the largest contributions with their signs, and the loss without each group."""
    import math

    from matplotlib.figure import Figure

    from colayer.display.charts import signed_bars

    features, groups = explained.features, explained.groups
    shown = [row for row in features if row.contribution > 0][:_SHOWN] or list(features[:1])
    width, height = (6.0 if groups is None else 11.0), 1.3 + 0.24 * max(len(shown), len(groups or ()), 6)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, 1 if groups is None else 2, squeeze=False)[0]
    signed = [math.copysign(row.contribution, row.raw_weight) for row in shown]
    signed_bars([row.feature for row in shown], signed, axes[0])
    axes[0].set(xlabel="weight × spread of the feature", title="What moves θ")
    if groups is not None:
        gaps = explained.gap is not None and all(row.gap_without is not None for row in groups)
        lost = [
            100.0 * ((row.gap_without or 0.0) - (explained.gap or 0.0))
            if gaps
            else row.loss_without - (explained.loss or 0.0)
            for row in groups
        ]
        signed_bars([row.group for row in groups], lost, axes[1])
        axes[1].set(xlabel="points of mean gap (%)" if gaps else "mean loss", title="What is lost without a group")
    return figure


def _parts(model: Path, problem: str, explained: Explanation, top: int | None) -> list[str | Table]:
    from colayer.display.tables import percent, significant, table

    features, groups, count = explained.features, explained.groups, explained.instances
    active = [row for row in features if row.weight != 0.0]
    given = "the instance given" if count == 1 else f"the {count} instances given"
    where = "over the training rows" if groups is None else f"over {given}"
    lines = [f"{model}: {len(active)} of {len(features)} features of {problem} have a weight."]
    if groups is None and all(row.spread == 1.0 for row in features):
        lines.append("Weights are in raw units (feature_scale is 1): --data gives the spreads of the features.")
    lines.append(f"contribution: the spread of weight × feature {where}; θ grows with a feature of weight > 0.\n")
    cells = [
        (r.feature, significant(r.weight), significant(r.spread), significant(r.contribution), percent(r.share))
        for r in active[:top]
    ]
    parts: list[str | Table] = [
        "\n".join(lines) + "\n",
        table(("feature", "weight", "spread", "contribution", "share"), cells),
    ]
    if len(active) > len(cells):
        rest = sum(row.share for row in active[len(cells) :])
        parts.append(f"\n{len(active) - len(cells)} more, with {percent(rest)} of all contributions.\n")
    if groups is not None:
        whole = (significant(explained.loss, 5), percent(explained.gap))
        rows: list[tuple[Any, ...]] = [("nothing", None, None, *whole, None, None)]
        rows += [
            (
                row.group, row.features, percent(row.share), significant(row.loss_without, 5),
                percent(row.gap_without), significant(row.loss_alone, 5), percent(row.gap_alone),
            )
            for row in groups if row.share > 0
        ]  # fmt: skip
        headers = ("without", "features", "share", "mean loss", "mean gap", "loss alone", "gap alone")
        parts += ["\nGroups of features with their weights set to 0, and alone:\n\n", table(headers, rows)]
    return parts
