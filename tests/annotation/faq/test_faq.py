"""The FAQ: written by staff, searched by everybody, offered to whoever parks a question."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from annotation.core.refusals import Conflict, Denied
from annotation.faq import queries as faq_queries
from annotation.faq import services as faq_services
from annotation.models import AuditEntry, FaqEntry
from tests import factories


@pytest.fixture
def add(project, rosa, now):
    return lambda question, answer: faq_services.add_entry(
        project=project, question=question, answer=answer, by=rosa, now=now
    )


@pytest.fixture
def three(add):
    return [
        add("Do nicknames count?", "Only where the **article** has them."),
        add("Which tunnel is meant?", "Every tunnel that fits is an answer."),
        add("May I use another wiki?", "No. Only this snapshot."),
    ]


def order(project):
    return list(project.faq.values_list("question", flat=True))


def test_only_staff_write(project, three, ann, val, now):
    for who in (ann, val):
        with pytest.raises(Denied):
            faq_services.add_entry(project=project, question="Q?", answer="A.", by=who, now=now)
        with pytest.raises(Denied):
            faq_services.change_entry(entry=three[0], question="Q?", answer="A.", by=who, now=now)
        with pytest.raises(Denied):
            faq_services.move_entry(entry=three[0], direction="down", by=who, now=now)
        with pytest.raises(Denied):
            faq_services.remove_entry(entry=three[0], by=who, now=now)


@pytest.mark.parametrize(
    ("question", "answer"), [("", "A."), (" \x00", "A."), ("Q?", " "), ("q" * 301, "A.")]
)
def test_an_entry_has_both(add, question, answer):
    with pytest.raises(Conflict):
        add(question, answer)


def test_the_log_has_the_text_before_and_after(three, rosa, now):
    faq_services.change_entry(entry=three[0], question="Nicknames?", answer="No.", by=rosa, now=now)
    faq_services.change_entry(entry=three[0], question="Nicknames?", answer="No.", by=rosa, now=now)
    entry = AuditEntry.objects.get(action="faq_changed")
    assert entry.data["before"]["question"] == "Do nicknames count?"
    assert entry.data["after"] == {"question": "Nicknames?", "answer": "No."}
    faq_services.remove_entry(entry=three[0], by=rosa, now=now)
    assert AuditEntry.objects.get(action="faq_removed").data["before"]["answer"] == "No."


def test_moving(project, three, rosa, now):
    faq_services.move_entry(entry=three[2], direction="up", by=rosa, now=now)
    assert order(project) == [three[0].question, three[2].question, three[1].question]
    faq_services.move_entry(entry=three[0], direction="up", by=rosa, now=now)  # is first already
    assert order(project)[0] == three[0].question
    faq_services.remove_entry(entry=three[2], by=rosa, now=now)
    faq_services.move_entry(entry=three[0], direction="down", by=rosa, now=now)
    assert order(project) == [three[1].question, three[0].question]
    with pytest.raises(Denied):
        faq_services.move_entry(entry=three[0], direction="sideways", by=rosa, now=now)


def test_the_database_keeps_the_order(three):
    @transaction.atomic
    def collide():
        FaqEntry.objects.filter(pk=three[0].pk).update(position=1)
        connection.check_constraints()

    with pytest.raises(IntegrityError):
        collide()


def test_search(project, three):
    assert list(faq_queries.list_entries(project, "tunnels")) == [three[1]]
    assert list(faq_queries.list_entries(project, "snapshots")) == [three[2]]
    assert list(faq_queries.list_entries(project, "a submarine")) == []
    assert list(faq_queries.list_entries(project, "  ")) == three
    assert list(faq_queries.list_entries(factories.make_project(), "tunnel")) == []


@pytest.mark.parametrize("text", ["", "!?&|:*()'", "the of", "'; DROP TABLE x", "<->"])
def test_any_words_can_be_searched_for(project, three, text):
    faq_queries.list_matching_entries(project.pk, text)
    list(faq_queries.list_entries(project, text))


def test_what_fits_a_reason_best_comes_first(project, three, django_assert_num_queries):
    with django_assert_num_queries(1):
        found = faq_queries.list_matching_entries(
            project.pk, "Not sure which tunnel the article means"
        )
    assert found[0] == three[1]
    assert three[0] in found  # it says "article"


def test_pages(client_as, project, three, rosa, ann):
    address = reverse("project-faq", args=[project.slug])
    html = client_as(ann).get(address).content.decode()
    assert "<strong>article</strong>" in html
    assert "Add an entry" not in html
    assert client_as(ann).post(address, {"question": "Q?", "answer": "A."}).status_code == 403
    found = client_as(ann).get(address, {"q": "tunnel"}).content.decode()
    assert "Which tunnel" in found
    assert "nicknames" not in found
    staff = client_as(rosa)
    assert staff.post(address, {"question": "", "answer": "A."}).status_code == 422
    assert staff.post(address, {"question": "Q?", "answer": "<b>A</b>."}).status_code == 302
    assert "<b>A</b>" not in staff.get(address).content.decode()
    entry = reverse("faq-change", args=[project.slug, three[0].pk])
    assert staff.post(entry, {"question": "New?", "answer": "Yes."}).status_code == 302
    move = reverse("faq-move", args=[project.slug, three[0].pk])
    assert staff.post(move, {"direction": "down"}).status_code == 302
    assert order(project)[1] == "New?"
    assert staff.post(reverse("faq-remove", args=[project.slug, three[0].pk])).status_code == 302
    assert "New?" not in order(project)


def test_entries_of_another_project_are_not_there(client_as, three, rosa):
    other = factories.make_project()
    factories.make_member(other, "researcher", user=rosa)
    for name in ("faq-change", "faq-move", "faq-remove"):
        address = reverse(name, args=[other.slug, three[0].pk])
        assert client_as(rosa).post(address, {"direction": "up"}).status_code == 404


def test_whoever_parks_is_offered_entries(client_as, project, three, ann):
    turn = factories.make_assignment(factories.make_task(project), ann)
    client = client_as(ann)
    address = reverse("work-faq", args=[turn.pk])
    html = client.get(address, {"reason": "which tunnel"}).content.decode()
    assert "Which tunnel is meant?" in html
    assert client.get(address, {"reason": "zebra"}).content.decode().strip() == ""
    page = client.get(reverse("work-page", args=[turn.pk])).content.decode()
    assert address in page
    guidelines = client.get(reverse("work-guidelines", args=[turn.pk])).content.decode()
    assert reverse("project-faq", args=[project.slug]) in guidelines


def test_the_list_does_not_ask_more_for_more(
    client_as, project, three, add, rosa, django_assert_num_queries
):
    client, address = client_as(rosa), reverse("project-faq", args=[project.slug])
    client.get(address)
    with django_assert_num_queries(7):
        client.get(address)
    for number in range(10):
        add(f"Q{number}?", "A.")
    with django_assert_num_queries(7):
        client.get(address)
