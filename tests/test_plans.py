"""No statement of a main page reads more than it shows, however much the installation holds.

The installation is small, and so are the numbers up to which statements count: what reads
everything stands out.
"""

from base64 import b64encode
from itertools import product

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation import tasks
from annotation.extensions.registry import all_extensions
from annotation.figures import counts as stored_counts
from annotation.home import queries as home_queries
from annotation.home import ready
from annotation.models import Assignment, Project, Question
from annotation.progress.queries import list_progress
from annotation.questions import queries as questions_queries
from benchmarks import installation
from benchmarks.databases import tidy
from tests import plans
from validation.outcomes import status
from validation.questions import exclusion

pytestmark = pytest.mark.django_db(transaction=True)
# Rows that one statement may read; the installation has ten times as many turns, and more.
MOST = 3_000


@pytest.fixture
def big(monkeypatch, transactional_db):
    """An installation of three projects, all of them large, with figures counted."""
    for module, name, value in (
        (stored_counts, "LARGE", (500, 500)),
        (ready, "MOST_READY", 20),
        (ready, "MOST_COUNTED", 50),
        (ready, "MOST_LOOKED_AT", 100),
        (home_queries, "MOST_COUNTED", 100),
        (questions_queries, "MOST_COUNTED", 100),
        (status, "MOST_LOOKED_AT", 100),
        (exclusion, "MOST", 300),
    ):
        monkeypatch.setattr(module, name, value)
    projects = installation.fill(questions=4_000, assignments=20_000)
    tidy()
    tasks.renew_figures()
    return projects


def addresses(project):
    """Return the main pages of a project as (who, path)."""
    writer = Assignment.objects.filter(project=project, state="submitted").latest("pk").user_id
    middle = Question.objects.filter(project=project).order_by("pk")[300].pk
    for path in (
        "",
        "questions/",
        f"questions/?after={middle}",
        *(f"questions/?order={order}&after={middle}" for order in ("newest", "work", "state")),
        "questions/?state=accepted",
        "monitoring/",
        f"monitoring/{writer}/",
        "agreement/",
        "golds/",
        "audit/",
        "studies/",
        "suggestions/",
        "studies/consensus/",
        "systems/scores/",
        "reports/",
        *(f"reports/{key}/" for key in ("agreement", "project", "tables", "systems")),
        "log/",
        "pay/",
        f"pay/{writer}/",
        "export/",
        "people/",
        "consent/",
        "participants/",
        "qualifications/",
        "guidelines/",
        "faq/",
        "rules/",
        "policies/",
        "settings/",
        "benchmark/",
        "stuck/",
        "claims/",
        "labels/",
        *(("concerns/", "contexts/") if project.protocol == "asqa" else ("ambiguity/",)),
    ):
        yield "admin1", f"/projects/{project.slug}/{path}"
    for path in ("", "questions/", "monitoring/", "pay/", "log/", "export/"):
        yield "researcher1", f"/projects/{project.slug}/{path}"
    for who, path in product(("annotator1", "validator1"), ("", "start/", "guidelines/", "agree/")):
        yield who, f"/projects/{project.slug}/{path}"


def lists_of_the_api(project):
    """Return the lists for programs, also from far within, as (who, path)."""
    path = f"/api/v1/projects/{project.slug}"
    yield "admin1", f"{path}/pages-read/"
    turn = Assignment.objects.filter(project=project).order_by("pk")[300].pk
    question = Question.objects.filter(project=project).order_by("pk")[300]
    imported = round(question.created_at.timestamp() * 1_000_000)
    for name, position, filters in (
        ("questions", f"{imported}.{question.pk}", ("", "split=dev", "split=test&state=imported")),
        ("assignments", turn, ("", "state=submitted", "stage=validation", "split=dev")),
    ):
        cursor = b64encode(f"p={position}".encode()).decode()
        for query, place in product(filters, ("", f"&cursor={cursor}")):
            yield "admin1", f"{path}/{name}/?page_size=50&{query}{place}"
    for query in ("", "state=submitted", "stage=validation", "split=test"):
        yield "annotator1", f"{path}/assignments/?page_size=50&{query}"


def own_pages():
    """Return everybody's own pages."""
    for who in ("admin1", "researcher1", "annotator1", "annotator60", "validator1"):
        yield who, "/"
    for who in ("annotator1", "validator1"):
        yield who, "/submissions/"
        yield who, "/pay/"
    yield "annotator1", "/submissions/?status=waiting"
    for who in ("admin1", "researcher1", "annotator1", "validator1"):
        yield who, "/projects/"
        yield who, "/account/settings/"
        yield who, "/data/"
        yield who, "/api/v1/projects/"
    for who in ("admin1", "researcher1"):
        yield who, "/pay/projects/"


def test_every_tab_of_a_project_is_among_the_pages(big):
    paths = {path for project in big for _, path in addresses(project)}
    for tab in all_extensions().tabs:
        assert any(reverse(tab.url, args=[project.slug]) in paths for project in big), tab


def test_no_statement_of_a_page_reads_more_than_it_shows(big):
    clients = {}
    problems = []
    pages = [*own_pages(), *(page for project in big for page in addresses(project))]
    pages += [page for project in big for page in lists_of_the_api(project)]
    for who, path in pages:
        if who not in clients:
            clients[who] = Client()
            clients[who].force_login(User.objects.get(email=f"{who}@big.example.org"))
        with plans.explained(large=True, analysed=True) as explained:
            answer = clients[who].get(path)
        assert answer.status_code == (302 if path.endswith("/reports/") else 200), path
        problems += [
            f"{who} {path}\n  {plan.rows:,} {plan}"
            for plan in explained
            if plan.rows > MOST or plan.sequential
        ]
    assert not problems, "\n".join(problems)
    # Counting on the spot, as the worker does, goes far beyond: the bound can be missed.
    project, now = Project.objects.get(pk=big[0].pk), timezone.now()
    with plans.explained() as explained:
        list_progress(project, now=now)
    assert max(plan.rows for plan in explained) > 2 * MOST
