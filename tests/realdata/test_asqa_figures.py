"""The figures of the paper on the released dev set."""

import io
import json

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotation.imports.services import import_questions
from tests.annotation.long_answers import helpers

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]


def test_the_dev_set(realdata, monkeypatch):
    monkeypatch.setenv("NLTK_DATA", str(realdata / "nltk_data"))
    path = realdata / "asqa/ASQA.dev.json"
    if not path.exists():
        pytest.skip(f"{path} is missing")
    project = helpers.make_project()
    with path.open("rb") as file:
        import_questions(
            project=project,
            file=file,
            format="asqa",
            split=None,
            finished=True,
            by=None,
            now=timezone.now(),
        )
    out = io.StringIO()
    call_command("agreement", project.slug, "--json", stdout=out)
    found = json.loads(out.getvalue())
    rouge, words = found["agreement.rouge_lsum"], found["answers.words"]
    print(  # noqa: T201
        f"\nASQA dev: {found['counts.dev.questions']['value']} questions, "
        f"{found['counts.dev.annotations']['value']:,} long answers, {words['value']:.1f} words; "
        f"ROUGE-L of two annotators {100 * rouge['value']:.2f} "
        f"({100 * rouge['low']:.2f} to {100 * rouge['high']:.2f}, n {rouge['n']}; paper 49.6)."
    )
    assert found["counts.dev.questions"]["value"] == 948
    assert found["counts.dev.annotations"]["value"] == 1_896
    assert found["counts.train.questions"]["value"] == 0
    assert round(words["value"], 1) == 64.8
    assert (rouge["n"], words["n"]) == (948, 1_896)
    assert 100 * rouge["value"] == pytest.approx(49.44, abs=0.01)
    assert rouge["low"] < 0.496 < rouge["high"]
    assert found["answers.knowledge"]["value"] == pytest.approx(3_002 / 1_896)
