"""The demo without models, for tests that add to it."""

import pytest
from django.db import transaction
from django.test import override_settings

from annotation.jobs import services as jobs_services
from demo import loading as demo
from wikipedia.providers.registry import forget_providers


@pytest.fixture(scope="module")
def demo_folder(tmp_path_factory, plain_settings, django_db_setup, django_db_blocker):
    """The demo without models, loaded once: each test rolls back what it adds. Gives its folder."""
    folder = tmp_path_factory.mktemp("demo")
    own = override_settings(AMBIT_DATA=folder, MEDIA_ROOT=folder / "files")
    with (
        django_db_blocker.unblock(),
        own,
        pytest.MonkeyPatch.context() as patch,
        transaction.atomic(),
    ):
        forget_providers()
        patch.setattr(jobs_services, "wake_workers", lambda job_id: None)
        demo.load_demo(lambda said: None)
        yield folder
        transaction.set_rollback(True)
