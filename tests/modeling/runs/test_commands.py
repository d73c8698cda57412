"""manage.py predict and suggest."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import AuditEntry, Suggestion
from evaluation.models import Output
from modeling import registry
from modeling.registry import BaselineEntry
from modeling.vectors.building import build_vectors
from tests.modeling import wordvectors

pytestmark = pytest.mark.django_db


def test_predict_stores_names_and_counts(project, tiny, questions, capsys):
    arguments = [project.slug, "--system", "tiny", "--split", "dev", "--option", "fails=q2"]
    call_command("predict", *arguments)
    printed = capsys.readouterr()
    assert ": 4 new, 0 changed, 0 unchanged, 0 kept because a study uses them, 1 without" in (
        printed.out
    )
    assert "q2: The reply is too long." in printed.err
    entry = AuditEntry.objects.get(action="baseline_run")
    assert (entry.actor, entry.data["created"], entry.data["split"]) == (None, 4, "dev")

    call_command("predict", *arguments, "--missing", "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["system"], report["created"], report["rejected"]) == ("tiny", 0, 1)
    assert report["errors"] == [{"name": "q2", "reason": "The reply is too long."}]
    assert Output.objects.count() == 4


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["--system", "none", "--split", "dev"], 2, "There is no baseline “none”"),
        (["--system", "tiny", "--split", "dev", "--option", "broken=1"], 2, "pip install tiny"),
        (["--system", "tiny", "--split", "dev", "--option", "broken"], 2, "NAME=VALUE"),
        (["--system", "tiny", "--split", "train"], 2, "There is no question on train."),
        (["--system", "searcher", "--split", "dev"], 2, "gives no answers"),
        (
            ["--system", "tiny", "--split", "dev", "--option", "stops=q4"],
            1,
            "Stopped after 3 questions: The endpoint is silent. What was stored is kept.",
        ),
    ],
)
def test_what_cannot_be_done_has_a_sentence_and_a_status(
    project, tiny, questions, arguments, status, sentence
):
    with pytest.raises(CommandError, match=sentence) as refusal:
        call_command("predict", project.slug, *arguments)
    assert refusal.value.returncode == status


def test_suggest_stores_suggestions_once(project, tiny, questions, capsys):
    call_command("suggest", project.slug, "--system", "tiny", "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["system"], report["version"], report["created"]) == ("Tiny", "1", 6)
    rows = Suggestion.objects.filter(question=questions[0]).order_by("position")
    assert [row.kind for row in rows] == ["pair", "passage", "long_answer"]
    pair = rows[0].content
    assert pair["answers"] == ["1843", "in 1843"]
    assert (pair["title"], pair["path"]) == ("Thames Tunnel", "Thames_Tunnel")
    count = Suggestion.objects.count()

    call_command("suggest", project.slug, "--system", "tiny")
    assert "new suggestions for 0 questions" in capsys.readouterr().out
    assert Suggestion.objects.count() == count
    call_command("suggest", project.slug, "--system", "searcher", "--split", "test")
    assert Suggestion.objects.filter(system="Searcher").count() == 3


def test_predict_writes_the_passages_that_score_retrieval_reads(
    project, questions, settings, tmp_path, monkeypatch, capsys
):
    settings.AMBIT_DATA = tmp_path / "data"
    passages = [
        ("1", "Tunnel 1", "When tunnel 1 did open, it was 1843."),
        ("2", "Tunnel 1", "Tunnel 1 did open to trains in 1869."),
        ("3", "Bridge", "It opened in 1894."),
    ]
    wordvectors.corpus(tmp_path, passages, name=project.snapshot.name)
    wordvectors.install(monkeypatch)
    build_vectors(project.snapshot.name, "minilm")
    file, gold = tmp_path / "passages.jsonl", tmp_path / "gold.json"
    arguments = [project.slug, "--system", "dense", "--split", "dev", "--option", "top=2"]
    call_command("predict", *arguments, "--retrieved", str(file))
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["qid"] for line in lines] == ["q1", "q2", "q3", "q4", "q5"]
    assert [sorted(one) for one in lines[0]["ctxs"]] == [["id", "score", "text", "title"]] * 2

    first, second = (line["ctxs"][0] for line in lines[:2])
    other = [text for name, _, text in passages if name not in {p["id"] for p in lines[0]["ctxs"]}]
    years = {text: text.split()[-1].strip(".") for _, _, text in passages}
    gold.write_text(
        json.dumps(
            [
                {
                    "qid": "q1",
                    "answers": [[years[first["text"]]], [years[other[0]]]],
                    "positive_ctxs": [{"title": first["title"], "text": first["text"]}],
                },
                {
                    "qid": "q2",
                    "answers": [[years[second["text"]]]],
                    "positive_ctxs": [{"title": "Ferry", "text": "It sank long before this."}],
                },
            ]
        )
    )
    capsys.readouterr()
    call_command(
        "score", "retrieval", references=gold, predictions=file, json=True, depths=(1, 2),
        extra="ignore",
    )  # fmt: skip
    scores = json.loads(capsys.readouterr().out)
    assert scores["arecall"] == {"1": 0.75, "2": 0.75}
    assert scores["erecall"] == {"1": 0.5, "2": 0.5}
    assert scores["n"] == 2
    assert Output.objects.get(question=questions[0]).text == first["text"]


@pytest.mark.parametrize(
    ("system", "file", "sentence"),
    [
        ("tiny", "missing/x.jsonl", "cannot be written: No such file or directory"),
        ("tiny", ".", "cannot be written: Is a directory"),
        ("blind", "x.jsonl", "“Blind” reads no passages"),
    ],
)
def test_passages_that_cannot_be_written(
    project, tiny, questions, tmp_path, system, file, sentence
):
    registry.register(BaselineEntry("blind", "Blind", "tests.modeling.runs.tiny:Blind"))
    arguments = ["--system", system, "--split", "dev", "--retrieved", str(tmp_path / file)]
    with pytest.raises(CommandError, match=sentence) as refusal:
        call_command("predict", project.slug, *arguments)
    assert refusal.value.returncode == 2
    assert not Output.objects.exists()


def test_what_was_answered_before_the_model_stopped_is_in_the_file(
    project, tiny, questions, tmp_path
):
    file = tmp_path / "x.jsonl"
    arguments = ["--system", "tiny", "--split", "dev", "--option", "fails=q2"]
    with pytest.raises(CommandError):
        call_command(
            "predict", project.slug, *arguments, "--option", "stops=q4", "--retrieved", str(file)
        )
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(line["qid"], len(line["ctxs"])) for line in lines] == [("q1", 1), ("q2", 0), ("q3", 1)]
