"""A person is erased: nothing says who they were, and every export has the same bytes."""

import json
from decimal import Decimal
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone
from knox.models import AuthToken

from accounts.models import Session, User
from accounts.services import create_token
from annotation.core.refusals import Conflict, Denied
from annotation.erasing import services as erasing_services
from annotation.models import Assignment, AuditEntry, Invitation, Membership, PayEntry
from annotation.pay.services import post_entry
from annotation.people import invitation_services
from tests import factories
from tests.config import installation
from tests.extensions import add_for_the_test

NAME, EMAIL = "Wilhelmina Quarrington", "wilhelmina@example.org"
# Rows that stay, with their person: what they wrote, decided and were paid.
STAYS = {
    *("annotation", "validation", "evaluation", "modeling", "wikipedia", "crowds"),
    *("natural_questions", "qampari"),
}


@pytest.fixture
def root(db):
    return factories.make_user(name="Rudi Root", is_staff=True, is_superuser=True)


@pytest.fixture
def mina(project, ada):
    """Someone with work, a role, money, tokens, invitations and rows in the log."""
    now = timezone.now()
    user = factories.make_user(name=NAME, email=EMAIL)
    invitation = invitation_services.invite_member(
        project=project, email=EMAIL.upper(), roles=["annotator"], by=ada, now=now
    )
    invitation_services.accept_invitation(
        token=invitation_services._signed(invitation), by=user, now=now
    )
    invitation_services.invite_member(
        project=project, email=EMAIL, roles=["judge"], by=ada, now=now
    )
    factories.make_assignment(factories.make_task(project), user)
    post_entry(
        project=project, user=user, kind="bonus", amount=Decimal("5.00"), currency="USD",
        reason="Well read.", key=uuid4(), by=ada, now=now,
    )  # fmt: skip
    AuthToken.objects.create(user=user)
    EmailAddress.objects.create(user=user, email=EMAIL, primary=True, verified=True)
    Client().force_login(user)
    LogEntry.objects.create(
        user=ada, content_type=ContentType.objects.get_for_model(User), object_id=str(user.pk),
        object_repr=NAME, action_flag=CHANGE, change_message=f"Changed {EMAIL}",
    )  # fmt: skip
    return user


def erase(user, by):
    return erasing_services.erase_person(user=user, by=by, now=timezone.now())


def everything():
    """Return the whole database as text."""
    with connection.cursor() as cursor:
        rows = []
        for name in connection.introspection.table_names():
            cursor.execute(f'SELECT row::text FROM "{name}" AS row')  # noqa: S608 - our tables
            rows += [f"{name}: {row[0]}" for row in cursor.fetchall()]
    return "\n".join(rows).lower()


def test_no_row_names_them_any_more(mina, root):
    assert EMAIL in everything()
    assert NAME.lower() in everything()
    erase(mina, root)
    content = everything()
    assert EMAIL not in content
    assert NAME.lower() not in content
    assert "quarrington" not in content


def test_nor_by_a_former_address(mina, root):
    """The invitations and the log have the one that they were invited at."""
    mina.email = "mina@new.example"
    mina.save()
    erase(mina, root)
    assert EMAIL not in everything()


def test_exports_have_the_same_bytes_and_the_ledger_stays(db):
    installation.fill()
    root = factories.make_user(name="Rudi Root", is_superuser=True)
    before = installation.exports()
    ledger = list(PayEntry.objects.order_by("pk").values())
    workers = User.objects.filter(name="Wanda Wren")
    assert workers.count() > 4
    for worker in workers:
        erase(worker, root)
    assert installation.exports() == before
    assert list(PayEntry.objects.order_by("pk").values()) == ledger


def test_no_one_can_sign_in_as_them(mina, root, client):
    client.force_login(mina)
    assert client.get("/account/settings/").status_code == 200
    text, _ = create_token(user=mina, now=timezone.now())
    erase(mina, root)
    assert client.get("/account/settings/").status_code == 302
    headers = {"Authorization": f"Token {text}"}
    assert Client().get("/api/v1/projects/", headers=headers).status_code == 401
    assert not Session.objects.filter(user=mina).exists()
    assert not EmailAddress.objects.filter(user=mina).exists()
    mina.refresh_from_db()
    assert not mina.has_usable_password()
    assert not mina.is_active


def test_their_questions_go_to_others_and_their_invitations_end(mina, root, project):
    erase(mina, root)
    assert not Membership.objects.filter(user=mina).exists()
    assert [row.state for row in Assignment.objects.filter(user=mina)] == ["expired"]
    assert not Invitation.objects.filter(accepted_at=None, revoked_at=None).exists()
    assert {row.email for row in Invitation.objects.all()} == {f"person-{mina.pk}@erased.invalid"}


def test_it_is_in_the_log_without_their_name(mina, root):
    erase(mina, root)
    row = AuditEntry.objects.get(action="person_erased")
    assert (row.actor, row.target, row.data) == (root.pk, f"user:{mina.pk}", {})


def test_the_log_of_the_project_can_be_read_afterwards(mina, root, project, client_as):
    erase(mina, root)
    page = client_as(root).get(f"/projects/{project.slug}/log/")
    assert f"Erased person {mina.pk}" in page.text
    assert f"invited person-{mina.pk}@erased.invalid as annotator" in page.text


