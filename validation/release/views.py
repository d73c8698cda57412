"""A release as a download: data, manifest, dataset card, description and tables in one ZIP."""

from typing import Any

from django.http import Http404, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.access.data import check_can_export
from annotation.access.loaders import UserRequest, get_project
from annotation.exports.downloads import send_zip
from annotation.figures import counts as stored_counts
from annotation.figures.counts import OVERVIEW
from annotation.models import Project
from annotation.protocols import registry as protocols
from validation.decisions.accepted_answers import AcceptedCounts, accepted_counts
from validation.release.form import ReleaseForm
from validation.release.services import layouts_by_key, start_release
from validation.release.tables import has_parquet


def release_panel(project: Project) -> dict[str, Any]:
    """Return the context of _release.html for the page of a project, which has the splits."""
    stored = stored_counts.find_stored_part(project, OVERVIEW, "accepted")
    return {
        "formats": protocols.protocol_of(project).layouts,
        "accepted": AcceptedCounts(*stored) if stored else accepted_counts(project),
        "parquet": has_parquet(),
    }


stored_counts.register_part(
    OVERVIEW, "accepted", lambda project, now: list(accepted_counts(project))
)


@require_safe
def release_download(request: UserRequest, slug: str, format: str) -> StreamingHttpResponse:
    """The release of the accepted work, streamed as a ZIP."""
    project = get_project(request, slug, check_can_export)
    form = ReleaseForm(request.GET)
    if format not in layouts_by_key() or not form.is_valid():
        raise Http404
    release = start_release(
        project=project,
        format=format,
        split=form.cleaned_data["split"] or None,
        by=request.user,
        now=timezone.now(),
        tables=form.cleaned_data["tables"],
    )
    return send_zip(release)
