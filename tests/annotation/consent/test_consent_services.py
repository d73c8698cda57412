"""Texts and answers: versions, what is asked, and who allows training."""

import pytest
from django.db import IntegrityError, transaction

from annotation.consent import queries as consent_queries
from annotation.consent import services as consent_services
from annotation.core.refusals import Conflict, Denied
from annotation.erasing.services import erase_person
from annotation.models import Assignment, AuditEntry, Consent, ConsentText, Membership, Project
from annotation.projects.duplicating import duplicate_project
from annotation.projects.services import create_project
from tests import factories
from tests.annotation.consent.helpers import WORDS, agree, make_participant, publish

pytestmark = pytest.mark.django_db


def names(people):
    return sorted(person.name for person in people)


class TestText:
    def test_only_admins_publish(self, project, rosa, ann, now):
        for person in (rosa, ann):
            with pytest.raises(Denied, match="Only admins"):
                publish(project, person, now)
        assert not ConsentText.objects.exists()

    def test_the_first_version_asks_whatever_is_said(self, project, ada, now):
        assert publish(project, ada, now, asks=False).asks

    def test_the_same_words_are_the_same_version(self, project, ada, now):
        first = publish(project, ada, now)
        assert publish(project, ada, now) == first
        assert publish(project, ada, now, asks=False, body="Another.").version == 2
        # Asking again makes a version even of the same words.
        again = publish(project, ada, now, asks=True, body="Another.")
        assert (again.version, again.asks) == (3, True)
        written = AuditEntry.objects.filter(action="consent_text_published").order_by("pk")
        assert [entry.data["version"] for entry in written] == [1, 2, 3]

    def test_a_version_that_was_not_seen_is_a_conflict(self, project, ada, now):
        publish(project, ada, now)
        other = consent_services.ConsentWords(body="Another.")
        with pytest.raises(Conflict, match="another version"):
            consent_services.publish_text(
                project=project, words=other, asks=True, seen=0, by=ada, now=now
            )
        assert ConsentText.objects.get().body == WORDS.body

    @pytest.mark.parametrize("privacy", ["", "data@lake.example"])
    def test_a_new_project_starts_with_ours(self, rosa, now, settings, privacy):
        settings.PRIVACY_EMAIL, settings.ETHICS_APPROVAL = privacy, "Board 7"
        made = create_project(
            slug="new-one",
            title="New",
            protocol="ambigqa",
            snapshot=factories.make_snapshot(),
            by=rosa,
            now=now,
        )
        text = consent_queries.newest_text(made)
        assert (text.version, text.contact, text.minimum_age) == (1, privacy or rosa.email, 18)
        assert text.ethics == "Board 7"
        assert "What is kept about you" in text.body
        assert text.asks_training

    def test_a_copy_of_a_project_has_its_newest_text(self, project, ada, now):
        publish(project, ada, now)
        publish(project, ada, now, body="Second.", minimum_age=16)
        copy = duplicate_project(source=project, slug="copy", title="Copy", by=ada, now=now)
        text = consent_queries.newest_text(copy)
        assert (text.version, text.body, text.minimum_age) == (1, "Second.", 16)

    @pytest.mark.parametrize(
        ("words", "constraint"),
        [
            ({"version": 0}, "consent_text_version_from_one"),
            ({"body": ""}, "consent_text_has_a_body"),
            ({"asks": False}, "consent_text_first_asks"),
            ({"minimum_age": 100}, "consent_text_minimum_age_an_age"),
        ],
    )
    def test_what_is_never_true(self, project, now, words, constraint):
        text = {"version": 1, "body": "x", "asks": True, "asks_training": True}
        with pytest.raises(IntegrityError, match=constraint):
            ConsentText.objects.create(project=project, created_at=now, **text | words)