def test_a_superuser_without_a_role_gives_back_what_they_hold(project, root):
    other = factories.make_user(name="Una Upper", is_superuser=True)
    factories.make_assignment(factories.make_task(project), other)
    erase(other, root)
    assert Assignment.objects.get(user=other).state == "expired"


class TestRefusals:
    def test_only_administrators_of_the_installation(self, mina, ada):
        with pytest.raises(Denied, match="Only administrators"):
            erase(mina, ada)
        assert User.objects.get(pk=mina.pk).name == NAME

    def test_not_oneself(self, root):
        with pytest.raises(Conflict, match="cannot erase yourself"):
            erase(root, root)

    def test_not_twice(self, mina, root):
        erase(mina, root)
        with pytest.raises(Conflict, match="erased before"):
            erase(mina, root)

    def test_not_the_only_admin_of_a_project(self, project, ada, root):
        with pytest.raises(Conflict, match=f"only admin of {project.title}"):
            erase(ada, root)
        factories.make_member(project, "admin", name="Bo Both")
        assert erase(ada, root).erased_at

    def test_not_the_only_administrator(self, root):
        with pytest.raises(Conflict, match="only administrator of the installation"):
            erasing_services.erase_person(user=root, by=None, now=timezone.now())

    def test_one_that_is_refused_changes_nothing(self, mina, root, project):
        Membership.objects.create(
            user=mina, project=factories.make_project(slug="own"), role="admin",
            created_at=timezone.now(),
        )  # fmt: skip
        before = everything()
        with pytest.raises(Conflict):
            erase(mina, root)
        assert everything() == before

    def test_the_database_keeps_an_erased_person_nobody(self, mina, root):
        erase(mina, root)
        for change in ({"is_active": True}, {"email": EMAIL}, {"is_superuser": True}):
            with pytest.raises(IntegrityError, match="user_erased_is_nobody"), transaction.atomic():
                User.objects.filter(pk=mina.pk).update(**change)


def test_every_row_about_a_person_is_known_to_stay_or_to_go():
    """A new model with a key to a person belongs to one side or the other, or is a hook's."""
    others = {
        key.related_model._meta.label
        for key in erasing_services.keys_to_people()
        if key.related_model._meta.app_label not in STAYS | erasing_services.SIGN_IN
    }
    assert others == {"admin.LogEntry"}


def test_a_feature_can_forget_what_it_knows(mina, root, monkeypatch):
    told = []
    add_for_the_test(monkeypatch, forget=(lambda user, now: told.append((user.email, now)),))
    erase(mina, root)
    assert [email for email, _ in told] == [EMAIL]


class TestPage:
    def url(self, user):
        return f"/people/{user.pk}/erase/"

    def test_it_says_what_goes_and_what_stays(self, mina, root, client_as):
        page = client_as(root).get(self.url(mina))
        assert page.status_code == 200
        for words in (NAME, EMAIL, "1 question in hand", "1 pay entry"):
            assert words in page.text

    def test_the_address_confirms(self, mina, root, client_as):
        client = client_as(root)
        answer = client.post(self.url(mina), {"email": "someone@example.org"})
        assert answer.status_code == 422
        assert "not the address of this person" in answer.text
        assert User.objects.get(pk=mina.pk).name == NAME

        answer = client.post(self.url(mina), {"email": f" {EMAIL.upper()} "}, follow=True)
        assert f"Erased person {mina.pk}" in answer.text
        assert User.objects.get(pk=mina.pk).erased_at

    def test_a_refusal_takes_the_form_away(self, root, client_as):
        client = client_as(root)
        assert "cannot erase yourself" in client.get(self.url(root)).text
        answer = client.post(self.url(root), {"email": root.email})
        assert answer.status_code == 409
        assert User.objects.get(pk=root.pk).is_active

    def test_others_find_no_such_page(self, mina, ada, client_as):
        assert client_as(ada).get(self.url(mina)).status_code == 404
        assert client_as(ada).post(self.url(mina), {"email": EMAIL}).status_code == 404

    def test_it_is_where_an_administrator_looks(self, mina, ada, root, project, client_as):
        people_page = f"/projects/{project.slug}/people/"
        assert self.url(mina) not in client_as(ada).get(people_page).text
        assert self.url(mina) in client_as(root).get(people_page).text
        assert self.url(mina) in client_as(root).get(f"/administration/people/{mina.pk}/").text


class TestCommand:
    def test_it_tells_first_and_does_it_when_asked_to(self, mina, capsys):
        call_command("erase_person", EMAIL)
        assert "1 questions in hand" in capsys.readouterr().out
        assert User.objects.get(pk=mina.pk).name == NAME
        call_command("erase_person", EMAIL, yes=True, json=True)
        assert json.loads(capsys.readouterr().out)["erased"] is True
        assert User.objects.get(pk=mina.pk).erased_at

    def test_someone_unknown(self, db):
        with pytest.raises(CommandError, match="There is no person") as error:
            call_command("erase_person", "none@example.org", yes=True)
        assert error.value.returncode == 2


def test_erasing_takes_as_many_statements_however_much_they_did(
    mina, root, project, django_assert_max_num_queries
):
    for _ in range(8):
        task = factories.make_task(project)
        factories.make_assignment(task, mina, state="submitted", submitted_at=timezone.now())
    with django_assert_max_num_queries(70):
        erase(mina, root)
