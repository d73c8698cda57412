"""The same form at two desks: a question of the work, and an item of an exam or a sample."""

from types import SimpleNamespace

import pytest
from django.urls import reverse

from annotation.generation.responses import to_json
from annotation.models import Annotation, Assignment, Event
from annotation.qualifications import attempts
from tests import archives, factories
from tests.annotation.qualifications.helpers import RIGHT, TUNNEL, answer_to, make, samples_of
from tests.annotation.work.conftest import HX, TWO_PAIRS, form, open_page
from wikipedia.providers.base import ProviderUnavailable

pytestmark = pytest.mark.django_db
NASTY = "</textarea><script>alert(1)</script>"


def assignment_desk(project, rosa, ann, now):
    work = factories.make_assignment(factories.make_task(project), ann)
    open_page(work)
    return SimpleNamespace(
        page=reverse("work-page", args=[work.pk]),
        draft=reverse("work-draft", args=[work.pk]),
        stored=lambda: Assignment.objects.get(pk=work.pk),
    )


def answer_desk(project, rosa, ann, now, part="exam"):
    items = [*samples_of([TUNNEL]), TUNNEL]
    exam = make(project, rosa, now, items=items, submit_at=1, review_from=1, pass_at=1)
    attempt = attempts.start_attempt(qualification=exam, by=ann, now=now, part="study")
    if part == "exam":
        answer = answer_to(attempt)
        draft = {"kind": "none", "none_reason": "No."}
        attempts.save_draft(answer=answer, draft=draft, version=0, by=ann, now=now)
        attempts.hand_in_sample(answer=answer, by=ann, now=now)
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
    return SimpleNamespace(
        attempt=attempt,
        page=reverse("attempt-item", args=[attempt.pk, 1]),
        draft=reverse("attempt-draft", args=[attempt.pk, 1]),
        stored=lambda: answer_to(attempt),
    )


DESKS = [assignment_desk, answer_desk, lambda *facts: answer_desk(*facts, part="study")]


@pytest.fixture(params=DESKS, ids=["question", "item", "sample"])
def desk(request, project, rosa, ann, now):
    return request.param(project, rosa, ann, now)


@pytest.fixture
def browser(client_as, ann):
    return client_as(ann)


either = pytest.mark.parametrize("headers", [{}, HX], ids=["plain", "htmx"])


