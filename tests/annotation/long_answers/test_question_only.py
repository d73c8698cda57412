"""Who is given the question alone (S9) finds nothing of its disambiguations, wherever they look."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.long_answers.concerns import services as concerns_services
from annotation.models import Assignment, ContextParagraph, StagePolicy
from annotation.work import assignments
from tests.annotation.long_answers import helpers
from tests.annotation.long_answers.screen import HX, form, url

# What only the disambiguations, answers, contexts and pages of the question have.
PAIRS = [
    {
        "question": f"Zquestion{number}?",
        "short_answers": [f"Zanswer{number}", f"Zalias{number}"],
        "context": "Zgiven" if number == 1 else None,
        "wikipage": "Ztitle" if number == 1 else None,
    }
    for number in (1, 2, 3)
]
CONTEXT = {"qa_pairs": PAIRS, "wikipages": [{"title": "Zpage", "url": "https://z.example/Zurl"}]}


@pytest.fixture
def question(project, now):
    StagePolicy.objects.filter(project=project).update(inputs="question")
    question = helpers.open_question(project, now, context=CONTEXT)
    ContextParagraph.objects.create(
        question=question,
        position=1,
        text="Zfound",
        title="Zfoundtitle",
        path="Zpath",
        score=0.9,
        shown=True,
        created_at=now,
    )
    return question


_WORDS = "Z(?:question|answer|alias|given|title|page|url|found|path)"
SECRET = re.compile(rf".*(?:{_WORDS}|\bof 3\b|\b3 (?:ways|disambiguations)).*")


def check(answer):
    assert not SECRET.findall(answer.content.decode() + str(answer.headers))
    return answer


def test_neither_while_writing_nor_after(web, work, question, ann, rosa, project):
    text = f"{helpers.TEXT} It says zother things."
    project.rule_settings = {"evidence_for_each": False}  # the text has one piece of knowledge
    project.save()
    check(web.get(reverse("home")))
    check(web.get(url("page", work)))
    hostile = {"said-0": "zother things", "said-1": "Thames", "said-1-at": "3"}
    presses = ["insert 1", "insert 2 1", "say 1", "unsay 1", "save", "add-piece"]
    for version, press in enumerate(presses):
        fields = form(work, version=version, long_answer=text, action=press, **hostile)
        fields |= {"words-1": "Thames", "tried": "1", "touched": ["long-answer", "answer-1"]}
        check(web.post(url("draft", work), fields, headers=HX))
    at = len(presses)
    check(web.post(url("draft", work), form(work, version=at, action="insert 1"), follow=True))
    empty = form(work, version=at + 1, long_answer=text, piece__0__content="", piece__0__page="")
    check(web.post(url("submit", work), empty, headers=HX))
    check(web.post(url("submit", work), empty))
    stale = form(work, version=1, long_answer="Something else. " + helpers.TEXT, **hostile)
    assert check(web.post(url("draft", work), stale, headers=HX)).status_code == 409
    check(web.post(url("draft", work), stale))
    check(web.get(reverse("work-concern", args=[work.pk])))
    raised = {"reason": "It has one disambiguation.", "disambiguation": "0"}
    check(web.post(reverse("work-concern", args=[work.pk]), raised, follow=True))
    check(web.post(reverse("work-concern", args=[work.pk]), {"reason": "It is odd."}, follow=True))
    check(web.get(url("page", work)))
    check(web.post(url("park", work), {"reason": "Later", "question": "Why?"}, follow=True))
    check(web.get(url("page", work)))
    check(web.get(reverse("home")))
    check(web.post(url("resume", work), follow=True))
    version = Assignment.objects.get(pk=work.pk).draft_version
    last = form(work, version=version, long_answer=text, **hostile)
    check(web.post(url("submit", work), last, headers=HX))
    work.refresh_from_db()
    assert work.state == "submitted"
    assert not work.long_answer.overrides.exists()
    check(web.get(url("page", work)))
    check(web.get(reverse("submission-view", args=[work.pk])))
    check(web.get(reverse("submission-list")))
    concern = question.concerns.get()
    concerns_services.decide_concern(
        concern=concern, state="upheld", note="It is odd.", by=rosa, now=timezone.now()
    )
    for name in ("work-page", "submission-view", "work-concern"):
        check(web.get(reverse(name, args=[work.pk])))
    check(web.get(reverse("home")))
    for address in (f"/projects/{project.slug}/", f"/projects/{project.slug}/questions/"):
        check(web.get(address))


@pytest.mark.parametrize("leave", ["give_back", "skip_question"])
def test_nor_after_it_went_to_somebody_else(web, work, ann, now, leave):
    more = {"reason": "subjective"} if leave == "skip_question" else {}
    getattr(assignments, leave)(assignment=work, by=ann, now=now, **more)
    check(web.get(url("page", work)))
    check(web.get(reverse("work-concern", args=[work.pk])))
    check(web.get(reverse("home")))
