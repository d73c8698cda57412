"""The page of context paragraphs: figures, preview, what is applied, and hostile text."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.contexts import queries as contexts_queries
from annotation.contexts import services as contexts_services
from annotation.contexts.queries import ThresholdEffect
from annotation.contexts.threshold import set_threshold
from annotation.imports.queries import describe_outcome
from annotation.models import ContextParagraph, Job, Project
from tests import factories
from tests.annotation.contexts.helpers import compute, open_question, pair, scored, shown
from tests.annotation.long_answers import helpers

pytestmark = pytest.mark.django_db
GIVEN = pair("When did it begin?", "1765", context="It began in 1765.")
OTHER = pair("When did the last ferry cross?", "1911", context="No context provided")


def address(project):
    return reverse("project-contexts", args=[project.slug])


def text_of(response):
    return " ".join(response.content.decode().split())


class TestFigures:
    def test_of_every_disambiguation_that_is_handed_out(self, project, ann, now):
        opened = open_question(project, [GIVEN, OTHER, OTHER])
        scored(opened, 0.05, 0.5)  # whatever the threshold, both are shown
        helpers.take(project, ann, now)
        scored(open_question(project, [OTHER, OTHER, OTHER]), 0.05, 0.15, 0.1)
        helpers.make_question(project, context={"qa_pairs": [GIVEN]}, state="accepted")
        found = contexts_queries.get_overview(project)
        assert (found.questions, found.open_questions, found.opened_questions) == (2, 1, 1)
        assert (found.disambiguations, found.given, found.found, found.fixed) == (6, 1, 5, 2)
        kept = {level.threshold: level.kept for level in found.list_levels()}
        assert kept == {0: 6, 0.05: 6, 0.1: 5, 0.15: 4, 0.2: 3, 0.25: 3, 0.3: 3}
        assert found.level_at(0.16).kept == 3
        assert found.level_at(0.1).share == pytest.approx(500 / 6)

    def test_each_hundredth_is_counted_as_it_is_applied(self, project, rosa, now):
        """Floats in the database and hundredths in the table mean the same."""
        question = open_question(project)
        scored(question, *(number / 100 for number in range(101)))
        found = contexts_queries.get_overview(project)
        for number in range(101):
            kept = ContextParagraph.objects.filter(score__gte=number / 100).count()
            assert found.level_at(number / 100).kept == kept == 101 - number

    def test_a_project_without_questions(self, project):
        found = contexts_queries.get_overview(project)
        assert (found.disambiguations, found.without) == (0, 0)
        assert found.level_at(0.1).share == 0
        assert contexts_queries.preview_threshold(project, 0.5) == ThresholdEffect(0, 0, 0, 0)

    def test_what_a_preview_says_is_what_is_applied(self, project, rosa, ann, now):
        opened, other = open_question(project), open_question(project)
        scored(opened, 0.05, 0.3)
        scored(other, 0.05, 0.3)
        ContextParagraph.objects.filter(question=other, position=1).update(shown=False)
        helpers.take(project, ann, now)
        said = contexts_queries.preview_threshold(project, 0.2)
        assert said == ThresholdEffect(shown=1, hidden=1, questions=1, kept=1)
        applied = set_threshold(project=project, threshold=0.2, by=rosa, now=now)
        assert (applied.shown, applied.hidden, applied.kept) == (1, 1, 1)

    def test_examples_are_the_nearest(self, project):
        question = open_question(project, [pair(f"Q{n}", "Paragraph") for n in range(6)])
        scored(question, 0.05, 0.09, 0.1, 0.11, 0.5, 0.12)
        above, below = contexts_queries.list_threshold_examples(project, 0.1)
        assert [example.question for example in above] == ["Q2", "Q3", "Q5"]
        assert [example.question for example in below] == ["Q1", "Q0"]
        assert above[0].pieces == [("Paragraph", True), (" 2", False)]

    def test_pages_that_are_missing_are_named_once(self, project):
        for _ in range(2):
            open_question(project, pages=("Nowhere", *(f"Page {n:02}" for n in range(12))))
        compute(project)
        missing = contexts_queries.get_missing_pages(project)
        assert (missing.count, missing.more) == (13, 3)
        assert missing.titles[:2] == ["Nowhere", "Page 00"]


class TestPage:
    def test_it_shows_what_each_threshold_would_keep(self, project, rosa, client_as):
        open_question(project, [GIVEN, OTHER])
        compute(project)
        page = text_of(client_as(rosa).get(address(project)))
        assert "2 of 2 disambiguations" in page
        assert "It is 0.10 now." in page
        assert "Apply" not in page
        assert "All unopened questions have been searched." in page
        assert "The last ferry of Lund crossed the Sound in <mark>1911</mark>," in page
        assert 'href="https://en.wikipedia.org/wiki/Ferry_of_Lund"' in page
        assert "CC BY-SA" in page

    def test_a_preview_says_what_would_happen_and_changes_nothing(self, project, rosa, client_as):
        question = open_question(project)
        scored(question, 0.05, 0.3)
        page = text_of(client_as(rosa).get(address(project), {"threshold": "0.20"}))
        assert (
            "At 0.20 1 of 3 disambiguations have a context (33.3 %), now 1 (33.3 %). "
            "0 paragraphs would be added, 1 would be removed, in 1 question." in page
        )
        assert "Apply 0.20" in page
        assert shown(question) == {0, 1}
        assert Project.objects.get(pk=project.pk).context_threshold == 0.1

    def test_a_post_applies_it(self, project, rosa, client_as):
        question = open_question(project)
        scored(question, 0.05, 0.3)
        client = client_as(rosa)
        page = text_of(client.post(address(project), {"threshold": "0.2"}, follow=True))
        assert "The threshold is 0.20. Paragraphs: 0 more shown, 1 hidden." in page
        assert shown(question) == {1}
        assert Project.objects.get(pk=project.pk).context_threshold == 0.2

    @pytest.mark.parametrize("value", ["", "2", "-0.1", "0.123", "nan", "inf", "x", "1e-400"])
    @pytest.mark.parametrize("method", ["get", "post"])
    def test_a_value_that_is_none_is_refused(self, project, rosa, client_as, value, method):
        scored(open_question(project), 0.05)
        response = getattr(client_as(rosa), method)(address(project), {"threshold": value})
        assert response.status_code == 422
        assert "There is a problem" in text_of(response)
        assert Project.objects.get(pk=project.pk).context_threshold == 0.1

    def test_nothing_less_is_nothing(self, project, rosa, client_as):
        response = client_as(rosa).post(address(project), {"threshold": "-0"}, follow=True)
        assert "The threshold is 0.00." in text_of(response)

    def test_text_of_wikipedia_is_text(self, project, rosa, client_as):
        evil = "<script>alert(1)</script>"
        question = open_question(project, [pair(f"When {evil}?", f"{evil} 1911")])
        ContextParagraph.objects.create(
            question=question, position=0, text=f"{evil} 1911 {evil}", title=evil, path=evil,
            score=0.1, shown=True, created_at=timezone.now(),
        )  # fmt: skip
        page = text_of(client_as(rosa).get(address(project)))
        assert evil not in page
        assert "&lt;<mark>script&gt;alert(1)&lt;/script&gt; 1911</mark>" in page

    def test_the_search_is_started_and_watched(self, project, rosa, client_as, woken):
        open_question(project)
        client = client_as(rosa)
        assert "Look in 1 question<" in text_of(client.get(address(project)))
        client.post(reverse("contexts-search", args=[project.slug]))
        job = Job.objects.get()
        assert (job.kind, job.options) == ("contexts", {"again": False})
        page = text_of(client.get(address(project)))
        assert "Waiting for a worker" in page
        assert "Look in 1 question<" not in page
        assert f'hx-get="{reverse("job-detail", args=[project.slug, job.pk])}"' in page

    def test_again_is_offered_once_something_was_looked_at(self, project, rosa, client_as, woken):
        open_question(project)
        client = client_as(rosa)
        assert "Search again" not in text_of(client.get(address(project)))
        compute(project)
        assert "Search again for all unopened questions" in text_of(client.get(address(project)))
        client.post(reverse("contexts-search", args=[project.slug]), {"again": "yes"})
        assert Job.objects.get().options == {"again": True}

    def test_the_page_of_its_job_says_what_it_is(self, project, rosa, client_as, run, now):
        open_question(project, pages=("Nowhere", "Ferry of Lund"))
        job = run(contexts_services.start_search_job(project=project, by=rosa, now=now))
        detail = reverse("job-detail", args=[project.slug, job.pk])
        page = text_of(client_as(rosa).get(detail))
        assert "Search for context paragraphs" in page
        assert "Import" not in page.split("<main")[1]
        fragment = text_of(client_as(rosa).get(detail, headers={"HX-Request": "true"}))
        assert "2 paragraphs found" in fragment
        assert address(project) in fragment
        assert describe_outcome(job) == (
            "Search for context paragraphs finished: 2 paragraphs found, 1 without one, "
            "0 given in the file, 0 taken in the meantime, 1 pages not found."
        )

    def test_a_closed_project_shows_and_changes_nothing(self, project, rosa, client_as):
        scored(open_question(project), 0.05)
        Project.objects.filter(pk=project.pk).update(state="closed")
        client = client_as(rosa)
        page = text_of(client.get(address(project), {"threshold": "0.2"}))
        assert "The project is closed" in page
        assert "Apply" not in page
        assert client.post(address(project), {"threshold": "0.2"}).status_code == 409

    def test_only_where_long_answers_are_written(self, rosa, project, client_as):
        other = factories.make_project()
        factories.make_member(other, "researcher", user=rosa)
        client = client_as(rosa)
        assert client.get(address(other)).status_code == 409
        tab = "Contexts</a>"
        assert tab in text_of(client.get(reverse("project-settings", args=[project.slug])))
        assert tab not in text_of(client.get(reverse("project-settings", args=[other.slug])))

    def test_it_costs_the_same_with_many_questions(self, project, rosa, client_as):
        client = client_as(rosa)
        counts = []
        for number in (2, 10):
            for _ in range(number):
                open_question(project)
            compute(project)
            client.get(address(project))
            with CaptureQueriesContext(connection) as captured:
                client.get(address(project))
            counts.append(len(captured))
        assert counts[0] == counts[1]
