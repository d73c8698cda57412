"""Examples of other projects beside a project's own (Q26)."""

import io
import json
from dataclasses import replace

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.imports.services import import_questions
from annotation.models import AuditEntry, Job
from modeling import weights
from modeling.base import BadOption
from modeling.training import mixing
from modeling.training.building import ExampleChoice
from modeling.training.trainings import ProjectTraining, TrainingChoice
from tests import factories
from tests.validation.release.conftest import ambignq, record, single

pytestmark = [pytest.mark.django_db, pytest.mark.models, pytest.mark.xdist_group("models")]


@pytest.fixture
def other(project):
    """A project with six questions of train; one is dev here, one is excluded there."""
    other = factories.make_project(slug="ferries")
    records = [record(200 + n, single("1894")) for n in range(5)]
    held = record(100, single("1843"))  # the prompt of a question of dev of the project itself
    options = {"format": "ambignq", "split": "train", "finished": True, "by": None}
    import_questions(project=other, file=ambignq(*records, held), **options, now=timezone.now())
    excluded = other.questions.get(external_id="r204")
    other.questions.filter(pk=excluded.pk).update(state="excluded")
    return other


@pytest.fixture
def choice(plain_model):
    return TrainingChoice(
        examples=ExampleChoice(system="disambig-first", role="ambiguity"),
        key="ours",
        base=str(plain_model("plain-bert")),
        changes={"batch": "8", "tokens_in": "60"},
        device="cpu",
        also={"ferries": 3},
    )


def test_examples_of_another_project_are_read_as_often_as_is_said(project, other, choice):
    training = ProjectTraining(project, choice)
    alone = ProjectTraining(project, replace(choice, also={}))
    [ferries] = training.others
    assert [each.id for each in ferries.examples] == ["r200", "r201", "r202", "r203"]
    assert training.train == [*alone.train, *list(ferries.examples) * 3]
    assert training.dev == alone.dev  # of the project itself only
    assert training.steps == 4 * -(-32 // 8)
    assert training.describe_others() == {
        "ferries": "4 questions, 3 in an epoch (left out: 1 also in dev, 1 excluded)"
    }


def test_the_card_the_plan_and_both_logs_have_it(project, other, plain_model, settings):
    out = io.StringIO()
    given = ["--system", "disambig-first", "--role", "ambiguity", "--name", "ours"]
    given += ["--from", str(plain_model("plain-bert")), "--device", "cpu", "--set", "batch=8"]
    given += ["--set", "tokens_in=60", "--max-steps", "2", "--also", "ferries:3"]
    call_command("train", "crossings", *given, "--dry-run", stdout=out, stderr=io.StringIO())
    assert "As well from ferries: 4 questions, 3 in an epoch" in out.getvalue()
    call_command("train", "crossings", *given, stdout=out, stderr=io.StringIO())
    folder = weights.trained_folder("ours")
    facts = json.loads((folder / "training.json").read_text())
    assert facts["data"]["examples"] == 20 + 3 * 4
    assert list(facts["data"]["also"]) == ["ferries"]
    assert "| also | ferries 4 questions, 3 in an epoch" in (folder / "README.md").read_text()
    run = settings.AMBIT_DATA / "training" / "ours"
    lines = [json.loads(line) for line in (run / "examples.jsonl").read_text().splitlines()]
    assert sum(line["id"] == "r200" for line in lines) == 3
    told = {
        entry.project: entry.data["examples"]
        for entry in AuditEntry.objects.filter(action="weights_trained")
    }
    assert told == {project.pk: 20, other.pk: 4}


def test_whoever_trains_is_staff_of_both(project, other, client_as):
    address = reverse("api-trainings", args=["crossings"])
    staff = factories.make_member(project, "researcher")
    body = {"system": "disambig-first", "role": "ambiguity", "name": "ours", "base": "minilm"}

    def ask(also):
        asked = body | {"also": also}
        return client_as(staff).post(address, asked, content_type="application/json")

    sentences = [ask({slug: 1}).json()["name"].replace(slug, "X") for slug in ("ferries", "none")]
    assert sentences[0] == sentences[1]  # nobody learns which projects there are
    factories.make_member(other, "annotator", user=staff)
    assert ask({"ferries": 1}).status_code == 400
    assert ask({"ferries": 99}).status_code == 400
    assert not Job.objects.exists()
    factories.make_member(other, "researcher", user=staff)
    assert ask({"ferries": 2}).status_code == 202
    assert Job.objects.get().options["also"] == {"ferries": 2}


def test_the_page_has_a_field_for_them(project, other, client_as):
    staff, address = (
        factories.make_member(project, "researcher"),
        reverse("train", args=["crossings"]),
    )
    factories.make_member(other, "researcher", user=staff)
    asked = {"part": "disambig-first:ambiguity", "name": "ours", "base": "minilm"}
    asked |= {"preset": "small", "seed": "0", "also": " ferries:2 \n\n"}
    assert client_as(staff).post(address, asked | {"estimate": "1"}).status_code == 302
    estimate = Job.objects.get()
    assert estimate.options["also"] == {"ferries": 2}
    ended = {"state": "done", "result": {"sentences": []}, "ended_at": timezone.now()}
    Job.objects.filter(pk=estimate.pk).update(**ended)
    page = client_as(staff).get(reverse("job-detail", args=["crossings", estimate.pk]))
    assert 'name="also" value="ferries:2&#10;"' in page.content.decode()
    again = client_as(staff).post(address, asked | {"again": "1"}).content.decode()
    assert "ferries:2" in again.partition('name="also"')[2].partition("</textarea>")[0]


def test_what_is_no_choice_of_projects_is_a_sentence(project):
    assert mixing.read_also(["nq:1", "qampari:2"]) == {"nq": 1, "qampari": 2}
    for text in ("nq", ":1", "nq:x", "nq:1000"):
        with pytest.raises(BadOption, match="write it as PROJECT:N"):
            mixing.read_also([text])
    with pytest.raises(BadOption, match="“nq” is named twice"):
        mixing.read_also(["nq:1", "nq:2"])
    with pytest.raises(BadOption, match="Name 5 other projects at most"):
        mixing.find_others(dict.fromkeys("abcdef", 1), project, None)
