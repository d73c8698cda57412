"""Answers are checked by people, then by staff; questions with too few are replaced."""

import io
import json
import re
import threading

import pytest
from django.db import connection
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.golds import services as golds_services
from annotation.imports.opening import open_questions
from annotation.imports.services import import_questions
from annotation.models import Question, Submission, Task
from annotation.stages.registry import get_stage
from qampari import reserve
from qampari.models import Candidate, ListQuestion
from qampari.report import evaluate_team_agreement, evaluate_verdicts
from qampari.sheets import build_answers_json, show_evidence
from qampari.verdicts import JudgedCandidate, decide_outcome
from tests import factories as people
from tests.qampari import factories
from tests.stages.window import Window
from validation.release.services import start_release

C, D, U = "correct", "doubtful", "unclear"


@pytest.fixture
def now():
    return timezone.now()


def bring_in(project, *records, **options):
    file = io.BytesIO(factories.lines(*records))
    tally = import_questions(
        project=project,
        file=file,
        format="qampari",
        split=None,
        by=None,
        now=timezone.now(),
        **options,
    )
    assert tally.errors == []
    return tally


def state_of(question):
    return Question.objects.get(pk=question.pk).state


# --- values ---------------------------------------------------------------------------------------


def rows(*said, lot=1.0):
    return [JudgedCandidate(n, f"town {n}", lot=lot, said=(one,)) for n, one in enumerate(said)]


def test_staff_are_asked_about_doubts_and_a_share_of_the_rest():
    assert not decide_outcome(rows(C, C), share=0.05, asked=True).waits
    assert decide_outcome(rows(C, D), share=0.05, asked=True).waits
    assert decide_outcome(rows(C, U), share=0, asked=True).waits
    assert decide_outcome(rows(C, C, lot=0.04), share=0.05, asked=True).waits
    assert not decide_outcome(rows(C, D), share=0.05, asked=False).waits


def test_staff_have_the_last_word():
    found = [JudgedCandidate(0, "a", said=(D,), team=C), JudgedCandidate(1, "b", said=(C,), team=D)]
    assert decide_outcome(found, share=0.05, asked=True).accepted == {0}


def test_the_share_is_what_it_says_and_the_same_again(db, now):
    project = factories.make_project()
    names = tuple(f"town {n}" for n in range(2000))
    question = factories.make_question(project, now, answers=names)
    lots = list(Candidate.objects.order_by("position").values_list("lot", flat=True))
    assert 70 <= sum(lot < 0.05 for lot in lots) <= 130
    from qampari.rows import replace_answer_rows

    replace_answer_rows([question])
    assert list(Candidate.objects.order_by("position").values_list("lot", flat=True)) == lots


# --- the work -------------------------------------------------------------------------------------


@pytest.fixture
def project(db):
    return factories.make_project(checked_percent=0)


@pytest.fixture
def ann(project):
    return people.make_member(project, "annotator", name="Ann Archer")


def test_a_question_whose_answers_are_all_correct_is_accepted(project, ann, now):
    question = factories.make_question(project, now)
    factories.check(ann, project, [C] * 4)
    assert state_of(question) == "generating"
    factories.check(ann, project, [C])
    assert state_of(question) == "accepted"
    assert not Task.objects.filter(policy__stage="qampari-team").exists()


def test_the_page_shows_evidence_as_text_only(project, ann, now):
    data = {"answers": ("<b>Kelso</b>",)}
    factories.make_question(project, now, **data)
    window = Window(ann, project, "qampari-check").take()
    text = window.client.get(window.url("page")).text
    main = text[text.index("<main") : text.index("</main>")]
    assert "&lt;b&gt;Kelso&lt;/b&gt;" in main
    assert "<b>Kelso" not in text
    assert "example.org" not in text
    assert "Bridge number" in main


WIKI = "https://en.wikipedia.org"


