"""The page "add a problem", followed to the letter: its reader has a learned pipeline in the end.

Blocks with a title are saved under that name, as the reader does; commands run in the same folder.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from colayer import Pipeline
from colayer.cli.app import main

PAGE = Path(__file__).parent.parent / "docs" / "add_a_problem.md"
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """(what the page's code defined, the folder, what each command printed)."""
    folder = tmp_path_factory.mktemp("afternoon")
    module = types.ModuleType("page_of_crews")
    printed: dict[str, str] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "path", [str(folder), *sys.path])
        patch.setitem(sys.modules, module.__name__, module)
        for language, rest, code in BLOCK.findall(PAGE.read_text("utf-8")):
            title = re.search(r'title="(.+?)"', rest)
            if title:
                (folder / title[1]).write_text(code, "utf-8")
            elif language == "python":
                exec(code, module.__dict__)
            for line in code.splitlines() if language == "sh" else []:
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    assert main(line.split()[1:]) == 0, line
                printed[line] = out.getvalue()
        yield module, folder, printed
        sys.modules.pop("crews", None)


def test_the_learned_pipeline_beats_the_rule_on_held_out_instances(followed: Any) -> None:
    """By clearly more than chance: on most of a hundred instances that learning never saw."""
    page, _, _ = followed
    assert page.learned < 0.97 * page.rule
    problem = page.problem
    rule = np.array([problem.cost(problem.baseline("mean times", x), x) for x in page.held_out])
    learned = np.array([page.pipeline.solve(x).cost for x in page.held_out])
    assert (learned < rule).sum() > 2 * (learned > rule).sum()
    assert not {x.tobytes() for x in page.train} & {x.tobytes() for x in page.held_out}


def test_the_figures_on_the_page_are_those_it_prints(followed: Any) -> None:
    page, _, _ = followed
    figures = f"{page.rule:.2f} hours, the learned one {page.learned:.2f}: {100 * (1 - page.learned / page.rule):.1f} %"
    assert figures in " ".join(PAGE.read_text("utf-8").replace("<!--given-->", "").split())


def test_it_is_closer_to_the_optimum_and_not_below_it(followed: Any) -> None:
    page, _, _ = followed
    assert page.best <= page.sampled <= page.alone
    rule = np.mean([page.problem.cost(page.problem.baseline("mean times", x), x) for x in page.tiny])
    assert page.alone - page.best < 0.6 * (rule - page.best)


def test_what_was_saved_is_what_was_learned(followed: Any) -> None:
    page, folder, _ = followed
    again = Pipeline.load(folder / "crews.json", problem=page.Crews(), safe=False)
    assert np.array_equal(again.weights_, page.pipeline.weights_)


def test_the_command_line_tells_the_same_story(followed: Any) -> None:
    """Check passes, and in the table of `evaluate` the model is ahead of every rule."""
    _, folder, printed = followed
    assert "0 failed" in printed["colayer check crews:Crews"]
    assert len(list((folder / "test").glob("*.json"))) == 50
    table = printed["colayer evaluate crews:Crews test --model model.json"]
    gaps = {
        row[0]: float(row[1]) for row in re.findall(r"^(\w+(?: \w+)?|model, safe)  +([\d.]+) %", table, re.MULTILINE)
    }
    assert set(gaps) >= {"model", "safe weights", "mean times", "worst times"}
    assert gaps["model"] < 0.95 * min(gap for name, gap in gaps.items() if "times" in name or name == "safe weights")
