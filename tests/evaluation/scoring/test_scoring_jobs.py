"""Scoring jobs: what is read and measured, once; the leaderboard, its page, API and command."""

import json
import re
from functools import partial

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.refusals import Conflict
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Job, StoredFigures
from evaluation.models import Output, ReaderAnswers
from evaluation.scores import disambiguations, measuring, reading
from evaluation.scores.disambiguations import KINDS
from evaluation.scores.values import compare_systems
from evaluation.scoring import services as scoring_services
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies
from tests.evaluation.scoring.test_scoring import CONTEXT, figures


@pytest.fixture
def project(db):
    return asqa.make_project()


@pytest.fixture
def question(project):
    return asqa.make_question(project, context=CONTEXT, external_id="q1")


@pytest.fixture
def staff(project, client_as):
    return client_as(factories.make_member(project, "researcher"))


class Reader:
    """Finds the first year that a text has and no text before it had."""

    name = "Years 1"

    def __init__(self):
        self.asked = []

    def read_answers(self, asked):
        self.asked += asked
        return [next(iter(re.findall("[0-9]{4}", text)), "") for _, text in asked]


@pytest.fixture
def reader(monkeypatch):
    reader = Reader()
    monkeypatch.setattr(reading, "_offers", {})
    reading.register(reading.ReaderOption("years", "Years", lambda: reader, jobs_services.RUN_JOB))
    reading.register(reading.ReaderOption("absent", "Absent", _absent, jobs_services.RUN_JOB))
    return reader


def _absent():
    raise reading.NoReader("Its weights are not here.")


@pytest.fixture
def two(project, question):
    systems = [studies.make_system(project, name) for name in ("Reader", "Storyteller")]
    for system, text in zip(
        systems, ("It opened in 1843.", "In 1843, and in 1869, or so they say."), strict=True
    ):
        studies.make_output(system, question, text)
    return systems


def scored(project, now, reader=""):
    """Run a scoring job; return it, and the stored panels by key."""
    person = factories.make_member(project, "researcher")
    job = scoring_services.start_scoring_job(
        project=project, split="dev", reader=reader, by=person, now=now
    )
    jobs_services.claim_and_run(job_id=job.pk, clock=lambda: now)
    job.refresh_from_db()
    row = StoredFigures.objects.filter(report="report.systems", filters="split=dev").first()
    panels = row.figures["panels"] if row else []
    return job, {panel["key"]: as_rows(panel) for panel in panels}


def as_rows(panel):
    keys = [column["key"] for column in panel["columns"]]
    return [dict(zip(keys, row, strict=True)) for row in panel["rows"]]


def test_a_job_measures_every_system_and_stores_a_leaderboard(project, two, now):
    job, panels = scored(project, now)
    assert (job.state, job.done, job.total) == ("done", 2, 2), job.problem
    assert job.result == {"read": 0, "unchanged": 0, "scored": 2}
    best, other = panels["leaderboard"]
    assert (best["system"]["text"], best["str_em"]["value"]) == ("Storyteller", 100.0)
    assert (other["system"]["text"], other["str_em"]["value"]) == ("Reader", 50.0)
    assert other["str_em"] | {"low": None, "n": 1, "note": "too few to tell"} == other["str_em"]
    assert "qa_f1" not in best
    signature = next(row for row in panels["signatures"] if row["figure"] == "ROUGE-L")["signature"]
    assert signature.startswith("outputs.rouge_l|items:all|questions:answered|sentences:")
    assert "interval" not in signature


def test_many_answers_have_intervals_whose_signatures_say_which(project, now):
    system = studies.make_system(project, "Reader")
    for place in range(12):
        row = asqa.make_question(project, context=CONTEXT, external_id=f"q{place}")
        text = "In 1843 and 1869." if place % 2 else "In 1843, when people walked."
        studies.make_output(system, row, text)
    _, panels = scored(project, now)
    [row] = panels["leaderboard"]
    assert row["str_em"]["low"] < 75 < row["str_em"]["high"]
    assert "note" not in row["str_em"]
    made = {row["figure"]: row["signature"] for row in panels["signatures"]}
    assert "interval:bootstrap-percentile-0.95|resamples:1000|seed:1|v:" in made["STR-EM"]


