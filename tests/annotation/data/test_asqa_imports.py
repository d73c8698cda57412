"""Questions for long answers: what goes into an ASQA project, converted, left out, finished."""

import io
import json

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from annotation.long_answers import arriving
from annotation.models import AuditEntry, Concern, Job, Knowledge, LongAnswer, Question, Task
from annotation.policies import Conflict
from annotation.queries.data import said
from annotation.services import fitting, imports, jobs
from annotation.services.imports import BrokenFile, import_questions
from tests import factories
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


def counts(tally):
    return tally.created, tally.updated, tally.unchanged, tally.rejected


def record(text="When did it open?", *answers, **more):
    return {
        "ambiguous_question": text,
        "qa_pairs": [
            {"question": "For walkers?", "short_answers": ["1843"], "context": None},
            {"question": "For trains?", "short_answers": ["1869"], "context": "c"},
        ],
        "wikipages": [{"title": "Tunnel", "url": None}],
        "annotations": list(answers),
    } | more


def answer(text="It opened twice. ", *knowledge):
    pieces = [{"content": content, "wikipage": page} for content, page in knowledge]
    return {"long_answer": text, "knowledge": pieces}


def pairs(*questions):
    return {
        "type": "multipleQAs",
        "qaPairs": [{"question": text, "answer": ["a", text]} for text in questions],
    }


def ambig(key, *annotations, **more):
    return {"id": key, "question": f"What is {key}?", "annotations": list(annotations), **more}


SINGLE = {"type": "singleAnswer", "answer": ["a"]}


def lines(*records):
    return b"\n".join(json.dumps(each).encode() for each in records)


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
        with pytest.raises(Conflict, match=r"with their disambiguations, .* into an ASQA project"):
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

    def test_what_an_ambigqa_project_takes_stays(self, run):
        other = factories.make_project()
        assert [each.key for each in fitting.formats_of(other)] == ["nq-open", "ambignq", "jsonl"]
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
        assert fitting.articles_of(factories.make_snapshot(**fields)) == address

    def test_a_strict_import_does_not_mind_what_is_left_out(self, run):
        tally = run(
            [ambig("a"), ambig("b", pairs("x"))], format="ambignq", split="dev", strict=True
        )
        assert counts(tally) == (1, 0, 0, 0)
        assert tally.left_out == {"not_ambiguous": 1, "too_many_disambiguations": 0}

    def test_an_import_that_was_stopped_goes_on_counting(self, project, now, monkeypatch):
        monkeypatch.setattr(imports, "BATCH", 2)
        monkeypatch.setattr(jobs, "wake", lambda job_id: None)
        data = [ambig(str(n), *([pairs("x")] if n % 2 else [])) for n in range(6)]
        rosa = factories.make_member(project, "researcher")
        job = imports.start_import(
            project=project,
            file=ContentFile(json.dumps(data).encode(), name="f.json"),
            file_name="f.json",
            format="ambignq",
            split="dev",
            strict=False,
            by=rosa,
            now=now,
        )
        saved = jobs.Running.save

        def lost(self, **changes):
            saved(self, **changes)
            if changes.get("done") == 4:
                raise jobs.JobLost

        monkeypatch.setattr(jobs.Running, "save", lost)
        jobs.run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        # A batch whose transaction did not end is done again.
        assert (job.state, job.done) == ("running", 2)
        monkeypatch.setattr(jobs.Running, "save", saved)
        Job.objects.filter(pk=job.pk).update(state="queued")
        jobs.run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        assert (job.state, job.result["created"]) == ("done", 3)
        assert job.result["left_out"] == {"not_ambiguous": 3, "too_many_disambiguations": 0}
        assert said(job).endswith(
            "0 not taken; left out: 3 not ambiguous, 0 with more than 6 disambiguations."
        )


