import datetime as dt

import pytest
from django.utils import timezone

from tests.wikipedia.zims import write_zim
from wikipedia import services
from wikipedia.providers import forget_providers
from wikipedia.providers.base import SourcePage
from wikipedia.reader import render


@pytest.fixture
def data_dir(settings, tmp_path):
    """Indexes of this test alone."""
    settings.AMBIT_DATA = tmp_path / "data"
    forget_providers()
    return settings.AMBIT_DATA


@pytest.fixture(scope="session")
def zim(tmp_path_factory):
    return write_zim(tmp_path_factory.mktemp("zim") / "lund.zim")


@pytest.fixture
def snapshot(db, data_dir, zim):
    made = services.create_snapshot(name="lund", archive=zim, now=timezone.now())
    return services.index_snapshot(snapshot=made)


@pytest.fixture
def show():
    """Render HTML as the reader would: show("<p>hello</p>").html"""

    def shown(html, title="Test", path="A/Test.html", hosts=()):
        moment = dt.datetime(2024, 1, 2, tzinfo=dt.UTC)
        page = SourcePage(
            path, title, html, None, None, None, moment, moment, "https://example.org/", hosts
        )
        return render(page, page_url=lambda p: f"/read/{p}", asset_url=lambda p: f"/files/{p}")

    return shown
