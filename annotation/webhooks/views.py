"""The page of a project's webhooks: addresses, what they were told, and a test."""

from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_tell_others
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.pages.views import project_page
from annotation.webhooks import services
from annotation.webhooks.forms import WebhookForm
from annotation.webhooks.models import Delivery, Webhook

LAST = 20


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def webhook_list(request: UserRequest, slug: str) -> HttpResponse:
    """Show the addresses that are told; add one."""
    project = get_project(request, slug, check_can_tell_others)
    form, made, status = WebhookForm(request.POST or None), None, HTTPStatus.OK
    if request.method == "POST":
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        if form.is_valid():
            try:
                made = services.add_webhook(
                    project=project,
                    url=form.cleaned_data["url"],
                    by=request.user,
                    now=timezone.now(),
                )
            except Conflict as conflict:
                form.add_error("url", str(conflict))
            else:
                form, status = WebhookForm(), HTTPStatus.CREATED
    context = project_page(request, project, "settings") | {
        "form": form,
        "made": made,
        "hosts": settings.WEBHOOK_HOSTS,
        "webhooks": project.webhooks.filter(stopped_at__isnull=True).order_by("pk"),
        "deliveries": _last(project),
    }
    return render(request, "annotation/webhooks/webhook_list.html", context, status=status)


def _last(project: Project) -> list[Delivery]:
    told = Delivery.objects.filter(webhook__project=project).select_related("webhook")
    return list(told.order_by("-pk")[:LAST])


@require_POST
def webhook_stop(request: UserRequest, slug: str, webhook_id: int) -> HttpResponse:
    """Tell an address nothing more."""
    project = get_project(request, slug, check_can_tell_others)
    webhook = _webhook(project, webhook_id)
    services.stop_webhook(webhook=webhook, by=request.user, now=timezone.now())
    messages.success(request, f"{webhook.url} is not told any more.")
    return redirect("webhook-list", slug)


@require_POST
def webhook_test(request: UserRequest, slug: str, webhook_id: int) -> HttpResponse:
    """Send an address a test."""
    project = get_project(request, slug, check_can_tell_others)
    webhook = _webhook(project, webhook_id)
    services.send_test_message(webhook=webhook, by=request.user, now=timezone.now())
    messages.success(request, "A test is on its way. Its outcome will be in the list below.")
    return redirect("webhook-list", slug)


def _webhook(project: Project, webhook_id: int) -> Webhook:
    return get_object_or_404(
        Webhook.objects.select_related("project"), project=project, pk=webhook_id
    )
