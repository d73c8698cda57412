"""Administrators find people, let them in again, close accounts; one administrator always stays."""

import re

import pytest
from allauth.mfa.models import Authenticator
from django.core import mail
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from accounts.models import Session, User
from accounts.services import create_participant
from annotation.core.refusals import Conflict, Denied
from annotation.erasing.services import erase_person
from annotation.models import Assignment, AuditEntry, Membership
from operations.administration.people import services
from tests import factories
from tests.annotation.work.helpers import in_parallel

pytestmark = pytest.mark.django_db
LIST = reverse("administration-people")


def page_of(person):
    return reverse("administration-person", args=[person.pk])


def press(client, what, person, *more, **data):
    return client.post(reverse(f"administration-person-{what}", args=[person.pk, *more]), data)


def with_app(user):
    return Authenticator.objects.create(user=user, type="totp", data={"secret": "x"})


def names(response):
    return [row.user.name for row in response.context["people"]]


def test_people_are_found_by_name_address_project_state_and_factor(
    client, root, project, ann, rosa, settings
):
    settings.STAFF_SIGN_IN = "second-factor"
    with_app(root)
    gone = factories.make_user(name="Gina Gone", is_active=False)
    create_participant()
    with_app(ann)
    found = {
        query: names(client.get(f"{LIST}?{query}"))
        for query in (
            "q=GINA",
            f"q={ann.email[:8]}",
            f"project={project.pk}",
            "state=deactivated",
            "factor=with",
            "factor=lacking",
            "q=Participant",
            "project=nonsense&state=odd&factor=what&page=-3&q=gina",
        )
    }
    assert found["q=GINA"] == found["state=deactivated"] == [gone.name]
    assert ann.name in found[f"q={ann.email[:8]}"]
    assert set(found[f"project={project.pk}"]) == {ann.name, rosa.name}
    assert found["factor=with"] == [ann.name, root.name]
    assert found["factor=lacking"] == [rosa.name]
    assert found["q=Participant"] == []
    assert found["project=nonsense&state=odd&factor=what&page=-3&q=gina"] == [gone.name]


def test_a_search_for_signs_of_patterns_finds_those_signs_alone(client, ann):
    assert names(client.get(LIST, {"q": "%"})) == []
    assert names(client.get(LIST, {"q": "_"})) == []


def test_the_list_takes_no_more_queries_with_more_people(client, project, settings):
    def count():
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get(LIST)
        return len(queries)

    factories.make_member(project, "annotator")
    few = count()
    for _ in range(8):
        with_app(factories.make_member(project, "annotator", "validator"))
    assert count() == few <= 14


def test_the_page_of_a_person_says_what_there_is(client, project, ann, now):
    factories.make_assignment(factories.make_task(project), ann, state="submitted")
    with_app(ann)
    with CaptureQueriesContext(connection) as queries:
        text = client.get(page_of(ann)).content.decode()
    assert len(queries) <= 26
    for words in (ann.email, project.title, "Reset the second factor", "Sign out everywhere"):
        assert words in text


def test_a_second_factor_is_reset_by_whoever_says_why(client, ann, root):
    with_app(ann)
    AuthToken.objects.create(user=ann)
    Client().force_login(ann)
    refused = press(client, "factors", ann, **{"factor-reason": " "})
    assert refused.status_code == 422
    assert "Write how you know." in refused.content.decode()
    assert Authenticator.objects.filter(user=ann).exists()
    with transaction.atomic():
        press(client, "factors", ann, **{"factor-reason": "rang from the office"})
    assert not Authenticator.objects.filter(user=ann).exists()
    assert not Session.objects.filter(user=ann).exists()
    assert not AuthToken.objects.filter(user=ann).exists()
    entry = AuditEntry.objects.get(action="factors_reset")
    assert (entry.actor, entry.target) == (root.pk, f"user:{ann.pk}")
    assert entry.data == {"user": ann.pk, "reason": "rang from the office"}
    assert "rang from the office" in client.get(page_of(ann)).content.decode()
    again = press(client, "factors", ann, **{"factor-reason": "once more"})
    assert again.status_code == 409


