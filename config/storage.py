"""Static files with the hash of their content in the name, JavaScript imports included."""

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
