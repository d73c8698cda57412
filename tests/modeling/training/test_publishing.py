"""What is published is a model like any other, under a name that stays what it is."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotation.core.refusals import Conflict
from modeling import weights
from modeling.base import BadOption, MissingModel
from modeling.training import card, provenance, publishing, runs
from tests.modeling.training import learning

pytestmark = [pytest.mark.models, pytest.mark.xdist_group("models")]

ROOT = Path(__file__).resolve().parents[3]
# What a folder of published weights has, whatever it was trained for.
FILES = {
    "README.md", "config.json", "curve.jsonl", "model.safetensors", "tokenizer.json",
    "tokenizer_config.json", "training.json",
}  # fmt: skip


def files_of(name):
    folder = weights.trained_folder(name.removeprefix("trained:"))
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_published_folder_has_what_a_model_needs_and_no_state_of_its_training(trained):
    name, _ = trained("ambiguity")
    assert files_of(name) == FILES
    name, _ = trained("encoder")
    pooling = {"1_Pooling/config.json", "modules.json", "sentence_bert_config.json"}
    assert files_of(name) == FILES | pooling


@pytest.mark.parametrize(
    ("role", "kind"),
    [("t5-closed", "AutoModelForSeq2SeqLM"), ("ambiguity", "AutoModelForSequenceClassification")],
)
def test_it_loads_where_there_is_no_ambit(trained, role, kind, tmp_path):
    name, _ = trained(role)
    folder = weights.get_weights(role, name).folder
    texts = [example.inputs[0] for example in learning.examples_of(role)]
    script = f"""
import json, sys, transformers
model = transformers.{kind}.from_pretrained({str(folder)!r})
read = transformers.AutoTokenizer.from_pretrained({str(folder)!r})
said = []
for text in {texts!r}:
    rows = read(text, return_tensors="pt")
    if {role == "t5-closed"}:
        out = model.generate(**rows, max_new_tokens=80)
        said.append(read.decode(out[0], skip_special_tokens=True))
    else:
        said.append(int(model(**rows).logits.argmax()))
assert "modeling" not in sys.modules and "django" not in sys.modules
print(json.dumps(said))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    every = range(len(learning.FACTS))
    wanted = {
        "t5-closed": [learning.long_answer(number) for number in every],
        "ambiguity": [int(number in learning.AMBIGUOUS) for number in every],
    }[role]
    assert json.loads(done.stdout) == wanted


def test_settings_of_another_task_are_not_published(trained):
    name, _ = trained("span-seq-gen")
    folder = weights.get_weights("span-seq-gen", name).folder
    settings = json.loads((folder / "generation_config.json").read_text())
    assert "min_length" not in settings
    assert settings["eos_token_id"] is not None
    assert "min_length" not in json.loads((folder / "config.json").read_text())


def test_a_name_is_published_once(trained, data_folder):
    name, _ = trained("ambiguity")
    before = weights.get_weights("ambiguity", name).version
    with pytest.raises(Conflict, match="There are weights trained:ambiguity already"):
        publishing.publish_model(data_folder / "runs" / "ambiguity", "ambiguity")
    assert weights.get_weights("ambiguity", name).version == before
    trained_here = weights.trained_folder("ambiguity").parent
    assert not list(trained_here.glob(".*"))


def test_equal_weights_have_one_version_whatever_was_said_of_them(trained, data_folder):
    trained("ambiguity")
    facts = {"base": {"licence": "mit"}, "data": {"project": "bridges"}, "retrieval": {"top": 20}}
    folder = publishing.publish_model(data_folder / "runs" / "ambiguity", "told-of", facts)
    told, untold = (
        weights.get_weights("ambiguity", f"trained:{key}") for key in ("told-of", "ambiguity")
    )
    assert told.version == untold.version
    said = json.loads((folder / "training.json").read_text())
    assert (said["base"]["licence"], said["data"]["project"]) == ("mit", "bridges")
    assert said["data"]["examples"] == 8
    import huggingface_hub

    loaded = huggingface_hub.ModelCard.load(folder / "README.md")
    assert (loaded.data.license, loaded.data.pipeline_tag) == ("mit", "text-classification")
    scored = "right classes 1 (95 % interval 0.6756 to 1), over 8 questions"
    for sentence in (scored, "The licence of the base is mit.", "| project | bridges |"):
        assert sentence in loaded.text
    assert said["dev_intervals"] == {"right classes": [pytest.approx(0.67559, abs=1e-5), 1]}
    for sentence in ("| top | 20 |", f"| commit | {said['commit']} |"):
        assert sentence in loaded.text
    for fact in (said["data"]["digest"], "transformers", "Seed 0, 80 steps", "None was left out."):
        assert fact in loaded.text


