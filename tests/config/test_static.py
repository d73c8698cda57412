"""Static files of a production installation: hashed names, imports rewritten, packed copies."""

import re

import brotli
import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings

from config.storage import HashedStaticFilesStorage


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    """The folder of all files. Fails on a circle of imports: no hash could be found for it."""
    folder = tmp_path_factory.mktemp("static")
    storage = {"BACKEND": "config.storage.HashedStaticFilesStorage"}
    with override_settings(
        STATIC_ROOT=folder, STORAGES={**settings.STORAGES, "staticfiles": storage}
    ):
        call_command("collectstatic", "--noinput", verbosity=0)
    return folder


def test_every_module_of_ours_can_be_hashed(collected):
    packed = {path.name.split(".")[0] for path in (collected / "swagger-ui").glob("*.js.br")}
    assert packed == {"swagger-ui-bundle"}
    assert not list((collected / "swagger-ui").glob("*.map.br"))
    modules = list((collected / "js").glob("*.*.js"))
    assert modules
    for module in modules:
        for name in re.findall(r'(?:from|import)\s*\(?\s*"\./([^"]+)"', module.read_text()):
            assert re.search(r"\.[0-9a-f]{12}\.js$", name), f"{module.name} imports {name}"
            assert (collected / "js" / name).is_file(), f"{module.name} imports {name}"


def test_collected_files_have_a_brotli_copy(collected):
    (packed,) = (collected / "css").glob("base.*.css.br")
    assert brotli.decompress(packed.read_bytes()) == packed.with_suffix("").read_bytes()


def test_a_file_and_its_copy_with_a_hash_are_packed_once(tmp_path, monkeypatch):
    packed = []

    def pack(content):
        packed.append(content)
        return b"small"

    monkeypatch.setattr(brotli, "compress", pack)
    compressor = HashedStaticFilesStorage().create_compressor(extensions=None, quiet=True)
    for name in ("base.css", "base.0123456789ab.css"):
        (tmp_path / name).write_text("a { color: red }" * 9)
        compressor.compress(str(tmp_path / name))

    assert packed == [b"a { color: red }" * 9]
    assert (tmp_path / "base.css.br").read_bytes() == b"small"
    assert (tmp_path / "base.0123456789ab.css.br").read_bytes() == b"small"
