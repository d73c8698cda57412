"""The pages of the audit, for the people who run a project."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict
from annotation.models import Project
from annotation.pages.views import project_page
from validation.audits import queries as audits
from validation.audits import services as audit
from validation.audits.form import AuditDrawForm
from validation.audits.models import AuditSample


@require_http_methods(["GET", "POST"])
@never_cache
def audit_view(request: UserRequest, slug: str) -> HttpResponse:
    """The samples of the project, and the form that draws another."""
    project = get_project(request, slug, check_can_manage)
    if request.method == "GET":
        return _audit(request, project, AuditDrawForm())
    form = AuditDrawForm(request.POST)
    if not form.is_valid():
        return _audit(request, project, form, status=422)
    try:
        sample = audit.draw_sample(
            project=project, **form.service_arguments(), by=request.user, now=timezone.now()
        )
    except Conflict as conflict:
        form.add_error(None, str(conflict))
        return _audit(request, project, form, status=422)
    messages.success(request, "Sample drawn. Experts find its questions under My work.")
    return redirect("audit-sample", slug, sample.pk)


def _audit(
    request: UserRequest, project: Project, form: AuditDrawForm, status: int = 200
) -> HttpResponse:
    context = project_page(request, project, "audit") | {
        "form": form,
        "samples": audits.list_samples(project),
        "policies": audits.list_policies(project),
    }
    return render(request, "validation/audits/audit_list.html", context, status=status)


@require_GET
@never_cache
def audit_sample(request: UserRequest, slug: str, sample_id: int) -> HttpResponse:
    """The questions of a sample, with the experts' answers next to the accepted ones."""
    project = get_project(request, slug, check_can_manage)
    sample = get_object_or_404(AuditSample, project=project, pk=sample_id)
    context = project_page(request, project, "audit") | {
        "sample": sample,
        "items": audits.list_sample_questions(sample),
    }
    return render(request, "validation/audits/audit_view.html", context)
