"""Configs: every experiment has one at every scale, what goes before what, and the paper's numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from colayer.errors import InputError
from colayer_paper.frame import config as config_module
from colayer_paper.frame.config import SCALES, paper_seconds, paper_table, read_config
from colayer_paper.registry import EXPERIMENTS


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_a_config(name: str, scale: str) -> None:
    config = read_config(name, scale)
    assert config.title
    assert config.source.endswith("of the paper") or name == "scheduling-sigma"  # of colayer's own
    assert config.parameters
    with pytest.raises(InputError, match=rf"configs/{name}\.toml: {scale}: no parameter 'nothing'"):
        config["nothing"]


@pytest.fixture
def configs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of the package's configs."""
    (tmp_path / "configs/shared").mkdir(parents=True)
    monkeypatch.setattr(config_module.importlib.resources, "files", lambda _package: tmp_path)
    return tmp_path / "configs"


HEAD = 'title = "t"\nsource = "s"\nsummary = "u"\n'


def test_a_scale_goes_before_every_and_an_experiment_before_what_it_shares(configs: Path) -> None:
    shared = ["[every]", "a = 1", "b = 1", "c = 1", "d = 1", "[smoke]", "b = 2", "c = 2", "d = 2"]
    own = ["[every]", "c = 3", "d = 3", "[smoke]", "d = 4", 'differences = ["d4"]']
    (configs / "shared/both.toml").write_text("\n".join(['differences = ["d1"]', *shared, 'differences = ["d2"]']))
    (configs / "one.toml").write_text(HEAD + "\n".join(['shared = "both"', 'differences = ["d3"]', *own]))
    config = read_config("one", "smoke")
    assert config.parameters == {"a": 1, "b": 2, "c": 3, "d": 4}
    assert config.differences == ("d1", "d2", "d3", "d4")
    assert (config.name, config.scale, config.title, config.source, config.summary) == ("one", "smoke", "t", "s", "u")
    assert read_config("one", "paper").parameters == {"a": 1, "b": 1, "c": 3, "d": 3}
    assert read_config("one", "paper").differences == ("d1", "d3")


def test_a_misspelled_key_is_named(configs: Path) -> None:
    (configs / "one.toml").write_text(f"{HEAD}[smok]\na = 1\n")
    with pytest.raises(InputError, match=r"configs/one\.toml: smok: unknown key, expected one of title, source"):
        read_config("one", "smoke")


def test_paper_scale_is_that_of_the_paper_where_it_is_not_said() -> None:
    """The sizes, budgets, seeds and samples that the paper states; what is less is said, with the right numbers."""
    tree = read_config("tree-gap", "paper")
    assert tree["widths"] == [10, 20, 30, 40, 50, 60]
    assert (tree["per_cell"], tree["held_per_cell"], tree["chosen"]) == (5, 5, 1e-3)
    assert (tree["evaluations"], tree["samples"]) == (1000, 20)
    assert tree["passes"] == 200
    assert tree["epsilons"] == [float(row["epsilon"]) for row in paper_table("spanning_tree_epsilon")]
    scheduling = read_config("scheduling-test", "paper")
    cells = len(scheduling["jobs"]) * 10
    assert (cells * scheduling["train_per_cell"], cells * scheduling["test_per_cell"]) == (2400, 2400)
    assert (cells * scheduling["perturbed_per_cell"], scheduling["perturbed_samples"]) == (2400, 150)
    assert len(scheduling["demonstration_jobs"]) * 10 * scheduling["demonstration_per_cell"] == 4000
    beside = [entry for entry in scheduling["learners"] if "beside" in entry]
    assert [(entry["loss"], entry["decoder"]) for entry in beside] == [
        ("plain", "none"), ("perturbed", "none"), ("plain", "ls"), ("perturbed", "ls"),
    ]  # fmt: skip
    for entry in beside:
        assert (entry["iterations"], entry["features"], entry["seeds"]) == ([1000, 2500], "66", 10)
        less = cells * entry["per_cell"] < 2400 or 0 < entry.get("samples", 0) < 100
        said = f"learned on {cells * entry['per_cell']} of the 2400 instances with {entry.get('samples', 0)} samples"
        assert any(said in words for words in scheduling.differences) == less
        assert entry.get("sigma", 0.0) == (scheduling["chosen_sigma"] if entry["loss"] == "perturbed" else 0.0)


@pytest.mark.parametrize("scale", SCALES)
def test_the_strength_that_the_perturbed_rows_have_is_one_of_those_tried(scale: str) -> None:
    """And what is tried is learned as these rows are, at that scale: on the same features and by the same method."""
    config = read_config("scheduling-sigma", scale)
    assert config["chosen_sigma"] in config["sigmas"]
    perturbed = [entry for entry in config["learners"] if entry["loss"] == "perturbed"]
    assert {entry["sigma"] for entry in perturbed} == {config["chosen_sigma"]}
    for key in ("loss", "features", "method", "without"):
        assert config["tried"][key] == perturbed[0][key]


def test_the_papers_numbers_are_there() -> None:
    assert paper_table("single_machine_learning")[0]["loss_avg"] == "36.71"
    assert paper_seconds("87:14:42") == 314082


def test_experiments_that_share_a_stage_share_its_parameters() -> None:
    """Else scheduling-test would learn again what scheduling-learning has learned."""
    configs = [read_config(f"scheduling-{name}", "small") for name in ("sigma", "learning", "test", "size")]
    assert len({json.dumps(config["learners"]) for config in configs}) == 1