def test_a_reader_gives_disambig_f1_and_dr_with_its_name(project, question, two, reader, now):
    job, panels = scored(project, now, "years")
    assert (job.state, job.result["read"]) == ("done", 2), job.problem
    assert ("When did it open to trains?", "It opened in 1843.") in reader.asked
    rows = {row["system"]["text"]: row for row in panels["leaderboard"]}
    # 1843 for both questions: right for one of two.
    assert rows["Reader"]["qa_f1"]["value"] == 50.0
    dr, rouge = rows["Reader"]["dr"]["value"], rows["Reader"]["rouge_l"]["value"]
    assert dr == pytest.approx((50 * rouge) ** 0.5)
    made = {row["figure"]: row["signature"] for row in panels["signatures"]}
    assert "reader:Years 1|" in made["Disambig-F1"]
    assert "reader:Years 1|" in made["DR"]


def test_a_second_job_reads_only_what_has_changed(project, question, two, reader, now):
    scored(project, now, "years")
    asked = len(reader.asked)
    job, _ = scored(project, now, "years")
    assert (job.result["read"], job.result["unchanged"], len(reader.asked)) == (0, 2, asked)
    Output.objects.filter(system=two[0]).update(text="In 1869.")
    # What was read of the text before counts no more.
    assert "qa_f1" not in figures(project, two[0])[0]
    job, _ = scored(project, now, "years")
    assert (job.result["read"], job.result["unchanged"]) == (1, 1)
    assert figures(project, two[0])[0]["qa_f1"] == (50.0, 1)


def test_a_killed_job_continues_and_a_cancelled_one_keeps_what_is_read(
    project, question, two, reader, now, monkeypatch
):
    monkeypatch.setattr(scoring_services, "BATCH", 1)
    person = factories.make_member(project, "researcher")
    job = scoring_services.start_scoring_job(
        project=project, split="dev", reader="years", by=person, now=now
    )
    answers = reader.read_answers

    def stopped(asked):
        if reader.asked:
            jobs_services.cancel_job(job=job, by=person, now=now)
        return answers(asked)

    monkeypatch.setattr(reader, "read_answers", stopped)
    jobs_services.claim_and_run(job_id=job.pk, clock=lambda: now)
    job.refresh_from_db()
    assert (job.state, job.done, ReaderAnswers.objects.count()) == ("cancelled", 1, 1)
    monkeypatch.setattr(reader, "read_answers", answers)
    again, _ = scored(project, now, "years")
    assert (again.state, again.result["read"], again.result["unchanged"]) == ("done", 1, 1)


def test_the_log_says_what_was_done(project, question, two, reader, staff, now):
    job, _ = scored(project, now, "years")
    assert [sentence for _, sentence in job.log] == [
        "Texts that Years 1 has read: 2; read before: 0.",
        "Reader: measured.",
        "Storyteller: measured.",
        "The report of systems is computed.",
    ]
    Output.objects.filter(system=two[0]).update(text="In 1869.")
    job, _ = scored(project, now, "years")
    assert [sentence for _, sentence in job.log][:3] == [
        "Texts that Years 1 has read: 1; read before: 1.",
        "Reader: measured.",
        "Storyteller: nothing has changed.",
    ]
    page = staff.get(reverse("job-detail", args=[project.slug, job.pk])).content.decode()
    assert "Storyteller: nothing has changed." in page
    assert "Try again" not in page


def test_a_failed_job_is_tried_again_with_the_same_options(
    project, question, two, reader, staff, now, monkeypatch
):
    monkeypatch.setattr(reader, "read_answers", lambda asked: _absent())
    failed, _ = scored(project, now, "years")
    assert (failed.state, failed.problem) == ("failed", "Its weights are not here.")
    place = [project.slug, failed.pk]
    assert "Try again" in staff.get(reverse("job-detail", args=place)).content.decode()

    monkeypatch.setattr(reader, "read_answers", Reader().read_answers)
    answer = staff.post(reverse("job-retry", args=place))
    again = Job.objects.exclude(pk=failed.pk).get(kind="score")
    assert answer.url == reverse("job-detail", args=[project.slug, again.pk])
    # A second press leads to the same job.
    assert staff.post(reverse("api-job-retry", args=place)).json()["id"] == again.pk
    jobs_services.claim_and_run(job_id=again.pk, clock=lambda: now)
    again.refresh_from_db()
    assert (again.state, again.options, again.result["read"]) == ("done", failed.options, 2)
    assert staff.post(reverse("job-retry", args=[project.slug, again.pk])).status_code == 409


