"""People change what they submitted last, until others work with it."""

import pytest
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.golds import services as golds_services
from annotation.models import Assignment, GoldItem, GoldVerdict, Question, Task
from annotation.work import assignments, changing
from qampari.paraphrase_rows import Paraphrase
from tests import factories as people
from tests.qampari import factories, paraphrasing
from tests.stages.window import Window

C, D = "correct", "doubtful"


@pytest.fixture
def project(db):
    return factories.make_project(checked_percent=0)


@pytest.fixture
def ann(project):
    return people.make_member(project, "annotator", name="Ann Archer")


def last_of(person, stage="qampari-check"):
    rows = Assignment.objects.filter(user=person, stage=stage, state="submitted")
    return rows.latest("submitted_at")


def change(row, person):
    changing.begin_change(assignment=row, by=person, now=timezone.now())


def decide(window, verdict):
    answer = window.open().post("submit", window.fields | {"verdict": [verdict]})
    assert answer.status_code == 302


class TestChecking:
    def test_the_page_lists_the_last_answers_with_their_verdicts(self, project, ann):
        factories.make_question(project, timezone.now(), answers=factories.TITLES)
        factories.check(ann, project, [C, D, C, C, C, C])
        window = Window(ann, project, "qampari-check").take()
        listed = window.html[window.html.index('id="last"') :]
        listed = listed[: listed.index("</ul>")]
        titles = [title for title in factories.TITLES if title in listed]
        assert titles == ["Leeds", "Wells", "Ripon", "Truro", "Derby"]
        assert listed.count("Change it") == 5
        assert listed.count("Wrong, or cannot determine") == 1

    def test_the_answer_that_decided_its_question_is_changed(self, project, ann):
        question = factories.make_question(project, timezone.now())
        factories.check(ann, project, [C] * 5)
        row = last_of(ann)
        assert Question.objects.get().state == "accepted"
        page = Window(ann, project, "qampari-check")
        page.assignment = row
        ended = page.client.get(page.url("page")).text
        assert "Truro" in ended
        assert "Change it" in ended
        assert page.post("change", {})["Location"] == page.url("page")
        assert Question.objects.get().state == "accepted"
        decide(page, D)
        question.refresh_from_db()
        assert question.state == "validating"
        assert Task.objects.get(policy__stage="qampari-team").seats == 1

    def test_nothing_changes_once_the_team_has_the_question(self, project, ann):
        factories.make_question(project, timezone.now())
        factories.check(ann, project, [C, C, C, C, D])
        staff = people.make_member(project, "researcher", name="Rosa Reed")
        window = Window(staff, project, "qampari-team").take()
        with pytest.raises(Conflict, match="the team opened it"):
            change(last_of(ann), ann)
        assert window.row().state == "active"
        assignments.give_back(assignment=window.assignment, by=staff, now=timezone.now())
        change(last_of(ann), ann)
        assert Question.objects.get().state == "validating"
        assert (
            assignments.take_next(
                project=project, stage="qampari-team", by=staff, now=timezone.now()
            )
            is None
        )

    def test_nothing_changes_once_the_question_has_dropped_out(self, project, ann):
        factories.make_question(project, timezone.now(), answers=factories.TITLES[:4])
        factories.check(ann, project, [C] * 4)
        assert Question.objects.get().state == "excluded"
        with pytest.raises(Conflict, match="the question is decided"):
            change(last_of(ann), ann)

    def test_a_gold_item_looks_like_any_other_and_is_judged_again(self, project, ann):
        now = timezone.now()
        factories.make_question(project, now)
        factories.make_question(project, now, answers=("Bath", "Hull", "York", "Looe", "Bude"))
        staff = people.make_member(project, "researcher", name="Rosa Reed")
        settings = {"rate": 50, "seed": 7, "source": "copies", "pauses": False}
        golds_services.save_plan(
            project=project, stage="qampari-check", by=staff, now=now, **settings
        )
        window = Window(ann, project, "qampari-check")
        while not window.take().assignment.gold:
            decide(window, C)
        decide(window, C)
        wrong = GoldItem.objects.get(task=window.assignment.task_id).content["text"]
        assert GoldVerdict.objects.get().missed
        mine = window.assignment
        listed = window.take().html
        listed = listed[listed.index('id="last"') :]
        assert f">{wrong}</a>" in listed[: listed.index("</li>")]
        change(mine, ann)
        window.assignment = mine
        decide(window, D)
        assert not GoldVerdict.objects.get().missed


class TestParaphrasing:
    def test_it_is_changed_until_somebody_else_has_it(self, db):
        project = paraphrasing.make_project()
        paraphrasing.paraphrased(project, timezone.now())
        row = Assignment.objects.get(stage="qampari-paraphrase")
        change(row, row.user)
        assert Paraphrase.objects.get().submission is not None
        window = Window(row.user, project, "qampari-paraphrase")
        window.assignment = row
        window.open()
        assert window.post("submit", {**window.fields, "text": ["Which did Rennie build?"]})
        paraphrase = Paraphrase.objects.get()
        assert (paraphrase.version, paraphrase.text) == (2, "Which did Rennie build?")
        reader = people.make_member(project, "validator", name="Wilhelmina Fjord")
        verifying = Window(reader, project, "qampari-verify").take()
        assert "Which did Rennie build?" in verifying.html
        with pytest.raises(Conflict, match="Someone else has your paraphrase"):
            change(row, row.user)