def test_the_owner_reads_that_the_factor_was_reset(client, ann, django_capture_on_commit_callbacks):
    with_app(ann)
    with django_capture_on_commit_callbacks(execute=True):
        press(client, "factors", ann, **{"factor-reason": "rang"})
    [letter] = mail.outbox
    assert letter.to == [ann.email]
    assert "administrator of this installation removed your second factors" in letter.body


def test_a_link_for_a_password_is_sent_and_works(client, ann):
    press(client, "link", ann)
    [letter] = mail.outbox
    assert letter.to == [ann.email]
    [link] = re.findall(r"https?://\S+", letter.body)
    assert Client().get(link, follow=True).status_code == 200
    assert "set-password" in Client().get(link)["Location"]
    assert AuditEntry.objects.filter(action="password_link_sent", data={"user": ann.pk}).exists()


def test_a_mail_server_that_is_down_is_told(client, ann, monkeypatch):
    def refuse(*_, **__):
        raise OSError("refused")

    monkeypatch.setattr("accounts.letters.send_mail", refuse)
    page = client.post(reverse("administration-person-link", args=[ann.pk]), follow=True)
    assert "The e-mail could not be sent." in page.content.decode()


def test_everybody_is_signed_out_who_should_be(client, ann, ben):
    for user in (ann, ben):
        Client().force_login(user)
        AuthToken.objects.create(user=user)
    press(client, "sessions", ann)
    assert list(AuthToken.objects.values_list("user", flat=True)) == [ben.pk]
    assert not Session.objects.filter(user=ann).exists()
    assert Session.objects.filter(user=ben).exists()


def test_a_deactivated_person_is_out_and_comes_back_as_they_were(client, project, ann):
    work = factories.make_assignment(factories.make_task(project), ann)
    seats = work.task.seats
    theirs = Client()
    theirs.force_login(ann)
    press(client, "deactivate", ann, **{"deactivate-reason": "left"})
    assert theirs.get(reverse("project-list")).status_code == 302
    work.refresh_from_db()
    work.task.refresh_from_db()
    assert (work.state, work.task.seats) == ("expired", seats + 1)
    assert Membership.objects.filter(user=ann).exists()
    assert "Deactivated" in client.get(page_of(ann)).content.decode()
    for what in ("link", "give"):
        assert press(client, what, ann).status_code == 409
    role = {"project": project.pk, "role": "validator"}
    assert client.post(reverse("administration-role-add", args=[ann.pk]), role).status_code == 409
    press(client, "activate", ann)
    theirs.force_login(User.objects.get(pk=ann.pk))
    assert theirs.get(reverse("project-list")).status_code == 200
    actions = ["person_deactivated", "person_activated"]
    assert (
        list(
            AuditEntry.objects.filter(action__in=actions)
            .order_by("pk")
            .values_list("action", flat=True)
        )
        == actions
    )


def test_what_was_done_before_is_not_done_twice(root, ann, now):
    for _ in range(2):
        services.deactivate_person(user=ann, by=root, now=now, reason="left")
    for _ in range(2):
        services.activate_person(user=ann, by=root, now=now)
    for _ in range(2):
        services.give_administration(user=ann, by=root, now=now)
    assert AuditEntry.objects.filter(target=f"user:{ann.pk}").count() == 3


def test_roles_are_given_and_taken_on_the_page_of_a_person(client, project, ann):
    address = reverse("administration-role-add", args=[ann.pk])
    assert client.post(address, {"project": project.pk, "role": "king"}).status_code == 422
    client.post(address, {"project": project.pk, "role": "validator"})
    membership = Membership.objects.get(user=ann, role="validator")
    client.post(reverse("administration-role-remove", args=[ann.pk, membership.pk]))
    assert not Membership.objects.filter(user=ann, role="validator").exists()
    other = reverse("administration-role-remove", args=[ann.pk, project.memberships.last().pk + 9])
    assert client.post(other).status_code == 404


