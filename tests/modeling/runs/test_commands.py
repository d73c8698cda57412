"""manage.py predict and suggest."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import AuditEntry, Suggestion
from evaluation.models import Output

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
