"""Training on a project from the command line: what it says, keeps, refuses and goes on from."""

import io
import json
import os
import signal

import pytest
from django.core.management import CommandError, call_command

from annotation.models import AuditEntry
from modeling import engines, weights
from modeling.forms import find_option_problem
from modeling.management.commands import train as command_module
from modeling.training import memory, recipe_changes, trainings
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.models, pytest.mark.xdist_group("models")]


@pytest.fixture
def train(project, plain_model):
    """train(words…): what the command prints on standard output."""

    def train(*words, name="ours"):
        out = io.StringIO()
        given = ["--system", "disambig-first", "--role", "ambiguity", "--name", name]
        given += ["--from", str(plain_model("plain-bert")), "--device", "cpu"]
        given += ["--set", "batch=8", "--set", "tokens_in=60", "--max-steps", "6"]
        call_command("train", "crossings", *given, *words, stdout=out, stderr=io.StringIO())
        return out.getvalue()

    return train


def run_trained(*words):
    out, err = io.StringIO(), io.StringIO()
    call_command("trained", *words, stdout=out, stderr=err)
    return out.getvalue() + err.getvalue()


def test_it_trains_publishes_and_says_how_to_use_it(train, settings):
    said = train()
    assert "trained:ours, from 20 examples: step" in said
    assert "majority 0.5" in said
    assert "untrained" in said
    assert "Use it: --option ambiguity=trained:ours" in said
    folder = settings.AMBIT_DATA / "models" / "trained" / "ours"
    facts = json.loads((folder / "training.json").read_text())
    assert facts["data"]["project"] == "crossings"
    assert facts["data"]["questions"] == 20
    assert facts["system"] == "disambig-first"
    assert facts["dev"]["n"] == 20
    own = weights.get_weights("ambiguity", "trained:ours")
    likelihoods = engines.load_classifier(own).predict_likelihoods(["When was bridge 1 built?"])
    assert 0 <= likelihoods[0] <= 1
    entry = AuditEntry.objects.get(action="weights_trained")
    assert (entry.data["name"], entry.data["examples"]) == ("ours", 20)


def test_a_run_that_was_told_to_stop_goes_on_and_ends_alike(train, monkeypatch, settings):
    class TellsToStop(command_module.ProgressBar):
        def __call__(self, done, total, note=""):
            if done == 3:
                os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(command_module, "ProgressBar", TellsToStop)
        with pytest.raises(CommandError, match="Stopped after step 3") as stopped:
            train()
    assert stopped.value.returncode == 130
    assert not weights.list_trained()
    before = signal.getsignal(signal.SIGTERM)
    train()
    train(name="whole")
    assert signal.getsignal(signal.SIGTERM) == before
    folder = settings.AMBIT_DATA / "models" / "trained"
    tensors = [(folder / name / "model.safetensors").read_bytes() for name in ("ours", "whole")]
    assert tensors[0] == tensors[1]


def test_several_seeds_give_mean_and_range(train):
    said = json.loads(train("--seeds", "3,4", "--json"))
    assert [one["name"] for one in said] == ["ours-3", "ours-4"]
    assert [one["seed"] for one in said] == [3, 4]
    assert said[0]["left_out"] == {}
    assert {"right classes", "majority", "untrained"} <= set(said[0]["figures"])
    assert "right classes over 2 seeds: " in train("--seeds", "5,6")


def test_a_dry_run_says_what_it_takes_and_keeps_nothing(train, settings, project):
    said = train("--dry-run")
    assert "ours: 20 examples of 20 questions to learn from; 20 questions of dev choose" in said
    assert "No question is left out. 6 steps at most on a processor, about" in said
    assert "GB are free, where models of up to" in said
    project.questions.filter(pk=project.questions.filter(split="train").first().pk).update(
        state="excluded"
    )
    assert "Left out: 1 excluded by the team." in train("--dry-run", "--max-steps", "1")
    found = json.loads(train("--dry-run", "--json", "--max-steps", "1"))
    assert found["left_out"] == {"excluded": 1}
    assert (found["steps"], found["examples"], found["seconds"]) == (1, 19, None)
    assert found["bytes"] < found["free"]
    assert not weights.list_trained()
    assert not (settings.AMBIT_DATA / "training").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--set", "batch=0"), "“batch=0”: write a whole number from 1 to"),
        (("--set", "learning_rate=x"), "write a number from"),
        (("--set", "depth=3"), "A recipe has no number “depth”"),
        (("--set", "without=prompt"), "Only question disambiguation .qd. is trained without"),
        (("--also", "nq"), "write it as PROJECT:N"),
        (("--also", "nq:1"), "There is no other project “nq” whose data you may train on"),
        (("--also", "crossings:1"), "is the project itself"),
        (("--also", "nq:0"), "read its examples 1 to 10 times"),
        (("--seeds", "0,x"), "write whole numbers, such as 0,1,2"),
        (("--name", "Ours!"), "is no name of trained weights"),
        (("--from", "facebook/bart-large"), "is not on this machine"),
        (("--option", "top=3"), ""),
        (("--role", "fid"), "has no part “fid”"),
        (("--system", "span-seq-gen", "--role", "span-seq-gen"), "index|live wiki"),
    ],
)
def test_it_refuses_with_a_sentence_before_it_trains(train, words, sentence, settings):
    if words[0] == "--option":  # this role searches nothing, so no option of a search has an effect
        with pytest.raises(CommandError, match="searches no passages"):
            train(*words)
        return
    with pytest.raises(CommandError, match=sentence) as refused:
        train(*words)
    assert refused.value.returncode == 2
    assert not (settings.AMBIT_DATA / "training").exists()


