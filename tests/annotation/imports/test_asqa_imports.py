"""Questions for long answers: what goes into an ASQA project, converted, left out."""

import io
import json

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.imports import adapters as fitting
from annotation.imports import services as imports_services
from annotation.imports.queries import describe_outcome
from annotation.imports.services import import_questions
from annotation.jobs import services as jobs_services
from annotation.long_answers import adapter as fitting_long_answers
from annotation.long_answers import arriving
from annotation.models import Job, Question, Task
from tests import factories
from tests.annotation.imports.asqa_files import SINGLE, ambig, counts, lines, pairs, record
from tests.annotation.long_answers import helpers

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db):
    return helpers.make_project()


@pytest.fixture
def run(project, now):
    def run(data, into=None, **options):
        if not isinstance(data, bytes):
            data = json.dumps(data).encode()
        defaults = {"format": "asqa", "split": None, "by": None, "now": now}
        file = io.BytesIO(data)
        return import_questions(project=into or project, file=file, **defaults | options)

    return run


class TestSplits:
    def test_the_records_of_the_object_name_theirs(self, run, project):
        tally = run({"train": {"a": record()}, "test": {"b": record("Who?")}})
        assert counts(tally) == (2, 0, 0, 0)
        found = Question.objects.order_by("pk").values_list("external_id", "split", "state")
        assert list(found) == [("a", "train", "imported"), ("b", "test", "imported")]
        assert Task.objects.count() == 2
        assert counts(run({"train": {"a": record()}, "test": {"b": record("Who?")}})) == (
            *(0, 0, 2, 0),
        )

    def test_they_keep_it_whatever_is_chosen(self, run):
        run({"train": {"a": record()}}, split="dev")
        assert Question.objects.get().split == "train"

    def test_lines_go_where_is_chosen_unless_they_say(self, run):
        named = {"sample_id": "a", "split": "test", **record()}
        run(lines(named, {"sample_id": "b", **record()}), split="dev")
        found = dict(Question.objects.values_list("external_id", "split"))
        assert found == {"a": "test", "b": "dev"}

    def test_a_line_without_any_is_named(self, run):
        tally = run(lines({"sample_id": "b", **record()}))
        assert tally.errors == [
            {
                "line": 1,
                "reason": "Record 1, “b”: The record names no split, and none was chosen for the "
                "import.",
            }
        ]

    def test_an_id_in_two_splits_is_named(self, run):
        tally = run({"train": {"a": record()}, "dev": {"a": record()}})
        assert counts(tally) == (1, 0, 0, 1)
        assert "was on line 1 already" in tally.errors[0]["reason"]


class TestFits:
    def test_asqa_goes_into_no_ambigqa_project(self, run):
        with pytest.raises(Conflict, match=r"Import it into an ASQA project\."):
            run({}, into=factories.make_project())

    def test_plain_questions_need_the_question_only_regime(self, run, project):
        data = lines({"question": "who", "answer": []})
        with pytest.raises(Conflict, match="has no disambiguations, and writers of this project"):
            run(data, format="nq-open", split="dev")
        project.policies.filter(split="test").update(inputs="question")
        assert counts(run(data, format="nq-open", split="test")) == (1, 0, 0, 0)
        tally = run(lines({"question": "why", "answer": []}), format="nq-open", split="dev")
        assert tally.errors[0]["reason"].startswith(
            "It has no disambiguations (“qa_pairs”), and writers on dev are given them."
        )

    def test_jsonl_may_bring_disambiguations(self, run, project):
        whole = {"id": "a", "question": "q", "qa_pairs": record()["qa_pairs"]}
        inside = {"id": "b", "question": "q", "context": {"qa_pairs": record()["qa_pairs"]}}
        without = {"id": "c", "question": "q"}
        broken = {"id": "d", "question": "q", "qa_pairs": [{"question": "q", "short_answers": []}]}
        data = lines(whole, inside, without, broken)
        tally = run(data, format="jsonl", split="dev")
        assert counts(tally) == (2, 0, 0, 2)
        first, second = (each["reason"] for each in tally.errors)
        assert "It has no disambiguations" in first
        assert second == "Pair 1: “short_answers” should hold at least one text."
        project.policies.update(inputs="question")
        assert counts(run(data, format="jsonl", split="dev")) == (1, 0, 2, 1)

    @pytest.mark.parametrize("pages", [[{"url": "u"}], "Tunnel", None, [1], [{"title": 3}]])
    def test_pages_are_looked_at_without_disambiguations_too(self, run, project, pages):
        project.policies.update(inputs="question")
        alone = {"id": "a", "question": "q", "wikipages": pages}
        tally = run(lines(alone), format="jsonl", split="dev")
        assert counts(tally) == (0, 0, 0, 1)
        assert "“wikipages”" in tally.errors[0]["reason"] or "Page 1" in tally.errors[0]["reason"]

    def test_what_an_ambigqa_project_takes_stays(self, run):
        other = factories.make_project()
        fitting_keys = [each.key for each in fitting.formats_of(other)]
        assert fitting_keys == [
            *("nq-open", "ambignq", "label-studio", "doccano", "jsonl", "table")
        ]
        tally = run(lines({"id": "c", "question": "q"}), into=other, format="jsonl", split="dev")
        assert counts(tally) == (1, 0, 0, 0)
        assert "left_out" not in tally.as_json()


