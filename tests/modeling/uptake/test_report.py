"""The page of suggestions, its files and the command, from rows of the database."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.figures import counts as stored_counts
from annotation.models import LongAnswer, StagePolicy, Suggestion, SuggestionUse
from annotation.suggestions.values import held_out
from modeling import queries as modeling_queries

pytestmark = pytest.mark.django_db
YEARS, FIRST = (("1843",), ("1869",)), (("1843",),)


def named(project, split="", system="Reader 8B"):
    rows = modeling_queries.list_uptake_figures(project, split)
    assert {row.system for row in rows} <= {system}
    return {(row.version, row.figure): row.value for row in rows}


def test_uptake_is_of_submitted_work_in_use(project, questions, submit, ann, ben):
    one, two = questions(2)
    submit(one, ann, "accepted", "edited", "")
    submit(one, ben, "dismissed")
    submit(two, ann, "accepted")
    submit(two, ben, "accepted", used=False)
    held = submit(questions(1)[0], ann, "accepted")
    type(held).objects.filter(pk=held.pk).update(state="expired", submitted_at=None)
    values = named(project)
    assert [values["1", name] for name in ("shown", "accepted", "edited", "dismissed")] == [
        *(5, 2, 1, 1)
    ]
    assert (values["1", "undecided"], values["1", "share.undecided"]) == (1, 0.2)


def test_held_out_questions_are_the_comparison(project, questions, submit, ann, ben):
    shown, out = questions(2), questions(1, out=True)
    submit(shown[0], ann, "accepted", seconds=50, answers=YEARS)
    submit(shown[0], ben, "accepted", seconds=70, answers=YEARS)
    submit(shown[1], ann, None, seconds=20)  # the panel stayed closed: it is offered all the same
    submit(out[0], ann, None, seconds=100, answers=YEARS)
    submit(out[0], ben, None, seconds=100, answers=FIRST)
    values = named(project)
    assert (values["", "seconds.with"], values["", "seconds.without"]) == (40, 100)
    assert values["", "seconds.change"] == -60
    assert values["", "f1_answer.with"] == 1
    assert values["", "f1_answer.without"] == pytest.approx(2 / 3)


def test_work_that_could_not_have_suggestions_is_left_out(project, questions, submit, ann, ben):
    (shown, early), (out, bare) = questions(2), questions(2, out=True)
    submit(shown, ann, "accepted", seconds=50)
    # Before anybody was shown any; on a question that has none; after a change of the share.
    submit(early, ann, None, seconds=500, begun=-60)
    submit(bare, ann, seconds=500)
    submit(questions(1, out=True)[0], ann, "accepted", seconds=500)
    submit(out, ann, None, seconds=60)
    # Stored after it was taken.
    late = questions(1)[0]
    submit(late, ann, None, seconds=500)
    Suggestion.objects.filter(question=late).update(created_at="2999-01-01T00:00Z")
    # Half of the answers to this one are from before.
    submit(shown, ben, None, seconds=500, begun=-60)
    values = named(project)
    assert (values["", "seconds.with"], values["", "seconds.without"]) == (50, 60)
    assert values["", "f1_answer.with"] is None


def test_long_answers_are_compared_too(project, questions, submit, ann, ben, now):
    for question in (*questions(1), *questions(1, out=True)):
        for person in (ann, ben):
            row = submit(question, person, "accepted")
            LongAnswer.objects.create(
                question=question,
                assignment=row,
                author=person,
                text=f"It opened in 1843, and {person.name} says so.",
                created_at=now,
            )
    SuggestionUse.objects.filter(
        suggestion__question__in=[q for q in project.questions.all() if held_out(q.pk, 50)]
    ).delete()
    values = named(project)
    assert 0.5 < values["", "rouge_lsum.with"] == values["", "rouge_lsum.without"] < 1


def test_the_page_has_what_is_stored_and_what_became_of_it(
    client_as, rosa, project, questions, submit, ann, ben
):
    empty = reverse("suggestion-report", args=[project.slug])
    page = client_as(rosa).get(empty).content.decode()
    assert "No suggestions yet" in page
    assert "Needs 1 submission" in page
    shown, out = questions(1), questions(1, out=True)
    submit(shown[0], ann, "accepted", "dismissed", seconds=200, answers=YEARS)
    submit(shown[0], ben, "accepted", seconds=100, answers=YEARS)
    page = client_as(rosa).get(empty).content.decode()
    assert "No held-out question has been answered" in page
    submit(out[0], ann, None, seconds=190)
    page = client_as(rosa).get(empty + "?split=dev").content.decode()
    for words in (
        f"2 of {project.questions.count()}",
        "Generation on dev",
        "2, 67 %",
        "1, 33 %",
        "2:30",
        "3:10",
        "−0:40",
    ):
        assert words in page, words
    assert "Generation on dev" not in client_as(rosa).get(empty + "?split=test").content.decode()


def test_files_and_command_give_the_figures_of_the_page(
    client_as, rosa, project, questions, submit, ann, capsys
):
    submit(questions(1)[0], ann, "accepted", "edited")
    address = reverse("suggestion-download", args=[project.slug, "json"])
    reply = client_as(rosa).get(address)
    rows = reply.json()
    assert reply.headers["Content-Disposition"].endswith('-suggestions.json"')
    shown = next(row for row in rows if row["figure"] == "shown")
    assert shown == {
        "stage": "generation",
        "system": "Reader 8B",
        "version": "1",
        "kind": "answer",
        "figure": "shown",
        "value": 2.0,
        "low": None,
        "high": None,
        "n": 1,
        "note": "",
    }
    share = next(row for row in rows if row["figure"] == "share.accepted")
    assert (share["low"], share["high"], share["note"]) == (None, None, "too few to tell")
    csv = client_as(rosa).get(address.replace(".json", ".csv")).content.decode()
    assert csv.splitlines()[1] == "generation,Reader 8B,1,answer,shown,2.0,,,1,"
    assert client_as(rosa).get(address.replace(".json", ".xml")).status_code == 404
    assert client_as(rosa).get(address + "?split=robots").status_code == 404

    call_command("uptake", project.slug, "--json")
    assert json.loads(capsys.readouterr().out) == rows
    call_command("uptake", project.slug, "--csv")
    assert capsys.readouterr().out.splitlines() == csv.splitlines()
    call_command("uptake", project.slug)
    said = capsys.readouterr().out
    assert "Reader 8B 1, Generation, answer: 2 shown" in said
    assert "50 %  too few to tell" in said
    call_command("uptake", project.slug, "--split", "test")
    assert "Needs 1 submission" in capsys.readouterr().out
    with pytest.raises(CommandError):
        call_command("uptake", "nowhere")


def test_large_projects_get_what_the_worker_counted(
    client_as, rosa, project, questions, submit, ann, now, monkeypatch
):
    submit(questions(1)[0], ann, "accepted")
    stored_counts.renew_report(project=project, report=modeling_queries.REPORT, now=now)
    before = modeling_queries.count_project_uptake(project)
    submit(questions(1)[0], ann, "accepted")
    assert modeling_queries.count_project_uptake(project) != before
    page = client_as(rosa).get(reverse("suggestion-report", args=[project.slug]))
    assert [row.shown for row in page.context["used"]] == [1]
    assert [row.questions for row in page.context["stored"]] == [1]
    assert "Counted" in page.content.decode()
    stored_counts.load_figures([project], modeling_queries.REPORT, now=now)
    assert modeling_queries.list_uptake_figures(project) == before


def test_the_page_costs_the_same_with_more_work(client_as, rosa, project, questions, submit, ann):
    address = reverse("suggestion-report", args=[project.slug])
    staff = client_as(rosa)

    def count():
        with CaptureQueriesContext(connection) as captured:
            staff.get(address)
        return len(captured)

    submit(questions(1)[0], ann, "accepted", answers=YEARS)
    staff.get(address)
    before = count()
    for row in questions(5):
        submit(row, ann, "accepted", answers=YEARS)
    StagePolicy.objects.filter(project=project).update(suggestions="Reader 8B")
    assert count() == before
