"""The public page: opened and closed, its frozen release, the explorer, and nothing hidden."""

import hashlib
import json
import re

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.refusals import Conflict, Denied
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Event, LongAnswer, Question
from evaluation.benchmark import queries, releases
from evaluation.benchmark import services as benchmark_services
from evaluation.models import Benchmark, ReleasedQuestion
from tests import factories
from tests.annotation.long_answers import helpers
from tests.evaluation.benchmark import scenes
from tests.evaluation.benchmark.scenes import SECRET


def read(client, name, *args, **query):
    response = client.get(reverse(name, args=args), query)
    assert response.status_code == 200, response.status_code
    return b"".join(response).decode() if response.streaming else response.content.decode()


def test_a_page_is_off_until_it_is_opened_and_gone_once_it_is_closed(project, staff, now, client):
    address = reverse("benchmark", args=[project.slug])
    assert client.get(address).status_code == 404
    said = {"title": "Bridges", "licence": "CC BY 4.0", "by": staff, "now": now}
    benchmark = benchmark_services.save_page(project=project, **said)
    with pytest.raises(Conflict, match="release"):
        benchmark_services.set_open(benchmark=benchmark, is_open=True, by=staff, now=now)
    releases.make_release(benchmark=benchmark, layout="asqa", by=None, now=now)
    assert client.get(address).status_code == 404
    benchmark_services.set_open(benchmark=benchmark, is_open=True, by=staff, now=now)
    assert client.get(address).status_code == 200
    benchmark_services.set_open(benchmark=benchmark, is_open=False, by=staff, now=now)
    assert client.get(address).status_code == 404
    actions = AuditEntry.objects.filter(project=project.pk, action__startswith="benchmark")
    assert list(actions.order_by("pk").values_list("action", "actor")) == [
        ("benchmark_changed", staff.pk),
        ("benchmark_released", None),
        ("benchmark_opened", staff.pk),
        ("benchmark_closed", staff.pk),
    ]


def test_only_staff_open_it(project, benchmark, now):
    writer = factories.make_member(project, "annotator")
    with pytest.raises(Denied):
        benchmark_services.set_open(benchmark=benchmark, is_open=False, by=writer, now=now)
    with pytest.raises(Denied):
        benchmark_services.save_page(project=project, by=writer, now=now, title="Mine")
    with pytest.raises(Denied):
        releases.start_release(benchmark=benchmark, layout="asqa", by=writer, now=now)


def test_staff_read_what_becomes_public_before_they_press(project, staff, now, client_as):
    scenes.make_benchmark(project, now, is_open=False)
    client = client_as(staff)
    page = client.get(reverse("benchmark-open", args=[project.slug])).text
    assert "What everybody will see" in page
    assert f"The {scenes.HIDDEN} questions of the test split" in page
    assert not Benchmark.objects.get().is_open
    client.post(reverse("benchmark-open", args=[project.slug]))
    assert Benchmark.objects.get().is_open
    client.post(reverse("benchmark-close", args=[project.slug]))
    assert not Benchmark.objects.get().is_open


def test_a_question_on_which_annotations_differ_says_so(benchmark, project, client):
    row = benchmark.released_questions.first()
    found = benchmark.released_questions.filter(pk=row.pk)
    for shown, sentence in (
        ([["", ["1843"]]], "One answer<"),
        ([["", ["1843"]], ["Who?", ["Ada"]]], "One answer or several<"),
    ):
        found.update(is_multiple=False, shown=shown)
        assert sentence in read(client, "benchmark-questions", project.slug)


