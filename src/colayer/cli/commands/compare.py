"""`colayer compare`: the learned pipeline against rules and general solvers at equal wall-clock time."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from colayer.cli import options as arguments

if TYPE_CHECKING:
    from colayer.comparison.results import Results

#: What `--json` prints, in the folder of the outcome.
DOCUMENT = "compare.json"


def compare(
    problem: arguments.Problem,
    folder: arguments.Folder,
    model: arguments.Models = None,
    decoder: arguments.Decoder = None,
    time_limit: Annotated[
        float,
        typer.Option(metavar="SECONDS", parser=arguments.seconds, help="Time limit for each instance and contender."),
    ] = 10.0,
    seed: arguments.Seed = 0,
    rounds: arguments.Rounds = None,
    learning_seconds: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", parser=arguments.number, help="Seconds of learning, as train prints them."),
    ] = None,
    plot: arguments.Plot = None,
    as_json: arguments.Json = False,
    output: Annotated[Path | None, arguments.out_folder("A folder for tables and figures, for report.")] = None,
) -> None:
    """Race a learned pipeline against rules and solvers.

    All have the same time. It also says when learning has paid for itself.
    """
    from colayer.cli.commands.evaluate import check_rounds, naming
    from colayer.cli.console import emit, note, progress
    from colayer.cli.lookup import find, load_pipelines
    from colayer.cli.outputs import picture_file
    from colayer.comparison.charts import cost_over_time
    from colayer.comparison.compare import compare as race
    from colayer.comparison.contender import reserved
    from colayer.display.charts import save
    from colayer.errors import OptionError
    from colayer.io.dataset import instance_files, read_files

    found = find(problem, decoder=decoder)
    files = model or []
    out = _folder(output, folder)
    drawing = picture_file(plot, inputs=files)
    pipelines = load_pipelines(found, files, decoder, sorted(reserved(found)))
    check_rounds(found, pipelines, rounds)
    if learning_seconds is not None and not pipelines:
        raise OptionError("no learned pipeline, expected --model FILE", where="--learning-seconds")
    paths = instance_files(folder)
    instances = read_files(paths, found)[1]
    with naming(paths), progress("comparing") as shown:
        results = race(
            found, instances, pipelines, time_limit=time_limit, seed=seed, rounds=rounds,
            learning_seconds=learning_seconds, progress=shown,
        )  # fmt: skip
    for line in [*results.left_out, *results.warnings()]:
        note(line)
    try:
        if out is not None:
            _write(results, out)
        if drawing is not None:
            save(cost_over_time(results.race), drawing)
    finally:  # a disk that is full loses no race
        emit(results.document(), results.parts(), as_json=as_json, out=None)


def _folder(path: Path | None, data: Path) -> Path | None:
    """Return the output folder; refuse one that is the data set, or holds files of something else."""
    from colayer.cli.outputs import output_folder, same_file
    from colayer.errors import InputError, OptionError
    from colayer.io.files import check_writable, unwritable

    if path is None:
        return None
    output_folder(path)
    try:
        if same_file(path, data):
            raise OptionError(f"{path} is the data set, expected another folder", where="-o")
        if not path.exists():  # whether it can be made shows in no other way
            path.mkdir()
            path.rmdir()
        elif any(path.iterdir()) and not _compared(path):
            message = f"{path} holds other files, expected a new folder, or one of an earlier comparison"
            raise OptionError(message, where="-o")
        else:
            check_writable(path / DOCUMENT)
    except OSError as error:
        raise unwritable(path, error).at("-o") from None
    except InputError as error:
        raise error.at("-o") from None
    return path


def _compared(folder: Path) -> bool:
    """Tell whether an earlier comparison wrote the folder."""
    from colayer.display.outcome import OUTCOME
    from colayer.errors import InputError
    from colayer.io.files import read_json

    try:
        outcome = read_json(folder / OUTCOME)
    except InputError:
        return False
    return isinstance(outcome, dict) and str(outcome.get("name")).startswith("compare-")


def _write(results: Results, folder: Path) -> None:
    """Write the outcome for `colayer report` and the document, in place of those of an earlier comparison.

    Files that no comparison writes stay.
    """
    import importlib.metadata

    from colayer.comparison import cpsat
    from colayer.comparison.charts import cost_over_time
    from colayer.comparison.results import FIGURE, SHEETS
    from colayer.display.charts import save
    from colayer.display.outcome import OUTCOME, REPORT, Value, provenance, write_outcome
    from colayer.io.files import encode, whole_folder, write_atomic

    race = results.race
    about: dict[str, Value] = {"seed": race.seed, "time_limit": race.time_limit}
    if cpsat.available():
        about["ortools"] = importlib.metadata.version("ortools")
    outcome = results.outcome(provenance(shlex.join(["colayer", *sys.argv[1:]]), **about))
    ours = {FIGURE, DOCUMENT, OUTCOME, REPORT, *(f"{name}.csv" for name in SHEETS)}
    with whole_folder(folder) as place:
        for path in folder.iterdir() if folder.exists() else ():
            if path.name not in {*ours, place.name}:
                if path.is_dir() and not path.is_symlink():
                    shutil.copytree(path, place / path.name, symlinks=True)
                else:
                    shutil.copy2(path, place / path.name, follow_symlinks=False)
        save(cost_over_time(race), place / FIGURE)
        write_atomic(place / DOCUMENT, encode(results.document()))
        write_outcome(place, outcome)