class TestSaving:
    @either
    def test_a_draft_is_saved_and_shown_again(self, desk, browser, headers):
        reply = browser.post(desk.draft, form(), headers=headers)
        stored = desk.stored()
        assert stored.draft_version == 1
        assert stored.draft_saved_at is not None
        if headers:
            assert reply.status_code == 200
            assert 'id="version" name="version" value="1"' in reply.text
            assert "Saved <time" in reply.text
            assert "<html" not in reply.text
        else:
            assert reply["Location"] == f"{desk.page}#write"
        page = browser.get(desk.page).text
        assert TWO_PAIRS["pair-1-question"] in page
        assert 'id="version" name="version" value="1"' in page

    @either
    def test_the_same_again_is_saved_once(self, desk, browser, headers):
        statuses = {browser.post(desk.draft, form(), headers=headers).status_code for _ in "12"}
        assert statuses == {200 if headers else 302}
        assert desk.stored().draft_version == 1

    @either
    def test_another_window_keeps_both_texts(self, desk, browser, headers):
        browser.post(desk.draft, form())
        mine = form(**{"pair-0-question": "When did the Thames Tunnel open to walkers?"})
        reply = browser.post(desk.draft, mine, headers=headers)
        assert reply.status_code == 409
        assert "<ins>walkers</ins>" in reply.text
        assert "<del>pedestrians</del>" in reply.text
        assert 'value="overwrite 1"' in reply.text
        assert f'href="{desk.page}" data-take' in reply.text
        # A script still has the form; without one the page has what was typed here.
        assert (mine["pair-0-question"] in reply.text) == (not headers)
        assert ("<html" in reply.text) == (not headers)
        stored = desk.stored()
        assert stored.draft_version == 1
        assert stored.draft["pairs"][0]["question"] == TWO_PAIRS["pair-0-question"]

    @either
    def test_this_window_is_kept(self, desk, browser, headers):
        browser.post(desk.draft, form())
        mine = form(**{"pair-0-question": "Mine?", "action": "overwrite 1"})
        reply = browser.post(desk.draft, mine, headers=headers)
        assert reply.status_code == (200 if headers else 302)
        assert desk.stored().draft["pairs"][0]["question"] == "Mine?"

    @pytest.mark.parametrize("version", ["", "x", "-1", "9" * 40, "१"])
    def test_strange_versions_never_overwrite(self, desk, browser, version):
        browser.post(desk.draft, form())
        mine = form(version=version, none_reason="mine")
        assert browser.post(desk.draft, mine, headers=HX).status_code == 409
        assert desk.stored().draft["none_reason"] == ""

    @either
    def test_what_cannot_be_read_changes_nothing(self, desk, browser, headers):
        browser.post(desk.draft, form())
        before = desk.stored().draft
        odd = form(version=1, kind="both")
        reply = browser.post(desk.draft, odd, headers=headers)
        if headers:
            assert reply.status_code == 422
            assert 'id="problems"' in reply.text
        else:
            assert reply["Location"] == desk.page
            reply = browser.get(desk.page)
        assert "is not a kind of answer" in reply.text
        assert (desk.stored().draft, desk.stored().draft_version) == (before, 1)

    @either
    def test_too_much_is_refused(self, desk, browser, headers):
        long = [letter * 1_900 for letter in "abcdefghij"] * 3
        much = {f"pair-{n}-answer": [f"{n}{text}" for text in long] for n in range(30)}
        reply = browser.post(desk.draft, {"version": 0} | much, headers=headers)
        assert reply.status_code in (413, 422 if headers else 302)
        assert desk.stored().draft_version == 0

    def test_markup_is_text(self, desk, browser):
        fields = form(**{"pair-0-question": NASTY, "pair-0-answer": [NASTY], "none_reason": NASTY})
        reply = browser.post(desk.draft, fields, headers=HX)
        stale = browser.post(desk.draft, fields | {"none_reason": f"{NASTY}2"})
        for text in (reply.text, stale.text, browser.get(desk.page).text):
            assert "<script>alert" not in text


class TestPresses:
    @either
    @pytest.mark.parametrize(
        ("press", "questions", "anchor"),
        [
            ("add-pair", 3, "pair-3"),
            ("delete-pair 0", 1, "pair-1"),
            ("delete-pair x", 2, "write"),
            ("nonsense", 2, "write"),
            ("save", 2, "write"),
        ],
    )
    def test_a_press_changes_the_draft(self, desk, browser, headers, press, questions, anchor):
        reply = browser.post(desk.draft, form(action=press), headers=headers)
        assert len(desk.stored().draft["pairs"]) == questions
        if headers:
            assert reply.status_code == 200
        else:
            assert reply["Location"] == f"{desk.page}#{anchor}"

    @either
    def test_a_press_in_an_old_window_changes_nothing(self, desk, browser, headers):
        browser.post(desk.draft, form())
        reply = browser.post(desk.draft, form(action="delete-pair 0"), headers=headers)
        assert reply.status_code == 409
        assert len(desk.stored().draft["pairs"]) == 2


class TestTwice:
    def test_a_question_is_submitted_once(self, project, rosa, ann, now, browser):
        desk = assignment_desk(project, rosa, ann, now)
        address = reverse("work-submit", args=[desk.stored().pk])
        browser.post(address, form())
        again = browser.post(address, form(**{"pair-0-question": "Other?"}))
        assert again["Location"] == desk.page
        assert "submitted this question already" in browser.get(desk.page).text
        assert Annotation.objects.get().pairs.first().question == TWO_PAIRS["pair-0-question"]

    def test_an_exam_is_submitted_once(self, project, rosa, ann, now, browser):
        desk = answer_desk(project, rosa, ann, now)
        attempts.save_draft(
            answer=desk.stored(), draft=to_json(RIGHT[0]), version=0, by=ann, now=now
        )
        result = reverse("attempt-view", args=[desk.attempt.pk])
        for _ in "12":
            reply = browser.post(reverse("attempt-submit", args=[desk.attempt.pk]))
            assert reply["Location"] == result
        assert browser.get(desk.page)["Location"] == result

    def test_a_sample_is_submitted_once(self, project, rosa, ann, now, browser):
        desk = answer_desk(project, rosa, ann, now, part="study")
        first = browser.post(desk.draft, form(action="hand-in"))
        assert first["Location"] == desk.page
        handed_in = desk.stored().handed_in_at
        assert handed_in is not None
        again = browser.post(desk.draft, form(version=1, action="hand-in"))
        assert again.status_code == 409
        assert desk.stored().handed_in_at == handed_in

    @either
    def test_nothing_is_saved_afterwards(self, desk, browser, headers, ann, now):
        _submit(desk, browser, ann, now)
        before = desk.stored().draft
        late = form(version=desk.stored().draft_version, **{"pair-0-question": "Late?"})
        assert browser.post(desk.draft, late, headers=headers).status_code == 409
        assert desk.stored().draft == before

    def test_scripts_are_sent_on_by_a_header(self, project, rosa, ann, now, browser):
        study = answer_desk(project, rosa, ann, now, part="study")
        reply = browser.post(study.draft, form(action="hand-in"), headers=HX)
        assert (reply.status_code, reply["HX-Redirect"]) == (200, study.page)


