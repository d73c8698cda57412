"""The list of entries, its paired tests, and who sees what of an entry."""

import json
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.refusals import Conflict
from annotation.models import Question
from evaluation.benchmark import queries, submitting
from evaluation.benchmark import services as benchmark_services
from evaluation.models import BenchmarkEntry
from tests import factories
from tests.evaluation.benchmark.scenes import HIDDEN, SECRET, predict, send


def board(client, slug="bridges"):
    return client.get(reverse("api-leaderboard", args=[slug])).json()


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
