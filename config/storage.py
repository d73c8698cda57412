"""Static files with the hash of their content in the name, JavaScript imports included."""

import functools

from whitenoise.storage import CompressedManifestStaticFilesStorage


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

    def url(self, name: str, force: bool = False) -> str:
        """Return the address of a file: pages name dozens, which stay the same for a process."""
        key = (name, force)
        if key not in self._addresses:
            self._addresses[key] = super().url(name, force)
        return self._addresses[key]

    @functools.cached_property
    def _addresses(self) -> dict[tuple[str, bool], str]:
        return {}
