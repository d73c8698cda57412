"""manage.py predict."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotation.models import AuditEntry
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
