"""No work before an answer, none after a withdrawal, and what was typed is never lost."""

import datetime as dt
import threading

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.consent import services as consent_services
from annotation.consent.policies import NotAgreed
from annotation.core.refusals import Denied
from annotation.generation.responses import to_json
from annotation.home.ready import list_ready_stages
from annotation.models import Annotation, Assignment, Consent
from annotation.work import assignments
from tests import factories
from tests.annotation.consent.helpers import agree, make_participant, publish
from tests.annotation.work.helpers import (
    easy,
    in_parallel,
    multiple,
    read_a_page,
    seats_add_up,
    wait_until_one_is_blocked,
)

TEXT = "It opened to people on foot in 1843 and to trains in 1869."


def take(project, by, now):
    return assignments.take_next(project=project, stage="generation", by=by, now=now)


@pytest.mark.django_db
class TestTaking:
    @pytest.fixture
    def task(self, project):
        easy(project)
        return factories.make_task(project)

    def test_without_a_text_everyone_works(self, project, task, ann, now):
        assert take(project, ann, now)

    def test_no_one_gets_work_before_they_agree(self, project, task, ada, ann, now):
        publish(project, ada, now)
        with pytest.raises(NotAgreed, match="what is kept about you") as refusal:
            take(project, ann, now)
        assert refusal.value.leads_to == reverse("consent-give", args=[project.slug])
        agree(project, ann, now)
        assert take(project, ann, now)

    def test_saying_no_to_training_does_not_refuse_the_work(self, project, task, ada, ann, now):
        publish(project, ada, now)
        agree(project, ann, now, may_train=False)
        assert take(project, ann, now)

    def test_a_new_version_asks_again_only_if_it_says_so(self, project, task, ada, ann, now):
        publish(project, ada, now)
        agree(project, ann, now)
        publish(project, ada, now, asks=False, body="A comma.")
        assert take(project, ann, now)
        publish(project, ada, now, asks=True, body="More is kept.")
        ben = factories.make_member(project, "annotator")
        for person in (ann, ben):
            Assignment.objects.update(state="returned", ended_at=now, lease_ends_at=None)
            with pytest.raises(NotAgreed):
                take(project, person, now)

    def test_a_later_version_counts_for_an_earlier_that_asks(self, project, task, ada, ann, now):
        publish(project, ada, now)
        publish(project, ada, now, asks=False, body="A comma.")
        agree(project, ann, now)
        assert take(project, ann, now)

    def test_whoever_withdrew_or_refused_gets_none(self, project, task, ada, ann, ben, now):
        publish(project, ada, now)
        agree(project, ann, now)
        consent_services.withdraw_consent(project=project, by=ann, now=now)
        consent_services.refuse_consent(project=project, by=ben, now=now)
        for person in (ann, ben):
            with pytest.raises(Denied, match="role annotator"):
                take(project, person, now)
            factories.make_member(project, "annotator", user=person)
            with pytest.raises(NotAgreed):
                take(project, person, now)
        agree(project, ann, now)
        assert take(project, ann, now)

    def test_administrators_are_asked_like_everyone(self, project, task, ada, now):
        publish(project, ada, now)
        root = factories.make_user(is_superuser=True)
        with pytest.raises(NotAgreed):
            take(project, root, now)

    def test_participants_are_not_asked_twice(self, project, task, ada, now):
        publish(project, ada, now)
        person = factories.make_member(project, "annotator", user=make_participant())
        assert take(project, person, now)

    def test_a_question_in_hand_can_be_submitted_but_not_taken_up_again(
        self, project, task, ada, ann, now
    ):
        """A text that is published meanwhile does not stop what was begun before it."""
        mine = take(project, ann, now)
        other = factories.make_assignment(
            factories.make_task(project), ann, "returned", ended_at=now
        )
        publish(project, ada, now)
        with pytest.raises(NotAgreed):
            assignments.reopen_assignment(assignment=other, by=ann, now=now)
        read_a_page(mine, now, TEXT)
        assert assignments.submit_response(assignment=mine, response=multiple(), by=ann, now=now)

    def test_late_work_of_somebody_who_withdrew_is_kept_as_a_draft(
        self, project, task, ada, ann, now
    ):
        publish(project, ada, now)
        agree(project, ann, now)
        mine = take(project, ann, now)
        read_a_page(mine, now, TEXT)
        consent_services.withdraw_consent(project=project, by=ann, now=now)
        factories.make_member(project, "annotator", user=ann)  # given back, and not yet asked
        with pytest.raises(NotAgreed):
            assignments.submit_response(assignment=mine, response=multiple(), by=ann, now=now)
        mine.refresh_from_db()
        assert (mine.state, mine.draft) == ("expired", to_json(multiple()))
        assert not Annotation.objects.exists()

    def test_home_asks_before_it_offers(self, project, task, ada, ann, now, client_as):
        publish(project, ada, now)
        [ready] = list_ready_stages(ann, now=now, active=[])
        assert ready.must_agree
        assert not ready.possible
        client, asked = client_as(ann), f"Before you work in {project.title}"
        for address in (reverse("home"), reverse("project-start", args=[project.slug])):
            assert asked in client.get(address).content.decode()
        agree(project, ann, now)
        assert list_ready_stages(ann, now=now, active=[])[0].possible
        assert asked not in client.get(reverse("home")).content.decode()

    def test_asking_costs_no_statement(self, project, task, ada, ann, ben, now):
        with CaptureQueriesContext(connection) as without:
            take(project, ann, now)
        publish(project, ada, now)
        agree(project, ben, now)
        with CaptureQueriesContext(connection) as with_text:
            take(project, ben, now)
        assert len(with_text) == len(without)


