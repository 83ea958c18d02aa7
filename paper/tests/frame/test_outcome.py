"""What every outcome has: the words of its config, the times of the run, and its figures in its folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import colayer
from colayer.display.outcome import Cell, Column, Conclusion, Picture, Sheet
from colayer_paper.frame.config import Config
from colayer_paper.frame.figures import new_axes
from colayer_paper.frame.outcome import outcome_of, picture
from colayer_paper.frame.store import Run

CONFIG = Config("tree-gap", "smoke", "Title", "Figure 2", "Words.", ("from the config",), {})


def test_an_outcome_has_the_words_of_the_config_and_the_times_of_the_run(tmp_path: Path) -> None:
    run = Run(tmp_path, "smoke", seconds=12.34, cpu=23.45, devices={"one": "cuda", "two": "cuda", "three": "cpu"})
    sheet = Sheet("s", "S", (Column("a"),), ((Cell(1),),))
    conclusion = Conclusion("It holds", True, "1 of 1")
    found = outcome_of(run, CONFIG, sheets=[sheet], conclusions=[conclusion], differences=["of this run"], seed=7)
    assert (found.name, found.title, found.source, found.summary) == ("tree-gap", "Title", "Figure 2", "Words.")
    (drawn,) = found.conclusions
    assert (found.sheets, found.pictures, drawn.claim, drawn.numbers) == ((sheet,), (), "It holds", "1 of 1")
    assert (drawn.verdict, drawn.test) == ("cannot tell", "no verdict at this scale")
    assert outcome_of(run, replace(CONFIG, scale="small"), sheets=[], conclusions=[conclusion]).conclusions == (
        conclusion,
    )
    assert found.differences == ("from the config", "of this run")
    said = found.provenance
    assert said["command"] == "colayer reproduce tree-gap --scale smoke"
    assert (said["scale"], said["seconds"], said["cpu_seconds"], said["seed"]) == ("smoke", 12.3, 23.4, 7)
    assert said["learned_on"] == "cuda (2 stages), cpu (1 stage)"
    assert f"colayer {colayer.__version__}" in str(said["versions"])


def test_a_picture_lies_in_the_folder_of_its_experiment(tmp_path: Path) -> None:
    said: list[tuple[str, int, int]] = []
    run = Run(tmp_path, "smoke", report=lambda *words: said.append(words))
    (tmp_path / "tree-gap").mkdir()
    found = picture(run, CONFIG, new_axes()[0], "gaps.svg", "Gap", "In percent.")
    assert found == Picture("gaps.svg", "Gap", "In percent.")
    assert "<svg" in (tmp_path / "tree-gap/gaps.svg").read_text()
    assert said == [("figures", 0, 1)]