def test_the_database_refuses_what_must_never_be_public(benchmark, project, now):
    row = benchmark.released_questions.first()
    for change in ({"split": "test"}, {"position": 2}):
        with pytest.raises(IntegrityError), transaction.atomic():
            ReleasedQuestion.objects.filter(pk=row.pk).update(**change)
    for change in ({"licence": ""}, {"opened_at": None}, {"released_at": None}, {"manifest": ""}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Benchmark.objects.update(**change)


def test_a_release_has_no_question_of_the_test_split(benchmark):
    assert queries.count_released(benchmark) == {"train": 2, "dev": 3}
    assert not ReleasedQuestion.objects.filter(search__contains=SECRET).exists()
    manifest = json.loads(benchmark.manifest)
    assert manifest["splits"] == ["train", "dev"]
    assert SECRET not in benchmark.manifest + benchmark.card


def test_the_file_is_that_of_the_manifest_and_stays_when_the_project_goes_on(
    benchmark, project, client, now
):
    name = "bridges-asqa.json"
    before = read(client, "benchmark-file", project.slug, name)
    assert hashlib.sha256(before.encode()).hexdigest() == json.loads(benchmark.manifest)["sha256"]
    assert list(json.loads(before)) == ["train", "dev"]
    Question.objects.filter(split="dev").update(text="changed", split="test")
    LongAnswer.objects.update(text="changed")
    assert read(client, "benchmark-file", project.slug, name) == before
    assert "changed" not in read(client, "benchmark-questions", project.slug)
    manifest = read(client, "benchmark-file", project.slug, f"{name}.manifest.json")
    assert manifest == benchmark.manifest
    assert "bridges" in read(client, "benchmark-file", project.slug, f"{name}.card.md")
    other = reverse("benchmark-file", args=[project.slug, "bridges-ambignq.json"])
    assert client.get(other).status_code == 404


def found(client, project, **query):
    page = read(client, "benchmark-questions", project.slug, **query)
    return re.findall(r"<span>([rdt]\d+)</span>", page)


def test_the_explorer_searches_questions_and_answers_by_number_and_split(
    benchmark, project, client
):
    assert found(client, project) == ["r1", "r2", "d0", "d1", "d2"]
    assert found(client, project, answers="single") == ["r2"]
    assert found(client, project, answers="multiple", split="train") == ["r1"]
    assert found(client, project, q="1869") == ["r1"]
    assert found(client, project, q="BRID d1") == ["d1"]
    assert found(client, project, q="nowhere") == []
    for words in ("'", "!!!", "zz' | 'walkers", "\\", ":* & !", "%", "🌉"):
        assert found(client, project, q=words) == []
    for query in ({"answers": "all"}, {"split": "test"}, {"after": "-1"}, {"q": "x" * 201}):
        response = client.get(reverse("benchmark-questions", args=[project.slug]), query)
        assert response.status_code == 404, query


def test_the_explorer_links_pages_with_their_revisions(project, now, client):
    writer = factories.make_member(project, "annotator", name="Ann Ash")
    question = Question.objects.get(external_id="d1")
    task = factories.make_task(project, question, stage="long_answers")
    assignment = factories.make_assignment(task, writer, state="submitted", used=True)
    page = factories.make_shown(
        project.snapshot, "Bridge", rev_id=77, url="https://en.wikipedia.org/wiki/Bridge?oldid=77"
    )
    factories.make_visit(assignment, shown_page=page)
    assert Event.objects.filter(kind="page_open", data__shown=page.pk).exists()
    benchmark = scenes.make_benchmark(project, now)
    releases.make_release(benchmark=benchmark, layout="asqa", by=None, now=now)
    text = read(client, "benchmark-questions", project.slug, q="d1")
    assert 'href="https://en.wikipedia.org/wiki/Bridge?oldid=77"' in text
    assert "revision 77" in text
    assert "Ann" not in text


def test_nothing_that_strangers_read_has_hidden_references_or_people(
    benchmark, project, client, staff
):
    pages = [
        read(client, "benchmark", project.slug),
        read(client, "benchmark-questions", project.slug),
        read(client, "benchmark-questions", project.slug, q=SECRET),
        read(client, "api-leaderboard", project.slug),
        *(read(client, "benchmark-file", project.slug, f"bridges-asqa.json{ending}")
          for ending in ("", ".manifest.json", ".card.md")),
    ]  # fmt: skip
    for page in pages:
        assert SECRET not in page.replace(f'value="{SECRET}"', "")
        assert not re.search(r"\bt\d+\b", page)
        assert staff.name not in page
    assert f"{scenes.HIDDEN} questions, which stay hidden" in pages[0]


def test_markdown_of_the_description_is_made_safe(benchmark, project, client):
    Benchmark.objects.update(
        description="**bold** <script>alert(1)</script> [x](javascript:alert(1)) ![p](https://x.y)",
        citation="<b>@misc</b>",
    )
    page = read(client, "benchmark", project.slug)
    assert "<strong>bold</strong>" in page
    assert "<script>alert" not in page
    assert 'href="javascript' not in page
    assert "<img" not in page
    assert "&lt;b&gt;@misc" in page


def test_what_caches_and_robots_are_told(benchmark, project, client):
    page = client.get(reverse("benchmark", args=[project.slug]))
    assert (page["Cache-Control"], page["X-Robots-Tag"]) == (
        "private, no-cache",
        "noindex, nofollow",
    )
    assert "script-src 'self'" in page["Content-Security-Policy"]
    Benchmark.objects.update(is_indexed=True)
    assert "X-Robots-Tag" not in client.get(reverse("benchmark", args=[project.slug]))
    for name, args in (("benchmark-questions", []), ("benchmark-file", ["bridges-asqa.json"])):
        response = client.get(reverse(name, args=[project.slug, *args]))
        assert response["X-Robots-Tag"] == "noindex, nofollow"


def test_an_address_that_asks_too_much_waits(benchmark, project, client, settings):
    cache.clear()
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "benchmark": "2/m/ip"}
    for name in ("benchmark", "benchmark-questions"):
        assert client.get(reverse(name, args=[project.slug])).status_code == 200
    response = client.get(reverse("benchmark", args=[project.slug]))
    assert response.status_code == 429
    assert "Wait for a minute" in response.text
    refused = client.get(reverse("api-leaderboard", args=[project.slug]))
    assert (refused.status_code, "Wait" in refused.json()["detail"]) == (429, True)