def test_evidence_of_a_wiki_has_a_link_on_gold_items_as_on_others(project, ann, now):
    """Q1: the page of the evidence, its host named, in a new tab that cannot reach back."""
    for answers in (factories.TITLES[:4], factories.TITLES[4:]):
        factories.make_question(project, now, answers=answers, site=WIKI)
    settings = {"rate": 50, "seed": 7, "source": "copies", "pauses": False}
    golds_services.save_plan(project=project, stage="qampari-check", by=None, now=now, **settings)
    window, pages, given = Window(ann, project, "qampari-check"), {}, {}
    while not (True in pages and False in pages):
        window.take()
        html = window.client.get(window.url("page")).text
        part = html[html.index('<div class="evidence"') : html.index('<fieldset class="decision"')]
        name = re.search(r"/wiki/(\w+)_Bridge", part)[1]
        gold = window.assignment.gold
        pages[gold] = re.sub(r"number \d+", "number", part.replace(name, "Somewhere"))
        context = get_stage("qampari-check").build_sheet_context(window.assignment, now=now)
        [answer] = build_answers_json(context)["answers"]
        given[gold] = [row["link"].replace(name, "Somewhere") for row in answer["evidence"]]
        assert window.post("submit", window.fields | {"verdict": [C]}).status_code == 302
    assert pages[True] == pages[False]
    assert given[True] == given[False] == [f"{WIKI}/wiki/Somewhere_Bridge"]
    assert (
        f'<a class="external" href="{WIKI}/wiki/Somewhere_Bridge" target="_blank" '
        'rel="noopener noreferrer">en.wikipedia.org<span class="visually-hidden">'
    ) in pages[True]


@pytest.mark.parametrize(
    "url",
    [
        *("", "javascript:alert(1)//en.wikipedia.org/wiki/A", "http://en.wikipedia.org/wiki/A"),
        *("https://en.wikipedia.org@evil.example/wiki/A", "https://evil.example/wiki/A"),
        *("https://en.wikipedia.org.evil.example/wiki/A", "https://evilwikipedia.org/wiki/A"),
        *("https://en.wikipedia.org:8443/wiki/A", "https://en.wikipedia.org\\@evil.example/wiki/A"),
        *("https://en.wikipedia.org/w/index.php?title=A", "https://en.wikipedia.org/wiki/A?go=B"),
        *("https://en.wikipedia.org/wiki/A\nB", 'https://en.wikipedia.org/wiki/A"B', " " + WIKI),
        *("https://еn.wikipedia.org/wiki/A", "//en.wikipedia.org/wiki/A", f"{WIKI}/wiki/"),
    ],
)
def test_no_other_address_is_a_link(url):
    [row] = show_evidence([("Text.", url)])
    assert (row.link, row.host) == ("", "")


@pytest.mark.parametrize("title", ["Ely", "Bath,_Maine", "A%26E", "Zürich", "Ely#History", "AC/DC"])
def test_pages_of_every_wikipedia_are_links(title):
    for host in ("en.wikipedia.org", "de.m.wikipedia.org", "zh-yue.wikipedia.org"):
        url = f"https://{host}/wiki/{title}"
        assert show_evidence([("Text.", url)])[0].link == url
        assert show_evidence([("Text.", url)])[0].host == host


def test_staff_check_what_was_doubted_and_their_word_decides(project, ann, now):
    question = factories.make_question(project, now, answers=factories.TITLES[:6])
    factories.check(ann, project, [C, C, D, C, U, C])
    assert state_of(question) == "validating"
    staff = people.make_member(project, "researcher", name="Rosa Reed")
    window = Window(staff, project, "qampari-team").take()
    shown = window.client.get(window.url("page")).text
    assert [title in shown[shown.index("<main") :] for title in factories.TITLES[:6]] == [
        *(False, False, True, False, True, False)
    ]
    fields = window.fields | {"answer-0-verdict": [C], "answer-1-verdict": [D]}
    assert window.post("submit", fields).status_code == 302
    assert state_of(question) == "accepted"
    said = Submission.objects.get(stage="qampari-team").response["answers"]
    assert said == [{"place": "2", "verdict": C}, {"place": "4", "verdict": D}]
    release = start_release(project=project, format="qampari", split=None, by=None, now=now)
    [record] = map(json.loads, b"".join(release.blocks()).splitlines())
    names = [row["answer_text"] for row in record["answer_list"]]
    assert names == [name for n, name in enumerate(factories.TITLES[:6]) if n != 4]
    assert record["answer_list"][0]["proof"]
    assert "dropped" in release.build_manifest("data.json").decode()