def test_nobody_deactivates_themselves_or_the_last_administrator(client, root, ann, now):
    assert press(client, "deactivate", root, **{"deactivate-reason": "x"}).status_code == 409
    assert press(client, "take", root, **{"admin-reason": "x"}).status_code == 409
    press(client, "give", ann)
    assert User.objects.get(pk=ann.pk).is_superuser
    page = press(client, "take", root, **{"admin-reason": "holidays"})
    assert page["Location"] == reverse("home")
    assert client.get(LIST).status_code == 404
    with pytest.raises(Conflict, match="only administrator"):
        services.take_administration(user=ann, by=ann, now=now, reason="x")
    assert client.get(page_of(ann)).status_code == 404


def test_only_administrators_do_any_of_this(ada, ann, now):
    for service, more in (
        (services.make_password_link, {}),
        (services.reset_factors, {"reason": "x"}),
        (services.end_sessions, {}),
        (services.deactivate_person, {"reason": "x"}),
        (services.activate_person, {}),
        (services.give_administration, {}),
        (services.take_administration, {"reason": "x"}),
    ):
        with pytest.raises(Denied, match="Only administrators"):
            service(user=ann, by=ada, now=now, **more)
    assert not AuditEntry.objects.filter(target=f"user:{ann.pk}").exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("how", ["deactivate", "take", "erase", "mixed"])
def test_two_administrators_who_end_each_other_leave_one(root, second, how):
    now = timezone.now()

    def deactivate(user, by):
        services.deactivate_person(user=user, by=by, now=now, reason="x")

    def take(user, by):
        services.take_administration(user=user, by=by, now=now, reason="x")

    def erase(user, by):
        erase_person(user=user, by=by, now=now)

    one, other = {
        "deactivate": (deactivate, deactivate),
        "take": (take, take),
        "erase": (erase, erase),
        "mixed": (deactivate, erase),
    }[how]
    results = in_parallel([lambda: one(second, root), lambda: other(root, second)])
    assert User.objects.filter(is_superuser=True, is_active=True).count() == 1
    assert sum(isinstance(result, Denied) for result in results) == 1, results


def test_a_dangerous_press_asks_for_the_password_and_goes_on_once_it_is_right(
    browser_of, root, ann
):
    client = browser_of(root, asked=True)
    address = reverse("administration-person-deactivate", args=[ann.pk])
    answer = client.post(address, {"deactivate-reason": "left"})
    assert answer["Location"].startswith(reverse("account_reauthenticate"))
    assert User.objects.get(pk=ann.pk).is_active
    again = client.post(answer["Location"], {"password": factories.PASSWORD})
    assert again["Location"] == page_of(ann)
    assert not User.objects.get(pk=ann.pk).is_active


def test_erased_people_and_participants_have_nothing_to_press(client, root, ann, now):
    erase_person(user=ann, by=root, now=now)
    text = client.get(page_of(ann)).content.decode()
    assert "Send the link" not in text
    assert press(client, "activate", ann).status_code == 409
    assert client.get(page_of(create_participant())).status_code == 404


def test_a_wrong_method_is_refused(client, ann):
    for what in ("link", "deactivate", "sessions"):
        address = reverse(f"administration-person-{what}", args=[ann.pk])
        assert client.get(address).status_code == 405
    assert client.post(LIST).status_code == 405


def test_assignments_are_untouched_by_a_look(client, project, ann):
    factories.make_assignment(factories.make_task(project), ann)
    before = list(Assignment.objects.values_list("state", flat=True))
    client.get(page_of(ann))
    assert list(Assignment.objects.values_list("state", flat=True)) == before
