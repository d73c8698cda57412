"""Experts see no answers: they cannot also have a role that shows answers (A61, N9)."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.core.models.people import SEE_ANSWERS
from annotation.core.refusals import Conflict
from annotation.models import AuditEntry, Membership
from annotation.people import invitation_services
from annotation.people import services as people_services
from tests import factories
from tests.annotation.work.helpers import in_parallel

SEEING = sorted(SEE_ANSWERS)


def token_of(invitation):
    return invitation_services.invitation_link(invitation).split("/")[-2]


def roles_of(user):
    return set(Membership.objects.filter(user=user).values_list("role", flat=True))


@pytest.mark.django_db
class TestRefusals:
    @pytest.mark.parametrize("role", SEEING)
    def test_a_role_is_not_added_to_an_expert_or_the_other_way_round(
        self, project, ada, eve, now, role
    ):
        with pytest.raises(Conflict, match="Eve Elder is an expert here"):
            people_services.add_role(project=project, user=eve, role=role, by=ada, now=now)
        member = factories.make_member(project, role, name="Mary Moor")
        with pytest.raises(Conflict, match="Mary Moor has a role that shows answers"):
            people_services.add_role(project=project, user=member, role="expert", by=ada, now=now)
        assert (roles_of(eve), roles_of(member)) == ({"expert"}, {role})
        assert not AuditEntry.objects.filter(action="role_added").exists()

    def test_a_judge_may_be_an_expert(self, project, ada, eve, now):
        people_services.add_role(project=project, user=eve, role="judge", by=ada, now=now)
        assert roles_of(eve) == {"expert", "judge"}

    def test_in_another_project_they_may_be_anything(self, project, ada, eve, now):
        assert factories.make_member(factories.make_project(), "annotator", user=eve)

    @pytest.mark.parametrize("role", SEEING)
    def test_an_expert_is_not_invited_to_it(self, project, ada, eve, now, role):
        with pytest.raises(Conflict, match="is an expert here"):
            invitation_services.invite_member(
                project=project, email=eve.email, roles=[role], by=ada, now=now
            )

    def test_nor_is_who_has_an_open_invitation_as_an_expert(self, project, ada, now):
        invited = {"project": project, "email": "nora@example.org", "by": ada, "now": now}
        invitation_services.invite_member(**invited, roles=["expert"])
        with pytest.raises(Conflict, match="has an open invitation as expert"):
            invitation_services.invite_member(**invited, roles=["annotator"])

    def test_an_invitation_from_before_is_not_accepted(self, project, ada, stan, now, client_as):
        invitation = invitation_services.invite_member(
            project=project, email=stan.email, roles=["annotator"], by=ada, now=now
        )
        factories.make_member(project, "expert", user=stan)
        with pytest.raises(Conflict, match="Remove the role expert first"):
            invitation_services.accept_invitation(token=token_of(invitation), by=stan, now=now)
        invitation.refresh_from_db()
        assert (invitation.accepted_at, roles_of(stan)) == (None, {"expert"})
        answer = client_as(stan).post(invitation_services.invitation_link(invitation))
        assert answer.status_code == 409
        assert "Stan Stone is an expert here" in answer.text

    def test_the_pages_say_so(self, project, ada, eve, ann, client_as):
        client = client_as(ada)
        form = {"people": ann.email, "role": "expert", "days": "14", "press": "invite"}
        answer = client.post(reverse("invitation-create", args=[project.slug]), form)
        assert answer.status_code == 409
        assert "Has the role annotator, which does not go with expert" in answer.text
        form = {"press": "give", "role": "admin", "person": eve.pk}
        given = client.post(reverse("people-change", args=[project.slug]), form, follow=True)
        assert "Eve Elder is an expert here" in given.text


@pytest.mark.django_db
@pytest.mark.parametrize("role", SEEING)
def test_the_database_refuses_it_whoever_writes(project, eve, now, role):
    member = factories.make_member(project, role)
    for user, second in ((eve, role), (member, "expert")):
        with (
            pytest.raises(IntegrityError, match="membership_experts_see_no_answers"),
            transaction.atomic(),
        ):
            Membership.objects.create(user=user, project=project, role=second, created_at=now)


@pytest.mark.django_db(transaction=True)
def test_of_two_roles_given_at_once_only_one_is_had(project, ada, now):
    for round_ in range(5):
        user = factories.make_user(name=f"Nora {round_}")

        def give(role, user=user):
            return people_services.add_role(project=project, user=user, role=role, by=ada, now=now)

        outcomes = in_parallel(
            [lambda give=give: give("expert"), lambda give=give: give("annotator")] * 4
        )
        assert roles_of(user) in ({"expert"}, {"annotator"})
        assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 4
        assert sum(isinstance(outcome, Membership) for outcome in outcomes) == 4