@pytest.mark.django_db(transaction=True)
class TestRaces:
    """Withdrawing against taking and submitting, each on its own connection."""

    @pytest.fixture
    def people(self, project, ada, now):
        easy(project)
        publish(project, ada, now)
        made = [
            factories.make_member(project, "annotator", name=f"P{number} Person")
            for number in range(6)
        ]
        for person in made:
            agree(project, person, now)
            factories.make_task(project)
        return made

    def test_whoever_withdraws_while_taking_has_nothing_in_hand(self, project, people):
        def withdraw(person):
            consent_services.withdraw_consent(project=project, by=person, now=timezone.now())

        jobs = [lambda by=person: take(project, by, timezone.now()) for person in people]
        jobs += [lambda by=person: withdraw(by) for person in people]
        results = in_parallel(jobs)
        assert all(
            isinstance(result, Denied) for result in results if isinstance(result, Exception)
        ), results
        assert not Assignment.objects.filter(state__in=["active", "parked"]).exists()
        assert Consent.objects.filter(withdrawn_at__isnull=False).count() == len(people)
        seats_add_up()

    def test_a_withdrawal_waits_for_whoever_is_taking(self, project, people):
        """The turn that nobody else can see yet ends, too."""
        person, taken = people[0], threading.Event()

        def slowly_take():
            with transaction.atomic():
                assert take(project, person, timezone.now())
                taken.set()
                wait_until_one_is_blocked()

        def withdraw():
            assert taken.wait(timeout=30)
            consent_services.withdraw_consent(project=project, by=person, now=timezone.now())

        results = in_parallel([slowly_take, withdraw])
        assert results == [None, None]
        assert Assignment.objects.get().state == "expired"
        seats_add_up()

    def test_a_take_during_a_withdrawal_gives_nothing(self, project, people):
        person, going = people[0], threading.Event()

        def slowly_withdraw():
            with transaction.atomic():
                consent_services.withdraw_consent(project=project, by=person, now=timezone.now())
                going.set()
                assert done.wait(timeout=30)

        done = threading.Event()

        def take_now():
            assert going.wait(timeout=30)
            try:
                return take(project, person, timezone.now())
            finally:
                done.set()

        assert in_parallel([slowly_withdraw, take_now]) == [None, None]
        assert not Assignment.objects.exists()

    def test_what_is_submitted_meanwhile_counts_or_is_a_draft(self, project, people):
        mine = []
        for person in people:
            turn = take(project, person, timezone.now())
            read_a_page(turn, timezone.now(), TEXT if person is people[0] else None)
            mine.append(turn)
        jobs = [
            lambda each=each: assignments.submit_response(
                assignment=each, response=multiple(), by=each.user, now=timezone.now()
            )
            for each in mine
        ] + [
            lambda by=person: consent_services.withdraw_consent(
                project=project, by=by, now=timezone.now()
            )
            for person in people
        ]
        results = in_parallel(jobs)
        assert all(
            isinstance(result, Denied) for result in results if isinstance(result, Exception)
        ), results
        for each, result in zip(mine, results, strict=False):
            each.refresh_from_db()
            assert each.state == ("expired" if isinstance(result, Denied) else "submitted")
            assert each.draft == to_json(multiple())
        seats_add_up()

    def test_a_submission_that_waited_for_a_withdrawal_is_refused(self, project, people):
        """The statement that waited for the lock began before the role was taken away."""
        person, going = people[0], threading.Event()
        turn = take(project, person, timezone.now())
        read_a_page(turn, timezone.now(), TEXT)

        def slowly_withdraw():
            with transaction.atomic():
                consent_services.withdraw_consent(project=project, by=person, now=timezone.now())
                going.set()
                wait_until_one_is_blocked()

        def submit():
            assert going.wait(timeout=30)
            assignments.submit_response(
                assignment=turn, response=multiple(), by=person, now=timezone.now()
            )

        _, refused = in_parallel([slowly_withdraw, submit])
        assert isinstance(refused, Denied)
        turn.refresh_from_db()
        assert (turn.state, turn.draft) == ("expired", to_json(multiple()))
        assert not Annotation.objects.exists()

    def test_two_answers_at_once_leave_one_in_force(self, project, people):
        person = people[0]
        jobs = [
            lambda yes=yes: agree(project, person, timezone.now(), may_train=yes)
            for yes in (True, False, True, False)
        ]
        jobs.append(
            lambda: consent_services.withdraw_consent(
                project=project, by=person, now=timezone.now()
            )
        )
        results = in_parallel(jobs)
        assert not [result for result in results if isinstance(result, Exception)], results
        standing = Consent.objects.filter(user=person, withdrawn_at=None, replaced_at=None)
        assert standing.count() <= 1
        assert dt.timedelta() <= timezone.now() - Consent.objects.order_by("-pk")[0].given_at