def test_what_cannot_run_any_more_is_not_tried_again(project, two, reader, staff, now):
    failed, _ = scored(project, now, "years")
    Job.objects.filter(pk=failed.pk).update(
        state="failed", options={"split": "dev", "reader": "absent"}
    )
    answer = staff.post(reverse("job-retry", args=[project.slug, failed.pk]))
    assert (answer.status_code, Job.objects.count()) == (409, 1)
    assert "Its weights are not here." in answer.content.decode()


def test_what_is_measured_is_measured_once(project, two, now, monkeypatch):
    first = [scored(project, now), figures(project, *two)][1]
    monkeypatch.setattr(
        disambiguations, "score_answers", lambda answers: pytest.fail("measured again")
    )
    assert figures(project, *two) == first
    Output.objects.filter(system=two[0]).update(text="Never.")
    with pytest.raises(pytest.fail.Exception, match="measured again"):
        figures(project, *two)


def test_two_presses_make_one_job_and_other_readers_another(project, two, reader, now):
    person = factories.make_member(project, "researcher")
    ask = partial(
        scoring_services.start_scoring_job, project=project, split="dev", by=person, now=now
    )
    first = ask()
    assert ask() == first
    assert ask(reader="years") != first
    with pytest.raises(reading.NoReader, match="Its weights are not here"):
        ask(reader="absent")
    with pytest.raises(reading.NoReader, match=r"There is no reader “x”\. Choose one of years"):
        ask(reader="x")
    with pytest.raises(Conflict, match="No system has answered a question of test"):
        ask(split="test")


def test_paired_tests_are_over_the_questions_that_both_answered(project, now):
    texts = {"Right": "In 1843 and 1869.", "Half": "In 1843.", "Elsewhere": "In 1843."}
    systems = {name: studies.make_system(project, name) for name in texts}
    for place in range(12):
        row = asqa.make_question(project, context=CONTEXT, external_id=f"q{place}")
        for name in texts:
            if (name == "Elsewhere") == (place == 11):
                studies.make_output(systems[name], row, texts[name])
    _, panels = scored(project, now)
    tests = {
        (row["best"]["text"], row["system"]["text"]): row
        for row in panels["paired-tests"]
        if row["figure"] == "STR-EM"
    }
    assert tests.keys() == {("Right", "Half")}  # no question is shared with the third
    row = tests["Right", "Half"]
    assert (row["difference"]["value"], row["difference"]["n"]) == (50.0, 11)
    assert (row["difference"]["low"], row["difference"]["note"]) == (None, "all the same")
    assert row["p_randomisation"] < 0.01


def test_figures_by_other_readers_are_not_compared(project, question, two, reader, now):
    scored(project, now, "years")
    ReaderAnswers.objects.filter(output__system=two[0]).update(reader="Other 2")
    rows = [row for _, row in measuring.measure_systems(project, "dev", two)]
    assert compare_systems(*rows, "qa_f1", KINDS["qa_f1"]) is None
    assert compare_systems(*rows, "str_em", KINDS["str_em"]).difference == -50.0


# --- the page -----------------------------------------------------------------------------------


def address(project, query=""):
    return reverse("system-scores", args=[project.slug]) + query


def test_the_page_shows_what_is_stored_and_starts_jobs(project, two, reader, staff, now):
    assert "being computed" in staff.get(address(project)).content.decode()
    answer = staff.post(address(project), {"split": "dev", "reader": "years"})
    job = Job.objects.get(kind="score")
    assert answer.url == reverse("job-detail", args=[project.slug, job.pk])
    jobs_services.claim_and_run(job_id=job.pk, clock=lambda: now)
    page = staff.get(address(project, "?split=nonsense")).content.decode()
    for words in ("Storyteller", "STR-EM", "Disambig-F1", "50.0 %", "Paired tests"):
        assert words in page
    assert "2 texts read" in staff.get(answer.url).content.decode()


def test_the_page_says_what_is_wrong(project, question, staff, reader):
    assert "Nothing to score yet" in staff.get(address(project)).content.decode()
    studies.make_output(studies.make_system(project, "Reader"), question, "In 1843.")
    refused = staff.post(address(project), {"split": "dev", "reader": "absent"})
    assert refused.status_code == 422
    assert "Its weights are not here." in refused.content.decode()
    assert not Job.objects.filter(kind="score").exists()


