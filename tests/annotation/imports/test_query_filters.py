"""Filters for queries, counted by rule (N1), and splits that are drawn (N25)."""

import io
import json
from collections import Counter

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from annotation.imports.drawn_splits import SplitDraw, parse_shares
from annotation.imports.import_rules import ImportRules, parse_rules, rules_from_json
from annotation.imports.query_filters import FILTERS, NO_FORM, TOO_SHORT, filter_query
from annotation.imports.services import check_file, import_questions, start_import
from annotation.jobs import services as jobs_services
from annotation.models import Job, Question

QUERIES = {
    "long": "when did the ferry over the river start to run",
    "short": "when did the ferry start",
    "what": "what is the name of the ferry over the river",
    "be": "where was the first lamp of pump lane built",
    "who": "who wrote the song about the seven lamps there",
}


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        (QUERIES["long"], {"words", "do"}),
        ("When DIDN’T the ferry start?", {"do"}),
        ("who can open the gate", {"do", "who"}),
        (QUERIES["be"], {"words", "be"}),
        ("where is the wedding ring of the king", {"words"}),
        ("who is the king of the long lane now", {"words"}),
        ("who was elected mayor", {"be"}),
        (QUERIES["who"], {"words", "who"}),
        ("who sings this song", {"who"}),
        ("who boss of the lane", set()),
        ("how did it start", set()),
        (QUERIES["what"], {"words"}),
        ("where", set()),
        ("? — !", set()),
    ],
)
def test_what_a_query_fits(query, fits):
    assert set(filter_query(query, FILTERS).fits) == fits


def test_of_the_ways_to_ask_one_is_enough_and_nothing_is_filtered_unless_chosen():
    assert filter_query("lamps", []).reason == ""
    assert filter_query(QUERIES["short"], ["do", "be"]).reason == ""
    assert filter_query(QUERIES["what"], ["words", "do", "be"]).reason == NO_FORM
    assert filter_query(QUERIES["short"], ["words", "do"]).reason == TOO_SHORT


def test_the_split_of_a_question_depends_on_its_words_and_the_seed():
    draw = SplitDraw({"train": 307_373, "dev": 7_830, "test": 7_842}, seed=13)
    drawn = Counter(draw.draw_split(f"question {number}") for number in range(20_000))
    assert 0.94 < drawn["train"] / 20_000 < 0.96
    assert 0.02 < drawn["dev"] / 20_000 < 0.03
    assert draw.draw_split(" Cafe\u0301? ") == draw.draw_split("Caf\u00e9?")
    other = SplitDraw(draw.shares, seed=14)
    assert any(
        draw.draw_split(str(number)) != other.draw_split(str(number)) for number in range(200)
    )
    assert {SplitDraw({"test": 1}).draw_split(str(number)) for number in range(50)} == {"test"}


@pytest.mark.parametrize(
    ("shares", "problem"),
    [
        ("train", "“train” should be SPLIT=NUMBER"),
        ("train=-1", "“train=-1” should be"),
        ("train=99999999", "should be from 0 to 10,000,000"),
        ("eval=10", "“eval” is not a split"),
        ("train=0 dev=0", "at least one split"),
        ("dev=1 dev=2", "has two shares"),
    ],
)
def test_shares_that_cannot_be_used(shares, problem):
    with pytest.raises(ValueError, match=problem):
        SplitDraw(parse_shares(shares))


def test_rules_are_read_as_they_were_kept():
    rules = parse_rules(["who", "words"], "train=8, dev=2", 5)
    assert rules.filters == ("words", "who")
    assert rules_from_json(json.loads(json.dumps(rules.as_json()))) == rules
    assert ImportRules().as_json() == {}
    with pytest.raises(ValueError, match="“verbs” is not a filter"):
        parse_rules(["verbs"], "")


def lines_of(queries):
    rows = [json.dumps({"id": key, "question": text}) for key, text in queries.items()]
    return io.BytesIO("\n".join(rows).encode())


