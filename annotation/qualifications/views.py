"""The qualifications of a project: their list, the page to start from, the team's pages."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access.loaders import UserRequest, get_member, get_project
from annotation.access.projects import check_can_manage
from annotation.core.models.projects import Guideline, Project
from annotation.core.models.qualifications import Qualification
from annotation.core.refusals import Conflict, Denied
from annotation.pages.views import project_page
from annotation.protocols import registry as protocols
from annotation.qualifications import attempts, grading, presentation, queries, services
from annotation.qualifications.forms import ItemsFileForm, NewQualificationForm, QualificationForm
from annotation.qualifications.grading_forms import GradeForm
from annotation.qualifications.models import Part, QualificationItem
from annotation.qualifications.policies import NOT_OPEN, can_ask
from annotation.text.markdown import render_markdown as markdown

State = Qualification.State


def of_project(project: Project, pk: int) -> Qualification:
    """Return the project's qualification, or answer 404."""
    rows = Qualification.objects.select_related("project__snapshot")
    return get_object_or_404(rows, project=project, pk=pk)


def load_for_team(request: UserRequest, slug: str, pk: int) -> Qualification:
    """Return a qualification of the project for who may change it, or answer 404 or 403."""
    return of_project(get_project(request, slug, check_can_manage), pk)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def qualification_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the qualifications; staff can create another one."""
    project = get_project(request, slug)
    form = NewQualificationForm(request.POST or None, protocol=project.protocol)
    if request.method == "POST":
        check_can_manage(request.user, project)
        if form.is_valid():
            try:
                made = services.create_qualification(
                    project=project, by=request.user, now=timezone.now(), **form.cleaned_data
                )
            except Conflict as refusal:
                form.add_error("title", str(refusal))
            else:
                messages.success(request, "Add items, then open it.")
                return redirect("qualification-view", slug, made.pk)
    context = project_page(request, project, "qualifications")
    context |= {
        "form": form,
        "tests": bool(protocols.protocol_of(project).exams),
        "qualifications": queries.of_project(project, request.user, drafts=context["manages"]),
        "newest": Guideline.newest_version_of(project.pk),
    }
    status = 422 if form.is_bound else 200
    return render(
        request, "annotation/qualifications/qualification_list.html", context, status=status
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def qualification_start(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Describe the qualification; begin or continue self-study or an attempt."""
    project = get_project(request, slug)
    qualification = of_project(project, pk)
    if request.method == "POST":
        part = Part.STUDY if request.POST.get("part") == Part.STUDY else Part.EXAM
        try:
            attempt = attempts.start_attempt(
                qualification=qualification, by=request.user, now=timezone.now(), part=part
            )
        except Denied as refusal:
            if not refusal.leads_to:
                raise
            return redirect(f"{refusal.leads_to}?next={request.path}")
        first = attempt.answers.filter(draft_saved_at=None).first() or attempt.answers.first()
        return redirect("attempt-item", attempt.pk, first.number if first else 1)
    standing = queries.get_standing(request.user, qualification, timezone.now())
    context = project_page(request, project, "qualifications")
    if qualification.state == State.DRAFT and not (context["manages"] or standing.attempts):
        raise Conflict(NOT_OPEN[State.DRAFT])
    context |= {
        "qualification": qualification,
        "about": markdown(qualification.about) if qualification.about else "",
        "items": standing.facts.items,
        "standing": standing,
        "asks": [past.pk for past in standing.attempts if can_ask(past)],
    }
    return render(request, "annotation/qualifications/qualification_start.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def qualification_view(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """The team's page: settings, items, attempts, people."""
    qualification = load_for_team(request, slug, pk)
    form = QualificationForm(
        request.POST or None, initial=settings_of(qualification), kind=qualification.kind
    )
    if request.method == "POST" and form.is_valid():
        try:
            services.change_qualification(
                qualification=qualification,
                changes=form.cleaned_data,
                by=request.user,
                now=timezone.now(),
            )
        except Conflict as refusal:
            if qualification.state != State.DRAFT:
                raise
            form.add_error("title", str(refusal))
        else:
            messages.success(request, "Saved.")
            return redirect("qualification-view", slug, pk)
    return render_team_page(request, qualification, form=form)


def settings_of(qualification: Qualification) -> dict[str, Any]:
    """Return the initial values of the settings form."""
    return {name: getattr(qualification, name) for name in QualificationForm.base_fields}


def render_team_page(
    request: UserRequest,
    qualification: Qualification,
    *,
    form: QualificationForm | None = None,
    file_form: ItemsFileForm | None = None,
) -> HttpResponse:
    """Show the team's page, with any form that was refused."""
    kind, project = qualification.kind, qualification.project
    newest = Guideline.newest_version_of(project.pk)
    context = project_page(request, project, "qualifications")
    context |= {
        "qualification": qualification,
        "form": form or QualificationForm(initial=settings_of(qualification), kind=kind),
        "file_form": file_form or ItemsFileForm(kind=kind),
        "parts": (parts := _parts(qualification)),
        "attempts": queries.attempts_at(qualification),
        "people": queries.list_people(qualification),
        "demanding": list(qualification.policies.all()),
        "trains": bool(parts[0][2]) or qualification.walk_through,
        "newest": newest,
        "stale": newest > qualification.guideline_version,
        "writing": qualification.state == State.DRAFT,
    }
    bound = (form is not None and form.is_bound) or file_form is not None
    status = 422 if bound else 200
    return render(
        request, "annotation/qualifications/qualification_view.html", context, status=status
    )


def _parts(qualification: Qualification) -> list[tuple[str, str, list[QualificationItem]]]:
    """Return the items of the self-study and of the exam, each with its title."""
    items = list(qualification.items.all())
    return [
        (part.value, title, [item for item in items if item.part == part])
        for part, title in ((Part.STUDY, "Samples for self-study"), (Part.EXAM, "Items"))
    ]


@require_POST
def qualification_state(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Open or close it, or reopen it for changes."""
    qualification = load_for_team(request, slug, pk)
    ended = services.set_state(
        qualification=qualification,
        state=request.POST.get("state", ""),
        by=request.user,
        now=timezone.now(),
    )
    told = {
        State.OPEN: "Open. Everybody in the project can take it.",
        State.CLOSED: "Closed. No one can begin; attempts in progress can be submitted.",
        State.DRAFT: "Taken back. Change it, then open it again.",
    }[State(qualification.state)]
    if ended:
        told += f" {ended} attempt{'' if ended == 1 else 's'} in progress ended and will not count."
    messages.success(request, told)
    return redirect("qualification-view", slug, pk)


@require_POST
def qualification_confirm(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Confirm that the items are right under the current guidelines."""
    version = services.confirm_guidelines(
        qualification=load_for_team(request, slug, pk), by=request.user, now=timezone.now()
    )
    messages.success(request, f"Now tied to guidelines version {version}.")
    return redirect("qualification-view", slug, pk)


@require_POST
def qualification_person(request: UserRequest, slug: str, pk: int, user_id: int) -> HttpResponse:
    """Qualify a person by hand, or withdraw the qualification."""
    qualification = load_for_team(request, slug, pk)
    person = get_member(qualification.project, user_id)
    does = {"grant": grading.grant_qualification, "revoke": grading.revoke_qualification}.get(
        request.POST.get("action", "")
    )
    if does is None:
        raise Denied("Choose whether the person is qualified.")
    does(
        qualification=qualification,
        user=person,
        note=request.POST.get("note", ""),
        by=request.user,
        now=timezone.now(),
    )
    granted = does is grading.grant_qualification
    messages.success(request, f"{person} is {'qualified' if granted else 'no longer qualified'}.")
    return redirect("qualification-view", slug, pk)


# The buttons of the grading page: pass, fail, or only save the grades.
_DECISIONS = {"pass": True, "fail": False, "keep": None}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def qualification_grade(request: UserRequest, slug: str, pk: int, attempt_id: int) -> HttpResponse:
    """Show one attempt next to the prepared answers; take verdicts, feedback and the decision."""
    qualification = load_for_team(request, slug, pk)
    attempt = queries.attempt_for_staff(qualification, attempt_id)
    if attempt is None:
        raise Http404
    form = GradeForm(request.POST or None, attempt=attempt, initial={"note": attempt.note})
    study = attempt.part == Part.STUDY
    if request.method == "POST" and form.is_valid():
        decision = "keep" if study else request.POST.get("decision", "")
        if decision not in _DECISIONS:
            raise Denied("Choose what to do with this attempt.")
        passed = _DECISIONS[decision]
        if passed is None or form.check_all_graded():
            grading.grade_attempt(
                attempt=attempt,
                items=form.item_grades(),
                passed=passed,
                note=form.cleaned_data["note"],
                by=request.user,
                now=timezone.now(),
            )
            outcome = "" if study else f": {attempt.get_state_display().lower()}"
            messages.success(request, f"Saved{outcome}.")
            return redirect("qualification-grade", slug, pk, attempt_id)
    context = project_page(request, qualification.project, "qualifications") | {
        "qualification": qualification,
        "attempt": attempt,
        "form": form,
        "note": form["note"],
        "study": study,
        "own": attempt.user_id == request.user.pk,
        "results": [
            (
                presentation.result_shown(answer, staff=True),
                None if study else form[f"graded-{answer.number}"],
                form[f"feedback-{answer.number}"],
            )
            for answer in attempt.answers.all()
        ],
    }
    status = 422 if form.is_bound else 200
    return render(
        request, "annotation/qualifications/qualification_grade.html", context, status=status
    )
