"""Pictures of articles, and the list of snapshots for staff."""

from __future__ import annotations

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from wikipedia.html.page import PageMissing
from wikipedia.models import Snapshot
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.providers.registry import provider_for
from wikipedia.snapshots.access import may_read_list, may_see_pictures
from wikipedia.snapshots.queries import index_advice, index_problem

RETRY_AFTER_SECONDS: Final = 3  # pictures of a live wiki arrive a few at a time
PICTURES: Final = frozenset(
    ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml"]
)


@require_safe
def snapshot_asset(request: HttpRequest, name: str, path: str) -> HttpResponse:
    """Serve a picture of an article from our origin, without letting it run anything."""
    snapshot = get_object_or_404(Snapshot, name=name)
    if not may_see_pictures(request.user, snapshot):
        raise Http404
    try:
        asset = provider_for(snapshot).load_asset(path)
    except PageMissing as missing:
        raise Http404(str(missing)) from missing
    except ProviderUnavailable as problem:
        return HttpResponse(
            str(problem),
            status=503,
            content_type="text/plain; charset=utf-8",
            headers={"Retry-After": RETRY_AFTER_SECONDS},
        )
    content_type = asset.content_type.split(";")[0].strip().lower()
    if content_type not in PICTURES:
        raise Http404("Only pictures are shown from a snapshot.")
    response = HttpResponse(asset.content, content_type=content_type)
    # An SVG opened on its own is a document: it gets no scripts, no origin, nothing to load.
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    patch_cache_control(response, private=True, max_age=30 * 24 * 3600, immutable=True)
    return response


@require_safe
def snapshot_list(request: HttpRequest) -> HttpResponse:
    """List the snapshots and whether they can be used."""
    if not may_read_list(request.user):
        raise Http404
    snapshots = [
        {
            "snapshot": snapshot,
            "problem": index_problem(snapshot),
            "advice": index_advice(snapshot),
        }
        for snapshot in Snapshot.objects.order_by("name")
    ]
    return render(request, "wikipedia/snapshots/snapshot_list.html", {"snapshots": snapshots})
