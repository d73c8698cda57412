"""Archives that tests read: built and indexed once per session, given a row per test."""

from tests import factories
from wikipedia.archives.zim import open_archive
from wikipedia.corpora.sources import ArchiveSource
from wikipedia.demo.build import build_demo_zim
from wikipedia.providers.registry import forget_providers
from wikipedia.search.index import build_index


def make_demo(folder):
    """Build the demo archive with its index in the layout of AMBIT_DATA; returns the file."""
    archive = folder / "demo.zim"
    build_demo_zim(archive)
    index(folder, archive, "demo")
    return archive


def index(folder, archive, name):
    """Index an archive under the name of a snapshot."""
    build_index(folder / "index" / name, ArchiveSource(open_archive(archive)))


def use(settings, folder, archive, name, **fields):
    """Return a ready snapshot of an indexed archive."""
    settings.AMBIT_DATA = folder
    forget_providers()
    return factories.make_snapshot(name=name, archive=str(archive), state="ready", **fields)
