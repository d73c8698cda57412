"""Paraphrases, half of which another person verifies (Q6)."""

import datetime as dt

import pytest
from django.utils import timezone

from annotation.core.consistent_view import snapshot
from annotation.core.refusals import Conflict
from annotation.exports.rows import fetch_rows
from annotation.models import Assignment, Question, Task
from annotation.work import assignments, tasks
from qampari import paraphrases, release
from qampari.drawing import is_drawn
from qampari.paraphrase_rows import Paraphrase, Sample, Verification
from qampari.statements import DRAWN
from tests import factories
from tests.qampari import paraphrasing
from tests.stages.window import HX, Window

pytestmark = pytest.mark.django_db


@pytest.fixture
def now() -> dt.datetime:
    return timezone.now()


@pytest.fixture
def project():
    return paraphrasing.make_project()


@pytest.fixture
def author(project):
    return factories.make_member(project, "annotator", name="Zebulon Quixote")


@pytest.fixture
def verifier(project):
    return factories.make_member(project, "validator", name="Wilhelmina Fjord")


def verify(project, person, verdict, why="Ask for the bridges."):
    window = Window(person, project, "qampari-verify").take()
    answer = window.post("submit", window.fields | {"verdict": [verdict], "why": [why]})
    assert answer.status_code == 302, answer.text
    return window


def took_back(person, written):
    """Resume what came back; whatever is in hand is released."""
    window = Window(person, written.project, written.stage)
    for row in Assignment.objects.filter(user=person, state="active"):
        window.assignment = row
        window.post("return", {})
    window.assignment = written
    assert window.post("resume", {}).status_code == 302
    return window.open()


def accepted(question: Question) -> str | None:
    return paraphrases.read_accepted_texts([question.pk]).get(question.pk)


# --- the draw -------------------------------------------------------------------------------------


def test_half_of_each_persons_are_drawn_at_any_time():
    for seed in range(200):
        drawn = [is_drawn(seed, place) for place in range(31)]
        assert all(abs(2 * sum(drawn[:n]) - n) <= 1 for n in range(32))
        assert drawn == [is_drawn(seed, place) for place in range(31)]
    first = sum(is_drawn(seed, 0) for seed in range(1_000))
    assert 450 <= first <= 550


def test_the_database_draws_the_same():
    sql = f"SELECT s.seed, place, {DRAWN} FROM (SELECT generate_series(0, 60) AS seed) s, generate_series(0, 9) AS place"  # noqa: E501, S608
    rows = fetch_rows(sql.replace("%", "%%"), {})
    assert len(rows) == 610
    assert all(drawn == is_drawn(seed, place) for seed, place, drawn in rows)


def test_half_of_each_person_not_of_the_project(project, now):
    """Two people write five each; of each, two or three are verified, and never by themselves."""
    people = [factories.make_member(project, "annotator", "validator") for _ in range(2)]
    for _ in range(12):  # whoever submits takes the next one
        paraphrasing.accepted(project, now)
    for person in people:
        for _ in range(5):
            paraphrasing.paraphrase(project, person, "Which bridges are by Rennie?")
    for person in people:
        rows = Paraphrase.objects.filter(author=person)
        assert sorted(rows.values_list("place", flat=True)) == [0, 1, 2, 3, 4]
        drawn = set(rows.filter(drawn=True).values_list("pk", flat=True))
        assert len(drawn) in (2, 3)
        seed = Sample.objects.get(project=project, person=person).seed
        assert all(row.drawn == is_drawn(seed, row.place) for row in rows)
        asked = Task.objects.filter(policy__stage="qampari-verify", barred=[person.pk])
        assert {int(task.unit.split("-")[0]) for task in asked} == drawn
    counted = paraphrases.by_person(project)
    assert [(row.written, row.drawn, row.verified) for row in counted] == [
        (5, Paraphrase.objects.filter(author=person, drawn=True).count(), 0) for person in people
    ]


# --- what becomes of one --------------------------------------------------------------------------


