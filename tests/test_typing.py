"""Type checkers see the mistakes that users make most: a wrong word, and what is no problem or instance."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from mypy import api

from colayer.learning.learner import LEARNERS, MethodName
from colayer.problems import SingleMachine, VehicleScheduling

SNIPPET = """
from colayer import Pipeline
from colayer.problems import SingleMachine

problem = SingleMachine(decoder="ls")
pipeline = Pipeline(problem)
solved = pipeline.fit([problem.generate(0)], method="srl").solve(problem.instance(release=[0], processing=[2]))
solved.solution.sum()
SingleMachine(decoder="rdx")
Pipeline("oops")
pipeline.fit([problem.generate(0)], method="magic")
pipeline.fit([problem.generate(0)], device="tpu")
pipeline.solve([1, 2])
solved.solution.oops
"""


def test_mistakes_are_seen_and_what_is_right_is_not(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(SNIPPET)
    options = ["--strict", "--no-incremental", "--cache-dir", str(tmp_path / "cache"), "--follow-imports", "silent"]
    out, err, _ = api.run([*options, "--config-file", "", str(tmp_path / "user.py")])
    assert err == ""
    said = [(int(line), text) for line, text in re.findall(r"user\.py:(\d+): error: (.*)", out)]
    assert [line for line, _ in said] == [9, 10, 11, 12, 13, 14]
    for (_, text), word in zip(said, ("'rdx'", '"str"', "'magic'", "'tpu'", "Instance", '"oops"'), strict=True):
        assert word in text


def test_the_words_are_those_that_there_are() -> None:
    assert set(get_args(MethodName)) == {*LEARNERS, "imitation"}
    for problem in (SingleMachine, VehicleScheduling):
        for decoder in problem.decoders:
            assert problem(decoder=decoder).decoder == decoder
