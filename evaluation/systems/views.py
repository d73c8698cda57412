"""Systems: the list, importing what one answered, its page."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access.loaders import UserRequest, get_project, parse_number
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict
from annotation.exports.downloads import send_blocks
from annotation.extensions.usages import list_uses
from annotation.imports.records import WrongFormat
from annotation.models import Project, Split
from annotation.pages.panels import panels_of
from annotation.pages.views import project_page
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.uploads.requests import takes_files, upload_refusal
from evaluation.systems import downloads, matching, output_files, queries, services
from evaluation.systems.forms import OutputsForm, ReferenceForm, SystemForm
from evaluation.systems.import_jobs import start_outputs
from evaluation.systems.models import System
from evaluation.systems.policies import check_can_import_outputs

TAB = "studies"
PAGE = 50
PANELS = "systems"  # what floors above add to the list


@require_safe
def system_list(request: UserRequest, slug: str) -> HttpResponse:
    """The systems of a project."""
    project = get_project(request, slug, check_can_manage)
    protocol = protocols.protocol_of(project)
    context = project_page(request, project, TAB) | {
        "systems": queries.list_systems(project),
        "panels": panels_of(project, PANELS),
        "long": protocol.has_feature(Feature.LONG),
        "scored": _is_scored(project),
    }
    return render(request, "evaluation/systems/system_list.html", context)


def _is_scored(project: Project) -> bool:
    return protocols.protocol_of(project).has_feature(Feature.SCORES)


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
def system_add(request: UserRequest, slug: str) -> HttpResponse:
    """Start importing what a system answered, or make a reference of the project's long answers."""
    project = get_project(request, slug, check_can_import_outputs)
    own = request.POST.get("source") == "own"
    known = project.systems.filter(pk=parse_number(request.GET.get("system", ""))).first()
    initial = {"name": known.name, "version": known.version, "kind": known.kind} if known else {}
    file_form = OutputsForm(initial=initial, auto_id="file-%s")
    own_form = ReferenceForm(initial={"name": "Human"}, auto_id="own-%s")
    if request.method == "POST":
        form: SystemForm
        if own:
            form = own_form = ReferenceForm(request.POST, auto_id="own-%s")
        else:
            form = file_form = OutputsForm(
                request.POST, request.FILES, auto_id="file-%s", refused=upload_refusal(request)
            )
        if form.is_valid() and (done := _take(request, project, form)):
            return done
    own_file = output_files.find_file(project)
    context = project_page(request, project, TAB) | {
        "file_form": file_form,
        "hint": own_file.hint if own_file else "",
        "own_form": own_form if own or services.has_long_answers(project) else None,
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "evaluation/systems/system_add.html", context, status=status)


def _take(request: UserRequest, project: Project, form: SystemForm) -> HttpResponse | None:
    """Return where to go next; None where the form says why nothing was done."""
    who_and_when: dict[str, Any] = {"by": request.user, "now": timezone.now()}
    try:
        if isinstance(form, ReferenceForm):
            system, report = services.from_long_answers(
                project=project, **form.cleaned_data, **who_and_when
            )
            answers = "1 answer" if report.taken == 1 else f"{report.taken:,} answers"
            messages.success(request, f"Imported {answers} of {system}.")
            return redirect("system-view", project.slug, system.pk)
        name = form.cleaned_data["file"].name
        job = start_outputs(project=project, file_name=name, **form.cleaned_data, **who_and_when)
        return redirect("job-detail", project.slug, job.pk)
    except (Conflict, WrongFormat) as error:
        place = "file" if isinstance(error, WrongFormat) else None
        form.add_error(place, f"{error} Nothing was imported.")
        return None


@require_safe
def system_view(request: UserRequest, slug: str, system_id: int) -> HttpResponse:
    """One system: how it was run, what its last import could not match, its answers."""
    system = _system(request, slug, system_id)
    after = parse_number(request.GET.get("after", ""))
    outputs = system.outputs.filter(pk__gt=after).select_related("question", "author")
    outputs = outputs.defer("details", "question__context")  # neither is shown, and both are large
    page = list(outputs.order_by("pk")[: PAGE + 1])
    entry = queries.last_import(system)
    context = project_page(request, system.project, TAB) | {
        "system": system,
        "answers": system.outputs.count(),
        "studies": [use.title for use in reversed(list_uses(System, [system.pk], "study"))],
        "splits": services.splits_of(system) if _is_scored(system.project) else [],
        "imported_at": entry.at if entry else None,
        "mismatches": matching.list_mismatches(entry.data) if entry else [],
        "forms": downloads.list_forms(system),
        "outputs": [(row, len(row.text.split())) for row in page[:PAGE]],
        "later": page[PAGE - 1].pk if len(page) > PAGE else 0,
        "earlier": after,
    }
    return render(request, "evaluation/systems/system_view.html", context)


@require_safe
def system_download(
    request: UserRequest, slug: str, system_id: int, form: str
) -> StreamingHttpResponse:
    """The answers of a system as a file, of one split or of all."""
    system = _system(request, slug, system_id)
    split = request.GET.get("split", "")
    if form not in downloads.list_forms(system) or split not in ("", *Split.values):
        raise Http404
    blocks = downloads.stream_answers(system, form, split)
    return send_blocks(blocks, downloads.name_file(system, form, split), "application/json")


@require_POST
def system_delete(request: UserRequest, slug: str, system_id: int) -> HttpResponse:
    """Delete a system that no study uses."""
    system = _system(request, slug, system_id)
    try:
        services.delete_system(system=system, by=request.user, now=timezone.now())
    except Conflict as conflict:
        messages.error(request, str(conflict))
        return redirect("system-view", slug, system_id)
    messages.success(request, f"Deleted {system} with its answers.")
    return redirect("system-list", slug)


def _system(request: UserRequest, slug: str, system_id: int) -> System:
    project = get_project(request, slug, check_can_manage)
    system = get_object_or_404(project.systems, pk=system_id)
    system.project = project
    return system
