"""Memory that runs out in a step: fewer examples at once, and the same training."""

import hashlib
import json
from dataclasses import replace

import pytest

from annotation.core.refusals import Conflict
from modeling.training import publishing, runs, starting
from tests.modeling.training import learning

pytestmark = [pytest.mark.models, pytest.mark.xdist_group("models")]


@pytest.fixture
def train(base, tmp_path, monkeypatch):
    """Train for twelve steps of a batch of 6; `short` says in which calls of the loss memory ends.

    It is given how many calls there were before, and how many examples are in memory together.
    """
    monkeypatch.setattr(runs, "FEWEST_DEV", 4)
    start = starting.start_model

    def run(name, short=lambda before, examples: False, role="ambiguity", **changes):
        import torch

        calls = []

        def short_of_memory(*args):
            made = start(*args)

            def loss(model, batch):
                calls.append(None)
                if short(len(calls) - 1, len(batch["input_ids"]) if "input_ids" in batch else 6):
                    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB.")
                return made.loss(model, batch)

            return replace(made, loss=loss)

        monkeypatch.setattr(starting, "start_model", short_of_memory)
        recipe = learning.recipe_of(role, batch=6)
        given = {"seed": 0, "max_steps": 12, "looks": 4, "device": "cpu", "at_once": None}
        return runs.train_model(
            tmp_path / name,
            recipe,
            train=learning.examples_of(role),
            dev=learning.examples_of(role),
            base=base(role),
            **(given | changes),
        )

    return run


def weights_of(result):
    path = result.folder / f"checkpoint-{result.steps}" / "model.safetensors"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def curve_of(result):
    return (result.folder / "curve.jsonl").read_text()


def test_in_the_first_steps_it_begins_again_as_if_asked_for_less(train, caplog):
    """Six at once, then three, then one: where memory holds two, three are too many."""
    halved = train("short", lambda before, examples: examples > 2)
    asked = train("asked", at_once=1)
    assert json.loads((halved.folder / "at_once.json").read_text()) == {"at_once": 1, "step": 1}
    assert weights_of(halved) == weights_of(asked)
    assert curve_of(halved) == curve_of(asked)
    assert halved.figures == asked.figures
    said = [record.getMessage() for record in caplog.records if "Memory ran out" in record.message]
    assert said == [
        "short: Memory ran out in step 1 with 6 examples at once. From the last checkpoint on "
        "3 are.",
        "short: Memory ran out in step 1 with 3 examples at once. From the last checkpoint on "
        "1 are.",
    ]
    facts = publishing.training_facts(halved.folder, halved)
    assert (facts["settings"]["at_once"], facts["settings"]["max_steps"]) == (1, 12)


def test_later_it_goes_on_from_the_last_checkpoint(train):
    """Memory ends once, in the ninth step; the first eight are not taken again."""
    taken = []
    result = train(
        "short",
        lambda before, examples: before == 8,
        report=lambda done, total: taken.append(done),
    )
    assert taken == list(range(1, 13))
    assert json.loads((result.folder / "at_once.json").read_text()) == {"at_once": 3, "step": 9}
    whole = train("whole")
    assert result.figures.keys() == whole.figures.keys()
    rows = [list(map(json.loads, curve_of(one).splitlines())) for one in (result, whole)]
    for own, other in zip(*rows, strict=True):
        assert own["step"] == other["step"]
        if "grad_norm" in own:  # equal but for the order of sums
            assert own["grad_norm"] == pytest.approx(other["grad_norm"], rel=1e-4)
    assert rows[0][:8] == rows[1][:8]


def test_whoever_goes_on_after_a_kill_has_as_few_at_once(train):
    class Killed(Exception):
        pass

    def killed(done, total):
        if done == 10:
            raise Killed

    with pytest.raises(Killed):
        train("killed", lambda before, examples: before == 8, report=killed)
    after = train("killed")
    whole = train("whole", lambda before, examples: before == 8)
    assert weights_of(after) == weights_of(whole)
    assert curve_of(after) == curve_of(whole)


def test_the_batch_of_an_encoder_is_not_divided(train):
    sentence = r"step 1 with 6 examples at once\. An encoder .* smaller batch \(batch=3\)"
    with pytest.raises(Conflict, match=sentence):
        train("short", lambda before, examples: True, role="encoder")


def test_with_one_example_at_once_there_are_ways_out(train):
    sentence = r"with one example at once\. Begin with a smaller model, learn adapters alone"
    with pytest.raises(Conflict, match=sentence):
        train("short", lambda before, examples: True)


def test_other_errors_are_no_lack_of_memory(train):
    import torch

    from modeling.training.shrinking import is_out_of_memory

    assert is_out_of_memory(torch.OutOfMemoryError("any words"))
    assert is_out_of_memory(RuntimeError("[enforce] DefaultCPUAllocator: can't allocate memory: 9"))
    assert not is_out_of_memory(RuntimeError("mat1 and mat2 shapes cannot be multiplied"))
