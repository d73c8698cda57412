"""Static files with the hash of their content in the name, JavaScript imports included."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Rewrites `import` statements too, so that modules may be cached for ever."""

    support_js_module_import_aggregation = True
