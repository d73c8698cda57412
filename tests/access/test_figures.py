"""Who may read figures: every panel of every report, in every format, by somebody in every role."""

import pytest
from django.db import transaction
from django.urls import reverse

from annotation.figures import files
from annotation.figures.readers import MANAGERS
from annotation.figures.registry import all_reports, list_reports
from tests.access.expected import MANAGERS as EXPECTED
from tests.access.expected import api
from tests.figures import bring_report_up_to_date
from tests.test_access import signed_in, statuses
from tests.world import make_world

# By readers, who gets what.
EXPECTED_BY_READERS = {MANAGERS: EXPECTED}


@pytest.fixture(scope="module")
def figures(django_db_setup, django_db_blocker):
    """The world with figures of each report of its projects, made once."""
    with django_db_blocker.unblock(), transaction.atomic():
        world = make_world()
        projects = [world.project, world.long.project]
        for project in projects:
            for report in list_reports(project):
                bring_report_up_to_date(project, report, world.now)
        yield projects, signed_in(world)
        transaction.set_rollback(True)


def addresses(project, report, panel):
    """Yield each address of a panel, and whether it is one for programs."""
    place = [project.slug, report.key, panel]
    yield reverse("report-rows", args=place), False
    for format in files.FORMATS:
        yield reverse("report-file", args=[*place, format]), False
    yield reverse("api-report-panel", args=place), True


@pytest.mark.parametrize("report", [report.key for report in all_reports()])
def test_every_format_of_every_panel_is_for_its_readers(figures, db, report, monkeypatch):
    projects, clients = figures
    # Who may read a picture does not depend on what is drawn.
    monkeypatch.setattr(files, "FORMATS", {
        key: (kind, lambda *_, **__: b"") for key, (kind, _) in files.FORMATS.items()
    })  # fmt: skip
    panels = {
        entry.key: (project, found)
        for project in projects
        for found in list_reports(project)
        if found.key == report
        for entry in found.entries(project)
    }
    for panel, (project, found) in panels.items():
        for address, for_programs in addresses(project, found, panel):
            expected = EXPECTED_BY_READERS[found.readers]
            got = statuses(clients, "get", address)
            assert got == (api(expected) if for_programs else expected), address
    assert panels
