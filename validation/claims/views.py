"""The team's inbox: questions and claims of annotators, which are answered and decided here."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.access.loaders import UserRequest, get_project, parse_number
from annotation.access.projects import check_can_manage
from annotation.access.work import check_can_see_answers
from annotation.core.refusals import Conflict, Denied, ResponseRefused, is_allowed
from annotation.faq import services as faq_services
from annotation.feedback.queries import feedback_messages
from annotation.long_answers.concerns.queries import list_disambiguations
from annotation.models import Annotation, Assignment, LongAnswer, Project, Thread
from annotation.pages.views import project_page
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.sheets.report import FindingsReport
from annotation.sheets.rules import Finding
from annotation.text.cleaning import ResponseError
from annotation.threads import queries as threads_queries
from annotation.threads import services as threads_services
from annotation.threads.policies import check_can_answer
from validation.claims import services as claims
from validation.claims.models import Ruling
from validation.claims.policies import check_can_rule
from validation.claims.ruling_form import RulingEdits, apply_press, from_post
from validation.outcomes.status import outcome_of
from validation.verdicts.comparing import Texts
from validation.verdicts.given import ValidationContext
from validation.verdicts.presentation import ValidationFormBuilder
from validation.verdicts.responses import ValidationResponse

PAGE = 50


@require_GET
@never_cache
def claim_list(request: UserRequest, slug: str) -> HttpResponse:
    """Threads that wait for the team, oldest first; or all threads, newest first."""
    project = get_project(request, slug, check_can_manage)
    everything = request.GET.get("show") == "all"
    place = min(parse_number(request.GET.get("after", "")), 1_000_000)
    rows = threads_queries.of_project(project.pk)
    if everything:
        rows = rows.order_by("-pk")
    else:
        rows = rows.filter(state=Thread.State.OPEN).order_by("waiting_since", "pk")
    page = list(rows[place : place + PAGE + 1])
    context = project_page(request, project, "claims") | {
        "threads": page[:PAGE],
        "everything": everything,
        "disputes": protocols.protocol_of(project).has_feature(Feature.DISPUTES),
        "following": place + PAGE if len(page) > PAGE else 0,
    }
    return render(request, "validation/claims/claim_list.html", context)


@require_GET
@never_cache
def claim_view(request: UserRequest, slug: str, thread_id: int) -> HttpResponse:
    """One thread with the work it is about, and the actions open to the team."""
    project = get_project(request, slug, check_can_manage)
    thread = _thread(project, thread_id)
    return render(request, "validation/claims/claim_view.html", _page(request, project, thread))


def _page(request: UserRequest, project: Project, thread: Thread) -> dict[str, Any]:
    check_can_see_answers(request.user, thread.assignment.task.question)
    question = thread.assignment.task.question
    protocol = protocols.protocol_of(project)
    stands = claims.get_standing(question.pk)
    rulings = list(thread.rulings.select_related("made_by", "decision"))
    last = next((ruling for ruling in reversed(rulings) if ruling.undone_at is None), None)
    return project_page(request, project, "claims") | {
        "thread": thread,
        "talk": list(thread.messages.select_related("author")),
        "assignment": thread.assignment,
        "question": question,
        "outcome": outcome_of(thread.assignment),
        "written": _written(thread.assignment) if protocol.has_feature(Feature.CONCERNS) else None,
        "disambiguations": list_disambiguations(question)
        if protocol.has_feature(Feature.CONCERNS)
        else None,
        "stands": _shown(stands),
        "decided": stands.decided,
        "rulings": rulings,
        "last_ruling": last,
        "can_answer": is_allowed(check_can_answer, request.user, thread),
        "can_rule": is_allowed(check_can_rule, request.user, thread),
        "in_faq": hasattr(thread, "faq_entry"),
        "tags": protocol.feedback_tags.items(),
        "given": feedback_messages()
        .filter(thread__assignment=thread.assignment_id)
        .select_related("author"),
        "longest": threads_services.LONGEST,
    }


def _written(assignment: Assignment) -> LongAnswer | None:
    """Return the long answer of a turn with its evidence, None if none was submitted."""
    rows = LongAnswer.objects.filter(assignment=assignment)
    return rows.prefetch_related(
        "knowledge__quote__page", "knowledge__more_quotes__page", "overrides"
    ).first()


@require_POST
def claim_answer(request: UserRequest, slug: str, thread_id: int) -> HttpResponse:
    """Write to the author; this answers a question, and leaves a claim open."""
    thread = _thread(get_project(request, slug, check_can_manage), thread_id)
    threads_services.answer_thread(
        thread=thread, text=request.POST.get("text", ""), by=request.user, now=timezone.now()
    )
    messages.success(request, "Sent. It is shown as from the team.")
    return redirect("claim-view", slug, thread_id)


@require_POST
def claim_uphold(request: UserRequest, slug: str, thread_id: int) -> HttpResponse:
    """Keep the result."""
    thread = _thread(get_project(request, slug, check_can_manage), thread_id)
    claims.uphold_result(
        thread=thread, reason=request.POST.get("reason", ""), by=request.user, now=timezone.now()
    )
    messages.success(request, "Result kept. The annotator will see the reason.")
    return redirect("claim-view", slug, thread_id)


@require_POST
def ruling_undo(request: UserRequest, slug: str, thread_id: int, ruling_id: int) -> HttpResponse:
    """Take a ruling back."""
    thread = _thread(get_project(request, slug, check_can_manage), thread_id)
    ruling = get_object_or_404(Ruling, thread=thread, pk=ruling_id)
    ruling.thread = thread
    claims.undo_ruling(ruling=ruling, by=request.user, now=timezone.now())
    messages.success(request, "Undone. The result from before is back, and the claim is open.")
    return redirect("claim-view", slug, thread_id)


@require_POST
def claim_reopen(request: UserRequest, slug: str, thread_id: int) -> HttpResponse:
    """Open a closed thread again."""
    thread = _thread(get_project(request, slug, check_can_manage), thread_id)
    threads_services.reopen_thread(thread=thread, by=request.user, now=timezone.now())
    messages.success(request, "Open again.")
    return redirect("claim-view", slug, thread_id)


@require_POST
def claim_to_faq(request: UserRequest, slug: str, thread_id: int) -> HttpResponse:
    """Add the question and its answer to the FAQ."""
    thread = _thread(get_project(request, slug, check_can_manage), thread_id)
    entry = faq_services.add_from_thread(thread=thread, by=request.user, now=timezone.now())
    messages.success(request, "Added to the end of the FAQ. Edit the wording here.")
    return redirect("faq-change", slug, entry.pk)


@require_POST
def claim_read(request: UserRequest, slug: str, thread_id: int) -> HttpResponse:
    """Note that the team has read a thread."""
    thread = _thread(get_project(request, slug, check_can_manage), thread_id)
    seen = parse_number(request.POST.get("seen", ""))
    threads_services.mark_read(thread=thread, seen=seen, by=request.user, now=timezone.now())
    return HttpResponse(status=204)


# --- change what is accepted -------------------------------------------------------------------


@require_http_methods(["GET", "POST"])
@never_cache
def claim_change(request: UserRequest, slug: str, thread_id: int) -> HttpResponse:
    """Edit the accepted sets; every button works without scripts."""
    project = get_project(request, slug, check_can_manage)
    thread = _thread(project, thread_id)
    check_can_rule(request.user, thread)
    stands = claims.get_standing(thread.assignment.task.question_id)
    if not stands.decided:
        raise Conflict(claims.ANSWERED_AGAIN)
    if request.method == "GET":
        return _editor(request, project, thread, stands, stands.edited)
    if request.POST.get("basis", "") != stands.basis:
        raise Conflict(claims.OVERTAKEN)
    try:
        edited = from_post(request.POST, stands.said)
        if press := request.POST.get("action", ""):
            edited = apply_press(edited, press, stands.said, request.POST)
            return _editor(request, project, thread, stands, edited)
    except ResponseError as error:
        raise Denied(str(error)) from None
    try:
        claims.change_result(
            thread=thread,
            edited=edited,
            basis=stands.basis,
            reason=request.POST.get("reason", ""),
            keep_warnings=bool(request.POST.get("keep")),
            by=request.user,
            now=timezone.now(),
        )
    except ResponseRefused as refused:
        return _editor(request, project, thread, stands, edited, refused.report)
    messages.success(request, "Changed. The annotator will see the reason. You can undo it here.")
    return redirect("claim-view", slug, thread_id)


def _editor(
    request: UserRequest,
    project: Project,
    thread: Thread,
    stands: claims.AcceptedState,
    edited: RulingEdits,
    findings: Sequence[Finding] = (),
) -> HttpResponse:
    report = FindingsReport(tuple(findings), tuple(findings), checklist=())
    authors = set(
        Annotation.objects.filter(assignment=thread.assignment).values_list("pk", flat=True)
    )
    context = project_page(request, project, "claims") | {
        "thread": thread,
        "question": stands.question,
        "basis": stands.basis,
        "reason": request.POST.get("reason", ""),
        "keep": bool(request.POST.get("keep")),
        "kept_below": True,
        "edited": edited,
        "sets": _sets(edited, stands, report),
        "annotations": [
            (
                contribution.annotation,
                contribution.annotation in authors,
                contribution.annotation in edited.stand,
                contribution,
            )
            for contribution in stands.said
        ],
        "problems": [
            (_anchor(finding), finding.summary or finding.sentence) for finding in report.findings
        ],
        "general": [*report.findings_at("sets"), *report.findings_at("rows")],
        "warned": any(finding.level == "warning" for finding in report.findings),
    }
    status = 422 if findings else 200
    return render(request, "validation/claims/claim_change.html", context, status=status)


def _sets(
    edited: RulingEdits, stands: claims.AcceptedState, found: FindingsReport
) -> list[dict[str, Any]]:
    """Return the sets on the form, with their rows as on the sheet of validation."""
    given = ValidationContext(
        assignment=0,  # no names of pages or quotes are made here
        said=stands.said,
        stored=ValidationResponse(),
        prompt=stands.question.prompt,
        reference_date=stands.question.project.reference_date,
    )
    sets = []
    for edited_set in edited.sets:
        response = claims.as_response(edited_set, stands.said)
        showing = ValidationFormBuilder(given, response, found, within=edited_set.key)
        sets.append(
            {
                "key": edited_set.key,
                "rows": showing.build_rows(),
                "shown": {"ask_questions": showing.several},
                "findings": found.findings_at(f"set-{edited_set.key}"),
            }
        )
    return sets


def _anchor(finding: Finding) -> str:
    """Return the id of the field that a finding is about, otherwise that of the form."""
    return finding.field if finding.field.startswith(("row-", "set-")) else "answer"


def _shown(stands: claims.AcceptedState) -> dict[str, Any]:
    """Return the accepted sets for a page: annotations as written, and edited sets."""
    edited = stands.edited
    return {
        "excluded": edited.exclude,
        "decision": stands.decision,
        "state": stands.question.get_state_display(),
        "annotations": [
            contribution for contribution in stands.said if contribution.annotation in edited.stand
        ],
        "sets": [
            [
                Texts(
                    tuple(phrasing.text for phrasing in row.kept),
                    tuple(form.text for form in row.forms),
                )
                for row in made.rows
            ]
            for made in edited.sets
        ],
        "left_out": stands.decision.excluded.all() if stands.decision else (),
    }


def _thread(project: Project, thread_id: int) -> Thread:
    rows = Thread.objects.select_related(
        "project",
        "assignment__task__question",
        "assignment__project",
        "assignment__user",
        "faq_entry",
    )
    return get_object_or_404(rows, project=project, pk=thread_id)
