"""Reading through the API: search, read, quote and report, logged as beside the work page."""

import json

import pytest
from django.urls import reverse

from annotation.models import Event
from tests import archives, factories
from wikipedia.models import Quote
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.providers.registry import provider_for

pytestmark = pytest.mark.django_db
THAMES = "Thames_Tunnel"


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    archives.make_demo(folder)
    return folder


@pytest.fixture
def snapshot(db, settings, demo_folder):
    return archives.use(settings, demo_folder, demo_folder / "demo.zim", "demo")


@pytest.fixture
def assignment(snapshot, ann):
    project = factories.make_project(snapshot=snapshot)
    factories.make_member(project, "annotator", user=ann)
    return factories.make_assignment(factories.make_task(project), ann)


@pytest.fixture
def post(client, assignment, ann):
    client.force_login(ann)

    def post(name, **body):
        address = reverse(f"api-work-{name}", args=[assignment.pk])
        return client.post(address, json.dumps(body), content_type="application/json")

    return post


@pytest.fixture
def history(client, assignment, ann):
    client.force_login(ann)
    return lambda: client.get(reverse("api-work-reading", args=[assignment.pk])).json()


def kinds(assignment):
    rows = Event.objects.filter(assignment=assignment).order_by("pk")
    return list(rows.values_list("kind", flat=True))


def test_a_search_is_logged_once_and_leads_on(post, assignment):
    first, again = (post("search", query="the  thames tunnel").json() for _ in range(2))
    assert first == again
    assert first["query"] == "the thames tunnel"
    assert [row["rank"] for row in first["results"]] == [*range(1, len(first["results"]) + 1)]
    assert first["results"][0]["path"] == THAMES
    assert "<b>" in first["results"][0]["snippet"]
    assert kinds(assignment) == ["search"]
    common = post("search", query="london").json()
    assert (common["offset"], common["next_offset"]) == (0, 10 if common["total"] > 10 else None)


@pytest.mark.parametrize(
    ("body", "status"),
    [({}, 400), ({"query": ""}, 400), ({"query": "x" * 501}, 400), ({"query": "\0"}, 400),
     ({"query": "\u2028"}, 400), ({"query": "x", "offset": -1}, 400), ({"query": []}, 400)],
)  # fmt: skip
def test_what_cannot_be_searched_is_refused(post, assignment, body, status):
    answer = post("search", **body)
    assert (answer.status_code, kinds(assignment)) == (status, [])
    assert answer.json()


def test_a_page_is_read_from_a_result(post, assignment):
    search = post("search", query="thames tunnel").json()
    result = search["results"][0]
    opened = {"path": result["path"], "via": "search", "event": search["event"], "rank": 1}
    page = post("read", **opened).json()
    assert (page["path"], page["title"]) == (THAMES, "Thames Tunnel")
    assert "About 50,000 people" in page["text"]
    assert f'"/work/{assignment.pk}/read/' in page["html"]
    assert "<script" not in page["html"]
    visit = Event.objects.get(pk=page["visit"])
    assert (visit.data["via"], visit.data["search_event"]) == ("search", search["event"])
    # A claim to come from a search that did not show it is not believed.
    other = post("read", path="River_Thames", via="search", event=search["event"], rank=900).json()
    assert Event.objects.get(pk=other["visit"]).data["via"] == "link"


@pytest.mark.parametrize("path", ["No such page", "a\tb", "../etc/passwd", "-/x", "🙂"])
def test_a_missing_page_says_so(post, assignment, path):
    answer = post("read", path=path)
    assert answer.status_code == 404
    assert answer.json()["detail"]
    assert kinds(assignment) == []


def test_words_become_evidence(post, history, assignment):
    refused = post("quotes", path=THAMES, exact="25 March 1843")
    assert (refused.status_code, Quote.objects.count()) == (422, 0)
    assert "not opened in this work" in refused.json()["detail"]
    post("read", path=THAMES)
    made = post("quotes", path=THAMES, exact="About 50,000 people", target="1")
    assert made.status_code == 201
    quote = made.json()
    assert (quote["exact"], quote["title"], quote["state"]) == (
        "About 50,000 people", "Thames Tunnel", "exact",
    )  # fmt: skip
    [shown] = post("read", path=THAMES).json()["quotes"]
    assert (shown["id"], shown["now"]) == (quote["id"], "About 50,000 people")
    told = history()
    assert [row["id"] for row in told["quotes"]] == [quote["id"]]
    assert [(row["path"], row["quotes"]) for row in told["pages"]] == [(THAMES, 1)]
    pairs = [{"question": "When?", "answers": [{"text": "50,000", "quote": quote["id"]}]}]
    saved = post("draft", version=0, response={"kind": "multiple", "pairs": pairs}).json()
    assert saved["response"]["pairs"][0]["answers"][0]["quote"] == quote["id"]


