"""Saved views of the list of questions: filters, order and columns under a name."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.refusals import Conflict, Denied
from annotation.erasing.services import erase_person
from annotation.models import SavedView
from annotation.questions import view_queries, view_services
from annotation.questions.models import MOST_VIEWS
from annotation.questions.saved_query import (
    COLUMNS,
    USUAL_COLUMNS,
    build_list_query,
    build_query,
    read_columns,
)
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def at(project):
    return reverse("project-questions", args=[project.slug])


@pytest.fixture
def save(project, rosa, now):
    def save(name="To look at", query="state=accepted", *, shared=False, opens=False, by=rosa):
        return view_services.save_view(
            project=project, name=name, query=query, shared=shared, opens=opens, by=by, now=now
        )

    return save


@pytest.fixture
def ruth(project):
    return factories.make_member(project, "researcher", name="Ruth Rowe")


class TestQuery:
    def test_only_known_names_and_short_values_are_kept(self):
        hostile = QueryDict(mutable=True)
        hostile.update({"text": "x" * 5000 + "\x00", "state": "accepted", "next": "//evil.example"})
        hostile.setlist("columns", ["time", "id", "id", "<script>", "password"])
        query = QueryDict(build_query(hostile))
        assert set(query) == {"text", "state", "columns"}
        assert query["text"] == "x" * 200
        assert query.getlist("columns") == ["id", "time"]

    @pytest.mark.parametrize("asked", ["", "columns=", "columns=nothing", "columns=%00"])
    def test_without_a_known_column_there_are_the_usual_ones(self, asked):
        assert read_columns(QueryDict(asked)) == list(USUAL_COLUMNS)
        assert build_query(QueryDict(asked)) == ""

    @pytest.mark.parametrize(
        ("asked", "kept"),
        [
            ("state=new", "state=new"),
            ("view=7&state=new", "view=7&state=new"),
            ("view=", "view="),
            ("view=%C2%B2", "view="),
            (f"view={'9' * 40}", "view="),
            ("view=7'--", "view="),
        ],
    )
    def test_the_view_is_a_number_or_nothing(self, asked, kept):
        assert build_list_query(QueryDict(asked)) == kept


class TestSaving:
    def test_the_same_name_replaces_and_one_view_opens(self, save):
        first = save(opens=True)
        save("Others", "split=dev", opens=True)
        again = save(" To   look at ", "state=excluded")
        assert again.pk == first.pk
        assert list(SavedView.objects.values_list("name", "query", "opens")) == [
            ("Others", "split=dev", True),
            ("To look at", "state=excluded", False),
        ]

    @pytest.mark.parametrize("name", ["", "  ", "\x00", "x" * 61])
    def test_a_name_is_needed_and_bounded(self, save, name):
        with pytest.raises(Conflict, match="1 to 60"):
            save(name)

    def test_they_are_bounded_in_number_also_in_the_database(self, save):
        for number in range(MOST_VIEWS):
            save(f"View {number}")
        with pytest.raises(Conflict, match="the maximum"):
            save("One more")
        save("View 3", "split=dev")  # replacing is no more
        SavedView.objects.filter(name="View 7").delete()
        assert save("One more").number == 8
        with pytest.raises(IntegrityError, match="number_bounded"), transaction.atomic():
            SavedView.objects.filter(name="View 1").update(number=MOST_VIEWS + 1)

    def test_only_staff_save(self, save, ann):
        with pytest.raises(Denied):
            save(by=ann)

    def test_who_is_erased_leaves_no_view(self, save, rosa, ruth, now):
        save(shared=True)
        save(by=ruth)
        erase_person(user=rosa, by=factories.make_user(is_superuser=True), now=now)
        assert list(SavedView.objects.values_list("user", flat=True)) == [ruth.pk]


class TestWhoSees:
    def test_own_ones_first_then_what_others_share(self, save, project, rosa, ruth):
        save("Mine")
        save("Hers", by=ruth)
        save("A shared one", shared=True, opens=True, by=ruth)
        choices = view_queries.list_views(rosa, project)
        assert [(choice.view.name, choice.own) for choice in choices] == [
            ("Mine", True),
            ("A shared one", False),
        ]
        # What opens for somebody else opens for nobody here.
        assert view_queries.find_opening_view(choices) is None

    def test_only_the_owner_and_admins_delete(self, save, project, rosa, ruth, client_as):
        admin = factories.make_member(project, "admin", name="Ada Adler")
        own, shared = save("Own"), save("Shared", shared=True)

        def delete(person, view):
            where = reverse("saved-view-delete", args=[project.slug, view.pk])
            return client_as(person).post(where).status_code

        assert delete(ruth, own) == 404
        assert delete(admin, own) == 404
        assert delete(ruth, shared) == 403
        assert delete(admin, shared) == 302
        assert delete(rosa, own) == 302
        assert not SavedView.objects.exists()
        other = factories.make_project()
        theirs = factories.make_member(other, "admin")
        view = save("Again", shared=True)
        where = reverse("saved-view-delete", args=[other.slug, view.pk])
        assert client_as(theirs).post(where).status_code == 404


class TestPage:
    def test_the_list_opens_with_the_view_and_all_questions_stay_one_press_away(
        self, client_as, at, save, project, rosa
    ):
        factories.make_question(project, text="when did it open", state="accepted")
        factories.make_question(project, text="when did it close")
        view = save(opens=True, query="state=accepted&columns=id&columns=known")
        reply = client_as(rosa).get(at)
        assert reply.status_code == 302
        assert reply["Location"] == f"{at}?view={view.pk}&state=accepted&columns=id&columns=known"
        page = client_as(rosa).get(reply["Location"]).text
        assert "When did it open" in page
        assert "When did it close" not in page
        assert "Known answers</th>" in page
        assert "Skipped</th>" not in page
        every = client_as(rosa).get(f"{at}?view=").text
        assert "When did it close" in every
        assert "Skipped</th>" in every

    def test_a_view_is_saved_from_the_page_without_scripts(self, client_as, at, project, rosa):
        where = reverse("saved-view-save", args=[project.slug])
        sent = {"name": "Accepted", "query": "view=&state=accepted&next=//evil", "opens": "1"}
        reply = client_as(rosa).post(where, sent)
        view = SavedView.objects.get()
        assert (view.query, view.opens, view.shared) == ("state=accepted", True, False)
        assert reply["Location"] == f"{at}?view={view.pk}&state=accepted"
        refused = client_as(rosa).post(where, {"name": "", "query": "state=accepted"}, follow=True)
        assert "Give the view a name" in refused.text
        changed = client_as(rosa).get(f"{at}?view={view.pk}&state=excluded").text
        assert "has changed: save it" in changed

    @pytest.mark.parametrize(
        "query",
        [
            *("view=0", "view=-1", "view=9999", f"view={'9' * 50}", "view=a&view=b"),
            *("columns=" + "x" * 3000, "view=&columns=id&columns[]=x"),
            "text=%F0%9F%98%80&person=1%20OR%201=1&order=;drop&state=%27",
        ],
    )
    def test_hostile_queries_show_a_list(self, client_as, at, rosa, query):
        assert client_as(rosa).get(f"{at}?{query}").status_code == 200

    def test_views_of_others_are_no_views_here(self, client_as, at, save, rosa, ruth):
        hidden = save("Secret words", by=ruth)
        page = client_as(rosa).get(f"{at}?view={hidden.pk}").text
        assert "Secret words" not in page

    def test_one_statement_for_any_number_of_views_and_columns(self, client_as, at, save, rosa):
        def count(query=""):
            with CaptureQueriesContext(connection) as queries:
                client_as(rosa).get(f"{at}?{query}")
            return len(queries)

        count()
        before = count("view=")
        for number in range(5):
            save(f"View {number}")
        assert count("view=") == before
        every = "&".join(f"columns={name}" for name in COLUMNS)
        assert count(f"view=&{every}") == before


class TestApi:
    def test_views_are_listed_with_filters_and_columns(self, client_as, save, project, rosa, ruth):
        save("Mine", "text=tunnel&columns=id", opens=True)
        save("Hers", by=ruth)
        save("Shared", "split=dev", shared=True, opens=True, by=ruth)
        reply = client_as(rosa).get(f"/api/v1/projects/{project.slug}/question-views/").json()
        shown = [
            (row["name"], row["own"], row["opens"], row["filters"], row["columns"]) for row in reply
        ]
        assert shown == [
            ("Mine", True, True, {"text": "tunnel"}, ["id"]),
            ("Shared", False, False, {"split": "dev"}, list(USUAL_COLUMNS)),
        ]

    def test_staff_only(self, client_as, project, ann):
        where = f"/api/v1/projects/{project.slug}/question-views/"
        assert client_as(ann).get(where).status_code == 403
        assert client_as(factories.make_user()).get(where).status_code == 404
