"""Archives whose bytes changed where nothing is checked: above a certain size no checksum is."""

import subprocess
import sys

import pytest

from tests import factories
from tests.wikipedia.archives.zims import write_zim
from wikipedia.archives import zim as archive
from wikipedia.archives.zim import ArchiveError, EntryMissing, open_archive
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.providers.registry import provider_for
from wikipedia.snapshots import services as snapshots_services

SENTENCE = "Download the file again and compare its checksum"
COMPRESSED = b"\x28\xb5\x2f\xfd"  # how a compressed block of entries begins


@pytest.fixture
def damaged(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "CHECKSUM_LIMIT_BYTES", 0)
    file = write_zim(tmp_path / "damaged.zim")
    file.write_bytes(file.read_bytes().replace(COMPRESSED, b"\xff" * 4))
    return file


def everything(file):
    """Use all that reads an archive; what it says is a sentence or a page that is not there."""
    said = []
    try:
        opened = open_archive(file)
    except ArchiveError as error:
        return [str(error)]
    for look in (
        lambda: list(opened.iterate_articles()),
        lambda: list(opened.iterate_redirects()),
        opened.read_metadata,
        lambda: opened.read("Ferry_of_Lund"),
        lambda: opened.read("Ferryboat"),
        lambda: opened.read("AC/DC"),
        lambda: opened.read("Harbour of Lund"),
    ):
        try:
            look()
        except (ArchiveError, EntryMissing) as error:
            said.append(str(error))
    return said


def test_any_changed_byte_gives_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "CHECKSUM_LIMIT_BYTES", 0)
    whole = write_zim(tmp_path / "whole.zim").read_bytes()
    file, said = tmp_path / "flipped.zim", 0
    for at in range(0, len(whole), 7):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        said += bool(everything(file))
    assert said > 20


def test_the_index_and_the_reader_say_it(damaged, db, data_dir, now):
    with pytest.raises(ArchiveError, match=SENTENCE):
        snapshots_services.create_snapshot(name="damaged", archive=damaged, now=now)
    snapshot = factories.make_snapshot(archive=str(damaged), state="indexing")
    with pytest.raises(ArchiveError, match=SENTENCE):
        snapshots_services.index_snapshot(snapshot=snapshot)
    snapshot.refresh_from_db()
    assert snapshot.state == "failed"
    assert SENTENCE in snapshot.problem
    with pytest.raises(ProviderUnavailable, match=SENTENCE):
        provider_for(snapshot).load_page("Ferry_of_Lund")


def test_the_web_server_does_not_load_the_library_of_archives():
    """It is under the GPL and takes memory; an installation over live wikis never needs it."""
    program = (
        "import sys, django; django.setup(); import config.wsgi; "
        "from django.urls import get_resolver; get_resolver().url_patterns; "
        "from django.core.management import call_command; "
        "sys.exit('libzim' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode()[-300:]


def test_without_the_library_of_archives_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "libzim", None)
    monkeypatch.setitem(sys.modules, "libzim.reader", None)
    with pytest.raises(ArchiveError, match="Install the extra “zim”"):
        open_archive(tmp_path / "any.zim")
