"""The work page: looking, saving, handing in."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Assignment, Event
from tests import factories
from tests.annotation.work.conftest import HX, form, open_page, reload, url

PAGES = ["page", "guidelines"]
POSTS = ["draft", "submit", "park", "skip", "extend", "resume", "return", "touch"]


# --- who, and how --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_page_works(client_as, work, ann, name):
    answer = client_as(ann).get(url(name, work))
    assert answer.status_code == 200
    assert "When did the thames tunnel open?" in answer.text or name == "guidelines"


@pytest.mark.parametrize("name", POSTS)
def test_changes_need_post(client_as, work, ann, name):
    before = Assignment.objects.values().get(pk=work.pk)
    assert client_as(ann).get(url(name, work)).status_code == 405
    assert Assignment.objects.values().get(pk=work.pk) == before


def test_one_live_region_says_things_once(client_as, work, ann):
    text = client_as(ann).get(url("page", work)).text
    assert text.count('role="status"') == 1
    assert text.count("aria-live") == 1


def test_form_opens_with_two_empty_pairs(client_as, work, ann):
    text = client_as(ann).get(url("page", work)).text
    assert text.count('id="question-') == 3  # two, and the one in the template for more
    assert 'name="pair-1-question"' in text


# --- next ----------------------------------------------------------------------------------------


def test_next_takes_a_question_and_then_the_same(client_as, project, task, ann):
    client = client_as(ann)
    first = client.post(f"/work/next/{project.slug}/generation/")
    again = client.post(f"/work/next/{project.slug}/generation/")
    taken = Assignment.objects.get(user=ann)
    assert first["Location"] == again["Location"] == url("page", taken)


def test_next_without_work_says_so(client_as, project, ann):
    answer = client_as(ann).post(f"/work/next/{project.slug}/generation/", follow=True)
    assert answer.request["PATH_INFO"] == "/"
    assert "is ready for you at the moment" in answer.text


def test_next_of_an_unknown_stage_or_project(client_as, project, ann, stan):
    assert client_as(ann).post(f"/work/next/{project.slug}/nothing/").status_code == 404
    assert client_as(ann).get(f"/work/next/{project.slug}/generation/").status_code == 405
    assert client_as(stan).post(f"/work/next/{project.slug}/generation/").status_code == 404


# --- drafts --------------------------------------------------------------------------------------


def test_draft_is_saved_and_checked(client_as, work, ann):
    fields = form(work, **{"pair-1-question": "When did the Thames Tunnel open to trains"})
    answer = client_as(ann).post(
        url("draft", work), fields | {"touched": ["question-2"]}, headers=HX
    )
    assert answer.status_code == 200
    saved = reload(work)
    assert saved.draft_version == 1
    assert saved.draft["pairs"][1]["answers"][1]["text"] == "December 7, 1869"
    assert 'id="version" name="version" value="1"' in answer.text
    assert "End the question with a question mark." in answer.text
    assert "<ins>to trains</ins>" in answer.text
    assert "2 added, 0 removed" in answer.text
    assert "<html" not in answer.text


def test_the_bar_counts_what_the_summary_lists(client_as, work, ann):
    """Several findings of one rule are several things to do."""
    fields = form(work, **{"pair-0-question": "", "pair-1-question": "", "pair-1-answer": [""]})
    fields |= {"pair-1-quote": [""], "keep-rule": [], "keep-field": [], "keep-reason": []}
    answer = client_as(ann).post(url("submit", work), fields, headers=HX)
    problems = answer.text.split('id="problems"')[1].split("</ul>")[0].count("<li>")
    assert answer.status_code == 422
    assert problems >= 4
    assert f">{problems} to do</a>" in answer.text
    assert f'error">{problems} to do</span>' in answer.text


def test_added_words_are_counted_as_people_count_them(client_as, work, ann):
    question = "When did Brunel's first tunnel the Thames Tunnel open?"
    answer = client_as(ann).post(
        url("draft", work), form(work, **{"pair-0-question": question}), headers=HX
    )
    marked = re.findall(r"<ins>(.*?)</ins>", answer.text.split('id="diff-1"')[1].split("</p>")[0])
    words = sum(len(run.split()) for run in marked)
    assert words == 3  # the scores count the ’s as well
    assert f"{words} added, 0 removed" in answer.text


def test_errors_wait_until_the_field_was_left(client_as, work, ann):
    fields = form(work, **{"pair-1-question": "When did the Thames Tunnel open to trains"})
    answer = client_as(ann).post(url("draft", work), fields, headers=HX)
    assert "<strong>Error:</strong>" not in answer.text
    assert "1 to do" in answer.text
    tried = client_as(ann).post(
        url("draft", reload(work)),
        form(
            reload(work),
            **{"pair-1-question": "When did the Thames Tunnel open to trains", "tried": "1"},
        ),
        headers=HX,
    )
    assert "There is a problem" in tried.text


def test_draft_of_another_window_is_shown(client_as, work, ann):
    client = client_as(ann)
    client.post(url("draft", work), form(work), headers=HX)
    mine = form(work, **{"pair-0-question": "When did the Thames Tunnel open to walkers?"})
    answer = client.post(url("draft", work), mine, headers=HX)
    assert answer.status_code == 409
    assert "in another window" in answer.text
    assert "<ins>walkers</ins>" in answer.text
    assert "<del>pedestrians</del>" in answer.text
    assert 'data-overwrite="1"' in answer.text
    assert "pedestrians" in reload(work).draft["pairs"][0]["question"]


def test_each_warning_shown_is_logged_once(client_as, work, ann):
    client = client_as(ann)
    fields = form(work, **{"pair-1-question": "Where did the Thames Tunnel open to trains?"})
    client.post(url("draft", work), fields, headers=HX)
    fields |= {"version": 1, "touched": ["question-2", "answer-1", "answer-2"]}
    shown = Event.objects.filter(assignment=work, kind="warning_shown").order_by("id")
    assert not shown.exists()  # nobody has left the field yet
    client.post(url("draft", work), fields, headers=HX)
    first = [(event.data["rule"], event.data["field"]) for event in shown]
    assert ("wh-word", "question-2") in first
    assert len(first) == len(set(first))
    fields |= {"feedback": "again"}
    client.post(url("draft", work), fields, headers=HX)
    client.post(url("submit", work), fields | {"version": 2}, headers=HX)
    assert shown.count() == len(first)


# --- presses without scripts ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("press", "questions"),
    [
        ("add-pair", ["A", "B", ""]),
        ("delete-pair 0", ["B"]),
        ("move-down 0", ["B", "A"]),
        ("move-up 1", ["B", "A"]),
        ("move-up 0", ["A", "B"]),
        ("delete-pair 7", ["A", "B"]),
        ("delete-pair x", ["A", "B"]),
        ("nonsense", ["A", "B"]),
        ("save", ["A", "B"]),
    ],
)
def test_press(client_as, work, ann, press, questions):
    fields = {"version": 0, "pair-0-question": "A", "pair-1-question": "B", "action": press}
    answer = client_as(ann).post(url("draft", work), fields)
    assert answer.status_code == 302
    assert [pair["question"] for pair in reload(work).draft["pairs"]] == questions


def test_press_start_remove_and_fix(client_as, work, ann):
    client = client_as(ann)
    client.post(url("draft", work), {"version": 0, "pair-0-question": "", "action": "start 0"})
    assert reload(work).draft["pairs"][0]["question"] == "When did the thames tunnel open?"
    fields = {"version": 1, "pair-0-question": "When A", "pair-0-answer": ["1843", "in 1843"]}
    client.post(url("draft", work), fields | {"action": "remove-form pair-0 in 1843"})
    assert [each["text"] for each in reload(work).draft["pairs"][0]["answers"]] == ["1843"]
    fields = {"version": 2, "pair-0-question": "When A", "pair-0-answer": "1843"}
    client.post(url("draft", work), fields | {"action": "fix question-mark question-1"})
    assert reload(work).draft["pairs"][0]["question"] == "When A?"


def test_switching_to_one_answer_keeps_what_was_typed(client_as, work, ann):
    client = client_as(ann)
    client.post(url("draft", work), form(work, kind="single") | {"action": "switch"})
    draft = reload(work).draft
    assert draft["kind"] == "single"
    assert [each["text"] for each in draft["single"]][:2] == ["25 March 1843", "7 December 1869"]
    assert len(draft["pairs"]) == 2


# --- what people type ----------------------------------------------------------------------------

NASTY = "</textarea><script>alert(1)</script>\"'&"


def test_markup_is_text_everywhere(client_as, work, ann):
    fields = {
        "version": 0,
        "kind": "multiple",
        "pair-0-question": NASTY,
        "pair-0-answer": [NASTY],
        "single-answer": NASTY,
        "none_reason": NASTY,
        "feedback": NASTY,
        "keep-rule": ["far-from-prompt"],
        "keep-field": ["question-1"],
        "keep-reason": [NASTY],
    }
    client = client_as(ann)
    fragment = client.post(url("draft", work), fields, headers=HX)
    assert fragment.status_code == 200
    page = client.get(url("page", work)).text
    refused = client.post(url("submit", reload(work)), fields | {"version": 1}).text
    for text in (fragment.text, page, refused):
        assert "<script>alert" not in text
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 6
    client.post(url("skip", work), {"reason": "subjective", "feedback": NASTY})
    assert "<script>alert" not in client.get("/").text


def test_control_characters_do_not_reach_the_database(client_as, work, ann):
    fields = form(work, **{"pair-0-question": "When\x00 did\x1b it open?", "feedback": "a\x00b"})
    assert client_as(ann).post(url("draft", work), fields, headers=HX).status_code == 200
    assert reload(work).draft["pairs"][0]["question"] == "When did it open?"
    assert reload(work).draft["feedback"] == "ab"


def test_broken_utf8_is_harmless(client_as, work, ann):
    body = b"version=0&pair-0-question=When%ED%A0%80%FF+did+it+open%3F"
    answer = client_as(ann).post(
        url("draft", work), body, content_type="application/x-www-form-urlencoded", headers=HX
    )
    assert answer.status_code == 200
    reload(work).draft["pairs"][0]["question"].encode()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kind": "both"}, "is not a kind of answer"),
        ({"pair-0-question": "w" * 2001}, "2,001 characters"),
        ({"pair-0-quote": ["x"]}, "is not the number of a quote"),
        ({"pair-0-quote": ["1", "2"]}, "came with 2 quotes"),
        ({"keep-reason": ["one"]}, "do not line up"),
    ],
)
@pytest.mark.parametrize("name", ["draft", "submit"])
def test_what_cannot_be_read_is_named(client_as, work, ann, name, changes, sentence):
    client = client_as(ann)
    answer = client.post(url(name, work), form(work, **changes), headers=HX)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert reload(work).draft == {}
    answer = client.post(url(name, work), form(work, **changes), follow=True)
    assert sentence in answer.text


@pytest.mark.parametrize("version", ["", "x", "-1", "9" * 40, "१"])
def test_strange_versions_never_overwrite(client_as, work, ann, version):
    client = client_as(ann)
    client.post(url("draft", work), form(work), headers=HX)
    mine = form(work, **{"version": version, "feedback": "mine"})
    assert client.post(url("draft", work), mine, headers=HX).status_code == 409


def test_a_quote_of_somebody_else_is_not_shown(client_as, work, ann, ben):
    from wikipedia.models import Quote, ShownPage

    now = timezone.now()
    page = ShownPage.objects.create(
        snapshot=work.project.snapshot,
        path="A/Secret",
        title="Secret page",
        retrieved_at=now,
        text="Some words",
        text_sha256="1" * 64,
    )
    quote = Quote.objects.create(
        page=page,
        block_kind="paragraph",
        exact="Some words",
        start=0,
        end=10,
        made_by="selection",
        created_by=ben,
        created_at=now,
    )
    fields = form(work, **{"pair-0-quote": [quote.pk]})
    client = client_as(ann)
    assert "Secret page" not in client.post(url("draft", work), fields, headers=HX).text
    Quote.objects.filter(pk=quote.pk).update(created_by=ann)
    fields |= {"version": 1, "feedback": "again"}
    assert "Secret page" in client.post(url("draft", work), fields, headers=HX).text


# --- cost ----------------------------------------------------------------------------------------


def queries(call):
    with CaptureQueriesContext(connection) as captured:
        assert call().status_code == 200
    return len(captured)


def test_queries_do_not_grow(client_as, work, ann):
    client = client_as(ann)
    few_draft = queries(lambda: client.post(url("draft", work), form(work), headers=HX))
    few_page = queries(lambda: client.get(url("page", work)))
    many = form(work, version=1)
    for number in range(2, 30):
        many[f"pair-{number}-question"] = f"When did the Thames Tunnel open to {number}?"
        many[f"pair-{number}-answer"] = [f"{number} May 1850", f"May {number}, 1850"]
    for _ in range(20):
        open_page(work)
    many_draft = queries(lambda: client.post(url("draft", work), many, headers=HX))
    many_page = queries(lambda: client.get(url("page", work)))
    assert many_page == few_page <= 8
    assert many_draft == few_draft <= 8


def test_a_question_just_taken_takes_two_statements(client_as, task, ann):
    """Session with person, and the turn, which says that nothing was read yet."""
    work = factories.make_assignment(task, ann)
    client = client_as(ann)
    assert queries(lambda: client.get(url("page", work))) == 2
    open_page(work)
    assert queries(lambda: client.get(url("page", work))) > 2
