"""Predictions of teams: limits, what is refused and how, scores, the list, who sees what."""

import datetime as dt
import json
import re

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Job, Question
from evaluation.benchmark import queries, scoring, submitting
from evaluation.benchmark import services as benchmark_services
from evaluation.models import Benchmark, BenchmarkEntry, Output, System, TeamSeat
from evaluation.scores.measuring import score_systems
from tests import factories
from tests.evaluation import factories as made
from tests.evaluation.benchmark import scenes
from tests.evaluation.benchmark.scenes import HIDDEN, SECRET, predict, send


def board(client, slug="bridges"):
    return client.get(reverse("api-leaderboard", args=[slug])).json()


def test_predictions_are_scored_as_a_system_of_the_project_would_be(benchmark, project, red, now):
    entry = send(benchmark, red, now, predict(18))
    assert entry.state == "scored", entry.problem
    assert entry.figures["str_em"]["value"] == 37.5
    system = made.make_system(project, "Same")
    for question in Question.objects.filter(project=project, split="test"):
        made.make_output(system, question, predict(18)[question.external_id])
    [own] = score_systems(project, "test", [system])
    for name, figure in entry.figures.items():
        score = own.figures[name]
        assert figure["value"] == round(score.value, 1)
        if score.interval:
            bounds = [round(score.interval.low, 1), round(score.interval.high, 1)]
            assert [figure["low"], figure["high"]] == bounds


def test_an_entry_is_no_system_of_the_project(benchmark, project, red, staff, now, client_as):
    send(benchmark, red, now)
    assert not System.objects.exists()
    assert not Output.objects.exists()
    client = client_as(staff)
    listed = client.get(reverse("api-systems", args=[project.slug])).json()
    assert listed["results"] == []


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (predict(ids=range(HIDDEN - 1)), "24 questions of the test split, and nothing else"),
        (predict() | {"d1": "1843"}, "Of its 25 records, 24 do; 1 are"),
        (predict() | {"nowhere": "1843"}, "1 are empty, unreadable"),
        (predict() | {"t3": ""}, "23 do; 1 are empty"),
        (predict() | {"t3": " \u200b"}, "23 do; 1 are empty"),
        (predict() | {"t3": 7}, "23 do"),
        (predict() | {"t3": {"a": ["b"]}}, "23 do"),
        ([{"id": "t1", "answer": "x"}] * HIDDEN, "1 do; 23 are"),
        ({}, ""),
        ([], ""),
    ],
)
def test_a_file_that_is_not_whole_is_refused_by_one_sentence_and_does_not_count(
    benchmark, red, now, data, sentence
):
    entry = send(benchmark, red, now, data)
    assert (entry.state, entry.month_place, entry.year_place) == ("failed", None, None)
    assert sentence in entry.problem
    assert SECRET not in entry.problem
    assert not re.search(r"\bt\d+\b", entry.problem)
    assert submitting.count_sent(entry.team, now) == (0, 0)


HOSTILE = [
    b"PK\x03\x04" + b"\0" * 2000,  # a ZIP, which nothing opens
    b"\x1f\x8b\x08" + b"\0" * 500,
    b"[" * 100_000,
    b'{"t1": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    b'{"t1": "\\ud800"}',
    b'{"t1": 1e999, "t2": NaN}',
    b'{"t1": "a", "t1": "b"}',
    b"\xff\xfe{\x00}",
    b"null",
    b"",
    b" " * 5000,
]


