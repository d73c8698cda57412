"""No statement of a main page reads more than it shows, however much the installation holds.

The installation is small, and so are the numbers up to which statements count: what reads
everything stands out.
"""

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation import tasks
from annotation.models import Assignment, Project, Question
from annotation.queries import home, questions, ready
from annotation.queries import projects as queries
from annotation.services import figures
from benchmarks import installation
from benchmarks.databases import tidy
from tests import plans
from validation import status
from validation.services import exclusion

pytestmark = pytest.mark.django_db(transaction=True)
# Rows that one statement may read; the installation has ten times as many turns, and more.
MOST = 3_000


@pytest.fixture
def big(monkeypatch, transactional_db):
    """An installation of three projects, all of them large, with figures counted."""
    for module, name, value in (
        (figures, "LARGE", (500, 500)),
        (ready, "MOST_READY", 20),
        (ready, "MOST_COUNTED", 50),
        (ready, "MOST_LOOKED_AT", 100),
        (home, "MOST_COUNTED", 100),
        (questions, "MOST_COUNTED", 100),
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
        "log/",
        f"pay/{writer}/",
        "export/",
        "concerns/",
        "people/",
        "stuck/",
        "claims/",
    ):
        yield "admin1", f"/projects/{project.slug}/{path}"
    for path in ("", "start/"):
        yield "annotator1", f"/projects/{project.slug}/{path}"
    yield "admin1", f"/api/v1/projects/{project.slug}/pages-read/"


def own_pages():
    """Return everybody's own pages."""
    for who in ("admin1", "researcher1", "annotator1", "annotator60", "validator1"):
        yield who, "/"
    for who in ("annotator1", "validator1"):
        yield who, "/submissions/"
        yield who, "/pay/"
    yield "annotator1", "/submissions/?status=waiting"
    yield "admin1", "/projects/"


def test_no_statement_of_a_page_reads_more_than_it_shows(big):
    clients = {}
    problems = []
    for who, path in [*own_pages(), *(page for project in big for page in addresses(project))]:
        if who not in clients:
            clients[who] = Client()
            clients[who].force_login(User.objects.get(email=f"{who}@big.example.org"))
        with plans.captured() as statements:
            answer = clients[who].get(path)
        if answer.status_code == 404 and "/concerns/" in path:
            continue  # AmbigQA has none
        assert answer.status_code == 200, path
        for sql, params in statements:
            plan = plans.explain(sql, params)
            if plan and (plan.rows > MOST or plan.sequential):
                problems.append(f"{who} {path}\n  {plan.rows:,} {plan}")
    assert not problems, "\n".join(problems)
    # Counting on the spot, as the worker does, goes far beyond: the bound can be missed.
    project, now = Project.objects.get(pk=big[0].pk), timezone.now()
    with plans.captured() as statements:
        queries.progress(project, now=now)
    assert max(plans.explain(*statement).rows for statement in statements) > 2 * MOST
