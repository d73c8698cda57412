"""Relations of a project as rows: overlaid, saved under a version, restored; what can never be."""

from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.models import AuditEntry
from annotation.projects.duplicating import duplicate_project
from qampari.making.choices import BadChoice, read_choice
from qampari.making.editing import queries, services
from qampari.making.relations import BadRelation, list_shipped_relations
from qampari.models import MadeRelation
from tests import factories
from tests.annotation.work.helpers import in_parallel
from tests.qampari import factories as lists
from tests.qampari.making.editing.conftest import CROSSES

pytestmark = pytest.mark.django_db
NOW = timezone.now
OWN = replace(CROSSES, question="What leads over {subject}?")
IDS = queries.ids_of(CROSSES)


@pytest.fixture
def save(project, rosa):
    def save(asked=OWN, *, included=True, seen=0, by=rosa):
        return services.save_relation(
            project=project, asked=asked, included=included, seen=seen, by=by, now=NOW()
        )

    return save


def test_what_nobody_changed_is_as_it_comes(project, django_assert_num_queries):
    with django_assert_num_queries(1):
        relations = queries.list_project_relations(project)
    assert tuple(each.asked for each in relations) == list_shipped_relations()
    assert {(each.included, each.version, each.origin) for each in relations} == {
        (True, 0, "shipped")
    }
    assert not MadeRelation.objects.exists()


def test_a_saved_relation_takes_the_place_of_the_one_that_comes_with_ambit(project, save):
    other = lists.make_project(slug="others")
    saved = save()
    assert (saved.asked, saved.version, saved.origin) == (OWN, 1, "changed")
    asked = queries.list_asked_relations(project)
    assert [each for each in asked if queries.ids_of(each) == IDS] == [OWN]
    assert len(asked) == len(list_shipped_relations())
    assert queries.list_asked_relations(other) == list_shipped_relations()


def test_what_is_left_out_or_without_a_wording_is_not_asked(project, save, rosa):
    save(CROSSES, included=False)
    services.add_relation(project=project, ids=(4321, None), by=rosa, now=NOW())
    asked = queries.list_asked_relations(project)
    assert set(list_shipped_relations()) - set(asked) == {CROSSES}
    added = queries.find_project_relation(project, (4321, None))
    assert (added.is_worded, added.included, added.origin) == (False, False, "added")
    assert queries.list_project_relations(project)[-1] == added


def test_where_nothing_is_included_a_run_is_refused():
    with pytest.raises(BadChoice, match="No relation is included"):
        read_choice({}, ())
    assert read_choice({}, (OWN,)).relations == (OWN,)
    assert read_choice({}).relations == list_shipped_relations()


def test_each_save_says_what_it_began_from(save):
    save()
    later = replace(OWN, noun="crossings")
    with pytest.raises(services.RelationConflict) as conflict:
        save(later)
    assert conflict.value.theirs.asked == OWN
    assert save(later, seen=1).version == 2
    with pytest.raises(services.RelationConflict):
        save(CROSSES, seen=1)
    assert MadeRelation.objects.get().noun == "crossings"


def test_saving_what_is_there_changes_nothing(save):
    save()
    assert save(seen=0).version == 1
    assert AuditEntry.objects.filter(action="relation_changed").count() == 1


def test_saving_what_comes_with_ambit_makes_no_row(save):
    assert save(CROSSES).version == 0
    assert not MadeRelation.objects.exists()


def test_words_that_cannot_be_asked_are_not_saved(save):
    with pytest.raises(BadRelation, match=r"needs \{subject\} once"):
        save(replace(OWN, question="What leads over the river?"))
    assert not MadeRelation.objects.exists()


def test_going_back_removes_the_row(project, save, rosa):
    def restore(seen):
        services.restore_relation(project=project, ids=IDS, seen=seen, by=rosa, now=NOW())

    save()
    with pytest.raises(services.RelationConflict):
        restore(7)
    restore(1)
    assert queries.find_project_relation(project, IDS).asked == CROSSES
    restore(1)
    assert AuditEntry.objects.filter(action="relation_restored").count() == 1


def test_a_row_that_is_gone_is_a_conflict_for_whoever_began_from_it(project, save, rosa):
    save()
    services.restore_relation(project=project, ids=IDS, seen=1, by=rosa, now=NOW())
    with pytest.raises(services.RelationConflict) as conflict:
        save(replace(OWN, noun="crossings"), seen=1)
    assert conflict.value.theirs.version == 0


def test_only_staff_of_projects_of_lists_save(project, save, rosa):
    person = factories.make_member(project, "annotator")
    with pytest.raises(Denied):
        save(by=person)
    pairs = factories.make_project(slug="pairs")
    staff = factories.make_member(pairs, "researcher")
    with pytest.raises(Conflict, match="projects of lists"):
        services.add_relation(project=pairs, ids=(5, None), by=staff, now=NOW())
    assert not MadeRelation.objects.exists()


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "made_relation_once"),
        ({"property": 0}, "made_relation_ids_positive"),
        ({"property": 5, "type": 0}, "made_relation_ids_positive"),
        ({"property": 5, "time": "now"}, "made_relation_time_known"),
        ({"property": 5, "version": 0}, "made_relation_was_saved"),
        ({"property": 5, "included": True}, "made_relation_has_its_slots"),
        ({"property": 5, "noun": "bridges"}, "made_relation_has_its_slots"),
        (
            {
                "property": 5, "noun": "a", "values": "b", "question": "{subject}?",
                "phrase": "{subject}", "statement": "{subject}.",
            },
            "made_relation_has_its_slots",
        ),
    ],
)  # fmt: skip
def test_what_must_not_be_in_a_relation(project, changes, name):
    MadeRelation.objects.create(project=project, property=4, changed_at=NOW())
    values = {"project": project, "property": 4, "changed_at": NOW()} | changes
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        MadeRelation.objects.create(**values)


@pytest.mark.parametrize("seen", [0, 1])
def test_of_two_who_save_at_once_one_is_told(transactional_db, seen):
    project = lists.make_project(slug="raced")
    people = [factories.make_member(project, "researcher") for _ in range(2)]
    if seen:
        MadeRelation.objects.create(
            project=project, property=177, type=12280, changed_at=NOW(),
            **services._columns(CROSSES) | {"noun": "crossings"},
        )  # fmt: skip

    def saving(person):
        asked = replace(OWN, noun=f"bridges of {person.pk}")
        return lambda: services.save_relation(
            project=project, asked=asked, included=True, seen=seen, by=person, now=NOW()
        )

    results = in_parallel([saving(person) for person in people])
    (won,) = [each for each in results if isinstance(each, queries.ProjectRelation)]
    (lost,) = [each for each in results if isinstance(each, services.RelationConflict)]
    assert won.version == seen + 1
    assert lost.theirs.asked == won.asked
    assert MadeRelation.objects.get().noun == won.asked.noun
    assert AuditEntry.objects.filter(action="relation_changed").count() == 1


def test_a_duplicated_project_has_the_relations_of_its_original(project, save, rosa):
    save()
    save(replace(OWN, noun="crossings"), seen=1)
    save(replace(CROSSES, property=4321), included=False)
    made = duplicate_project(source=project, slug="again", title="Again", by=rosa, now=NOW())
    own, copied = map(queries.list_project_relations, (project, made))
    assert [replace(each, version=0) for each in copied] == [
        replace(each, version=0) for each in own
    ]
    assert {each.version for each in copied} == {0, 1}
    services.restore_relation(project=made, ids=IDS, seen=1, by=rosa, now=NOW())
    assert queries.find_project_relation(project, IDS).asked.noun == "crossings"