def _submit(desk, browser, ann, now):
    """Submit what lies at the desk, each in its own way."""
    if not hasattr(desk, "attempt"):
        browser.post(desk.draft.replace("draft", "submit"), form())
        assert desk.stored().state == "submitted"
        return
    attempts.save_draft(answer=desk.stored(), draft=to_json(RIGHT[0]), version=0, by=ann, now=now)
    if desk.attempt.part == "study":
        attempts.hand_in_sample(answer=desk.stored(), by=ann, now=now)
    else:
        attempts.submit_attempt(attempt=desk.attempt, by=ann, now=now)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    archives.make_demo(folder)
    return folder


class TestReading:
    """Wikipedia beside an exam: to read, without a log."""

    @pytest.fixture
    def project(self, db, settings, folder):
        snapshot = archives.use(settings, folder, folder / "demo.zim", "demo")
        return factories.make_project(snapshot=snapshot)

    @pytest.fixture
    def attempt(self, project, rosa, ann, now):
        exam = make(project, rosa, now, items=[TUNNEL], review_from=1, pass_at=1)
        return attempts.start_attempt(qualification=exam, by=ann, now=now)

    @pytest.fixture(autouse=True)
    def _no_log(self, db):
        yield
        assert not Event.objects.exists()

    def read(self, attempt, path):
        return reverse("attempt-read", args=[attempt.pk, path])

    def test_a_search_leads_to_articles(self, attempt, browser):
        search = reverse("attempt-search", args=[attempt.pk])
        assert 'id="results-title"' not in browser.get(search).text
        page = browser.get(search, {"q": "  thames   tunnel "})
        assert 'value="thames tunnel"' in page.text
        assert f'href="{self.read(attempt, "Thames_Tunnel")}"' in page.text
        assert "<b>" in page.text
        assert "No article has any" in browser.get(search, {"q": "zzzzqqq"}).text

    def test_an_article_leads_to_others_of_the_attempt(self, attempt, browser):
        page = browser.get(self.read(attempt, "Thames_Tunnel"))
        assert page.status_code == 200
        base = self.read(attempt, "x").removesuffix("x")
        assert f'href="{base}' in page.text
        assert "/work/" not in page.text

    def test_a_page_that_is_not_there(self, attempt, browser):
        page = browser.get(self.read(attempt, "No_such_page"))
        assert page.status_code == 404
        assert 'value="No such page"' in page.text
        assert "banner warning" in page.text

    def test_a_wikipedia_that_does_not_answer(self, attempt, browser, monkeypatch):
        def fail(*args, **options):
            raise ProviderUnavailable("It does not answer just now.")

        monkeypatch.setattr("wikipedia.articles.stored_articles.read_page", fail)
        page = browser.get(self.read(attempt, "Thames_Tunnel"))
        assert (page.status_code, "does not answer just now" in page.text) == (503, True)

    def test_nobody_else_reads_there(self, attempt, client_as, ben, stan):
        for user in (ben, stan):
            assert client_as(user).get(self.read(attempt, "Thames_Tunnel")).status_code == 404

    def test_nor_who_has_left(self, attempt, browser, project, ann):
        project.memberships.filter(user=ann).delete()
        assert browser.get(self.read(attempt, "Thames_Tunnel")).status_code == 404
        assert browser.get(reverse("attempt-search", args=[attempt.pk])).status_code == 404
