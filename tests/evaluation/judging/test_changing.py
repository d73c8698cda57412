"""Judges take back what they submitted last, and change it."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.models import Assignment, AuditEntry, PayEntry, StagePolicy, Task
from annotation.work import assignments, revising
from evaluation.models import Judgment
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.annotation.work.helpers import in_parallel
from tests.evaluation import factories as studies
from tests.evaluation.judging.windows import judge, make_items, submit


@pytest.fixture
def project(db):
    return asqa.make_project()


class TestChanging:
    def test_it_comes_back_with_its_text_and_work_in_hand_is_parked(self, project):
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
        assert (states[first.pk].state, states[second.pk].state) == ("active", "parked")
        assert not Judgment.objects.exists()
        entry = AuditEntry.objects.get(action="assignment_taken_back")
        assert entry.actor == window.user.pk
        assert entry.data["submission"]["why"] == "It names walkers."
        window.assignment = first
        assert window.open().fields["choice-0-better"] == ["", "tie"]
        submit(window, **{"choice-0-better": ["left"], "why": ["It names penguins."]})
        row = Judgment.objects.get()
        assert row.submission.response["why"] == "It names penguins."
        window.assignment = second  # it came back
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
        assert Judgment.objects.count() == 6
        window.client.post(reverse("work-change", args=[taken[1].pk]))
        assert Judgment.objects.count() == 5

    def test_pay_is_taken_back_and_paid_once(self, project):
        item = studies.judged_question(project)
        StagePolicy.objects.filter(stage="comparison").update(pay="0.50", currency="USD")
        window = submit(judge(project).take())
        due = lambda: sum(PayEntry.objects.values_list("amount", flat=True))  # noqa: E731
        assert str(due()) == "0.50"
        window.post("change", {})
        assert str(due()) == "0.00"
        assert window.row().pay == 0
        submit(window.open())
        assert str(due()) == "0.50"
        assert Task.objects.get(unit=item.unit).seats == 0

    def test_what_the_team_left_out_or_another_person_did_is_not_changed(self, project):
        studies.judged_question(project)
        window = submit(judge(project).take())
        other = judge(project, "Sam Sedge")
        assert other.client.post(window.url("change")).status_code == 404
        Assignment.objects.update(used=False)
        assert window.post("change", {}).status_code == 409
        assert Judgment.objects.count() == 1

    def test_nothing_changes_where_no_more_can_be_parked(self, project):
        project.parked_limit = 0
        project.save()
        make_items(project, 2)
        window = submit(judge(project).take())
        first = window.assignment
        window.take()
        answer = window.client.post(reverse("work-change", args=[first.pk]))
        assert answer.status_code == 409
        assert "cannot be parked" in answer.text
        assert (window.row().state, Judgment.objects.count()) == ("active", 1)

    def test_a_paused_project_changes_nothing(self, project):
        studies.judged_question(project)
        window = submit(judge(project).take())
        project.state = "paused"
        project.save()
        assert window.post("change", {}).status_code == 409
        assert window.row().state == "submitted"


@pytest.mark.django_db(transaction=True)
class TestRaces:
    def test_one_that_is_taken_back_and_returned_at_once_moves_once(self):
        project = asqa.make_project()
        staff = factories.make_member(project, "admin", name="Ada Ash")
        for _ in range(4):
            studies.judged_question(project)
            window = submit(judge(project).take())

            def change(window=window):
                row = Assignment.objects.select_related("policy", "project", "task").get(
                    pk=window.assignment.pk
                )
                return revising.revise_submission(
                    assignment=row, by=window.user, now=timezone.now()
                ).state

            def give_back(window=window):
                row = Assignment.objects.select_related("policy", "project", "task").get(
                    pk=window.assignment.pk
                )
                return assignments.return_to_author(
                    assignment=row, note="Look again.", by=staff, now=timezone.now()
                ).state

            results = in_parallel([change, change, give_back])
            failed = [result for result in results if isinstance(result, Exception)]
            assert all(isinstance(result, Conflict) for result in failed), results
            state = window.row().state
            assert state in ("active", "parked")
            assert [result for result in results if isinstance(result, str)]
            moved = AuditEntry.objects.filter(
                target=f"assignment:{window.assignment.pk}",
                action__in=["assignment_taken_back", "assignment_returned_to_author"],
            )
            assert moved.count() == 1
            assert Judgment.objects.count() == 0
            Assignment.objects.filter(state="active").update(
                state="returned", ended_at=timezone.now(), lease_ends_at=None
            )

    def test_two_of_them_at_once_leave_one_in_hand(self):
        project = asqa.make_project()
        make_items(project, 3)
        window = judge(project)
        rows = [submit(window.take()).assignment for _ in range(2)]

        def change(pk):
            row = Assignment.objects.select_related("policy", "project", "task").get(pk=pk)
            return revising.revise_submission(
                assignment=row, by=window.user, now=timezone.now()
            ).state

        results = in_parallel([lambda pk=row.pk: change(pk) for row in rows])
        failed = [result for result in results if isinstance(result, Exception)]
        assert all(isinstance(result, Conflict) for result in failed), results
        states = sorted(
            Assignment.objects.filter(pk__in=[r.pk for r in rows]).values_list("state", flat=True)
        )
        assert states in (["active", "parked"], ["active", "submitted"])
        assert Judgment.objects.count() == states.count("submitted")