def test_a_name_is_given_once(train):
    train()
    with pytest.raises(CommandError, match="There are weights trained:ours already"):
        train()


def test_a_model_that_has_no_room_is_refused_before_it_is_read(train, monkeypatch):
    monkeypatch.setattr(memory, "find_free_bytes", lambda device: 1_000)
    with pytest.raises(CommandError, match=r"0\.0 GB are free here\. Begin") as refused:
        train()
    assert refused.value.returncode == 2


def test_numbers_of_a_model_are_counted_without_reading_them(plain_model):
    import torch
    import transformers

    folder = plain_model("plain-bert")
    own = weights.Weights("ambiguity", "x", folder, "0" * 12)
    model = transformers.AutoModel.from_pretrained(folder)
    assert memory.count_numbers(own) >= sum(each.numel() for each in model.parameters())
    assert memory.find_free_bytes("cpu") > 1_000_000
    assert torch.float32.itemsize * 4 == memory.BYTES


def test_few_questions_of_dev_choose_no_checkpoint(train, project):
    project.questions.filter(split="dev").first().delete()
    with pytest.raises(CommandError, match="dev has 19 questions, fewer than 20") as refused:
        train()
    assert refused.value.returncode == 2
    assert "dev: not used" in train("--no-dev")


def test_presets_only_make_a_recipe_smaller():
    from modeling.training.recipes import RECIPES

    small = recipe_changes.change_recipe(RECIPES["reranker"], "small", {})
    assert (small.batch, small.epochs) == (8, 2)
    assert recipe_changes.change_recipe(RECIPES["qd"], "paper", {"without": "others"}).without
    with pytest.raises(Exception, match="“without=all”: write prompt or others"):
        recipe_changes.change_recipe(RECIPES["qd"], "paper", {"without": "all"})
    with pytest.raises(Exception, match="“without=answers” writes nothing, so there is nothing to"):
        recipe_changes.change_recipe(RECIPES["qd"], "paper", {"without": "answers"})
    with pytest.raises(Exception, match="There is no preset “big”"):
        recipe_changes.change_recipe(RECIPES["reranker"], "big", {})


def test_trained_weights_are_listed_shown_and_deleted(train, settings):
    assert "No weights were trained here yet" in run_trained("list")
    train()
    listed = run_trained("list")
    assert "trained:ours: ambiguity, from" in listed
    assert "20 examples of crossings; dev: " in listed
    assert json.loads(run_trained("list", "--json"))[0]["key"] == "ours"
    assert run_trained("card", "ours").startswith("---\n")
    assert json.loads(run_trained("card", "trained:ours", "--json"))["role"] == "ambiguity"
    assert (settings.AMBIT_DATA / "training" / "ours" / "examples.jsonl").is_file()
    run_trained("delete", "ours")
    assert not weights.list_trained()
    assert not (settings.AMBIT_DATA / "training" / "ours").exists()
    for words in (("card", "ours"), ("delete", "../data")):
        with pytest.raises(CommandError) as refused:
            run_trained(*words)
        assert refused.value.returncode == 2


def test_the_page_takes_trained_weights_and_no_others():
    assert find_option_problem({"ambiguity": "trained:ours", "model": "trained:a"}, ()) == ""
    assert "cannot be set here" in find_option_problem({"ambiguity": "/etc"}, ())
    assert find_option_problem({"of": "fid, span-seq-gen@trained:ours", "vote": "most"}, ()) == ""
    assert "cannot be set here" in find_option_problem({"of": "fid,span-seq-gen@/etc"}, ())
    assert "cannot be set here" in find_option_problem({"of": "fid@ours,pig@trained:a"}, ())


def test_options_that_use_the_weights_are_named():
    use = trainings.list_use_options
    assert use("span-seq-gen", "span-seq-gen", "a") == "--option model=trained:a"
    assert use("span-seq-gen-qd", "qd", "a") == "--option qd=trained:a"
    assert use("dense", "encoder", "a") == "--option encoder=trained:a"
    assert use("bm25", "reranker", "a") == "AMBIT_MODELS=reranker=trained:a"


def test_a_part_is_trained_on_as_much_as_its_baseline_reads_and_writes(project):
    from modeling.training.building import ExampleBuilder, ExampleChoice, find_part

    assert [find_part(f"t5-open-{n}").tokens_in for n in (1, 3, 5)] == [512, 1024, 2048]
    lists = factories.make_project(protocol="qampari")
    written = [
        ExampleBuilder(each, ExampleChoice(system="t5-closed")).recipe.tokens_out
        for each in (project, lists)
    ]
    assert written == [256, 512]