@pytest.fixture
def run(project, now):
    def run(queries, **options):
        defaults = {"format": "jsonl", "split": "dev", "by": None, "now": now}
        return import_questions(project=project, file=lines_of(queries), **defaults | options)

    return run


@pytest.mark.django_db
def test_an_import_says_how_many_fit_and_which_lines_are_left_out(run, project):
    rules = parse_rules(["words", "do", "who"], "")
    tally = run(QUERIES, rules=rules, strict=True)  # what is left out is no mistake of the file
    assert set(Question.objects.values_list("external_id", flat=True)) == {"long", "who"}
    assert tally.fits == {"words": 4, "do": 2, "who": 1}
    assert tally.left_out == {TOO_SHORT: 1, NO_FORM: 2}
    assert [each["line"] for each in tally.filtered] == [2, 3, 4]
    assert (tally.created, tally.rejected) == (2, 0)
    assert "fits" not in run(QUERIES).as_json()


@pytest.mark.django_db
def test_equal_questions_come_into_one_split_over_several_files(run, project):
    rules = ImportRules(draw=SplitDraw({"train": 1, "dev": 1, "test": 1}, seed=3))
    texts = {f"a{number}": f"what is number {number}" for number in range(40)}
    first = run(texts, rules=rules, split=None)
    assert first.equal == 0
    assert len(set(Question.objects.values_list("split", flat=True))) == 3
    Question.objects.filter(external_id="a0").update(split="test")
    more = {f"b{number}": f" what is number {number}" for number in range(50)}
    second = run({**more, "c49": "what is number 49"}, rules=rules, split=None)
    assert (second.created, second.equal) == (51, 41)
    assert second.equals[0] == {"line": 1, "id": "a0"}
    assert second.equals[-1] == {"line": 51, "id": "b49"}
    splits = dict(Question.objects.values_list("external_id", "split"))
    assert splits["b0"] == splits["a0"] == "test"
    assert all(splits[f"a{number}"] == splits[f"b{number}"] for number in range(40))
    assert splits["b49"] == splits["c49"]
    again = run(texts, rules=ImportRules(draw=SplitDraw({"train": 1}, seed=9)), split=None)
    assert (again.unchanged, again.rejected, again.equal) == (40, 0, 0)  # each stays in its split


@pytest.mark.django_db
def test_a_record_that_names_its_split_keeps_it(project, now):
    file = io.BytesIO(
        b'{"id": "a", "question": "W?", "split": "dev"}\n{"id": "b", "question": "W?"}'
    )
    rules = ImportRules(draw=SplitDraw({"train": 1}))
    check = check_file(project=project, file=file, format="jsonl", split=None, rules=rules)
    assert (check.splits, check.tally.equal) == ({"dev": 2}, 1)


