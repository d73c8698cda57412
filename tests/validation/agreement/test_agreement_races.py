"""Visitors at once, each on a PostgreSQL connection of their own."""

import pytest

from annotation.figures import services as figures_services
from annotation.jobs import services as jobs_services
from annotation.models import Job
from tests.annotation.work.helpers import in_parallel
from validation.agreement.stored import find_agreement


@pytest.mark.django_db(transaction=True)
def test_visitors_at_once_start_one_job(project, rosa, ada, now, monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    looks = [
        lambda by=by: figures_services.open_figures(find_agreement(project), by=by, now=now)
        for by in (rosa, ada) * 4
    ]
    results = in_parallel(looks)
    [job] = Job.objects.all()
    assert [each.job for each in results] == [job] * 8
