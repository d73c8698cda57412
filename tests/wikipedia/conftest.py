import datetime as dt
import shutil

import pytest
from django.utils import timezone

from tests.wikipedia.archives.zims import write_zim
from wikipedia.archives.zim import open_archive
from wikipedia.articles.reader import render_article
from wikipedia.corpora.sources import ArchiveSource
from wikipedia.html.page import SourcePage
from wikipedia.providers.registry import forget_providers
from wikipedia.search.index import build_index
from wikipedia.snapshots import services as snapshots_services


@pytest.fixture
def data_dir(settings, tmp_path):
    """Indexes of this test alone."""
    settings.AMBIT_DATA = tmp_path / "data"
    forget_providers()
    return settings.AMBIT_DATA


@pytest.fixture(scope="session")
def zim(tmp_path_factory):
    return write_zim(tmp_path_factory.mktemp("zim") / "lund.zim")


@pytest.fixture(scope="session")
def lund_index(zim, tmp_path_factory):
    """The index of the archive, built once."""
    folder = tmp_path_factory.mktemp("index") / "lund"
    build_index(folder, ArchiveSource(open_archive(zim)))
    return folder


@pytest.fixture
def snapshot(db, data_dir, zim, lund_index):
    """A snapshot whose index the test may change: a copy, which need not be built again."""
    shutil.copytree(lund_index, data_dir / "index" / "lund")
    made = snapshots_services.create_snapshot(name="lund", archive=zim, now=timezone.now())
    return snapshots_services.index_snapshot(snapshot=made)


@pytest.fixture
def show():
    """Render HTML as the reader would: show("<p>hello</p>").html"""

    def shown(html, title="Test", path="A/Test.html", hosts=()):
        moment = dt.datetime(2024, 1, 2, tzinfo=dt.UTC)
        page = SourcePage(
            path, title, html, None, None, None, moment, moment, "https://example.org/", hosts
        )
        return render_article(
            page, page_url=lambda p: f"/read/{p}", asset_url=lambda p: f"/files/{p}"
        )

    return shown
