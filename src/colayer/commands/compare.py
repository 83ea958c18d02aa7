"""`colayer compare`: the learned pipeline against rules and general solvers at equal wall-clock time."""

from __future__ import annotations

import importlib.metadata
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from colayer.commands import options
from colayer.commands.output import emit, note, progress
from colayer.dataset import instance_files, read_files
from colayer.errors import InputError, OptionError
from colayer.files import check_writable, encode, read_json, unwritable, write_atomic

if TYPE_CHECKING:
    from colayer.comparison.results import Results
    from colayer.pipeline import Pipeline

#: What `--json` prints, in the folder of the outcome.
DOCUMENT = "compare.json"


def run(
    problem: str,
    folder: str,
    *,
    models: Sequence[str],
    decoder: str | None,
    time_limit: str,
    seed: str,
    learning_seconds: str | None,
    plot: str | None,
    as_json: bool,
    output: str | None,
) -> None:
    """Compare; nothing is solved before all options, models and files are checked."""
    from colayer.comparison.contenders import PERTURBED, SAFE, contenders_of
    from colayer.comparison.race import race
    from colayer.comparison.results import Results

    limit = options.number(time_limit, "--time-limit")
    draw = options.whole(seed, "--seed", maximum=2**31 - 1)
    taken = None if learning_seconds is None else options.number(learning_seconds, "--learning-seconds", zero=True)
    found = options.find(problem, decoder=decoder)
    files = [Path(model) for model in models]
    if len({path.resolve() for path in files}) < len(files):
        raise OptionError("a model is given twice, expected each once", where="--model")
    out = _folder(output, Path(folder))
    drawing = options.picture(plot, "--plot", files)
    learned = _learned(found, files, decoder)
    if taken is not None and not learned:
        raise OptionError("there is no learned pipeline, expected a model", where="--learning-seconds")
    contenders, missing = contenders_of(found, learned, draw)
    if not contenders:
        raise OptionError(f"{found.name} has no weights and no baselines, expected a model", where="--model")
    if not learned:
        missing.insert(0, f"no learned weights: none are shipped for {found.name}, give --model M.json")
    # a rule or a solver that fails is left out; the pipeline is what the comparison is about
    pipelines = {SAFE, *learned, *(name + PERTURBED for name in learned)}
    rivals = [name for name in contenders if name not in pipelines]
    instances = read_files(instance_files(folder), found)[1]
    with progress("comparing") as shown:
        ended = race(found, instances, contenders, time_limit=limit, seed=draw, progress=shown, may_fail=rivals)
    results = Results(ended, dict.fromkeys(learned, taken), tuple(missing))
    if drawing is not None:
        _draw(results, drawing)
    if out is not None:
        _write(results, out)
    for line in results.left_out:
        note(line)
    emit(results.document(), _text(results), as_json=as_json, out=None)


def _learned(problem: Any, files: Sequence[Path], decoder: str | None) -> dict[str, Pipeline]:
    """The pipelines of the models given, by their names; that of the pretrained weights where none is."""
    from colayer.comparison.contenders import reserved
    from colayer.pipeline import Pipeline, pretrained

    pipelines: dict[str, Pipeline] = {}
    stems = [path.stem for path in files]
    for path in files:
        plain = stems.count(path.stem) == 1 and path.stem not in reserved(problem)
        name = path.stem if plain else str(path)
        variant, model = options.load_model(path, problem, decoder)
        pipelines[name] = Pipeline.from_model(variant, model, safe=False)
    shipped = pretrained(problem) if not files else None
    if shipped is not None:
        pipelines["pretrained"] = Pipeline.from_model(problem, shipped, safe=False)
    return pipelines


def _folder(text: str | None, data: Path) -> Path | None:
    """A folder that can be made or is empty, or that of an earlier comparison, and is not the data set."""
    if text is None:
        return None
    path = options.new_folder(text, "-o")
    try:
        if path.exists() and not path.is_dir():
            raise OptionError(f"{path} is a file, expected a folder", where="-o")
        if path.resolve() == data.resolve():
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
    """Whether an earlier comparison wrote the folder."""
    from colayer.report.outcome import OUTCOME

    try:
        outcome = read_json(folder / OUTCOME)
    except InputError:
        return False
    return isinstance(outcome, dict) and str(outcome.get("name")).startswith("compare-")


def _draw(results: Results, path: Path) -> None:
    from colayer.comparison.figures import cost_over_time
    from colayer.report.figures import save

    save(cost_over_time(results.race), path)


def _write(results: Results, folder: Path) -> None:
    """The outcome for `colayer report`, and beside it the document; of an earlier comparison nothing stays."""
    from colayer.commands.report import REPORT
    from colayer.comparison import cpsat
    from colayer.comparison.results import FIGURE, SHEETS
    from colayer.report.outcome import provenance, write_outcome

    race = results.race
    about: dict[str, Any] = {"seed": race.seed, "time_limit": race.time_limit}
    if cpsat.available():
        about["ortools"] = importlib.metadata.version("ortools")
    outcome = results.outcome(provenance(shlex.join(["colayer", *sys.argv[1:]]), **about))
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error).at("-o") from None
    _draw(results, folder / FIGURE)
    write_atomic(folder / DOCUMENT, encode(results.document()))
    write_outcome(folder, outcome)
    tables = {f"{name}.csv" for name in SHEETS} - {f"{sheet.name}.csv" for sheet in outcome.sheets}
    for name in (REPORT, *tables):
        (folder / name).unlink(missing_ok=True)


def _text(results: Results) -> str:
    race = results.race
    count = f"{len(race.rows)} instance{'s' * (len(race.rows) > 1)} of {race.problem}"
    text = f"{count}, {race.time_limit:g} s each on one core; gaps to the best cost found\n\n"
    text += results.standing_table().text()
    if results.paybacks():
        text += "\nlearning has paid for itself after so many solves:\n\n" + results.payback_table().text()
    if notes := results.notes():
        text += "\n" + "\n".join(notes) + "\n"
    return text