@pytest.fixture
def staff(client_as, rosa, monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    return client_as(rosa)


def upload(staff, project):
    file = SimpleUploadedFile("log.jsonl", lines_of(QUERIES).read())
    return staff.post(reverse("import-create", args=[project.slug]), {"file": file})["Location"]


@pytest.mark.django_db
def test_the_page_offers_filters_and_a_drawn_split(staff, project):
    address = upload(staff, project)
    page = staff.get(address).content.decode()
    assert "Filter queries of a search engine" in page
    assert 'name="share-train"' not in page
    chosen = {"filter-words": "on", "filter-do": "on", "split": "drawn", "seed": "7"}
    page = staff.post(address, chosen | {"show": "1"}).content.decode()
    assert "1 question to import" in page
    assert "4 fit." in page
    assert "1 with fewer than 8 words" in page
    assert "3 that ask in none of the chosen ways" in page
    assert 'name="share-train" value="80"' in page
    problems = staff.get(address.replace("/?", "?") + "problems/", chosen).content.decode()
    assert problems.splitlines()[1].startswith("2,The question has fewer than 8 words.")
    answer = staff.post(address, chosen | {"share-train": "0", "share-dev": "0", "share-test": "2"})
    job = Job.objects.get(kind="import")
    assert answer["Location"] == reverse("job-detail", args=[project.slug, job.pk])
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    assert Question.objects.get().split == "test"
    done = staff.get(answer["Location"]).content.decode()
    assert "<dt>At least 8 words</dt><dd>4 fit</dd>" in done
    assert "3 that ask in none of the chosen ways" in done
    lines = staff.get(reverse("job-problems", args=[project.slug, job.pk]) + "?shape=file")
    assert [json.loads(each)["id"] for each in lines.content.splitlines()] == [
        *("short", "what", "be", "who")
    ]


@pytest.mark.django_db
def test_the_page_says_what_is_wrong_with_shares_and_seed(staff, project):
    address = upload(staff, project)
    zero = {"split": "drawn", "share-train": "0", "share-dev": "", "share-test": "0"}
    answer = staff.post(address, zero)
    assert (answer.status_code, Job.objects.filter(kind="import").count()) == (422, 0)
    assert "at least one split a share" in answer.content.decode()
    answer = staff.post(address, {"split": "drawn", "seed": "x"})
    assert "The seed should be a whole number." in answer.content.decode()


@pytest.mark.django_db
def test_the_api_takes_filters_and_shares(client, project, rosa, monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    _, token = AuthToken.objects.create(rosa)

    def post(query="", **fields):
        file = SimpleUploadedFile("log.jsonl", lines_of(QUERIES).read())
        return client.post(
            reverse("api-import", args=[project.slug]) + query,
            {"file": file, **fields},
            headers={"Authorization": f"Token {token}"},
        )

    found = post("?dry_run=1", filters="words, be", shares="test=1").json()
    assert found["counts"]["left_out"] == {TOO_SHORT: 1, NO_FORM: 3}
    assert found["counts"]["fits"] == {"words": 4, "be": 1}
    assert [each["line"] for each in found["filtered"]] == [1, 2, 3, 5]
    assert found["splits"] == {"test": 1}
    assert post(filters="verbs").json().keys() == {"filters"}
    assert post(shares="test=x").json().keys() == {"shares"}
    assert post(format="jsonl", shares="test=1,dev=0", seed="5").status_code == 202
    rules = rules_from_json(Job.objects.get().options["rules"])
    assert rules == ImportRules(draw=SplitDraw({"test": 1, "dev": 0}, 5))


@pytest.mark.django_db
def test_the_command_filters_and_draws(project, tmp_path, capsys):
    path = tmp_path / "log.jsonl"
    path.write_bytes(lines_of({**QUERIES, "same": QUERIES["long"]}).read())
    shared = ("import_questions", project.slug, str(path), "--format", "jsonl")
    call_command(*shared, "--filter", "do", "--draw-split", "train=1", "--seed", "2")
    out = capsys.readouterr().out
    assert "3 created" in out
    assert "1 equal to others" in out
    assert "Line 6: the same words as “long”, kept too." in out
    assert "Filter do: 3 fit." in out
    assert "Left out: 3 that ask in none of the chosen ways." in out
    assert set(Question.objects.values_list("split", flat=True)) == {"train"}
    with pytest.raises(CommandError, match="SPLIT=NUMBER"):
        call_command(*shared, "--draw-split", "train")


@pytest.mark.django_db
def test_a_job_that_was_stopped_counts_each_line_once(project, rosa, monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    monkeypatch.setattr("annotation.imports.services.BATCH", 2)
    job = start_import(
        project=project,
        file=SimpleUploadedFile("log.jsonl", lines_of(QUERIES).read()),
        file_name="log.jsonl",
        format="jsonl",
        split="dev",
        strict=False,
        rules=parse_rules(["words"], ""),
        by=rosa,
        now=timezone.now(),
    )
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    assert job.result["fits"] == {"words": 4}
    assert job.result["left_out"] == {TOO_SHORT: 1}
    Job.objects.filter(pk=job.pk).update(state="queued", ended_at=None, done=2)
    half = {**job.result, "created": 1, "fits": {"words": 1}}
    Job.objects.filter(pk=job.pk).update(result=half)
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    assert job.result["fits"] == {"words": 4}
    assert job.result["left_out"] == {TOO_SHORT: 1}