def upload(content):
    return SimpleUploadedFile("answers.json", json.dumps(content).encode())


def test_a_file_of_a_readers_answers_counts_as_one(project, question, two, staff):
    given = {"source": "file", "system": two[0].pk, "reader": "Elsewhere | 3"}
    answer = staff.post(
        address(project), given | {"file": upload({"q1_0": "in 1843", "q1_1": ["1869"], "x_0": ""})}
    )
    assert answer.status_code == 302
    row = ReaderAnswers.objects.get()
    assert (row.reader, row.answers) == ("Elsewhere 3", ["in 1843", "1869"])
    assert figures(project, two[0])[0]["qa_f1"] == (100.0, 1)
    assert AuditEntry.objects.get(action="reader_answers_stored").data["texts"] == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"q2_0": "1843"}, "The file answers none of the disambiguations"),
        ({"q1_0": "1843"}, "The file answers none of the disambiguations"),  # half of a question
        (["1843"], "The file: is not an object of the reader"),
        ({"q1_0": 3, "q1_1": ""}, "q1_0: the reader"),
    ],
)
def test_a_file_that_cannot_be_used_changes_nothing(
    project, question, two, staff, content, sentence
):
    given = {"source": "file", "system": two[0].pk, "reader": "Elsewhere"}
    answer = staff.post(address(project), given | {"file": upload(content)})
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not ReaderAnswers.objects.exists()


def test_the_number_of_queries_does_not_grow_with_answers(project, staff, now):
    def count():
        scored(project, now)
        with CaptureQueriesContext(connection) as queries:
            assert staff.get(address(project)).status_code == 200
        return len(queries)

    for n in range(2):
        row = asqa.make_question(project, context=CONTEXT, external_id=f"q{n}")
        system = studies.make_system(project, f"Reader {n}")
        studies.make_output(system, row, "In 1843.", details={"answers": ["1843"]})
    count()
    few = count()
    for n in range(2, 12):
        row = asqa.make_question(project, context=CONTEXT, external_id=f"q{n}")
        system = studies.make_system(project, f"Reader {n}")
        studies.make_output(system, row, "In 1843.", details={"answers": ["1843"]})
    assert count() == few


def test_programs_start_jobs_and_read_the_leaderboard(project, two, reader, staff, now):
    start = reverse("api-scores", args=[project.slug])
    answer = staff.post(start, {"split": "dev", "reader": "years"}, "application/json")
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    jobs_services.claim_and_run(job_id=answer.json()["id"], clock=lambda: now)
    assert staff.get(answer["Location"]).json()["state"] == "done"
    assert staff.get(start).json()["results"][0]["id"] == answer.json()["id"]
    report = staff.get(reverse("api-report", args=[project.slug, "systems"]) + "?split=dev").json()
    assert report["panels"][0]["rows"][0]["qa_f1"]["value"] == 50.0
    for given, status in (({"split": "x"}, 400), ({"split": "dev", "reader": "absent"}, 409)):
        assert staff.post(start, given, "application/json").status_code == status


def test_the_command_reads_and_takes_files(project, two, reader, capsys, tmp_path):
    call_command("system_scores", project.slug, split="dev", reader="years", json=True)
    rows = json.loads(capsys.readouterr().out)
    assert [row["figures"]["qa_f1"]["value"] for row in rows] == [50.0, 50.0]
    assert "reader:Years 1" in rows[0]["figures"]["qa_f1"]["signature"]
    (tmp_path / "f.json").write_text(json.dumps({"q1_0": "1843", "q1_1": "1869"}))
    words = {"split": "dev", "reader_answers": str(tmp_path / "f.json"), "json": True}
    with pytest.raises(CommandError, match="Name it with --system and --version"):
        call_command("system_scores", project.slug, reader="mine", **words)
    call_command("system_scores", project.slug, reader="mine", system="Reader", **words)
    assert json.loads(capsys.readouterr().out)[0]["figures"]["qa_f1"]["value"] == 100.0
    with pytest.raises(CommandError, match="Its weights are not here"):
        call_command("system_scores", project.slug, split="dev", reader="absent")
