"""The command line. Commands live in `colayer.commands` and are imported when they run: `--help` answers at once.

Exit status: 0 done; 2 bad usage or bad input, with one line on stderr; 130 interrupted; 1 a fault of ours.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from colayer import __version__
from colayer.commands import arguments
from colayer.commands.usage import usage_line
from colayer.errors import ColayerError

# Newer versions of typer ship a click of their own, older ones use the click package: this is the base class in both.
_UsageError: Any = typer.BadParameter.__bases__[0]

app = typer.Typer(
    rich_markup_mode=None,
    add_completion=False,
    help="Turn an easy combinatorial solver into a fast, good heuristic for a hard problem.",
)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(f"colayer {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def demo(
    problem: Annotated[
        str, typer.Argument(metavar="[PROBLEM]", help="A registered problem, or MODULE:NAME.")
    ] = "single-machine",
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="Where the pictures go.")] = "demo",
    seed: arguments.Seed = "0",
    workers: arguments.Workers = None,
) -> None:
    """The whole story in about a minute: generate, learn by experience, compare, draw."""
    from colayer.commands import demo as command

    command.run(problem, output=output, seed=seed, workers=workers)


class _Generate(TyperCommand):
    """`generate`, whose help names the sizes of every registered problem."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The sizes, below the options."""
        from colayer.commands.generate import sizes_help

        for name, lines in sizes_help().items():
            with formatter.section(f"Sizes of {name} (a list as in 50,75 gives every combination)"):
                formatter.write_dl(lines)


@app.command(cls=_Generate, context_settings={"ignore_unknown_options": True})
def generate(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROBLEM DIR", show_default=False, help="A problem, and the folder to write to."),
    ] = None,
    count: Annotated[str, typer.Option(metavar="N", help="Instances, for each combination of sizes.")] = "20",
    seed: arguments.Seed = "0",
    format: Annotated[str, typer.Option(metavar="json|npz", help="File format.")] = "json",  # noqa: A002
) -> None:
    """Write seeded random instances into a new folder."""
    from colayer.commands import generate as command

    command.run(words or [], count=count, seed=seed, format=format)


@app.command()
def train(
    problem: arguments.Problem,
    folder: arguments.Folder,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The model file to write.")],
    method: Annotated[str, typer.Option(metavar="NAME", help="How to learn.")] = "auto",
    evaluations: Annotated[
        str | None,
        typer.Option(metavar="N", help="Budget: loss evaluations, 1000; with --solutions passes over the data, 100."),
    ] = None,
    seed: arguments.Seed = "0",
    decoder: arguments.Decoder = None,
    learn_decoder: Annotated[str | None, typer.Option(metavar="NAME", help="The decoder while learning.")] = None,
    features: arguments.Features = None,
    radius: Annotated[str | None, typer.Option(metavar="R", help="Radius of the search ball.")] = None,
    sigma: Annotated[str, typer.Option(metavar="S", help="Perturbation of the loss; 0: none; or theory.")] = "0",
    samples: Annotated[str, typer.Option(metavar="K", help="Draws of the perturbed loss.")] = "100",
    solutions: Annotated[bool, typer.Option("--solutions", help="Learn from the labels beside the instances.")] = False,
    validation: Annotated[str, typer.Option(metavar="SHARE", help="Share of the instances kept aside.")] = "0.2",
    workers: arguments.Workers = None,
    cluster: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Learn on a Ray cluster; or auto.")] = None,
    time_limit: arguments.TimeLimit = None,
    journal: Annotated[str | None, typer.Option(metavar="FILE", help="The journal; FILE.journal if not given.")] = None,
    no_journal: Annotated[bool, typer.Option("--no-journal", help="Keep no journal.")] = False,
    plot: arguments.Plot = None,
    as_json: arguments.Json = False,
) -> None:
    """Learn weights from a folder of instances: by experience, or with --solutions by demonstration."""
    from colayer.commands import train as command

    command.run(
        problem, folder, output=output, method=method, evaluations=evaluations, seed=seed, decoder=decoder,
        learn_decoder=learn_decoder, features=features, radius=radius, sigma=sigma, samples=samples,
        solutions=solutions, validation=validation, workers=workers, cluster=cluster, time_limit=time_limit,
        journal=journal, no_journal=no_journal, plot=plot, as_json=as_json,
    )  # fmt: skip


@app.command()
def solve(
    files: arguments.Files,
    model: Annotated[str | None, typer.Option(metavar="FILE", help="A trained model; else the pretrained one.")] = None,
    problem: arguments.FileProblem = None,
    decoder: arguments.Decoder = None,
    samples: arguments.Samples = "0",
    sigma: arguments.Sigma = "1.0",
    seed: arguments.Seed = "0",
    certify: Annotated[bool, typer.Option("--certify", help="Go on with the exact solver.")] = False,
    time_limit: arguments.ExactLimit = None,
    plot: arguments.Plot = None,
    as_json: arguments.Json = False,
    output: arguments.Out = None,
    workers: arguments.Workers = None,
) -> None:
    """Solve instances with a learned pipeline."""
    from colayer.commands import solve as command

    command.run(
        files, model=model, problem=problem, decoder=decoder, samples=samples, sigma=sigma, seed=seed, certify=certify,
        time_limit=time_limit, plot=plot, as_json=as_json, output=output, workers=workers,
    )  # fmt: skip