def fill(benchmark, number):
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO evaluation_releasedquestion (benchmark_id, position, external_id, split,
                   question, is_multiple, shown, texts, pages, record, search)
               SELECT %s, 100 + n, 'x' || n, 'train', 'Who built bridge ' || n || '?', n %% 2 = 1,
                   '[["", ["Builder"]]]', '[]', '[]', '{}', 'Who built bridge ' || n || ' builder'
               FROM generate_series(1, %s) n""",
            [benchmark.pk, number],
        )


def counted(client, address, query):
    with CaptureQueriesContext(
        connection,
    ) as found:
        assert client.get(address, query).status_code == 200
    return len(found)


def test_a_page_of_twelve_thousand_costs_no_more_statements_and_uses_an_index(
    benchmark, project, client
):
    address = reverse("benchmark-questions", args=[project.slug])
    asked = [{}, {"q": "builder 11"}, {"answers": "single"}, {"after": "11000"}]
    client.get(address)
    before = [counted(client, address, query) for query in asked]
    fill(benchmark, 12_000)
    assert [counted(client, address, query) for query in asked] == before == [3] * len(asked)
    page = client.get(address, {"answers": "single"})
    assert page.text.count('<h3 class="title"') == 50
    assert "after=" in re.search(r'href="(\?[^"]*)">More', page.text)[1]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE evaluation_releasedquestion")
    plan = queries.find_questions(benchmark, words="builder 11999").explain()
    assert "released_question_by_words" in plan
    plan = queries.find_questions(benchmark, answers="single").filter(position__gt=9_000)
    plan = plan.order_by("position")[:51].explain()
    assert "released_question" in plan
    assert "Seq Scan" not in plan


def test_the_release_is_put_on_the_page_by_a_job(project, staff, now, client_as):
    benchmark = scenes.make_benchmark(project, now, is_open=False)
    client = client_as(staff)
    client.post(reverse("benchmark-release", args=[project.slug]), {"layout": "asqa"})
    job = project.jobs.get()
    jobs_services.claim_and_run(job_id=job.pk, clock=lambda: now)
    job.refresh_from_db()
    assert (job.state, job.result) == ("done", {"questions": 5})
    assert benchmark.released_questions.count() == 5
    client.post(reverse("benchmark-release", args=[project.slug]), {"layout": "nonsense"})
    assert project.jobs.count() == 1


def test_a_project_without_accepted_answers_has_nothing_to_release(now, db):
    project = helpers.make_project()
    benchmark = scenes.make_benchmark(project, now, is_open=False)
    with pytest.raises(Conflict, match="No question"):
        releases.make_release(benchmark=benchmark, layout="asqa", by=None, now=now)


def test_the_command_does_what_the_pages_do(project, capsys):
    with pytest.raises(CommandError, match="release"):
        call_command("benchmark", "open", "bridges")
    call_command("benchmark", "release", "bridges", "--layout", "asqa")
    call_command("benchmark", "open", "bridges")
    call_command("benchmark", "list")
    assert "bridges: open, release: 5 questions, asqa" in capsys.readouterr().out
    call_command("benchmark", "list", "--json")
    [listed] = json.loads(capsys.readouterr().out)
    assert listed == {"project": "bridges", "open": True, "layout": "asqa", "questions": 5}
    assert Client().get(reverse("benchmark", args=["bridges"])).status_code == 200
    call_command("benchmark", "close", "bridges")
    assert Client().get(reverse("benchmark", args=["bridges"])).status_code == 404
    for wrong in (["open", "nowhere"], ["close"], ["release", "bridges", "--layout", "x"]):
        with pytest.raises(CommandError):
            call_command("benchmark", *wrong)
