"""The manifest beside a release: what it is, what it holds, and how to check it."""

import datetime as dt
from typing import Any

from django.conf import settings

from annotation.models import Project
from validation.services.release.layouts import Counted

SCHEMA_VERSION = 1


def manifest_of(
    *,
    project: Project,
    format: str,
    split: str | None,
    file_name: str,
    bytes_written: int,
    sha256: str,
    counts: Counted,
) -> dict[str, Any]:
    """Return the manifest. It knows no clock: `newest_work` is the last work that counts (UTC)."""
    shown = project.snapshot
    newest = counts.newest.astimezone(dt.UTC).isoformat() if counts.newest else None
    return {
        "schema_version": SCHEMA_VERSION,
        "format": format,
        "split": split,
        "file": file_name,
        "bytes": bytes_written,
        "sha256": sha256,
        "counts": counts.as_json(),
        "left_out": counts.left_out_json(),
        "newest_work": newest,
        "project": {
            "slug": project.slug,
            "title": project.title,
            "protocol": project.protocol,
            "reference_date": project.reference_date.isoformat(),
            "guideline_versions": sorted(counts.guidelines),
        },
        "snapshot": {
            "name": shown.name,
            "title": shown.title,
            "language": shown.language,
            "as_of": shown.as_of.isoformat(),
            "licence": shown.licence,
        },
        "licence": shown.licence,
        "software": {"name": "Ambit", "version": settings.VERSION},
    }