def test_a_card_says_what_was_left_out_and_where_nothing_was_scored():
    facts = {
        "key": "k", "role": "qd", "base": {"name": "facebook/bart-large", "version": "1"},
        "recipe": {"learns": "write"}, "packages": {}, "seed": 0, "steps": 6, "best_step": 6,
        "seconds": 1, "device": "a processor", "precision": "float32", "dev": {"n": 0},
        "data": {"examples": 1_234, "digest": "d", "left_out": {"too_long": 2, "no_answer": 1}},
    }  # fmt: skip
    text = card.build_card(facts)
    assert "base_model: facebook/bart-large" in text
    assert "Left out, by reason: no answer 1, too long 2." in text
    assert "No dev was used" in text
    assert "The licence of the base is not known here" in text
    assert "commit" not in text


def test_the_licence_is_that_of_the_card_of_the_base(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    card_of_base = tmp_path / "README.md"

    def found(header):
        card_of_base.write_text(f"---\n{header}---\n\nA model.\n")
        return provenance.find_licence("qd", str(tmp_path))

    assert provenance.find_licence("qd", str(tmp_path)) == ""
    assert found("license: apache-2.0\n") == "apache-2.0"
    assert found("license: other\nlicense_name: our-licence\n") == "our-licence"
    assert found("license: other\n") == "other"
    assert found("tags: [a]\n") == ""
    card_of_base.write_text("No header.")
    assert provenance.find_licence("qd", str(tmp_path)) == ""
    assert provenance.find_licence("qd", "facebook/not-here") == ""
    assert provenance.find_licence("encoder", "minilm") == "apache-2.0"


def test_the_commit_is_that_of_a_checkout(tmp_path, settings):
    settings.BASE_DIR = tmp_path
    assert provenance.find_commit() == ""

    def git(*words):
        alone = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        command = ["git", "-c", "user.name=x", "-c", "user.email=x@x", *words]
        done = subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, check=True)
        return done.stdout.decode().strip()

    git("init", "--quiet")
    assert provenance.find_commit() == ""  # it has none yet
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "--quiet", "--message", "first")
    git("tag", "release")
    assert provenance.find_commit() == git("rev-parse", "HEAD")
    (tmp_path / "file").write_text("two")
    assert provenance.find_commit() == git("rev-parse", "HEAD") + "-dirty"


def test_a_training_that_is_not_finished_has_nothing_to_publish(base, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "FEWEST_DEV", 4)
    examples = learning.examples_of("ambiguity")
    runs.train_model(
        tmp_path,
        learning.recipe_of("ambiguity"),
        train=examples,
        dev=examples,
        base=base("ambiguity"),
        seed=0,
        max_steps=6,
        device="cpu",
        stop=lambda: True,
    )
    with pytest.raises(MissingModel, match="This training is not finished"):
        publishing.publish_model(tmp_path, "half")


@pytest.mark.parametrize("key", ["", "../up", "a/b", "Ab", "a_b", "-a", "a" * 61])
def test_what_is_no_key_is_refused(base, key):
    with pytest.raises(BadOption, match="is no name of trained weights"):
        weights.get_weights("qd", f"trained:{key}")


def test_trained_weights_that_are_not_here_are_named(trained):
    trained("ambiguity")
    with pytest.raises(MissingModel, match=r"no trained weights trained:none .*trained:ambiguity"):
        weights.get_weights("qd", "trained:none")


def test_publishing_and_asking_for_a_training_load_no_model_library():
    code = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'config.settings';"
        "django.setup();"
        "from modeling.training import card, publishing, runs; print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "modeling.training.runs" in loaded
    assert not {"torch", "transformers", "accelerate"} & set(loaded)