def test_one_that_is_not_drawn_is_accepted_at_once(project, author, now):
    question = paraphrasing.accepted(project, now)
    Sample.objects.create(project=project, person=author, seed=4)
    assert not is_drawn(4, 0)
    row = paraphrasing.paraphrase(project, author, "Which bridges are by Rennie?")
    assert not row.drawn
    assert accepted(question) == "Which bridges are by Rennie?"
    question.refresh_from_db()
    assert question.text == paraphrasing.ASKED
    assert question.state == "accepted"


def test_one_that_is_drawn_waits_for_its_verification(project, author, verifier, now):
    question = paraphrasing.accepted(project, now)
    paraphrasing.draw_first(project, author)
    paraphrasing.paraphrase(project, author, "Which bridges are by Rennie?")
    assert accepted(question) is None
    window = verify(project, verifier, "same", why="")
    assert accepted(question) == "Which bridges are by Rennie?"
    assert "Zebulon" not in window.open().html
    [row] = paraphrases.by_person(project)
    assert row[1:] == (1, 1, 1, 1, 0, 0)
    assert paraphrases.by_person(project, "test") == []


@pytest.mark.parametrize("verdict", ["changed", "unnatural"])
def test_a_refused_one_goes_back_with_the_reason_and_keeps_its_draw(
    project, author, verifier, now, verdict
):
    question = paraphrasing.accepted(project, now)
    paraphrasing.draw_first(project, author)
    row = paraphrasing.paraphrase(project, author, "How many bridges are by Rennie?")
    verify(project, verifier, verdict)
    written = Assignment.objects.get(stage="qampari-paraphrase")
    assert written.state == "parked"
    assert written.staff_note.endswith("Ask for the bridges.")
    assert verifier.name not in written.staff_note
    row.refresh_from_db()
    assert row.submission is None
    assert accepted(question) is None

    window = took_back(author, written)
    assert "Ask for the bridges." in window.html
    answer = window.post("submit", window.fields | {"text": ["Which bridges are by Rennie?"]})
    assert answer.status_code == 302
    row.refresh_from_db()
    assert (row.place, row.drawn, row.version) == (0, True, 2)
    assert Sample.objects.get(person=author).made == 1
    verify(project, verifier, "same", why="")  # the same person may look again
    assert accepted(question) == "Which bridges are by Rennie?"
    counted = paraphrases.by_person(project)[0]
    assert counted[1:4] == (1, 1, 1)  # by what was first said
    assert (counted.changed, counted.unnatural) == (
        int(verdict == "changed"),
        int(verdict != "changed"),
    )


def test_one_that_is_refused_twice_is_replaced_by_another_persons(project, author, verifier, now):
    question = paraphrasing.accepted(project, now)
    paraphrasing.draw_first(project, author)
    paraphrasing.paraphrase(project, author, "How many bridges are by Rennie?")
    verify(project, verifier, "changed")
    written = Assignment.objects.get(stage="qampari-paraphrase")
    window = took_back(author, written)
    window.post("submit", window.fields | {"text": ["Whose are the bridges by Rennie?"]})
    verify(project, verifier, "changed")
    written.refresh_from_db()
    assert (written.state, written.used) == ("submitted", False)
    task = written.task
    task.refresh_from_db()
    assert (task.seats, task.barred) == (1, [verifier.pk])
    other = factories.make_member(project, "annotator", name="Crispin Thistlewood")
    Sample.objects.create(project=project, person=other, seed=4)
    paraphrasing.paraphrase(project, other, "Which bridges did Rennie design?")
    assert accepted(question) == "Which bridges did Rennie design?"


def test_a_refusal_that_staff_excluded_does_not_count(project, author, verifier, now):
    question = paraphrasing.accepted(project, now)
    paraphrasing.draw_first(project, author)
    paraphrasing.paraphrase(project, author, "Which bridges are by Rennie?")
    verdict = verify(project, verifier, "changed").row()
    staff = factories.make_member(project, "admin", name="Ferdinand Oxblood")
    with pytest.raises(Conflict, match="If this is wrong, exclude it"):
        assignments.return_to_author(assignment=verdict, note="Why?", by=staff, now=now)
    assignments.soft_reject(assignment=verdict, note="It is the same.", by=staff, now=now)
    written = Assignment.objects.get(stage="qampari-paraphrase")
    took_back(author, written).post("submit")
    verify(project, factories.make_member(project, "validator", name="Ida Brook"), "unnatural")
    written.refresh_from_db()
    assert (written.state, written.used) == ("parked", True)
    took_back(author, written).post("submit")
    verify(project, verifier, "same", why="")
    assert accepted(question) == "Which bridges are by Rennie?"