@app.command()
def evaluate(
    problem: arguments.Problem,
    folder: arguments.Folder,
    model: arguments.Models = None,
    decoder: arguments.Decoder = None,
    samples: arguments.Samples = "0",
    sigma: arguments.Sigma = "1.0",
    seed: arguments.Seed = "0",
    safe: arguments.Safe = None,
    tight: Annotated[
        bool, typer.Option("--tight", help="Gaps to the bound of the exact solver, or of the labels where there are.")
    ] = False,
    time_limit: arguments.ExactLimit = None,
    plot: arguments.Plot = None,
    as_json: arguments.Json = False,
    output: arguments.Out = None,
) -> None:
    """Compare learned pipelines and plain rules on a folder of instances."""
    from colayer.commands import evaluate as command

    command.run(
        problem, folder, models=model or [], decoder=decoder, samples=samples, sigma=sigma, seed=seed, safe=safe,
        tight=tight, time_limit=time_limit, plot=plot, as_json=as_json, output=output,
    )  # fmt: skip


@app.command()
def bound(
    files: arguments.Files,
    problem: arguments.FileProblem = None,
    tight: Annotated[bool, typer.Option("--tight", help="The bound of the exact solver.")] = False,
    time_limit: arguments.ExactLimit = None,
    as_json: arguments.Json = False,
    output: arguments.Out = None,
) -> None:
    """Lower bounds on the optimal cost of instances."""
    from colayer.commands import bound as command

    command.run(files, problem=problem, tight=tight, time_limit=time_limit, as_json=as_json, output=output)


@app.command()
def label(
    problem: arguments.Problem,
    folder: arguments.Folder,
    time_limit: Annotated[str, typer.Option(metavar="SECONDS", help="For each instance.")] = "60",
    workers: arguments.Workers = None,
    as_json: arguments.Json = False,
) -> None:
    """Solve a folder of instances with the exact solver; write NNNN.solution.json beside each."""
    from colayer.commands import label as command

    command.run(problem, folder, time_limit=time_limit, workers=workers, as_json=as_json)


@app.command()
def explain(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A trained model.")],
    data: Annotated[
        str | None, typer.Option("--data", metavar="DIR", help="A folder of instances to try the model's parts on.")
    ] = None,
    problem: arguments.FileProblem = None,
    plot: arguments.Plot = None,
    as_json: arguments.Json = False,
    output: arguments.Out = None,
) -> None:
    """What the weights of a model do: contributions of features, and losses without groups of them."""
    from colayer.commands import explain as command

    command.run(model, data=data, problem=problem, plot=plot, as_json=as_json, output=output)


@app.command()
def check(
    problem: Annotated[str, typer.Argument(metavar="MODULE:NAME", help="A problem of yours, or a registered one.")],
    data: Annotated[
        str | None, typer.Option("--data", metavar="DIR", help="Instances to check on; else some are generated.")
    ] = None,
    seed: arguments.Seed = "0",
    as_json: arguments.Json = False,
    output: arguments.Out = None,
) -> None:
    """Look for mistakes in a problem: layer, decoder, cost, features, determinism. Each one says what to fix."""
    from colayer.commands import check as command

    command.run(problem, data=data, seed=seed, as_json=as_json, output=output)


@app.command()
def compare(
    problem: arguments.Problem,
    folder: arguments.Folder,
    model: arguments.Models = None,
    decoder: arguments.Decoder = None,
    time_limit: Annotated[str, typer.Option(metavar="SECONDS", help="For each instance and contender.")] = "10",
    seed: arguments.Seed = "0",
    learning_seconds: Annotated[
        str | None, typer.Option(metavar="SECONDS", help="What learning took, as train prints it.")
    ] = None,
    plot: arguments.Plot = None,
    as_json: arguments.Json = False,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="DIR", help="A folder for tables and figures, for report.")
    ] = None,
) -> None:
    """The learned pipeline against rules and general solvers at equal time; when learning has paid for itself."""
    from colayer.commands import compare as command

    command.run(
        problem, folder, models=model or [], decoder=decoder, time_limit=time_limit, seed=seed,
        learning_seconds=learning_seconds, plot=plot, as_json=as_json, output=output,
    )  # fmt: skip


@app.command()
def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", show_default=False, help="Experiments; all if not given.")
    ] = None,
    scale: Annotated[str, typer.Option(metavar="smoke|small|paper", help="How large.")] = "small",
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="DIR", help="The run; reproduce-SCALE if not given.")
    ] = None,
    workers: arguments.Workers = None,
    list_names: Annotated[bool, typer.Option("--list", help="Name the experiments, no more.")] = False,
    as_json: arguments.Json = False,
) -> None:
    """Run the paper's experiments; started again, a run that was stopped goes on."""
    from colayer.commands import reproduce as command

    command.run(names or [], scale=scale, output=output, workers=workers, list_names=list_names, as_json=as_json)


@app.command()
def report(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A folder that reproduce or compare wrote.")],
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="The page; RUN/report.html if not given.")
    ] = None,
) -> None:
    """One self-contained HTML file with the tables and figures of a run."""
    from colayer.commands import report as command

    command.run(run, output=output)


def main(argv: list[str] | None = None) -> int:
    """Run the command line; the exit status."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            status = typer.main.get_command(app).main(args=argv, prog_name="colayer", standalone_mode=False)
    except _UsageError as error:
        return _refuse(usage_line(error))
    except ColayerError as error:
        return _refuse(str(error))
    except MemoryError:
        return _refuse("not enough memory for this, expected smaller sizes")
    except (KeyboardInterrupt, typer.Abort):
        status = 130
    except (Exception, SystemExit) as error:
        from colayer.commands.options import own_fault

        said = own_fault(error)  # raised by a problem of the user's
        if said is not None:
            return _refuse(said)
        if isinstance(error, SystemExit):
            raise
        traceback.print_exc()
        return 1
    if status == 130:
        print("interrupted", file=sys.stderr)
    return status if isinstance(status, int) else 0


def _refuse(message: str) -> int:
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in message)
    print(f"error: {line}", file=sys.stderr)
    return 2


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"warning: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
