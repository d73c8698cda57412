"""The manifest of a release: what it is, what it holds, and how to check it."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from annotation.exports.dataset import describe_project
from annotation.exports.layouts import Counted
from annotation.models import Project

SCHEMA_VERSION = 1


def manifest_of(
    *,
    project: Project,
    format: str,
    split: str | None,
    written: Mapping[str, Any],
    counts: Counted,
) -> dict[str, Any]:
    """Return the manifest, without the time of export: `newest_work` is the last work (UTC)."""
    newest = counts.newest.astimezone(dt.UTC).isoformat() if counts.newest else None
    about = describe_project(project)
    about["project"]["guideline_versions"] = sorted(counts.guidelines)
    return {
        "schema_version": SCHEMA_VERSION,
        "format": format,
        "split": split,
        **written,
        "counts": counts.as_json(),
        "left_out": counts.left_out_json(),
        "newest_work": newest,
        **about,
    }
