"""Baselines with weights, from a question to what is stored, through a job."""

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Suggestion
from evaluation.models import Output
from modeling import registry
from modeling.services import running
from modeling.services.running import Choice
from tests import factories
from tests.annotation.long_answers.helpers import TUNNEL
from tests.modeling import corpora

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("models")]

# What is stored of each: kinds of suggestions besides passages, which all that search have.
STORED = {
    "extractive": {"answer"},
    "thresholding": {"answer"},
    "thresholding-qd": {"pair"},
    "span-seq-gen": {"answer"},
    "span-seq-gen-qd": {"pair"},
    "disambig-first": {"pair"},
    "ensemble": {"answer"},
    "ensemble-qd": {"pair"},
    "t5-closed": {"long_answer"},
    "t5-open-1": {"long_answer"},
    "t5-open-3": {"long_answer"},
    "t5-open-5": {"long_answer"},
    "oracle": {"long_answer"},
    "fid": {"answer"},
    "pig": {"answer"},
}
OPTIONS = {
    "ensemble": {"of": "span-seq-gen,fid,thresholding"},
    "ensemble-qd": {"of": "span-seq-gen,pig"},
    # What a reader with random weights thinks of its spans is next to nothing.
    "thresholding": {"threshold": "0.001"},
    "thresholding-qd": {"threshold": "0.001"},
}


# How many passages each reads (S49), as its run says it where nobody chose another number.
READS = {
    **dict.fromkeys(("extractive", "thresholding", "thresholding-qd", "disambig-first"), "100"),
    **dict.fromkeys(("span-seq-gen", "span-seq-gen-qd"), "20"),
    **{"t5-open-1": "1", "t5-open-3": "3", "t5-open-5": "5", "fid": "50", "pig": "200"},
}


@pytest.fixture
def questions(project, monkeypatch):
    """Two questions on dev, with references, and a corpus for them."""
    monkeypatch.setattr("modeling.corpus.corpus_of", lambda snapshot: corpora.Corpus())
    texts = ("when did the thames tunnel open", "when did tower bridge open")
    return [
        factories.make_question(project, text=text, external_id=f"q{n}", context=TUNNEL)
        for n, text in enumerate(texts)
    ]


def test_every_baseline_with_weights_is_here():
    modules = {
        f"modeling.baselines.{name}" for name in ("bart", "ensemble", "lists", "spans", "t5")
    }
    keys = {row.key for row in registry.list_baselines() if row.path.partition(":")[0] in modules}
    assert keys == set(STORED)


@pytest.mark.parametrize("key", STORED)
def test_a_question_becomes_an_output_and_suggestions(
    key, project, questions, rosa, now, run, woken, tiny_weights, warnings_of_transformers
):
    choice = Choice(key, "dev", OPTIONS.get(key, {}))
    job = run(running.start_prediction_job(project=project, choice=choice, by=rosa, now=now))
    assert (job.state, job.problem, job.result["errors"]) == ("done", "", [])
    assert job.result["created"] == 2
    outputs = list(Output.objects.select_related("system").order_by("question"))
    assert [row.question_id for row in outputs] == [row.pk for row in questions]
    assert all(row.text.strip() for row in outputs)
    assert outputs[0].system.kind == "model"
    assert outputs[0].system.options.get("passages") == READS.get(key)
    family = "t5-open" if key.startswith("t5-open") else None
    assert outputs[0].system.options.get("family") == family
    assert warnings_of_transformers == []

    job = run(running.start_suggestion_job(project=project, choice=choice, by=rosa, now=now))
    if key == "oracle":  # suggestions are made without the references
        assert (job.result["created"], Suggestion.objects.count()) == (0, 0)
        return
    assert (job.state, job.problem, job.result["created"]) == ("done", "", 2)
    for question in questions:
        rows = Suggestion.objects.filter(question=question)
        kinds = set(rows.values_list("kind", flat=True))
        assert kinds - {"passage"} == STORED[key]
        assert set(rows.values_list("version", flat=True)) == {outputs[0].system.version}


def test_the_command_names_the_weights(project, questions, talkative, tiny_weights, capsys):
    arguments = ["predict", project.slug, "--system", "t5-closed", "--split", "dev"]
    call_command(*arguments, "--option", f"model={talkative['t5']}")
    assert "2 new" in capsys.readouterr().out
    with pytest.raises(CommandError, match="There is no model in /nowhere, which is") as refusal:
        call_command(*arguments, "--option", "model=/nowhere")
    assert refusal.value.returncode == 2
    assert Output.objects.count() == 2
