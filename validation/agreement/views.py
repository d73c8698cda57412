"""Agreement and the audit, for the people who run a project."""

import json
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict
from annotation.exports.forms import SplitForm
from annotation.models import Project, Split
from annotation.pages.views import project_page
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from validation.agreement import services as service
from validation.agreement.people import names
from validation.agreement.reporting import Group, Line, Person, line
from validation.agreement.stored import StoredAgreement, agreement_of
from validation.audits import queries as audits
from validation.audits import services as audit
from validation.audits.form import DrawForm
from validation.audits.models import AuditSample

TAB = "reports"  # the report of agreement leads here


@dataclass(frozen=True)
class PersonShown:
    """The figures of one person on the page."""

    name: str
    n: int
    lines: tuple[Line, ...]
    nudges: tuple[str, ...]

    @property
    def few(self) -> bool:
        """Whether they answered too few questions for their shares to say much."""
        return self.lines[0].few


@require_http_methods(["GET", "POST"])
@never_cache
def agreement_view(request: UserRequest, slug: str) -> HttpResponse:
    """The stored figures of the project, for all splits or for one.

    A request by htmx asks for newer ones. A POST starts computing them again.
    """
    project = get_project(request, slug, check_can_manage)
    form = SplitForm(request.GET)
    split = form.cleaned_data["split"] if form.is_valid() else ""
    now = timezone.now()
    if request.method == "POST":
        service.start(project=project, by=request.user, now=now)
        return redirect(request.get_full_path())
    if "HX-Request" in request.headers:
        return _newer(request, project, split)
    agreement = service.look(project=project, by=request.user, now=now)
    context = project_page(request, project, TAB) | _shown(project, split, agreement)
    context |= {
        "splits": [("", "All"), *((value, value) for value in Split.values)],
        "audited": protocols.of(project).has(Feature.AUDITS),
    }
    return render(request, "validation/figures_view.html", context)


def _newer(request: UserRequest, project: Project, split: str) -> HttpResponse:
    """Answer a waiting page. Never start a job here, or an open page would do so for ever."""
    agreement = agreement_of(project)
    if agreement.computing:
        response = HttpResponse(status=204)  # htmx leaves the page as it is
    else:
        context = {"project": project} | _shown(project, split, agreement)
        response = render(request, "validation/_agreement.html", context)
        news = "could not be computed" if agreement.problem else "are here"
        response["HX-Trigger"] = json.dumps({"announce": f"The new figures {news}."})
    patch_vary_headers(response, ["HX-Request"])
    return response


def _shown(project: Project, split: str, agreement: StoredAgreement) -> dict[str, Any]:
    context = {"agreement": agreement, "split": split}
    report = agreement.report(split)
    if report is None:
        return context
    called = names(report)
    return context | {
        "figure_groups": [_group(group) for group in report.groups],
        "generators": [_person(person, called) for person in report.generators],
        "validators": [_person(person, called) for person in report.validators],
        "nothing": not any(group.n for group in report.groups),
    }


def _group(group: Group) -> dict[str, Any]:
    return {
        "key": group.key,
        "title": group.title,
        "needs": group.needs,
        "n": group.n,
        "counted": group.counted,
        "lines": [line(figure) for figure in group.figures],
    }


def _person(person: Person, called: dict[int, str]) -> PersonShown:
    return PersonShown(
        called[person.person],
        person.n,
        tuple(line(figure) for figure in person.figures),
        person.nudges,
    )


# --- the audit -----------------------------------------------------------------------------------


@require_http_methods(["GET", "POST"])
@never_cache
def audit_view(request: UserRequest, slug: str) -> HttpResponse:
    """The samples of the project, and the form that draws another."""
    project = get_project(request, slug, check_can_manage)
    if request.method == "GET":
        return _audit(request, project, DrawForm())
    form = DrawForm(request.POST)
    if not form.is_valid():
        return _audit(request, project, form, status=422)
    try:
        sample = audit.draw(project=project, **form.asked(), by=request.user, now=timezone.now())
    except Conflict as conflict:
        form.add_error(None, str(conflict))
        return _audit(request, project, form, status=422)
    messages.success(request, "Sample drawn. Researchers find its questions under My work.")
    return redirect("audit-sample", slug, sample.pk)


def _audit(
    request: UserRequest, project: Project, form: DrawForm, status: int = 200
) -> HttpResponse:
    context = project_page(request, project, "audit") | {
        "form": form,
        "samples": audits.samples(project),
        "policies": audits.policies(project),
    }
    return render(request, "validation/audit_list.html", context, status=status)


@require_GET
@never_cache
def audit_sample(request: UserRequest, slug: str, sample_id: int) -> HttpResponse:
    """The questions of a sample, with the experts' answers next to the accepted ones."""
    project = get_project(request, slug, check_can_manage)
    sample = get_object_or_404(AuditSample, project=project, pk=sample_id)
    context = project_page(request, project, "audit") | {
        "sample": sample,
        "items": audits.items(sample),
    }
    return render(request, "validation/audit_view.html", context)