class TestAnswer:
    @pytest.fixture
    def text(self, project, ada, now):
        return publish(project, ada, now)

    def test_it_says_what_was_agreed_to(self, project, text, ann, now):
        given = agree(project, ann, now, may_train=True)
        assert (given.text, given.given_at, given.may_train) == (text, now, True)
        assert AuditEntry.objects.get(action="consent_given").data == {"version": 1}

    def test_the_same_answer_again_is_one_row(self, project, text, ann, now):
        assert agree(project, ann, now) == agree(project, ann, now)

    def test_an_unread_version_no_age_and_no_answer_are_refused(self, project, text, ann, now):
        with pytest.raises(Conflict, match="has changed"):
            agree(project, ann, now, version=2)
        with pytest.raises(Denied, match="18 or older"):
            agree(project, ann, now, of_age=False)
        with pytest.raises(Denied, match="train models"):
            agree(project, ann, now, may_train=None)
        assert not Consent.objects.exists()

    def test_what_the_text_does_not_ask_is_not_stored(self, project, ada, ann, now):
        publish(project, ada, now, asks_training=False, minimum_age=0)
        assert agree(project, ann, now, of_age=False, may_train=True).may_train is None

    def test_without_a_text_there_is_nothing_to_agree_to(self, project, ann, now):
        with pytest.raises(Conflict, match="no text"):
            agree(project, ann, now, version=1)

    def test_another_answer_on_training_keeps_the_one_before(self, project, text, ann, now):
        agree(project, ann, now, may_train=True)
        consent_services.change_training(project=project, may_train=False, by=ann, now=now)
        consent_services.change_training(project=project, may_train=False, by=ann, now=now)
        before, after = Consent.objects.order_by("pk")
        assert (before.may_train, before.state) == (True, "replaced")
        assert (after.may_train, after.state) == (False, "agreed")

    def test_a_refusal_ends_the_roles_in_which_people_work(self, project, text, ann, now):
        factories.make_member(project, "researcher", user=ann)
        consent_services.refuse_consent(project=project, by=ann, now=now)
        consent_services.refuse_consent(project=project, by=ann, now=now)
        assert Consent.objects.get().state == "refused"
        roles = Membership.objects.filter(user=ann).values_list("role", flat=True)
        assert list(roles) == ["researcher"]

    def test_withdrawing_ends_work_and_keeps_the_row(self, project, text, ann, now):
        turn = factories.make_assignment(factories.make_task(project), ann, draft={"x": 1})
        agree(project, ann, now)
        assert consent_services.withdraw_consent(project=project, by=ann, now=now)
        assert not consent_services.withdraw_consent(project=project, by=ann, now=now)
        assert Consent.objects.get().state == "withdrawn"
        turn.refresh_from_db()
        assert (turn.state, turn.draft) == ("expired", {"x": 1})
        assert turn.task.seats == 2
        assert not Membership.objects.filter(user=ann).exists()

    def test_participants_agree_elsewhere(self, project, text, now):
        person = make_participant()
        with pytest.raises(Denied, match="your study"):
            agree(project, person, now)

    @pytest.mark.parametrize(
        ("fields", "constraint"),
        [
            ({}, "consent_given_or_refused"),
            ({"given_at": 1, "refused_at": 1}, "consent_given_or_refused"),
            ({"refused_at": 1, "withdrawn_at": 1}, "consent_withdrawn_was_given"),
            ({"given_at": 1, "withdrawn_at": 1, "replaced_at": 1}, "withdrawn_or_replaced"),
            ({"refused_at": 1, "may_train": True}, "consent_training_was_agreed"),
        ],
    )
    def test_what_is_never_true(self, project, text, ann, now, fields, constraint):
        fields = {name: now if value == 1 else value for name, value in fields.items()}
        fields |= {"may_train": True} if "may_train" in fields else {}
        with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
            Consent.objects.create(user=ann, project=project, text=text, **fields)

    def test_two_answers_are_never_in_force(self, project, text, ann, now):
        agree(project, ann, now)
        with pytest.raises(IntegrityError, match="consent_one_in_force"), transaction.atomic():
            Consent.objects.create(user=ann, project=project, text=text, refused_at=now)


class TestTraining:
    """Who allowed that models are trained: what the room that trains them asks."""

    def test_only_a_yes_that_stands_counts(self, project, ada, ann, ben, now):
        publish(project, ada, now)
        cleo, dora, emil = (
            factories.make_member(project, "annotator", name=name)
            for name in ("Cleo Cope", "Dora Dean", "Emil Eady")
        )
        agree(project, ann, now, may_train=True)
        agree(project, ben, now, may_train=False)
        agree(project, cleo, now, may_train=True)
        consent_services.withdraw_consent(project=project, by=cleo, now=now)
        agree(project, dora, now, may_train=True)
        consent_services.change_training(project=project, may_train=False, by=dora, now=now)
        assert emil.pk  # was not asked
        assert names(consent_queries.people_who_allow_training(project)) == ["Ann Archer"]

    def test_an_erased_person_allows_nothing_and_their_rows_stay(self, project, ada, ann, now):
        publish(project, ada, now)
        agree(project, ann, now, may_train=True)
        erase_person(user=ann, by=None, now=now)
        assert not consent_queries.people_who_allow_training(project)
        assert Consent.objects.get().state == "withdrawn"

    def test_it_holds_for_one_project_and_its_assignments(self, project, ada, ann, ben, now):
        other = factories.make_project()
        factories.make_member(other, "annotator", user=ann)
        publish(project, ada, now)
        agree(project, ann, now, may_train=True)
        agree(project, ben, now, may_train=False)
        mine = factories.make_assignment(factories.make_task(project), ann)
        factories.make_assignment(factories.make_task(project), ben)
        factories.make_assignment(factories.make_task(other), ann)
        allowed = Assignment.objects.filter(consent_queries.may_train_models())
        assert list(allowed) == [mine]
        assert not consent_queries.people_who_allow_training(other)


class TestPeople:
    def test_everyone_is_where_they_are(self, project, ada, rosa, ann, ben, now):
        publish(project, ada, now)
        cleo = factories.make_member(project, "judge", name="Cleo Cope")
        dora = factories.make_member(project, "expert", name="Dora Dean")
        agree(project, ann, now, may_train=True)
        agree(project, cleo, now)
        consent_services.refuse_consent(project=project, by=ben, now=now)
        consent_services.withdraw_consent(project=project, by=cleo, now=now)
        people = consent_queries.list_people(project)
        assert [(person.user.name, person.state) for person in people] == [
            ("Ann Archer", "agreed"),
            (ben.name, "refused"),
            ("Cleo Cope", "withdrawn"),
            (dora.name, "waiting"),
        ]
        counts = consent_queries.count_people(people)
        assert vars(counts) == {
            **{"agreed": 1, "waiting": 1, "refused": 1, "withdrawn": 1, "may_train": 1}
        }
        publish(project, ada, now, body="Second.")
        [ann_again, *_] = consent_queries.list_people(project)
        assert ann_again.state == "again"

    def test_it_takes_three_statements(
        self, project, ada, ann, ben, now, django_assert_num_queries
    ):
        publish(project, ada, now)
        agree(project, ann, now)
        agree(project, ben, now)
        with django_assert_num_queries(3):
            people = consent_queries.list_people(project)
            assert [person.answers[0].text.version for person in people] == [1, 1]

    def test_a_deleted_project_takes_its_texts_along(self, project, ada, ann, now):
        publish(project, ada, now)
        agree(project, ann, now)
        Project.objects.filter(pk=project.pk).first().consents.all().delete()
        ConsentText.objects.filter(project=project).delete()
        assert not Consent.objects.exists()
