"""Judges change what they submitted last."""

import pytest
from django.urls import reverse

from annotation.models import (
    Assignment,
    AuditEntry,
    PayEntry,
    ReplacedSubmission,
    StagePolicy,
    SubmissionChange,
    Task,
)
from evaluation.models import Judgment
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies
from tests.evaluation.judging.windows import judge, make_items, submit


@pytest.fixture
def project(db):
    return asqa.make_project()


class TestChanging:
    def test_it_stays_as_it_is_until_the_change_is_submitted_and_work_in_hand_waits(self, project):
        make_items(project, 3)
        window = submit(judge(project).take())
        first = window.assignment
        second = window.take().assignment
        page = window.client.get(window.url("page")).text
        assert page.count("Change it") == 1
        address = reverse("work-change", args=[first.pk])
        for _ in range(2):
            answer = window.client.post(address)
            assert answer["Location"] == reverse("work-page", args=[first.pk])
        states = Assignment.objects.in_bulk([first.pk, second.pk])
        assert (states[first.pk].state, states[second.pk].state) == ("submitted", "active")
        assert Judgment.objects.get().submission.response["why"] == "It names walkers."
        assert AuditEntry.objects.get(action="assignment_change_begun").actor == window.user.pk
        window.assignment = first
        assert window.open().fields["choice-0-better"] == ["", "tie"]
        submit(window, **{"choice-0-better": ["left"], "why": ["It names penguins."]})
        row = Judgment.objects.get()
        assert row.submission.response["why"] == "It names penguins."
        before = ReplacedSubmission.objects.get()
        assert (before.assignment, before.logged["why"]) == (first, "It names walkers.")
        window.assignment = second
        assert window.row().state == "active"
        assert "Here is the next question." in submit(window.open()).open().html

    def test_only_the_last_five_can_be_changed(self, project):
        make_items(project, 7)
        window = judge(project)
        taken = [submit(window.take()).assignment for _ in range(6)]
        page = window.take().html
        assert page.count("Change it") == 5
        answer = window.client.post(reverse("work-change", args=[taken[0].pk]))
        assert answer.status_code == 409
        assert "only the last 5" in answer.text
        window.client.post(reverse("work-change", args=[taken[1].pk]))
        assert SubmissionChange.objects.get().assignment == taken[1]
        assert Judgment.objects.count() == 6

    def test_it_is_paid_once(self, project):
        item = studies.judged_question(project)
        StagePolicy.objects.filter(stage="comparison").update(pay="0.50", currency="USD")
        window = submit(judge(project).take())
        due = lambda: sum(PayEntry.objects.values_list("amount", flat=True))  # noqa: E731
        window.post("change", {})
        assert (str(due()), str(window.row().pay)) == ("0.50", "0.50")
        submit(window.open(), why=["It names penguins."])
        assert (str(due()), PayEntry.objects.count()) == ("0.50", 1)
        assert Task.objects.get(unit=item.unit).seats == 0

    def test_what_the_team_left_out_or_another_person_did_is_not_changed(self, project):
        studies.judged_question(project)
        window = submit(judge(project).take())
        other = judge(project, "Sam Sedge")
        assert other.client.post(window.url("change")).status_code == 404
        Assignment.objects.update(used=False)
        assert window.post("change", {}).status_code == 409
        assert Judgment.objects.count() == 1

    def test_a_paused_project_changes_nothing(self, project):
        studies.judged_question(project)
        window = submit(judge(project).take())
        project.state = "paused"
        project.save()
        assert window.post("change", {}).status_code == 409
        assert window.row().state == "submitted"
