"""Static files of a production installation: hashed names, imports rewritten, packed copies."""

import gzip
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
    modules = list((collected / "js").rglob("*.*.js"))
    assert modules
    for module in modules:
        for name in re.findall(r'(?:from|import)\s*\(?\s*"(\.[^"]+)"', module.read_text()):
            assert re.search(r"\.[0-9a-f]{12}\.js$", name), f"{module.name} imports {name}"
            assert (module.parent / name).is_file(), f"{module.name} imports {name}"


def test_collected_files_have_a_brotli_copy(collected):
    (packed,) = (collected / "css/shared").glob("base.*.css.br")
    assert brotli.decompress(packed.read_bytes()) == packed.with_suffix("").read_bytes()


@pytest.fixture
def packed(monkeypatch):
    """What was packed, in order."""
    contents, pack = [], brotli.compress
    monkeypatch.setattr(
        brotli, "compress", lambda content: contents.append(content) or pack(content)
    )
    return contents


def collect(folder, content):
    """Write a file, with a hash in its name and without, and pack both as `collectstatic` does."""
    compressor = HashedStaticFilesStorage().create_compressor(extensions=None, quiet=True)
    for name in ("base.css", "base.0123456789ab.css"):
        (folder / name).write_bytes(content)
        assert len(compressor.compress(str(folder / name))) == 2
        assert brotli.decompress((folder / f"{name}.br").read_bytes()) == content
        assert gzip.decompress((folder / f"{name}.gz").read_bytes()) == content


def test_the_same_bytes_are_packed_once(tmp_path, packed):
    first, second = b"a { color: red }" * 9, b"a { color: blue }" * 9
    for content in (first, first, second):
        collect(tmp_path, content)
    assert packed == [first, second]


@pytest.mark.parametrize("suffix", [".br", ".gz"])
@pytest.mark.parametrize("damage", [lambda copy: copy[:-3], lambda copy: b"", lambda copy: b"?"])
def test_a_packed_copy_that_was_cut_off_is_made_again(tmp_path, packed, suffix, damage):
    content = b"a { color: red }" * 9
    collect(tmp_path, content)
    copy = tmp_path / f"base.css{suffix}"
    copy.write_bytes(damage(copy.read_bytes()))
    collect(tmp_path, content)
    assert packed == [content] * 2