class TestFinished:
    EXACT = answer("  It did.\r\n", ("Said. ", None), (None, "Tunnel"), (None, None), ("", ""))

    def finished(self, run, *answers, key="a", **options):
        data = {"dev": {key: record("When did it open?", *answers)}}
        return run(data, finished=True, **options)

    def test_rows_hold_every_text_exactly(self, run, project, now):
        assert counts(self.finished(run, self.EXACT, answer("Second."))) == (1, 0, 0, 0)
        question = Question.objects.get()
        assert question.state == "accepted"
        assert list(question.context) == ["qa_pairs", "wikipages"]
        assert not Task.objects.exists()
        first, second = LongAnswer.objects.order_by("pk")
        assert (first.text, second.text) == ("  It did.\r\n", "Second.")
        assert (first.author, first.assignment, first.created_at) == (None, None, now)
        found = first.knowledge.values_list("position", "content", "page", "quote")
        assert list(found) == [
            (0, "Said. ", None, None),
            (1, None, "Tunnel", None),
            (2, None, None, None),
            (3, "", "", None),
        ]

    def test_again_changes_nothing(self, run):
        self.finished(run, self.EXACT)
        before = list(LongAnswer.objects.values()), list(Knowledge.objects.values())
        assert counts(self.finished(run, self.EXACT)) == (0, 0, 1, 0)
        assert (list(LongAnswer.objects.values()), list(Knowledge.objects.values())) == before

    @pytest.mark.parametrize(
        "changed",
        [
            [answer("Another.")],
            [answer("One.", ("c", "p")), answer("Two.")],
            [answer("Two."), answer("One.")],
            [answer("One.", ("c", None)), answer("Two.")],
        ],
    )
    def test_what_changed_takes_its_place(self, run, changed):
        self.finished(run, answer("One."), answer("Two."))
        assert counts(self.finished(run, *changed)) == (0, 1, 0, 0)
        found = [
            answer(row.text, *row.knowledge.values_list("content", "page"))
            for row in LongAnswer.objects.order_by("pk")
        ]
        assert found == changed
        assert AuditEntry.objects.filter(action="long_answers_replaced").count() == 1

    def test_questions_that_nobody_took_become_finished(self, run):
        run({"dev": {"a": record("When did it open?", answer())}})
        assert "annotations" in Question.objects.get().context
        assert counts(self.finished(run, answer())) == (0, 1, 0, 0)
        question = Question.objects.get()
        assert (question.state, "annotations" in question.context) == ("accepted", False)
        assert not Task.objects.exists()
        assert LongAnswer.objects.count() == 1

    def test_work_of_people_here_counts(self, run, project, ann, ben, now):
        run({"dev": {"a": record()}})
        helpers.take(project, ann, now)
        tally = self.finished(run, answer())
        assert "People work on “a” in this project" in tally.errors[0]["reason"]
        assert not LongAnswer.objects.exists()
        assert Task.objects.exists()

    @pytest.mark.parametrize("state", ["open", "upheld"])
    def test_a_concern_stands(self, run, project, ann, now, state):
        self.finished(run, answer())
        question = Question.objects.get()
        decided = {} if state == "open" else {"decided_by": ann, "decided_at": now, "note": "So."}
        Concern.objects.create(
            question=question, author=ann, reason="Why?", state=state, created_at=now, **decided
        )
        Question.objects.update(state="excluded" if decided else "flagged")
        before = Question.objects.get().state
        assert counts(self.finished(run, answer())) == (0, 0, 1, 0)
        tally = self.finished(run, answer("Another."))
        assert "A concern was raised about “a”" in tally.errors[0]["reason"]
        assert Question.objects.get().state == before
        assert LongAnswer.objects.get().text == "It opened twice. "

    @pytest.mark.parametrize(
        ("answers", "reason"),
        [
            ((), "It has no annotations, so there is nothing to accept."),
            ((answer("a"), answer("")), "Annotation 2 has an empty long answer."),
        ],
    )
    def test_a_record_without_work_is_named(self, run, answers, reason):
        tally = self.finished(run, *answers)
        assert tally.errors[0]["reason"].startswith(f"Record 1, “a”: {reason}")
        assert not Question.objects.exists()

    def test_strict_takes_all_or_nothing(self, run):
        with pytest.raises(BrokenFile, match="1 of 1 records cannot be taken"):
            self.finished(run, strict=True)

    def test_only_asqa_is_finished_here(self, run):
        with pytest.raises(Conflict, match="AmbigNQ, light or full holds annotations of another"):
            run([], format="ambignq", split="dev", finished=True)
        with pytest.raises(Conflict, match="holds questions without annotations"):
            run(b"", format="jsonl", split="dev", finished=True)

    def test_statements_do_not_grow_with_the_records(self, run):
        def statements(count):
            data = {"dev": {f"{count}-{n}": record("W?", self.EXACT) for n in range(count)}}
            with CaptureQueriesContext(connection) as found:
                run(data, finished=True)
            with CaptureQueriesContext(connection) as again:
                run(data, finished=True)
            return len(found), len(again)

        few = statements(2)
        assert statements(60) == few
        assert few[0] <= 22


