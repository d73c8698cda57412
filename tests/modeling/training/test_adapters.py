"""Adapters are learnt in place of a model; what is published has them added in."""

import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command

from modeling import engines, weights
from modeling.base import BadOption, MissingModel
from modeling.engines.base import Limits
from modeling.registry import build_baseline
from modeling.training import adapters, memory, publishing, recipe_changes, runs
from modeling.training.recipes import RECIPES
from tests.modeling.training import learning

pytestmark = [pytest.mark.models, pytest.mark.xdist_group("models")]

ROOT = Path(__file__).resolve().parents[3]
ROLES = ("t5-closed", "ambiguity", "span-seq-gen", "reranker", "encoder", "reader")
HEADS = {"ambiguity": "classifier", "reranker": "classifier", "reader": "qa_outputs"}


@pytest.fixture
def adapted(base, data_folder, monkeypatch):
    """From a role to the result of a few steps with adapters, published under `lora-ROLE`."""
    engines.unload_engines()
    monkeypatch.setattr(runs, "FEWEST_DEV", 4)

    def wanted(role, begin=None, rate=3e-2):
        key = f"lora-{role}" if begin is None else f"lora-learnt-{role}"
        folder = data_folder / "runs" / key
        examples = learning.examples_of(role)
        if begin is not None:  # it knows these texts by heart, so each has that of the next
            after = examples[1:] + examples[:1]
            pairs = zip(examples, after, strict=True)
            examples = [replace(one, targets=other.targets) for one, other in pairs]
        result = runs.train_model(
            folder,
            learning.recipe_of(role, adapters=16, learning_rate=rate),
            train=examples,
            dev=examples,
            base=begin or base(role),
            seed=0,
            max_steps=20,
            looks=10,
            device="cpu",
        )
        if not weights.trained_folder(key).exists():
            publishing.publish_model(folder, key)
        return result

    yield wanted
    engines.unload_engines()


def tensors_of(folder):
    from safetensors.numpy import load_file

    return load_file(folder / "model.safetensors")


@pytest.mark.parametrize("role", ROLES)
def test_only_what_has_adapters_or_is_new_is_changed(adapted, base, role):
    before = tensors_of(base(role).folder)
    result = adapted(role)
    after = tensors_of(weights.trained_folder(f"lora-{role}"))
    inner = "bert." if role in HEADS else ""  # a model with a head names the rest of it
    before = {f"{inner}{name}": own for name, own in before.items()}
    changed = {name for name, own in after.items() if is_learnt(own, before.get(name))}
    targets = adapters.find_targets(base(role))
    with_adapters = {name for name in changed if name.removesuffix(".weight").endswith(targets)}
    assert with_adapters
    head = {f"{HEADS[role]}.{kind}" for kind in ("weight", "bias")} if role in HEADS else set()
    assert changed - with_adapters == head
    assert (result.checkpoint.name, result.finished) == ("merged", True)


def is_learnt(own, before):
    return before is None or own.shape != before.shape or not (own == before).all()


def test_the_row_of_a_new_token_is_learnt_whole(base, tmp_path, monkeypatch):
    """A base that does not know the separator: its other rows stay."""
    import transformers

    from modeling.training.starting import start_model

    monkeypatch.setattr("modeling.training.starting.SEPARATOR", "[NEW]")
    recipe = learning.recipe_of("span-seq-gen", adapters=4)
    start = start_model(recipe, base("span-seq-gen"), learning.examples_of("qd"), tmp_path, 0)

    for name, own in start.model.named_parameters():
        if own.requires_grad:
            own.data += 1.0
            assert "lora" in name or own.shape == (1, 64), name
    (tmp_path / "checkpoint").mkdir()
    adapters.save_learnt(start.model, tmp_path / "checkpoint")
    own = "model.shared.token_adapter.base_layer.weight"
    before = start.model.get_parameter(own).detach().clone()
    adapters.merge_adapters(start.adapters, tmp_path / "checkpoint", tmp_path / "merged")
    after = transformers.AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "merged")
    table = after.get_input_embeddings().weight
    rows = range(len(table))
    assert [row for row in rows if is_learnt(table[row], before[row])] == [rows[-1]]
    assert (after.lm_head.weight == table).all()


