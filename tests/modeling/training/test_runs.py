"""A training goes on after it was killed as if it had not been, and equal trainings are equal."""

import hashlib
import json
import math
import os
import random
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.core.refusals import Conflict
from modeling import weights
from modeling.base import MissingModel
from modeling.training import libraries, runs, starting
from tests.modeling import tiny
from tests.modeling.training import learning

pytestmark = [pytest.mark.models, pytest.mark.xdist_group("models")]

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def train(base, tmp_path, monkeypatch):
    """Train the classifier for a few steps, with changes to what `train_model` is given."""
    monkeypatch.setattr(runs, "FEWEST_DEV", 4)

    def run(name="run", role="ambiguity", kind="", recipe=None, **changes):
        given = {
            "train": learning.examples_of(role),
            "dev": learning.examples_of(role),
            "base": base(role, kind),
            "seed": 0,
            "max_steps": 6,
            "looks": 3,
            "device": "cpu",
        } | changes
        return runs.train_model(tmp_path / name, recipe or learning.recipe_of(role), **given)

    return run


def digest(folder):
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


def rows_of(folder):
    return [json.loads(line) for line in (folder / "curve.jsonl").read_text().splitlines()]


# In the middle of an epoch, while a checkpoint is written, and at the end of an epoch.
KILLS = {0: ("step 7", "write 12", "step 18"), 16: ("step 7", "write 12", "step 12")}


@pytest.fixture(scope="module")
def killed_runs(tmp_path_factory):
    """From the rank of adapters to a folder, and how its trainings ended: one whole, one killed.

    With dropout, and with an end by patience: both have a state that a checkpoint must hold.
    """
    folder = tmp_path_factory.mktemp("killed")
    base = tiny.build_plain("plain-dpr-reader", folder / "base", dropout=0.1)
    trainings = [
        {"folder": str(folder / str(rank) / name), "adapters": rank, "kill": kill}
        for rank, kills in KILLS.items()
        for name, kill in (("whole", ""), *(("killed", kill) for kill in kills), ("killed", ""))
    ]
    ends = trained_apart(base, *trainings)
    half = len(ends) // 2
    return {0: (folder / "0", ends[:half]), 16: (folder / "16", ends[half:])}


@pytest.mark.parametrize("rank", KILLS)
def test_a_training_that_is_killed_goes_on_to_equal_bytes(killed_runs, rank):
    folder, ends = killed_runs[rank]
    assert [end["signal"] for end in ends] == [0, *[signal.SIGKILL] * 3, 0]
    first, last = ends[0]["result"], ends[-1]["result"]
    assert first["best"] < first["steps"] < 90, "patience has ended it"
    assert_equal_trainings(folder / "whole", first, folder / "killed", last)


def assert_equal_trainings(folder, result, other_folder, other):
    """Equal curves, and the chosen and the last weights equal to the byte."""
    names = ("best", "steps", "figures")
    assert [result[name] for name in names] == [other[name] for name in names]
    for step in (result["best"], result["steps"]):
        name = f"checkpoint-{step}"
        assert weights_of(other_folder / name) == weights_of(folder / name)
    assert weights_of(Path(other["weights"])) == weights_of(Path(result["weights"]))
    assert rows_of(other_folder) == rows_of(folder)


def weights_of(folder):
    [path] = folder.glob("*.safetensors")
    return path.name, path.read_bytes()


