"""The button that makes vectors."""

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.access.loaders import UserRequest, get_project
from evaluation.systems.policies import check_can_import_outputs
from modeling.services import indexing


@require_POST
def vectors_make(request: UserRequest, slug: str, encoder: str) -> HttpResponse:
    """Start the job that makes vectors by an encoder; then its page."""
    project = get_project(request, slug, check_can_import_outputs)
    if encoder not in indexing.LABELS:
        raise Http404
    job = indexing.make_vectors(
        project=project, encoder=encoder, by=request.user, now=timezone.now()
    )
    return redirect("job-detail", slug, job.pk)