def test_pasted_words_are_looked_for(post):
    nowhere = post("quotes", exact="about 50,000 PEOPLE", made_by="paste")
    assert nowhere.status_code == 422
    post("read", path=THAMES)
    quote = post("quotes", exact="about 50,000 PEOPLE", made_by="paste").json()
    assert (quote["exact"], quote["path"]) == ("About 50,000 people", THAMES)


@pytest.mark.parametrize(
    "body",
    [
        {"path": THAMES},
        {"path": THAMES, "exact": "x" * 1_001},
        {"path": THAMES, "exact": "Nobody wrote this here"},
        {"path": THAMES, "exact": "people", "target": "third"},
        {"path": THAMES, "exact": "people", "made_by": "suggestion"},
        {"exact": "people"},
        {"path": "a\x1fb", "exact": "people"},
    ],
)
def test_what_cannot_be_quoted_is_refused(post, body):
    post("read", path=THAMES)
    assert post("quotes", **body).status_code in (400, 422)
    assert not Quote.objects.exists()


def test_the_reader_reports_once(post, assignment, history):
    visit = post("read", path=THAMES).json()["visit"]
    event = {"kind": "find_in_page", "id": "report-0001", "ago": 0, "page_open": visit}
    event |= {"query": "opened", "hits": 3}
    wrong = event | {"id": "report-0002", "page_open": visit + 1}
    assert post("events", events=[event, wrong]).json() == {
        "logged": 1,
        "problems": ["Event 2: There is no such visit to a page in this work."],
    }
    assert post("events", events=[event]).json() == {"logged": 0, "problems": []}
    assert kinds(assignment) == ["page_open", "find_in_page"]
    for events in ([], "x", [1], [event] * 21):
        assert post("events", events=events).status_code == 400


def test_after_submission_reading_is_free_and_not_logged(post, assignment, now):
    type(assignment).objects.filter(pk=assignment.pk).update(
        state="submitted", lease_ends_at=None, ended_at=now, submitted_at=now
    )
    assert post("search", query="thames").json()["event"] is None
    assert post("read", path=THAMES).json()["visit"] is None
    assert post("quotes", path=THAMES, exact="people").status_code == 409
    assert kinds(assignment) == []


@pytest.mark.parametrize("name", ["search", "read", "quotes", "events"])
def test_others_and_former_members_do_not_read_here(post, client, assignment, ben, ann, name):
    body = {"query": "thames", "path": THAMES, "exact": "people", "events": [{}]}
    client.force_login(ben)
    assert post(name, **body).status_code == 404
    client.force_login(ann)
    ann.memberships.all().delete()
    if name != "events":
        assert post(name, **body).status_code == 404


def test_a_wikipedia_that_does_not_answer_says_when_to_come_back(post, assignment, monkeypatch):
    def unavailable(*args, **options):
        raise ProviderUnavailable("Wikipedia does not answer. Try again.")

    provider = type(provider_for(assignment.project.snapshot))
    monkeypatch.setattr(provider, "search", unavailable)
    monkeypatch.setattr(provider, "load_page", unavailable)
    for answer in (post("search", query="thames"), post("read", path=THAMES)):
        assert (answer.status_code, answer["Retry-After"]) == (503, "3")
        assert answer.json()["detail"] == "Wikipedia does not answer. Try again."


def test_the_history_takes_as_many_statements_for_much_as_for_little(
    post, history, assignment, django_assert_max_num_queries
):
    post("read", path=THAMES)
    for words in ("About 50,000 people", "a penny each", "the first day"):
        assert post("quotes", path=THAMES, exact=words).status_code == 201
    with django_assert_max_num_queries(9):
        assert len(history()["quotes"]) == 3