@pytest.mark.parametrize("content", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_are_refused_with_a_sentence(
    benchmark, project, red, now, content, client_as
):
    client = client_as(red)
    address = reverse("benchmark-entries", args=[project.slug])
    data = {"name": "BART", "shown": "private", "file": scenes.upload(content)}
    response = client.post(address, data)
    if response.status_code == 302:
        entry = BenchmarkEntry.objects.get()
        jobs_services.claim_and_run(job_id=entry.job_id, clock=lambda: now)
        entry.refresh_from_db()
        assert entry.state == "failed"
        assert entry.problem.endswith(".")
        assert "fault" not in entry.problem
    else:
        assert response.status_code == 422
        assert "There is a problem" in response.text
    assert submitting.count_sent(benchmark.teams.get(), timezone.now()) == (0, 0)


def test_a_file_over_the_limit_is_refused(benchmark, project, red, now, client_as, settings):
    settings.IMPORT_MAX_BYTES = 1000
    client = client_as(red)
    file = SimpleUploadedFile("p.json", b"{" + b" " * 2_000_000 + b"}")
    data = {"name": "BART", "shown": "private", "file": file}
    response = client.post(reverse("benchmark-entries", args=[project.slug]), data)
    assert response.status_code == 422
    assert "The maximum is" in response.text
    assert not BenchmarkEntry.objects.exists()


def test_what_is_said_is_the_same_whether_answers_are_right_or_wrong(benchmark, red, now):
    short = predict(ids=range(HIDDEN - 1))
    right = send(benchmark, red, now, short)
    wrong = send(benchmark, red, now, dict.fromkeys(short, "I do not know."))
    assert right.problem == wrong.problem


def test_five_a_month_and_twenty_a_year(benchmark, red, now):
    at = dt.datetime(2026, 1, 31, 23, 59, tzinfo=dt.UTC)
    for _ in range(5):
        send(benchmark, red, at, run=False)
    with pytest.raises(Conflict, match="5 this month"):
        send(benchmark, red, at, run=False)
    # A new month in UTC, whatever the clock elsewhere says.
    entry = send(benchmark, red, at + dt.timedelta(minutes=1), run=False)
    assert (entry.month, entry.month_place, entry.year_place) == (2, 1, 6)
    for month in (3, 4, 5):
        for _ in range(5 if month < 5 else 4):
            send(benchmark, red, at.replace(month=month, day=1), run=False)
    with pytest.raises(Conflict, match="20 this year"):
        send(benchmark, red, at.replace(month=12), run=False)
    send(benchmark, red, at.replace(year=2027), run=False)


def test_what_fails_frees_its_place_and_what_is_withdrawn_does_not(benchmark, red, now):
    entries = [send(benchmark, red, now) for _ in range(5)]
    submitting.withdraw_entry(entry=entries[1], by=red, now=now)
    with pytest.raises(Conflict):
        send(benchmark, red, now)
    BenchmarkEntry.objects.filter(pk=entries[0].pk).delete()
    assert send(benchmark, red, now, {"t1": "x"}).state == "failed"
    assert send(benchmark, red, now).month_place == 1


def test_the_database_holds_the_limits(benchmark, red, now):
    entry = send(benchmark, red, now)
    row = BenchmarkEntry.objects.filter(pk=entry.pk)
    for change in (
        {"month_place": 6},
        {"year_place": 21},
        {"month_place": 0},
        {"month_place": None},
        {"state": "failed"},
        {"state": "waiting"},
        {"shown": "all"},
        {"figures": {}},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            row.update(**change)
    other = send(benchmark, red, now)
    with pytest.raises(IntegrityError, match="month_place"), transaction.atomic():
        BenchmarkEntry.objects.filter(pk=other.pk).update(month_place=1)
    with pytest.raises(IntegrityError, match="year_place"), transaction.atomic():
        BenchmarkEntry.objects.filter(pk=other.pk).update(year_place=1)


def test_a_job_that_is_stopped_or_lost_does_not_count(benchmark, red, now, client_as):
    entry = send(benchmark, red, now, run=False)
    Job.objects.filter(pk=entry.job_id).update(state="failed", ended_at=now)
    assert submitting.count_sent(entry.team, now) == (0, 0)
    page = client_as(red).get(reverse("benchmark-entries", args=["bridges"])).text
    assert submitting.STOPPED in page
    assert send(benchmark, red, now).month_place == 1
    entry.refresh_from_db()
    assert (entry.state, entry.problem) == ("failed", submitting.STOPPED)


def test_a_fault_of_the_program_does_not_count_and_tells_nothing(benchmark, red, now, monkeypatch):
    def fail(*args):
        raise RuntimeError(f"{SECRET} 3 was expected")

    monkeypatch.setattr(scoring, "round_figures", fail)
    entry = send(benchmark, red, now)
    assert (entry.state, entry.problem) == ("failed", scoring.FAULT)


def test_a_lost_worker_is_followed_by_another_that_changes_nothing(benchmark, red, now):
    entry = send(benchmark, red, now)
    Job.objects.filter(pk=entry.job_id).update(state="queued", ended_at=None)
    jobs_services.claim_and_run(job_id=entry.job_id, clock=lambda: now)
    assert BenchmarkEntry.objects.get(pk=entry.pk).state == "scored"


def test_the_list_has_what_teams_show_in_order_with_paired_tests(benchmark, red, blue, now, client):
    best = send(benchmark, red, now, predict(24), name="Best", shown="anonymous")
    send(benchmark, blue, now, predict(20), name="Good", shown="named")
    send(benchmark, blue, now, predict(2), name="Weak", shown="named")
    hidden = send(benchmark, red, now, predict(22), name="Quiet", shown="private")
    shown = board(client)
    assert shown["test_questions"] == HIDDEN
    assert [(row["place"], row["team"], row["name"]) for row in shown["entries"]] == [
        (1, None, None),
        (2, "Blues", "Good"),
        (3, "Blues", "Weak"),
    ]
    first, good, weak = shown["entries"]
    assert first["against_the_entry_above"] is None
    assert good["against_the_entry_above"]["difference"] == 8.3
    assert weak["against_the_entry_above"]["p"] == "< 0.01"
    hidden.refresh_from_db()
    assert hidden.above_id == best.pk
    page = client.get(reverse("benchmark", args=["bridges"])).text
    assert "Quiet" not in page
    assert "Best" not in page
    assert "Reds" not in page
    for row in shown["entries"]:
        assert str(row["figures"]["str_em"]["value"]) in page
    submitting.withdraw_entry(entry=best, by=red, now=now)
    again = board(client)["entries"]
    assert [row["name"] for row in again] == ["Good", "Weak"]
    assert again[0]["against_the_entry_above"] is None


def test_no_figure_has_more_than_one_decimal(benchmark, red, blue, now, client):
    for user, right in ((red, 23), (blue, 17)):
        send(benchmark, user, now, predict(right))
    rows = board(client)["entries"]
    assert rows[1]["against_the_entry_above"].pop("p") in ("< 0.01", "< 0.05", "≥ 0.05")
    numbers = re.findall(r"\d+\.(\d+)", json.dumps(rows))
    assert {len(decimals) for decimals in numbers} == {1}


def test_scores_against_other_references_are_not_compared(benchmark, project, red, blue, now):
    send(benchmark, red, now, predict(24))
    Question.objects.filter(external_id="t0").update(state="excluded")
    short = predict(20)
    short.pop("t0")
    entry = send(benchmark, blue, now, short)
    assert entry.state == "scored", entry.problem
    assert (entry.above_id, entry.paired_test) == (None, None)


def test_the_page_costs_the_same_with_more_entries(benchmark, red, blue, now, client):
    def count():
        with CaptureQueriesContext(connection) as found:
            client.get(reverse("benchmark", args=["bridges"]))
        return len(found)

    send(benchmark, red, now, predict(3))
    client.get(reverse("benchmark", args=["bridges"]))
    before = count()
    for right in (5, 9, 12):
        send(benchmark, blue, now, predict(right))
    assert count() == before <= 6


def test_a_small_test_split_takes_no_predictions(benchmark, red, now):
    Question.objects.filter(external_id__in=[f"t{n}" for n in range(10)]).update(state="excluded")
    with pytest.raises(Conflict, match="tell of single questions"):
        send(benchmark, red, now)


def test_a_figure_over_few_questions_does_not_leave(benchmark, red, now):
    few = [f"t{n}" for n in range(10)]
    Question.objects.filter(external_id__in=few).update(context={})
    entry = send(benchmark, red, now)
    assert (entry.state, entry.problem) == ("failed", scoring.NOTHING)


def test_who_sends_too_many_files_waits(benchmark, red, client_as, settings):
    cache.clear()
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "benchmark_send": "1/h/user"}
    client, address = client_as(red), reverse("benchmark-entries", args=["bridges"])
    found = []
    for _ in range(2):
        data = {"name": "BART", "shown": "private", "file": scenes.upload(b"null")}
        found.append(client.post(address, data).status_code)
    assert found == [422, 429]


def test_people_of_the_project_send_nothing(benchmark, project, red, staff, now):
    with pytest.raises(Denied):
        send(benchmark, staff, now)
    factories.make_member(project, "annotator", user=red)
    with pytest.raises(Conflict, match="can know the answers"):
        send(benchmark, red, now)


def test_who_has_worked_in_the_project_sends_nothing(benchmark, project, red, now):
    question = Question.objects.get(external_id="d1")
    task = factories.make_task(project, question, stage="long_answers")
    factories.make_assignment(task, red, state="submitted")
    with pytest.raises(Conflict, match="have worked in it"):
        send(benchmark, red, now)


def test_pairs_are_tested_again_where_another_figure_gives_the_order(benchmark, red, blue, now):
    send(benchmark, red, now, predict(24))
    below = send(benchmark, blue, now, predict(12))
    assert below.paired_test["figure"] == "str_em"
    BenchmarkEntry.objects.filter(pk=below.pk).update(
        paired_test=below.paired_test | {"figure": "f1_answer"}
    )
    submitting.show_entry(entry=below, shown="anonymous", by=blue, now=now)
    below.refresh_from_db()
    assert below.paired_test["figure"] == "str_em"


# --- who sees what -------------------------------------------------------------------------------


def statuses(client, entry):
    """What a person gets at every address that has to do with an entry or with outputs."""
    slug = "bridges"
    team = [
        client.get(reverse("benchmark-entries", args=[slug])),
        client.get(reverse("benchmark-test-questions", args=[slug])),
        client.post(reverse("benchmark-entry", args=[slug, entry.pk]), {"shown": "named"}),
        client.post(reverse("benchmark-entries", args=[slug]), {}),
    ]
    project = [
        client.get(reverse(name, args=[slug]))
        for name in ("api-systems", "system-list", "api-scores", "benchmark-edit", "system-scores")
    ]
    project.append(client.get(reverse("api-release", args=[slug, "asqa"])))
    project.append(client.get(reverse("release-download", args=[slug, "asqa"])))
    project.append(client.get(reverse("job-detail", args=[slug, entry.job_id])))
    project.append(client.get(reverse("api-job", args=[slug, entry.job_id])))
    return [row.status_code for row in team], {row.status_code for row in project}


def test_strangers_submitters_others_and_staff_get_what_is_theirs(
    benchmark, red, blue, staff, now, client_as
):
    entry = send(benchmark, red, now, name="Crimson", shown="private")
    assert statuses(client_as(red), entry) == ([200, 200, 302, 422], {404})
    assert statuses(client_as(blue), entry) == ([200, 200, 404, 422], {404})
    stranger = client_as(factories.make_user(name="Stan Stone"))
    assert statuses(stranger, entry) == ([404, 404, 404, 404], {404})
    assert statuses(client_as(staff), entry) == ([404, 404, 404, 404], {200})
    team, project = statuses(Client(), entry)
    assert (set(team), project) == ({302}, {302, 401})


def test_a_private_entry_is_seen_by_its_team_alone(benchmark, red, blue, staff, now, client_as):
    send(benchmark, red, now, name="Crimson", shown="private")
    entries = reverse("benchmark-entries", args=["bridges"])
    assert "Crimson" in client_as(red).get(entries).text
    assert "Crimson" not in client_as(blue).get(entries).text
    for user in (red, blue, staff):
        client = client_as(user)
        assert "Crimson" not in client.get(reverse("benchmark", args=["bridges"])).text
        assert board(client)["entries"] == []
    pages = [reverse(name, args=["bridges"]) for name in ("benchmark-edit", "project-log")]
    assert all("Crimson" not in client_as(staff).get(page).text for page in pages)


def test_the_test_questions_have_no_answer(benchmark, red, client_as):
    response = client_as(red).get(reverse("benchmark-test-questions", args=["bridges"]))
    rows = [json.loads(line) for line in b"".join(response).splitlines()]
    assert len(rows) == HIDDEN
    assert {tuple(row) for row in rows} == {("id", "question")}
    assert SECRET not in json.dumps(rows)


def test_nothing_that_a_team_reads_has_references_or_single_scores(benchmark, red, now, client_as):
    send(benchmark, red, now, dict.fromkeys(predict(), "I do not know."))
    client = client_as(red)
    for name in ("benchmark", "benchmark-entries", "benchmark-questions", "api-leaderboard"):
        text = client.get(reverse(name, args=["bridges"])).text
        assert SECRET not in text
        assert not re.search(r"\bt\d+\b", text)


def test_a_closed_page_takes_the_pages_of_teams_with_it(benchmark, red, staff, now, client_as):
    benchmark_services.set_open(benchmark=benchmark, is_open=False, by=staff, now=now)
    address = reverse("benchmark-entries", args=["bridges"])
    assert client_as(red).get(address).status_code == 404
    assert client_as(red).get(reverse("api-leaderboard", args=["bridges"])).status_code == 404
    benchmark.refresh_from_db()
    with pytest.raises(Conflict, match="closed"):
        send(benchmark, red, now)


def test_a_team_changes_who_sees_its_entry(benchmark, red, now, client_as, client):
    entry = send(benchmark, red, now, shown="private")
    own = client_as(red)
    address = reverse("benchmark-entry", args=["bridges", entry.pk])
    own.post(address, {"shown": "named"})
    assert [row["team"] for row in board(client)["entries"]] == ["Reds"]
    own.post(address, {"shown": "everybody"})
    own.post(address, {"shown": "anonymous"})
    assert [row["team"] for row in board(client)["entries"]] == [None]
    own.post(address, {"press": "withdraw"})
    assert board(client)["entries"] == []
    assert own.post(address, {"shown": "named"}).status_code == 409
    assert queries.list_entries(entry.team)[0].month_place == 1


# --- teams ---------------------------------------------------------------------------------------


def link_of(seat):
    return benchmark_services.build_link(seat)


def test_a_stranger_joins_with_a_new_account(benchmark, staff, now, client):
    seat = scenes.invite(benchmark, staff, timezone.now())
    page = client.get(link_of(seat)).text
    assert "Join the team Reds" in page
    assert client.post(link_of(seat), {"name": "", "password": "x"}).status_code == 422
    data = {"name": "Rita Rowe", "password": "a long-enough secret"}
    response = client.post(link_of(seat), data)
    assert response.status_code == 302
    assert client.get(response.url).status_code == 200
    seat.refresh_from_db()
    assert (seat.user.email, seat.email) == ("red@lake.example", "")
    assert client.get(link_of(seat)).status_code == 302


def test_an_account_joins_and_only_the_invited_one(benchmark, staff, red, now, client_as, client):
    invited = factories.make_user(name="Ida", email="ida@lake.example")
    seat = scenes.invite(benchmark, staff, timezone.now(), email="Ida@Lake.example ")
    assert "has an account. Sign in" in client.get(link_of(seat)).text
    assert client_as(red).post(link_of(seat)).status_code == 403
    assert client_as(invited).post(link_of(seat)).status_code == 302
    assert TeamSeat.objects.get(pk=seat.pk).user == invited


def test_links_that_are_over_or_wrong(benchmark, staff, now, client):
    seat = scenes.invite(benchmark, staff, timezone.now())
    TeamSeat.objects.update(expires_at=now - dt.timedelta(days=99))
    assert client.get(link_of(seat)).status_code == 410
    benchmark_services.end_seat(seat=seat, by=staff, now=now)
    assert client.get(link_of(seat)).status_code == 410
    damaged = reverse("benchmark-join", args=["bridges", "1-2.abc"])
    assert client.get(damaged).status_code == 403


def test_whom_staff_cannot_invite(benchmark, project, staff, red, now):
    for team, email in (("", "x@y.example"), ("Reds", staff.email), ("Greens", red.email)):
        with pytest.raises(Conflict):
            scenes.invite(benchmark, staff, now, team=team, email=email)
    scenes.invite(benchmark, staff, now)
    with pytest.raises(Conflict, match="open invitation"):
        scenes.invite(benchmark, staff, now, team="Greens")
    with pytest.raises(Denied):
        scenes.invite(benchmark, red, now, email="z@y.example")


def test_an_ended_seat_sends_nothing_and_an_erased_person_leaves_no_address(
    benchmark, staff, red, now
):
    seat = TeamSeat.objects.get(user=red)
    benchmark_services.end_seat(seat=seat, by=staff, now=now)
    with pytest.raises(Denied):
        send(benchmark, red, now)
    blank = scenes.invite(benchmark, staff, now, email=red.email)
    benchmark_services.forget_person(red, now)
    blank.refresh_from_db()
    assert (blank.email, blank.ended_at) == ("", now)
    assert not AuditEntry.objects.filter(data__email=red.email).exists()


def test_staff_invite_and_end_seats_on_the_page(benchmark, staff, client_as):
    client = client_as(staff)
    invite = reverse("benchmark-invite", args=["bridges"])
    assert client.post(invite, {"team": "Reds", "email": "nobody"}).status_code == 422
    assert client.post(invite, {"team": "Reds", "email": "r@lake.example"}).status_code == 302
    page = client.get(reverse("benchmark-edit", args=["bridges"])).text
    seat = TeamSeat.objects.get()
    assert link_of(seat) in page
    client.post(reverse("benchmark-seat-end", args=["bridges", seat.pk]))
    assert "r@lake.example" not in client.get(reverse("benchmark-edit", args=["bridges"])).text
    assert Benchmark.objects.get().is_open