def trained_apart(base, *trainings):
    """Return how each of them ended, and what came of it.

    A fork that runs away is ended by the limit of its processor time, which no load changes.
    """
    given = map(json.dumps, trainings)
    command = [sys.executable, "-m", "tests.modeling.training.a_run", str(base), *given]
    environment = {**os.environ, "PYTHONWARNINGS": "default"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ends = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(end["result"] or end["signal"] for end in ends), done.stderr
    return ends


def test_equal_seeds_give_equal_weights(train):
    first, second, third = train("a"), train("b"), train("c", seed=1)
    assert digest(first.checkpoint) == digest(second.checkpoint)
    assert digest(first.checkpoint) != digest(third.checkpoint)
    assert rows_of(first.folder) == rows_of(second.folder) != rows_of(third.folder)


def test_the_curve_has_loss_and_dev_up_to_the_last_step(train):
    result = train(max_steps=7)
    rows = rows_of(result.folder)
    assert [row["step"] for row in rows if "loss" in row] == [1, 2, 3, 4, 5, 6, 7]
    looks = [row for row in rows if "dev" in row]
    assert [row["step"] for row in looks] == [3, 6, 7]
    best = max(row["dev"]["right classes"] for row in looks)
    first = next(row["step"] for row in looks if row["dev"]["right classes"] == best)
    assert (result.step, result.figures) == (first, {"right classes": best})
    assert result.finished
    assert result == runs.read_result(result.folder)


def test_a_stop_saves_and_the_same_call_goes_on(train):
    steps = []
    stopped = train(stop=lambda: len(steps) == 4, report=lambda done, total: steps.append(done))
    assert (stopped.finished, stopped.steps, steps) == (False, 4, [1, 2, 3, 4])
    with pytest.raises(MissingModel, match="not finished"):
        runs.read_result(stopped.folder)
    assert train(report=lambda done, total: steps.append((done, total))).finished
    assert steps[4:] == [(5, 6), (6, 6)]
    assert digest(runs.read_result(stopped.folder).checkpoint) == digest(train("b").checkpoint)


def test_without_dev_the_last_step_is_kept(train):
    result = train(dev=(), no_dev=True)
    assert (result.step, result.steps, result.figures) == (6, 6, {})


def test_the_chosen_checkpoint_is_scored_on_all_of_dev(train, monkeypatch):
    monkeypatch.setattr(runs, "DEV_LOOKED_AT", 5)
    result = train()
    looked = [row["dev"]["right classes"] for row in rows_of(result.folder) if "dev" in row]
    assert all((share * 5).is_integer() for share in looked)
    assert (result.figures["right classes"] * 8).is_integer()
    assert result.dev_questions == 8


def test_examples_are_read_as_they_were_written(train):
    for role in ("ambiguity", "reranker"):
        result = train(role, role=role)
        assert runs.read_examples(result.folder, "train") == learning.examples_of(role)


# --- What is refused ----------------------------------------------------------------------------


def test_without_examples_nothing_is_trained(train):
    with pytest.raises(Conflict, match="The split train has no accepted answer"):
        train(train=[])


def test_a_small_dev_is_refused(train, monkeypatch):
    monkeypatch.setattr(runs, "FEWEST_DEV", 20)
    with pytest.raises(Conflict, match="dev has 8 questions, fewer than 20"):
        train()


def test_one_class_alone_is_refused(train):
    one = [each for each in learning.examples_of("ambiguity") if each.targets[0] == "one answer"]
    with pytest.raises(Conflict, match="All examples are of one class, “one answer”"):
        train(train=one)


def test_many_long_targets_are_refused(train):
    recipe = learning.recipe_of("t5-closed", tokens_out=4)
    with pytest.raises(Conflict, match=r"8 of 8 targets are longer than 4 tokens, more than 5%"):
        train(role="t5-closed", recipe=recipe)


def test_passages_without_a_span_leave_nothing_to_learn(train):
    lost = [replace(each, answers=(("nowhere",),)) for each in learning.examples_of("reader")]
    with pytest.raises(Conflict, match=r"None of the 8 examples .* 8 not_in_passages"):
        train(role="reader", train=lost)


def test_a_loss_that_is_not_finite_ends_the_training(train, monkeypatch):
    start = starting.start_model

    def broken(*args):
        made = start(*args)
        return replace(made, loss=lambda model, batch: math.nan * made.loss(model, batch))

    monkeypatch.setattr(starting, "start_model", broken)
    with pytest.raises(Conflict, match="The loss is not finite at step 1"):
        train()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"seed": 1}, "Its seed was another one"),
        ({"train": learning.examples_of("ambiguity")[:7]}, "examples to learn from have changed"),
        ({"dev": learning.examples_of("ambiguity")[:7]}, "examples of dev have changed"),
        ({"max_steps": 9}, "other settings"),
        ({"recipe": learning.recipe_of("ambiguity", epochs=3)}, "Its recipe was another one"),
    ],
)
def test_a_folder_is_not_gone_on_with_by_something_else(train, changes, sentence):
    before = train()
    with pytest.raises(Conflict, match=sentence):
        train(**changes)
    assert train() == before


def test_weights_of_another_kind_are_refused(train):
    with pytest.raises(MissingModel, match="cannot be used for"):
        train(role="t5-closed", kind="plain-bert")
    with pytest.raises(MissingModel, match="one of DPR's models"):
        train("other", role="encoder", kind="plain-dpr-reader")


@pytest.mark.parametrize("absent", ["torch", "accelerate"])
def test_missing_packages_are_named(train, monkeypatch, absent):
    for module in (weights, libraries):
        found = module.find_spec
        monkeypatch.setattr(
            module, "find_spec", lambda name, find=found: None if name == absent else find(name)
        )
    with pytest.raises(MissingModel, match=rf"{absent} is not installed here\. Run “make models”"):
        train()


def test_a_graphics_card_that_is_not_there(train, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(MissingModel, match=r"no graphics card here that torch can use\. Choose"):
        train(device="cuda")


@pytest.mark.slow
@pytest.mark.patience(4)  # half a minute of processor time, however long that takes
def test_killed_at_ten_random_moments_it_goes_on_to_equal_bytes(tmp_path):
    """Drawn from all of its steps, and from what comes after them: checkpoints, looks at dev."""
    base = tiny.build_plain("plain-dpr-reader", tmp_path / "base", dropout=0.1)
    [whole] = trained_apart(base, {"folder": str(tmp_path / "whole")})
    draw, steps = random.Random(20), whole["result"]["steps"]
    moments = [f"step {draw.randint(1, steps - 2)} {draw.uniform(0, 0.1)}" for _ in range(10)]
    folders = [tmp_path / f"killed-{number}" for number in range(10)]
    trainings = [
        {"folder": str(folder), "kill": kill}
        for folder, moment in zip(folders, moments, strict=True)
        for kill in (moment, "")
    ]
    ends = trained_apart(base, *trainings)
    assert [end["signal"] for end in ends] == [signal.SIGKILL, 0] * 10, moments
    for folder, end in zip(folders, ends[1::2], strict=True):
        assert_equal_trainings(tmp_path / "whole", whole["result"], folder, end["result"])