def test_two_forms_of_one_answer_count_once(project, ann, now):
    question = factories.make_question(
        project, now, answers=("Kelso", "the Kelso", "Leeds", "Wells", "Ripon")
    )
    factories.check(ann, project, [C] * 5)
    assert state_of(question) == "excluded"


def test_a_question_that_drops_out_is_replaced(ann, project, django_capture_on_commit_callbacks):
    project.rule_settings = {"checked_percent": 0, "target_dev": 2}
    project.save()
    bring_in(project, *(factories.record(n) for n in range(1, 5)))
    first, second, third, fourth = Question.objects.order_by("pk")
    states = [q.state for q in (first, second, third, fourth)]
    assert states == ["imported", "imported", "excluded", "excluded"]
    assert set(Task.objects.values_list("question", flat=True)) == {first.pk, second.pk}
    staff = people.make_member(project, "researcher", name="Rosa Reed")
    factories.check(ann, project, [C, C, C, C, D])
    window = Window(staff, project, "qampari-team").take()
    with django_capture_on_commit_callbacks(execute=True):
        window.post("submit", window.fields | {"answer-0-verdict": [D]})
    assert state_of(first) == "excluded"
    assert [state_of(third), state_of(fourth)] == ["imported", "excluded"]
    assert Task.objects.filter(question=third, seats=1).count() == 5
    drawn = ListQuestion.objects.get(pk=third.pk)
    assert (drawn.reserve, drawn.drawn_at is not None) == (False, True)
    assert reserve.fill_all(now=timezone.now()) == 0
    # A raised target draws more.
    project.rule_settings = {"checked_percent": 0, "target_dev": 9}
    project.save()
    assert reserve.fill_all(now=timezone.now()) == 1


def test_questions_are_imported_closed_unless_the_reserve_opens_them(project, now):
    bring_in(project, *(factories.record(n) for n in range(1, 3)), closed=True)
    assert not Task.objects.exists()
    ids = project.questions.values_list("pk", flat=True)
    assert open_questions(project=project, question_ids=ids, by=None, now=now) == 2
    assert Task.objects.filter(policy__stage="qampari-check").count() == 10
    project.rule_settings = {"target_dev": 2}
    with pytest.raises(Conflict, match="the reserve opens its questions"):
        bring_in(project, factories.record(3), closed=True)
    assert project.questions.count() == 2


@pytest.mark.django_db(transaction=True)
def test_many_at_once_never_draw_more_than_are_missing():
    project = factories.make_project(target_dev=3)
    bring_in(project, *(factories.record(n) for n in range(1, 21)))
    Question.objects.filter(pk__in=used(project)[:2]).update(state="excluded")
    drawn, barrier = [], threading.Barrier(6)

    def draw():
        try:
            barrier.wait()
            drawn.extend(reserve.fill_split(project=project, split="dev", now=timezone.now()))
        finally:
            connection.close()

    threads = [threading.Thread(target=draw) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(drawn) == len(set(drawn)) == 2
    in_use = Question.objects.filter(list__reserve=False).exclude(state="excluded")
    assert in_use.count() == 3
    assert Task.objects.filter(question__in=drawn).count() == 10


def used(project):
    own = ListQuestion.objects.filter(question__project=project, reserve=False)
    return list(own.order_by("pk").values_list("pk", flat=True))


def values(made):
    return {figure.name: round(made.value(figure), 3) for figure in made.figures}


def test_the_report_has_shares_of_what_was_said_and_of_what_staff_agree_with():
    rows = [
        JudgedCandidate(0, "a", said=(C, C)),
        JudgedCandidate(1, "b", said=(C, D), team=C),
        JudgedCandidate(2, "c", said=(D,), team=D),
        JudgedCandidate(3, "d", said=(C,), team=C),
        JudgedCandidate(4, "e"),
    ]
    assert values(evaluate_verdicts(rows)) == {"correct": 0.5, "doubtful": 0.5, "unclear": 0.0}
    assert values(evaluate_team_agreement(rows)) == {"same": 0.667}
    assert evaluate_verdicts(rows[4:]) is evaluate_team_agreement(rows[:1]) is None