def test_merged_weights_write_the_same_where_there_is_no_ambit(adapted, trained, tmp_path):
    """From a model that has learnt the questions by heart, whose texts adapters change."""
    name, _ = trained("t5-closed")
    begin = weights.get_weights("t5-closed", name)
    result = adapted("t5-closed", begin)
    folder = weights.trained_folder("lora-learnt-t5-closed")
    assert not [path.name for path in folder.iterdir() if "adapter" in path.name]
    assert {"model.safetensors", "config.json"} <= {path.name for path in folder.iterdir()}
    texts = [example.inputs[0] for example in learning.examples_of("t5-closed")]
    script = f"""
import json, sys, transformers
model = transformers.AutoModelForSeq2SeqLM.from_pretrained({str(folder)!r})
read = transformers.AutoTokenizer.from_pretrained({str(folder)!r})
said = []
for text in {texts!r}:
    out = model.generate(**read(text, return_tensors="pt"), max_new_tokens=60)
    said.append(read.decode(out[0], skip_special_tokens=True))
assert not {{"modeling", "django"}} & set(sys.modules)
print(json.dumps(said))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    live = live_texts(result, begin, tmp_path, texts)
    assert said == live
    assert said != [learning.long_answer(number) for number in range(len(learning.FACTS))]


def live_texts(result, begin, folder, texts):
    """Return what the model writes with its adapters beside it, as during the training."""
    from modeling.engines import reference
    from modeling.training.starting import start_model

    recipe = learning.recipe_of("t5-closed", adapters=16)
    start = start_model(recipe, begin, learning.examples_of("t5-closed"), folder / "live", 0)
    adapters.load_learnt(start.model, result.folder / f"checkpoint-{result.step}")
    start.model.eval()
    engine = reference.generator(start.weights, start.model)
    return [text.text for text in engine.generate(texts, Limits(120, 60, beams=1))]


def test_published_figures_are_those_of_the_merged_weights(adapted, trained):
    import transformers

    from modeling.engines.tokens import load_pretrained
    from modeling.training.scoring import score_model

    name, _ = trained("t5-closed")
    result = adapted("t5-closed", weights.get_weights("t5-closed", name))
    own = weights.get_weights("t5-closed", "trained:lora-learnt-t5-closed")
    model = load_pretrained(transformers.AutoModelForSeq2SeqLM, own)
    recipe = learning.recipe_of("t5-closed")
    dev = runs.read_examples(result.folder, "dev")
    assert score_model(recipe, own, model, dev) == result.figures


def test_merged_weights_are_converted_at_once(adapted, trained, settings, monkeypatch):
    """In full precision, so that the two differ by nothing but the library that runs them."""
    monkeypatch.setattr("modeling.engines.converting.NUMBERS", "float32")
    name, _ = trained("t5-closed")
    adapted("t5-closed", weights.get_weights("t5-closed", name))
    ours = "trained:lora-learnt-t5-closed"
    asked = [learning.asked(number) for number in range(len(learning.FACTS))]
    before = list(build_baseline("t5-closed", None, {"model": ours}).predict(asked))
    call_command("convert_model", "t5-closed", name=ours, stdout=io.StringIO())
    engines.unload_engines()
    settings.MODELS_ENGINE = "fast"
    fast = build_baseline("t5-closed", None, {"model": ours})
    after = list(fast.predict(asked))
    assert weights.get_weights("t5-closed", ours).fast is not None
    assert [one.long_answer for one in after] == [one.long_answer for one in before]


def test_adapters_of_another_model_are_not_loaded(base, tmp_path):
    from modeling.training.starting import start_model

    examples = learning.examples_of("ambiguity")
    recipe = learning.recipe_of("ambiguity", adapters=4)
    start = start_model(recipe, base("ambiguity"), examples, tmp_path / "start", 0)
    adapters.save_learnt(start.model, tmp_path / "one")
    ranker = learning.recipe_of("encoder", adapters=4)
    other = start_model(ranker, base("encoder"), learning.examples_of("encoder"), tmp_path / "b", 0)
    with pytest.raises(ValueError, match="is of another model"):
        adapters.load_learnt(other.model, tmp_path / "one")


# --- What is refused, and what it takes ---------------------------------------------------------


def test_a_model_whose_parts_are_not_known_is_refused(base, tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    recipe = learning.recipe_of("ambiguity", adapters=4)
    own = replace(base("ambiguity"), folder=tmp_path, name="openai/gpt2")
    with pytest.raises(BadOption, match="openai/gpt2 is a model of the kind “gpt2”, of which it"):
        adapters.check_adapters(recipe, own)
    adapters.check_adapters(replace(recipe, adapters=0), own)


def test_without_peft_only_adapters_are_refused(base, monkeypatch):
    find = adapters.find_spec
    monkeypatch.setattr(adapters, "find_spec", lambda name: None if name == "peft" else find(name))
    recipe = learning.recipe_of("ambiguity", adapters=4)
    with pytest.raises(MissingModel, match=r"peft is not installed here\. Run “make models”"):
        adapters.check_adapters(recipe, base("ambiguity"))
    adapters.check_adapters(replace(recipe, adapters=0), base("ambiguity"))


def test_the_preset_has_the_rank_and_a_higher_rate():
    for own in RECIPES.values():
        made = recipe_changes.change_recipe(own, "lora", {})
        assert made == replace(own, adapters=16, learning_rate=20 * own.learning_rate)
    changed = recipe_changes.change_recipe(RECIPES["qd"], "lora", {"adapters": "4", "batch": "2"})
    assert (changed.adapters, changed.batch) == (4, 2)
    assert recipe_changes.change_recipe(RECIPES["qd"], "lora", {"adapters": "0"}).adapters == 0


def test_memory_is_that_of_the_numbers_that_are_read_and_of_the_few_that_are_learnt(base):
    own = base("t5-closed")
    numbers = memory.count_numbers(own)
    # Two layers of the encoder, and two of the decoder that look at both: six places, each with two
    # matrices of 64 times 64 numbers.
    assert memory.count_adapters(own, 16) == 6 * 2 * 16 * (64 + 64)
    needed = memory.check_room(own, "cpu", learning.recipe_of("t5-closed", adapters=16))
    assert needed == 4 * numbers + 16 * memory.count_adapters(own, 16)
    assert memory.check_room(own, "cpu", learning.recipe_of("t5-closed")) == 16 * numbers


def test_asking_for_adapters_loads_no_model_library():
    code = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'config.settings';"
        "django.setup();"
        "from modeling.training import adapters, libraries, memory, recipe_changes;"
        "print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "modeling.training.adapters" in loaded
    assert not {"torch", "transformers", "accelerate", "peft"} & set(loaded)
