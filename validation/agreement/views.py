"""The page of agreement, for the people who run a project."""

import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.exports.forms import SplitForm
from annotation.figures import services as figures_services
from annotation.models import Project, Split
from annotation.pages.views import project_page
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from validation.agreement.people import name_people
from validation.agreement.reporting import FigureGroup, FigureLine, PersonFigures, describe_figure
from validation.agreement.stored import StoredAgreement, find_agreement
from validation.verdicts import promotion

TAB = "reports"  # the report of agreement leads here


@dataclass(frozen=True)
class PersonShown:
    """The figures of one person on the page."""

    name: str
    n: int
    lines: tuple[FigureLine, ...]
    nudges: tuple[str, ...]
    can_validate: bool

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
        place = find_agreement(project).place
        figures_services.start_figures_job(place, by=request.user, now=now)
        return redirect(request.get_full_path())
    if "HX-Request" in request.headers:
        return _newer(request, project, split)
    agreement = figures_services.open_figures(find_agreement(project), by=request.user, now=now)
    context = project_page(request, project, TAB) | _shown(project, split, agreement)
    context |= {
        "splits": [("", "All"), *((value, value) for value in Split.values)],
        "audited": protocols.protocol_of(project).has_feature(Feature.AUDITS),
    }
    return render(request, "validation/agreement/figures_view.html", context)


def _newer(request: UserRequest, project: Project, split: str) -> HttpResponse:
    """Answer a waiting page. Never start a job here, or an open page would do so for ever."""
    agreement = find_agreement(project)
    if agreement.computing:
        response = HttpResponse(status=204)  # htmx leaves the page as it is
    else:
        context = {"project": project} | _shown(project, split, agreement)
        response = render(request, "validation/agreement/_agreement.html", context)
        news = "could not be computed" if agreement.problem else "are here"
        response["HX-Trigger"] = json.dumps({"announce": f"The new figures {news}."})
    patch_vary_headers(response, ["HX-Request"])
    return response


def _shown(project: Project, split: str, agreement: StoredAgreement) -> dict[str, Any]:
    context = {"agreement": agreement, "split": split}
    report = agreement.report(split)
    if report is None:
        return context
    called = name_people(report)
    return context | {
        "figure_groups": [_group(group) for group in report.groups],
        "generators": [_person(person, called) for person in report.generators],
        "validators": [_person(person, called) for person in report.validators],
        "expected": [f"{100 * share:.0f} %" for share in promotion.EXPECTED.values()],
        "promotion": promotion,
        "nothing": not any(group.n for group in report.groups),
    }


def _group(group: FigureGroup) -> dict[str, Any]:
    return {
        "key": group.key,
        "title": group.title,
        "needs": group.needs,
        "n": group.n,
        "counted": group.counted,
        "lines": [describe_figure(figure) for figure in group.figures],
    }


def _person(person: PersonFigures, called: dict[int, str]) -> PersonShown:
    return PersonShown(
        called[person.person],
        person.n,
        tuple(describe_figure(figure) for figure in person.figures),
        person.nudges,
        person.can_validate,
    )
