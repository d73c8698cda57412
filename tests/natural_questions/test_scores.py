"""Answers on pages: the official file in and out, and the same figures as the scorer's."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.figures.charts import build_chart
from annotation.figures.filters import Filters
from annotation.figures.panel import panel_to_json
from annotation.figures.registry import Request, find_report
from annotation.imports.formats import WrongFormat
from annotation.models import Question
from evaluation.models import Output, System
from evaluation.scores.measuring import measure_systems
from evaluation.scores.registry import scoring_of
from evaluation.systems import services as systems_services
from evaluation.systems.import_jobs import start_outputs
from metrics.inputs import nq as scorer
from tests import factories
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in
from validation.release.services import start_release

pytestmark = pytest.mark.django_db
RECORDS = [
    samples.original(number, f"question {number} about pump lane") for number in range(41, 53)
]
NOWHERE = samples.NOWHERE


@pytest.fixture
def project(db):
    """Twelve accepted questions of one page on dev, one that waits, and one on test."""
    project = factories.make_project(protocol="nq")
    bring_in(project, *RECORDS, finished=True)
    bring_in(project, samples.original(60, "is it long"))
    bring_in(project, samples.original(61, "is it short"), finished=True, split="test")
    return project


def record(name, candidate, words=(), yes_no="NONE", score=None, short_score=None):
    answer = samples.answer(RECORDS[0], 0, candidate, words, yes_no)
    del answer["annotation_id"], answer["long_answer"]["candidate_index"]
    scores = {"long_answer_score": score, "short_answers_score": short_score}
    return {"example_id": name, **answer, **scores}


def predicted(number):
    """Right, wrong and null answers, the surer the more often right."""
    place = number % 4
    if place == 3:
        return record(number, None, score=0.1, short_score=0.1)
    right = place == 0 or number in (41, 45)
    words = ["1902", "1931"] if right else ["seven"]
    return record(number, 0 if right else 3, words, "NONE", 1 / (1 + place), number / 100)


PREDICTIONS = [predicted(number) for number in range(41, 52)]


def bring(project, content, name="reader", **options):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return systems_services.import_outputs(
        project=project, file=io.BytesIO(data), name=name, by=None, now=timezone.now(), **options
    )


# --- files in ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"predictions": PREDICTIONS}),
        '\ufeff{\n "predictions": [\n' + ",\n".join(map(json.dumps, PREDICTIONS)) + "]\n}\n",
        json.dumps(PREDICTIONS),
        "\n".join(map(json.dumps, PREDICTIONS)),
    ],
)
def test_the_official_file_is_read(project, content):
    system, report = bring(project, content.encode())
    assert (report.created, report.refused, report.missing.count) == (11, 0, 2)
    rows = {row.question.external_id: row for row in system.outputs.all()}
    assert rows["44"].text == "1902; 1931"
    assert rows["43"].text == "There is no answer on the page."
    assert rows["43"].details["spans"]["long_score"] == 0.1
    assert bring(project, content.encode())[1].unchanged == 11


def test_the_words_are_those_of_the_short_answer_else_of_the_long_one(project):
    rows = [record(41, 6, yes_no="YES"), record(42, 3), record(43, 0, ["1902"])]
    system, _ = bring(project, {"predictions": rows})
    texts = dict(system.outputs.values_list("question__external_id", "text"))
    assert texts == {"41": "Yes", "42": "Lamps seven", "43": "1902"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"example_id": None}, "“example_id” is missing."),
        ({"example_id": 99}, "not the id of a question"),
        ({"long_answer": {"start_token": 5}}, "has a start_token and no end_token"),
        ({"yes_no_answer": "MAYBE"}, "yes_no_answer must be yes, no or none"),
        ({"long_answer_score": "high"}, "long_answer_score must be a number."),
        ({"long_answer": {"start_token": 900, "end_token": 950}}, "has no words at this answer"),
    ],
)
def test_a_record_that_cannot_be_taken_is_named_with_its_line(project, changes, reason):
    rows = [record(41, 0), record(42, 0) | changes]
    content = '{"predictions": [\n' + ",\n".join(map(json.dumps, rows)) + "]}"
    _, report = bring(project, content.encode())
    assert report.created == 1
    [line] = report.lines
    assert (line["line"], reason in line["reason"]) == (3, True)


def test_scores_for_some_answers_only_are_refused_as_the_scorer_refuses_them(project):
    rows = [record(41, 0, score=0.5), record(42, 0)]
    with pytest.raises(WrongFormat, match="1 of 2 answers have no long_answer_score"):
        bring(project, {"predictions": rows})
    assert not System.objects.exists()


def test_a_file_that_is_cut_off_says_so(project):
    content = json.dumps({"predictions": PREDICTIONS})
    for end in (len(content) - 1, len(content) - 2, len(content) - 40):
        _, report = bring(project, content[:end].encode(), name=f"cut {end}")
        assert "incomplete" in report.bad.first[-1]


def test_texts_are_still_read_and_keep_no_places(project):
    bring(project, {"predictions": [record(41, 0, score=0.5)]})
    system, report = bring(project, {"41": "A street.", "42": "Long."})
    assert (report.created, report.changed) == (1, 1)
    assert set(system.outputs.values_list("text", flat=True)) == {"A street.", "Long."}
    assert [row.details for row in system.outputs.all()] == [{}, {}]


def test_a_score_that_changes_is_a_change_and_the_text_stays(project):
    bring(project, {"predictions": [record(41, 0, score=0.5)]})
    system, report = bring(project, {"predictions": [record(41, 0, score=0.25)]})
    assert (report.created, report.changed) == (0, 1)
    assert system.outputs.get().details["spans"]["long_score"] == 0.25


def test_the_page_takes_the_file_as_a_job(project, run_job):
    staff = factories.make_member(project, "admin")
    content = io.BytesIO(json.dumps({"predictions": PREDICTIONS}).encode())
    from django.core.files.base import File

    job = start_outputs(
        project=project, file=File(content, "predictions.json"), file_name="predictions.json",
        name="reader", by=staff, now=timezone.now(),
    )  # fmt: skip
    job = run_job(job)
    assert (job.state, job.total, job.result["created"]) == ("done", 11, 11)
    assert job.result["splits"] == ["dev"]


@pytest.fixture
def run_job():
    from annotation.jobs import services as jobs_services

    def run(job):
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        return job

    return run


def test_projects_of_other_protocols_have_no_such_file(db):
    other = factories.make_project()
    factories.make_question(other, external_id="41")
    with pytest.raises(WrongFormat):
        bring(other, {"predictions": [record(41, 0)]})


# --- files out --------------------------------------------------------------------------------


def exported(project, tmp_path, *options, system="reader"):
    path = tmp_path / "out.json"
    call_command("export_outputs", project.slug, "--system", system, "--output", path, *options)
    return path


def test_what_came_in_goes_out_and_comes_in_again(project, tmp_path):
    bring(project, {"predictions": PREDICTIONS})
    path = exported(project, tmp_path, "--official", "--split=dev")
    assert json.loads(path.read_bytes()) == {"predictions": PREDICTIONS}
    assert len(scorer.read_predictions(path)) == 11
    assert bring(project, path.read_bytes())[1].unchanged == 11
    texts = exported(project, tmp_path)
    assert json.loads(texts.read_bytes())["44"] == "1902; 1931"
    assert bring(project, texts.read_bytes())[1].unchanged == 11
    assert Output.objects.exclude(details={}).count() == 11


def test_a_system_without_answers_on_a_split_is_an_empty_file(project, tmp_path):
    bring(project, {"predictions": PREDICTIONS})
    path = exported(project, tmp_path, "--official", "--split=test")
    assert json.loads(path.read_bytes()) == {"predictions": []}
    assert json.loads(exported(project, tmp_path, "--split=test").read_bytes()) == {}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--system=none"], "There is no such system."),
        (["--system=reader"], "more than one such system: add --version"),
        (["--system=reader", "--version=2", "--output=/nowhere/x"], "could not be written"),
    ],
)
def test_what_cannot_be_written_is_said(project, options, sentence):
    for version in ("1", "2"):
        bring(project, {"predictions": [record(41, 0)]}, version=version)
    with pytest.raises(CommandError, match=sentence) as refusal:
        call_command("export_outputs", project.slug, "--output=-", *options)
    assert refusal.value.returncode == 2


def test_the_page_of_the_system_has_both_files(project, client_as):
    system, _ = bring(project, {"predictions": PREDICTIONS})
    staff = client_as(factories.make_member(project, "admin"))
    page = staff.get(reverse("system-view", args=[project.slug, system.pk])).content.decode()
    for form in ("texts", "official"):
        address = reverse("system-download", args=[project.slug, system.pk, form])
        assert address in page
        answer = staff.get(address, {"split": "dev"})
        assert answer["Content-Disposition"].endswith(f'-reader-dev-{form}.json"')
        assert json.loads(b"".join(answer.streaming_content))
    address = reverse("system-download", args=[project.slug, system.pk, "csv"])
    assert staff.get(address).status_code == 404


# --- scores -----------------------------------------------------------------------------------


def scored(project, capsys, split="dev"):
    capsys.readouterr()
    call_command("system_scores", project.slug, split=split, json=True)
    return {row["system"]: row["figures"] for row in json.loads(capsys.readouterr().out)}


def test_figures_are_those_of_the_scorer_on_the_same_files(project, tmp_path, capsys):
    bring(project, {"predictions": PREDICTIONS})
    figures = scored(project, capsys)["reader"]

    predictions = exported(project, tmp_path, "--official", "--split=dev")
    gold = tmp_path / "gold.jsonl"
    release = start_release(
        project=project, format="nq-original", split="dev", by=None, now=timezone.now()
    )
    gold.write_bytes(b"".join(release.blocks()))
    call_command(
        "score",
        "nq",
        "--references",
        gold,
        "--predictions",
        predictions,
        "--missing=zero",
        "--json",
    )
    official = json.loads(capsys.readouterr().out)
    kinds = scoring_of(project).kinds
    figures = {name: mine for name, mine in figures.items() if not kinds[name].among}
    for name, mine in figures.items():
        group, measure = name.split(".")
        scale = 1 if measure == "threshold" else 100
        assert mine["value"] == pytest.approx(scale * official[group][measure]), name
        assert mine["n"] == 12
    assert {name.split(".")[0] for name in figures} == {"long", "long_all", "short", "short_all"}
    assert len(figures) == 4 * 4 + 2
    threshold = figures["long.threshold"]
    assert (threshold["low"], "note" in threshold) == (None, False)
    assert 0 < figures["long_all.f1"]["value"] < figures["long.f1"]["value"] < 100


def test_without_scores_there_is_no_threshold_and_both_ways_are_one(project, capsys):
    rows = [{**row, "long_answer_score": None, "short_answers_score": None} for row in PREDICTIONS]
    bring(project, {"predictions": rows})
    figures = scored(project, capsys)["reader"]
    assert not any(name.endswith("threshold") for name in figures)
    assert figures["long.f1"]["value"] == figures["long_all.f1"]["value"] > 0
    assert "|questions:all|beta:2|threshold:best-f1|" in figures["long.f1"]["signature"]
    assert "|threshold:none|" in figures["long_all.f1"]["signature"]


def test_texts_alone_have_no_figures(project, capsys):
    bring(project, {"41": "A street."})
    assert scored(project, capsys) == {"reader": {}}


def test_only_accepted_annotations_are_gold(project, capsys):
    bring(project, {"predictions": [record(41, 0), record(60, 0)]})
    assert scored(project, capsys)["reader"]["long.f1"]["n"] == 12
    Question.objects.filter(external_id="42").update(state=Question.State.EXCLUDED)
    assert scored(project, capsys)["reader"]["long.f1"]["n"] == 11


def test_a_changed_score_is_measured_again(project, capsys):
    bring(project, {"predictions": PREDICTIONS})
    before = scored(project, capsys)["reader"]["long.threshold"]["value"]
    rows = [{**row, "long_answer_score": row["long_answer_score"] / 2} for row in PREDICTIONS]
    bring(project, {"predictions": rows})
    assert scored(project, capsys)["reader"]["long.threshold"]["value"] == before / 2


def test_the_leaderboard_orders_by_long_f1_and_compares_in_pairs(project):
    bring(project, {"predictions": PREDICTIONS})
    wrong = [{**row, "long_answer": NOWHERE, "short_answers": []} for row in PREDICTIONS]
    bring(project, {"predictions": wrong}, name="nothing")
    [board, tests, signatures] = find_report(project, "systems").entries(project)
    asked = Request(project, Filters(split="dev"), timezone.now())
    panel = board.panel(asked)
    assert [row[0].text for row in panel.rows] == ["reader", "nothing"]
    assert "did not answer counts as no answer" in panel.definition
    drawn = build_chart(panel_to_json(panel))
    assert drawn["layer"][0]["encoding"]["x"]["field"] == "long_f1"
    [values] = drawn["datasets"].values()
    assert [round(row["long_f1"]) for row in values] == [47, 0]
    assert [column.label for column in panel.columns[3:6]] == [
        "Long F1", "Long precision", "Long recall",
    ]  # fmt: skip
    rows = {row[0]: row for row in tests.panel(asked).rows}
    best = {row.system.name: row for row in measured(project)}["reader"]
    assert rows["Long F1"][4].value == pytest.approx(best.value)
    assert not any("threshold" in name for name in rows)
    assert len(signatures.panel(asked).rows) > 20


def measured(project):
    kinds = scoring_of(project).kinds
    for system, row in measure_systems(project, "dev", list(project.systems.all())):
        score = row.score_figures(kinds)["long.f1"]
        score_of = type("Row", (), {"system": system, "value": score.value})
        yield score_of