class TestAmbigNQ:
    def test_pairs_of_everybody_one_list_after_the_other(self, run):
        first = ambig("a", pairs("Q1?", "Q2|q2?"), SINGLE, pairs("Q1?", "Q3?"), nq_answer=["k"])
        tally = run([first], format="ambignq", split="dev")
        assert counts(tally) == (1, 0, 0, 0)
        question = Question.objects.get()
        assert [each["question"] for each in question.context["qa_pairs"]] == [
            "Q1?",
            "Q2|q2?",
            "Q1?",
            "Q3?",
        ]
        assert question.context["qa_pairs"][1] == {
            "question": "Q2|q2?",
            "short_answers": ["a", "Q2|q2?"],
            "context": None,
            "wikipage": None,
        }
        assert question.known_answers == ["k"]
        assert list(question.context) == ["qa_pairs", "wikipages"]

    def test_what_is_left_out_is_counted_and_no_error(self, run):
        data = [
            ambig("one", SINGLE),
            ambig("none", {"type": "noAnswer"}),
            ambig("light"),
            ambig("six", pairs(*"abcdef")),
            ambig("seven", pairs(*"abcd"), pairs(*"efg")),
            ambig("empty", {"type": "multipleQAs", "qaPairs": []}),
        ]
        for created, unchanged in ((1, 0), (0, 1)):
            tally = run(data, format="ambignq", split="dev")
            assert counts(tally) == (created, 0, unchanged, 0)
            assert tally.as_json()["left_out"] == {
                "not_ambiguous": 4,
                "too_many_disambiguations": 1,
            }
        assert Question.objects.get().external_id == "six"
        assert arriving.MAX_DISAMBIGUATIONS == 6

    def test_a_pair_without_an_answer_is_named(self, run):
        bad = {"type": "multipleQAs", "qaPairs": [{"question": "Q?", "answer": []}]}
        tally = run([ambig("a", bad)], format="ambignq", split="dev")
        assert counts(tally) == (0, 0, 0, 1)
        assert tally.errors[0]["reason"].startswith("Record 1, “a”: Pair 1 has no answer")

    @pytest.mark.parametrize(
        ("more", "titles"),
        [
            ({"viewed_doc_titles": ["B", "A", "B"], "nq_doc_title": "C"}, ["B", "A"]),
            ({"viewed_doc_titles": [], "nq_doc_title": "C"}, ["C"]),
            ({"nq_doc_title": "C"}, ["C"]),
            ({"nq_doc_title": None}, []),
            ({}, []),
        ],
    )
    def test_pages_are_those_viewed_or_the_one_known(self, run, more, titles):
        run([ambig("a", pairs("x"), **more)], format="ambignq", split="dev")
        pages = Question.objects.get().context["wikipages"]
        assert [each["title"] for each in pages] == titles

    @pytest.mark.parametrize(
        ("title", "address"),
        [
            ("Ocean's 8", "Ocean%27s%208"),
            ("A–B/C (film)", "A%E2%80%93B/C%20%28film%29"),
            ("List of winners of ...", "List%20of%20winners%20of"),
        ],
    )
    def test_addresses_as_the_released_files_have_them(self, title, address):
        assert arriving.address_of(title, "https://w/") == f"https://w/{address}"

    @pytest.mark.parametrize(
        ("fields", "address"),
        [
            ({"address": "https://de.example.org/wiki"}, "https://de.example.org/wiki/"),
            ({"address": "", "language": "fr"}, "https://fr.wikipedia.org/wiki/"),
            (
                {"kind": "live", "address": "https://x.example.org/w/api.php"},
                "https://x.example.org/wiki/",
            ),
        ],
    )
    def test_the_wiki_is_the_snapshot_s(self, fields, address):
        assert fitting_long_answers.articles_of(factories.make_snapshot(**fields)) == address

    def test_a_strict_import_does_not_mind_what_is_left_out(self, run):
        tally = run(
            [ambig("a"), ambig("b", pairs("x"))], format="ambignq", split="dev", strict=True
        )
        assert counts(tally) == (1, 0, 0, 0)
        assert tally.left_out == {"not_ambiguous": 1, "too_many_disambiguations": 0}

    def test_an_import_that_was_stopped_goes_on_counting(self, project, now, monkeypatch):
        monkeypatch.setattr(imports_services, "BATCH", 2)
        monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
        data = [ambig(str(n), *([pairs("x")] if n % 2 else [])) for n in range(6)]
        rosa = factories.make_member(project, "researcher")
        job = imports_services.start_import(
            project=project,
            file=ContentFile(json.dumps(data).encode(), name="f.json"),
            file_name="f.json",
            format="ambignq",
            split="dev",
            strict=False,
            by=rosa,
            now=now,
        )
        saved = jobs_services.RunningJob.save

        def lost(self, **changes):
            saved(self, **changes)
            if changes.get("done") == 4:
                raise jobs_services.JobLost

        monkeypatch.setattr(jobs_services.RunningJob, "save", lost)
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        # A batch whose transaction did not end is done again.
        assert (job.state, job.done) == ("running", 2)
        monkeypatch.setattr(jobs_services.RunningJob, "save", saved)
        Job.objects.filter(pk=job.pk).update(state="queued")
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        assert (job.state, job.result["created"]) == ("done", 3)
        assert job.result["left_out"] == {"not_ambiguous": 3, "too_many_disambiguations": 0}
        assert describe_outcome(job).endswith(
            "0 rejected; left out: 3 not ambiguous, 0 with more than 6 disambiguations."
        )
