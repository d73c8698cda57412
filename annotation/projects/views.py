"""Pages of a project: overview, questions, guidelines, rules, log, settings, policies."""

from collections.abc import Callable, Mapping

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_create_project, check_can_manage
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict, Denied, is_allowed
from annotation.figures import counts as stored_counts
from annotation.figures.counts import OVERVIEW
from annotation.imports.views import data_panels
from annotation.log import queries as log_queries
from annotation.pages.views import project_page
from annotation.progress.context import progress_context
from annotation.progress.queries import in_order
from annotation.projects import duplicating, queries, services, stuck_work
from annotation.projects.forms import (
    DuplicateForm,
    GuidelinesForm,
    PolicyForm,
    ProjectForm,
    RulesForm,
    SettingsForm,
    StateForm,
    rule_values,
)
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.stages import registry as stages
from annotation.text.markdown import render_sections
from annotation.work import assignments


@require_safe
def project_list(request: UserRequest) -> HttpResponse:
    """List the person's projects, or with ?archived=1 those that are archived."""
    roles = queries.roles_of(request.user)
    archived = request.GET.get("archived") == "1"
    return render(
        request,
        "annotation/projects/project_list.html",
        {
            "section": "projects",
            "archived": archived,
            "projects": [
                (project, roles.get(project.pk, []))
                for project in queries.projects_of(request.user, archived=archived)
            ],
            "others": queries.projects_of(request.user, archived=not archived).exists(),
            "may_create": is_allowed(check_can_create_project, request.user),
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
def project_create(request: UserRequest) -> HttpResponse:
    """A new project."""
    check_can_create_project(request.user)
    form = ProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            project = services.create_project(
                **form.cleaned_data, by=request.user, now=timezone.now()
            )
        except Conflict as refusal:
            form.add_error("slug", str(refusal))
        else:
            messages.success(request, f"{project.title} is ready. It needs questions next.")
            return redirect("import-create", project.slug)
    status = 422 if form.is_bound else 200
    context = {"section": "projects", "form": form}
    return render(request, "annotation/projects/project_create.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def project_duplicate(request: UserRequest, slug: str) -> HttpResponse:
    """Create a project with the same settings as this one."""
    project = get_project(request, slug, check_can_manage)
    initial = {"title": f"{project.title} (copy)"[:120]}
    form = DuplicateForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            made = duplicating.duplicate_project(
                source=project, by=request.user, now=timezone.now(), **form.cleaned_data
            )
        except Conflict as refusal:
            form.add_error("slug", str(refusal))
        else:
            messages.success(request, f"{made.title} is ready. Import questions next.")
            return redirect("project-overview", made.slug)
    context = project_page(request, project, "settings") | {"form": form}
    status = 422 if form.is_bound else 200
    return render(request, "annotation/projects/project_duplicate.html", context, status=status)


@require_safe
def project_overview(request: UserRequest, slug: str) -> HttpResponse:
    """Progress, import, export and policies of a project."""
    project = get_project(request, slug)
    now = timezone.now()
    stored_counts.load_figures([project], OVERVIEW, now=now)
    context = project_page(request, project, "overview")
    context |= progress_context(project, now)
    if not context["progress"]:  # nothing was ever handed out: all may be finished work
        context["finished"] = project.questions.count()
    if context["manages"]:
        context["paused"] = queries.paused_members(project)
        context["stuck"] = stuck_work.list_stuck_work([project])
        left = any(each.done < each.total for each, _ in context["progress"])
        begun = bool(context["progress"] or context.get("finished"))
        context["complete"] = begun and not (left or context["stuck"] or context["unopened"])
        context |= data_panels(request, project)
    return render(request, "annotation/projects/project_overview.html", context)


@require_safe
def project_stuck(request: UserRequest, slug: str) -> HttpResponse:
    """List the open questions that no one may take, with what to do about them."""
    project = get_project(request, slug, check_can_manage)
    stored_counts.load_figures([project], OVERVIEW, now=timezone.now())
    rows = [
        (policy, stuck_work.questions_of(policy.policy))
        for policy in stuck_work.list_stuck_work([project])
    ]
    context = project_page(request, project, "questions") | {
        "stuck": rows,
        "counted_at": stored_counts.counted_at(project, OVERVIEW),
    }
    return render(request, "annotation/projects/project_stuck.html", context)


# What staff may do with submitted work, and the message afterwards.
JUDGEMENTS: Mapping[str, tuple[Callable[..., Assignment], str]] = {
    "return": (assignments.return_to_author, "Returned. It is parked for its author."),
    "leave-out": (assignments.soft_reject, "Excluded from the data. It stays paid."),
    "use": (assignments.use_again, "Used again."),
}


@require_POST
def turn_judge(request: UserRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Return submitted work to its author, leave it out of the data, or use it again."""
    project = get_project(request, slug, check_can_manage)
    turns = Assignment.objects.select_related("task__question", "policy", "project")
    turn = get_object_or_404(turns, project=project, pk=assignment_id)
    judge, sentence = JUDGEMENTS.get(request.POST.get("action", ""), (None, ""))
    if judge is None:
        raise Denied("Choose what to do with this work.")
    note = request.POST.get("note", "")
    judge(assignment=turn, note=note, by=request.user, now=timezone.now())
    messages.success(request, sentence)
    return redirect("question-view", slug, turn.task.question_id)


@require_http_methods(["GET", "HEAD", "POST"])
def project_guidelines(request: UserRequest, slug: str) -> HttpResponse:
    """Read the guidelines; staff publish new versions."""
    project = get_project(request, slug)
    newest = project.guidelines.order_by("-version").first()
    context = project_page(request, project, "guidelines")
    form = GuidelinesForm(request.POST or None, initial={"body": newest.body if newest else ""})
    if request.method == "POST":
        check_can_manage(request.user, project)
        if form.is_valid():
            published = services.publish_guidelines(
                project=project, by=request.user, now=timezone.now(), **form.cleaned_data
            )
            messages.success(request, f"Annotators now see version {published.version}.")
            return redirect("project-guidelines", slug)
    context |= {
        "form": form,
        "newest": newest,
        "sections": render_sections(newest.body) if newest else [],
        "versions": project.guidelines.order_by("-version").select_related("created_by")[:20],
    }
    status = 422 if form.is_bound else 200
    return render(request, "annotation/projects/project_guidelines.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def project_rules(request: UserRequest, slug: str) -> HttpResponse:
    """Show and change the thresholds and switches of the checks."""
    project = get_project(request, slug, check_can_manage)
    rules = protocols.protocol_of(project).rules
    values = rule_values(rules, project.rule_settings)
    form = RulesForm(request.POST or None, initial=values, rules=rules)
    if request.method == "POST" and form.is_valid():
        changes: dict[str, object] = {"rule_settings": rules.read_settings(form.cleaned_data)}
        return _save_settings(request, project, changes, "project-rules")
    context = project_page(request, project, "rules") | {"form": form}
    status = 422 if form.is_bound else 200
    return render(request, "annotation/projects/project_rules.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def project_settings(request: UserRequest, slug: str) -> HttpResponse:
    """Show and change name, reference date and limits."""
    project = get_project(request, slug, check_can_manage)
    initial = {field: getattr(project, field) for field in SettingsForm.base_fields}
    form = SettingsForm(request.POST or None, initial=initial, protocol=project.protocol)
    if request.method == "POST" and form.is_valid():
        return _save_settings(request, project, form.cleaned_data, "project-settings")
    context = project_page(request, project, "settings") | {"form": form}
    status = 422 if form.is_bound else 200
    return render(request, "annotation/projects/project_settings.html", context, status=status)


def _save_settings(
    request: UserRequest, project: Project, changes: dict[str, object], back: str
) -> HttpResponseRedirect:
    services.change_settings(project=project, changes=changes, by=request.user, now=timezone.now())
    messages.success(request, "Saved. It applies from now on.")
    return redirect(back, project.slug)


@require_safe
def project_policies(request: UserRequest, slug: str) -> HttpResponse:
    """What each stage asks for on each split."""
    project = get_project(request, slug, check_can_manage)
    policies = in_order(project.policies.select_related("qualification"))
    of = {stage.key: stage for stage in stages.list_stages()}
    context = project_page(request, project, "policies") | {
        "policies": policies,
        "of": of,
        "asks_time": any(of[policy.stage].minimum for policy in policies),
        "gives_inputs": protocols.protocol_of(project).has_feature(Feature.INPUTS),
    }
    return render(request, "annotation/projects/project_policies.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def policy_change(request: UserRequest, slug: str, policy_id: int) -> HttpResponse:
    """What one stage asks for on one split."""
    project = get_project(request, slug, check_can_manage)
    policies = StagePolicy.objects.select_related("project", "qualification")
    policy = get_object_or_404(policies, project=project, pk=policy_id)
    initial = {field: getattr(policy, field) for field in PolicyForm.base_fields}
    form = PolicyForm(request.POST or None, initial=initial, policy=policy)
    if request.method == "POST" and form.is_valid():
        services.change_policy(
            policy=policy, changes=form.cleaned_data, by=request.user, now=timezone.now()
        )
        messages.success(request, f"Saved for {stages.label_of(policy.stage)} on {policy.split}.")
        return redirect("project-policies", slug)
    context = project_page(request, project, "policies") | {"form": form, "policy": policy}
    status = 422 if form.is_bound else 200
    return render(request, "annotation/projects/policy_change.html", context, status=status)


@require_POST
def project_state(request: UserRequest, slug: str) -> HttpResponse:
    """Run, pause, close or archive."""
    project = get_project(request, slug, check_can_manage)
    form = StateForm(request.POST)
    if form.is_valid():
        services.change_state(
            project=project, by=request.user, now=timezone.now(), **form.cleaned_data
        )
        messages.success(request, f"The project is {project.get_state_display().lower()}.")
    else:
        messages.error(request, "Choose running, paused, closed or archived.")
    return redirect("project-overview", slug)


@require_safe
def project_log(request: UserRequest, slug: str) -> HttpResponse:
    """Show the log of decisions, newest first."""
    project = get_project(request, slug, check_can_manage)
    before = request.GET.get("before", "")
    entries = log_queries.list_project_log(
        project, before=int(before) if before.isdecimal() and len(before) < 19 else None
    )
    context = project_page(request, project, "log") | {
        "entries": entries[: log_queries.PAGE],
        "following": entries[log_queries.PAGE - 1].pk if len(entries) > log_queries.PAGE else None,
    }
    return render(request, "annotation/projects/project_log.html", context)
