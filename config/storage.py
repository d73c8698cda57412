"""Static files with the hash of their content in the name, JavaScript imports included."""

import functools
import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import brotli
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage


class PackOnce(Compressor):  # type: ignore[misc]
    """Packs the same bytes once, which is most of what `collectstatic` does.

    Every file is there twice, with a hash in its name and without. A new version has most files of
    the last one, whose packed copies are still beside them.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._brotli = functools.cache(Compressor.compress_brotli)
        self._gzip = functools.cache(Compressor.compress_gzip)

    def compress_brotli(self, content: bytes) -> Any:
        """Return what is in the file that ends in .br."""
        return self._brotli(content)

    def compress_gzip(self, content: bytes) -> Any:
        """Return what is in the file that ends in .gz."""
        return self._gzip(content)

    def compress(self, path: str) -> list[str]:
        """Return the names of the packed copies, made now or before."""
        copies = {f"{path}.br": brotli.decompress, f"{path}.gz": gzip.decompress}
        content = Path(path).read_bytes()
        if all(_holds(copy, unpack, content) for copy, unpack in copies.items()):
            return list(copies)
        return super().compress(path)  # type: ignore[no-any-return]


def _holds(copy: str, unpack: Callable[[bytes], bytes], content: bytes) -> bool:
    """Return whether a packed copy is there and whole."""
    try:
        return unpack(Path(copy).read_bytes()) == content
    except (OSError, EOFError, zlib.error, brotli.error):
        return False


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Rewrites `import` statements of our own modules, so that they may be cached for ever.

    Modules of packages are left as they are: some import names that only a bundler knows.
    """

    support_js_module_import_aggregation = True
    # One pass for each level of nested imports, and one to see that nothing changed.
    max_post_process_passes = 12
    _js_module_import_aggregation_patterns = (
        "js/*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],
    )

    def create_compressor(self, **options: Any) -> Compressor:
        """Leave out the maps of packages, which only developers' tools ask for."""
        skipped = (*(options.pop("extensions") or Compressor.SKIP_COMPRESS_EXTENSIONS), "map")
        return PackOnce(extensions=skipped, **options)

    def url(self, name: str, force: bool = False) -> str:
        """Return the address of a file: pages name dozens, which stay the same for a process."""
        key = (name, force)
        if key not in self._addresses:
            self._addresses[key] = super().url(name, force)
        return self._addresses[key]

    @functools.cached_property
    def _addresses(self) -> dict[tuple[str, bool], str]:
        return {}


class SwaggerFinder(BaseFinder):
    """Finds what the page to try the API needs of drf-spectacular-sidecar: a fifth of it."""

    folder = "swagger-ui"
    files = (
        *("swagger-ui-bundle.js", "swagger-ui-bundle.js.map", "swagger-ui-bundle.js.LICENSE.txt"),
        *("swagger-ui.css", "swagger-ui.css.map", "LICENSE"),
    )

    @functools.cached_property
    def storage(self) -> FileSystemStorage:
        # Found without importing it: its package is an app of Django.
        spec = find_spec("drf_spectacular_sidecar")
        [place] = (spec and spec.submodule_search_locations) or [""]
        path = Path(place, "static", "drf_spectacular_sidecar", "swagger-ui-dist")
        storage = FileSystemStorage(location=path)
        storage.prefix = self.folder  # type: ignore[attr-defined]
        return storage

    def find(self, path: str, find_all: bool = False, **_: Any) -> Any:
        """Return the file's path, nothing if it is not one of these."""
        folder, _slash, name = path.partition("/")
        known = folder == self.folder and name in self.files
        place = self.storage.path(name) if known else ""
        return ([place] if place else []) if find_all else place or None

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Any]]:
        """Yield every file with its storage."""
        for name in self.files:
            yield name, self.storage