class TestCommand:
    def run(self, *args):
        out = io.StringIO()
        call_command("import_questions", *args, stdout=out, stderr=io.StringIO())
        return out.getvalue()

    @pytest.fixture
    def write(self, tmp_path):
        def write(data):
            path = tmp_path / "in.json"
            path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
            return str(path)

        return write

    def test_asqa_needs_no_split(self, project, write):
        path = write({"dev": {"a": record("W?", answer())}})
        out = self.run(project.slug, path, "--format=asqa", "--finished", "--json")
        assert json.loads(out) == {
            "created": 1,
            "updated": 0,
            "unchanged": 0,
            "rejected": 0,
            "errors": [],
        }

    def test_what_is_left_out_is_said(self, project, write):
        path = write([ambig("a", pairs("x")), ambig("b"), ambig("c", pairs(*"1234567"))])
        args = [project.slug, path, "--format=ambignq", "--split=dev"]
        assert self.run(*args).startswith(
            "in.json: 1 created, 0 updated, 0 unchanged, 0 rejected.\n"
            "Left out: 1 not ambiguous, 1 with more than 6 disambiguations.\n"
        )
        assert json.loads(self.run(*args, "--json"))["left_out"] == {
            "not_ambiguous": 1,
            "too_many_disambiguations": 1,
        }

    @pytest.mark.parametrize("format", ["nq-open", "ambignq"])
    def test_what_does_not_fit_is_refused_with_status_2(self, project, write, format):
        with pytest.raises(CommandError) as refusal:
            self.run(project.slug, write(b"[]"), f"--format={format}", "--split=dev", "--finished")
        assert refusal.value.returncode == 2


class TestWeb:
    @pytest.fixture(autouse=True)
    def woken(self, monkeypatch):
        monkeypatch.setattr(jobs, "wake", lambda job_id: None)

    def test_the_form_offers_what_fits(self, client_as, rosa, project):
        page = client_as(rosa).get(reverse("project-overview", args=[project.slug]))
        body = page.content.decode()
        assert body.index('value="asqa"') < body.index('value="ambignq"') < body.index("nq-open")
        assert "ASQA files only. Nobody is asked" in body

    def test_an_upload_shows_what_was_left_out(self, client_as, rosa, project):
        data = json.dumps([ambig("a", pairs("x")), ambig("b")]).encode()
        address = reverse("import-create", args=[project.slug])
        upload = {"split": "dev", "file": SimpleUploadedFile("f.json", data)}
        assert client_as(rosa).post(address, {"format": "ambignq", **upload}).status_code == 302
        job = Job.objects.get()
        jobs.run(job_id=job.pk, clock=timezone.now)
        page = client_as(rosa).get(reverse("job-detail", args=[project.slug, job.pk]))
        assert "1 not ambiguous" in page.content.decode()
        assert "0 with more than 6 disambiguations" in page.content.decode()

    @pytest.mark.parametrize(
        ("fields", "sentence"),
        [
            ({"format": "nq-open"}, "has no disambiguations, and writers of this project"),
            ({"format": "ambignq", "finished": "on"}, "Only ASQA files hold answers. Choose ASQA"),
        ],
    )
    def test_what_does_not_fit_is_said_on_the_form(
        self, client_as, rosa, project, fields, sentence
    ):
        file = SimpleUploadedFile("f.json", b"[]")
        response = client_as(rosa).post(
            reverse("import-create", args=[project.slug]), {"split": "dev", "file": file, **fields}
        )
        assert (response.status_code, sentence in response.content.decode()) == (422, True)

    def test_the_api_takes_asqa_without_a_split(self, client, rosa, project):
        _, token = AuthToken.objects.create(rosa)

        def post(data, **fields):
            file = SimpleUploadedFile("f.json", json.dumps(data).encode())
            return client.post(
                reverse("api-import", args=[project.slug]),
                {"file": file, **fields},
                headers={"Authorization": f"Token {token}"},
            )

        refused = post([], format="ambignq")
        assert refused.json() == {
            "split": ["Records of ambignq may name no split. Say which they go into."]
        }
        refused = post([], format="ambignq", split="dev", finished="true")
        assert refused.json() == {"finished": ["Only the format asqa holds annotations."]}
        assert post([], format="nq-open", split="dev").status_code == 409
        taken = post({"dev": {"a": record("W?", answer())}}, format="asqa", finished="true")
        assert taken.status_code == 202
        jobs.run(job_id=Job.objects.get().pk, clock=timezone.now)
        assert Question.objects.get().state == "accepted"
        taken = post([ambig("b")], format="ambignq", split="dev")
        jobs.run(job_id=taken.json()["id"], clock=timezone.now)
        found = client.get(
            reverse("api-job", args=[project.slug, taken.json()["id"]]),
            headers={"Authorization": f"Token {token}"},
        )
        assert found.json()["result"]["left_out"] == {
            "not_ambiguous": 1,
            "too_many_disambiguations": 0,
        }