def test_one_is_replaced_at_once_where_its_author_has_left(project, author, verifier, now):
    paraphrasing.accepted(project, now)
    paraphrasing.draw_first(project, author)
    paraphrasing.paraphrase(project, author, "How many bridges are by Rennie?")
    author.memberships.all().delete()
    verify(project, verifier, "changed")
    written = Assignment.objects.get(stage="qampari-paraphrase")
    assert (written.state, written.used) == ("submitted", False)


def test_nobody_verifies_what_was_taken_back(project, author, verifier, now):
    """Staff return a paraphrase while somebody verifies it: their work is kept, not submitted."""
    paraphrasing.accepted(project, now)
    paraphrasing.draw_first(project, author)
    paraphrasing.paraphrase(project, author, "Which bridges are by Rennie?")
    window = Window(verifier, project, "qampari-verify").take()
    staff = factories.make_member(project, "admin")
    written = Assignment.objects.get(stage="qampari-paraphrase")
    assignments.return_to_author(assignment=written, note="Once more.", by=staff, now=now)
    answer = window.post("submit", window.fields | {"verdict": ["same"]}, headers=HX)
    assert answer.status_code == 409
    assert "is writing it anew" in answer.text
    assert not Verification.objects.exists()
    assert Task.objects.get(pk=window.assignment.task_id).seats == 0


def test_a_paraphrase_waits_until_the_answers_are_accepted(project, now):
    question = factories.make_question(project, state="generating")
    assert tasks.open_tasks(question_ids=[question.pk], now=now) == 0


# --- the names ------------------------------------------------------------------------------------


def test_the_name_that_is_missing_is_named(project, author, now):
    paraphrasing.accepted(project, now)
    window = Window(author, project, "qampari-paraphrase").take()
    assert "John Rennie" in window.html
    answer = window.post("submit", window.fields | {"text": ["Which bridges are his?"]}, headers=HX)
    assert answer.status_code == 422
    assert "“John Rennie” is missing. Names have to stay in the question." in answer.text
    assert "Another form will do, such as “Rennie”." in answer.text


def test_names_that_are_guessed_are_asked_for(project, author, now):
    paraphrasing.accepted(project, now, context={})
    window = Window(author, project, "qampari-paraphrase").take()
    answer = window.post("submit", window.fields | {"text": ["Which bridges are his?"]}, headers=HX)
    assert answer.status_code == 422
    assert "Did you leave out “John Rennie” on purpose?" in answer.text


def test_the_question_as_it_was_is_asked_about(project, author, now):
    paraphrasing.accepted(project, now)
    window = Window(author, project, "qampari-paraphrase").take()
    asked = [f"{paraphrasing.ASKED}?"]
    answer = window.post("submit", window.fields | {"text": asked}, headers=HX)
    assert answer.status_code == 422
    assert "This is the question as it was." in answer.text


# --- releases -------------------------------------------------------------------------------------


def test_a_release_has_the_paraphrase_and_keeps_the_synthetic_question(project, author, now):
    question = paraphrasing.accepted(project, now)
    plain = paraphrasing.accepted(project, now)
    Sample.objects.create(project=project, person=author, seed=4)
    paraphrasing.paraphrase(project, author, "Which bridges are by Rennie?")
    with snapshot():
        [chunk] = release.read_question_chunks(project, "dev")
        rows = {row.external_id: row for row in chunk}
    first, second = rows[question.external_id], rows[plain.external_id]
    assert (first.text, first.synthetic) == ("Which bridges are by Rennie?", paraphrasing.ASKED)
    assert (second.text, second.synthetic) == (paraphrasing.ASKED, "")
