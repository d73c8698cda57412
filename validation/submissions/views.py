"""A person's own submissions: the list, the page of each with its outcome, and its threads."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.access.loaders import UserRequest, get_assignment, parse_number
from annotation.access.projects import is_member
from annotation.core.refusals import Conflict
from annotation.feedback.queries import feedback_messages
from annotation.long_answers.queries import find_answer
from annotation.models import Assignment, Project, Submission, Thread
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.reading.queries import history_of
from annotation.stages import registry as stages
from annotation.threads import queries as threads_queries
from annotation.threads import services as threads_services
from annotation.work import changing
from validation.claims import services as claims_services
from validation.claims.policies import claim_until
from validation.outcomes import status
from validation.outcomes.status import OutcomeDetails
from validation.outcomes.values import Status
from validation.submissions.shown import read_own_submission
from validation.verdicts.comparing import Texts


@require_GET
@never_cache
def submission_list(request: UserRequest) -> HttpResponse:
    """The person's submissions, filtered by project and outcome."""
    slug = request.GET.get("project", "")
    project = _project(request, slug) if slug else None
    key = project.pk if project else 0
    chosen = request.GET.get("status", "")
    chosen = chosen if chosen in set(Status) else ""
    before = parse_number(request.GET.get("before", ""))
    page = status.list_submissions(request.user, project=key, status=chosen, before=before)
    older = page[status.PAGE - 1].assignment.pk if len(page) > status.PAGE else 0
    if chosen and not older:
        older = status.looked_at_until(request.user, project=key, before=before)
    following = request.GET.copy()
    following["before"] = str(older)
    context = {
        "section": "work",
        "project": project,
        "chosen": chosen,
        "choices": status.build_status_filters(
            status.count_by_status(request.user, project=key), chosen
        ),
        "submissions": page[: status.PAGE],
        "following": following.urlencode() if older else "",
    }
    return render(request, "validation/submissions/submission_list.html", context)


def _project(request: UserRequest, slug: str) -> Project:
    """Return a project in which the person works or has worked; any other is a 404."""
    project = get_object_or_404(Project, slug=slug)
    worked = Assignment.objects.filter(user=request.user, project=project)
    if not (is_member(request.user, project) or worked.exists()):
        raise Http404
    return project


@require_GET
@never_cache
def submission_view(request: UserRequest, assignment_id: int) -> HttpResponse:
    """One submission: its result, the feedback on it, and the threads about it."""
    assignment = get_assignment(request, assignment_id)
    now = timezone.now()
    member = is_member(request.user, assignment.project)
    outcome = status.outcome_of(assignment)
    if outcome is not None and not member:
        outcome = _own_only(outcome)
    until = claim_until(assignment.project, outcome.decided_at if outcome else None)
    about = threads_queries.list_threads(assignment)
    claim_open = any(t.kind == Thread.Kind.CLAIM and t.state == Thread.State.OPEN for t in about)
    generated = assignment.stage in stages.list_writing_stages(assignment.project)
    doubted = protocols.protocol_of(assignment.project).has_feature(Feature.CONCERNS)
    context = {
        "section": "work",
        "assignment": assignment,
        "question": assignment.task.question,
        "project": assignment.project,
        "outcome": outcome,
        "others": _other_sets(outcome) if outcome else (),
        "threads": about,
        "feedback": list(feedback_messages().filter(thread__assignment=assignment)),
        "own": read_own_submission(assignment, outcome),
        "history": history_of(assignment),
        "quote_url": partial(_quote_url, assignment) if member else None,
        "change": _change(assignment, now) if member else None,
        "until": until,
        "can_claim": bool(
            member and generated and until is not None and now <= until and not claim_open
        ),
        "too_late": bool(generated and until is not None and now > until),
        "member": member,
        "generated": generated,
        "doubted": doubted,
        "long_answer": find_answer(assignment) if doubted else None,
        "submission": _find_submission(assignment),
        "longest": threads_services.LONGEST,
        "measured": stages.get_stage(assignment.stage).measured,
    }
    return render(request, "validation/submissions/submission_view.html", context)


@dataclass(frozen=True)
class ChangeOffer:
    """Whether a submission can be changed, or why not; kept: something typed was not submitted."""

    possible: bool
    why_not: str = ""
    under_way: bool = False
    kept: bool = False


def _change(assignment: Assignment, now: dt.datetime) -> ChangeOffer | None:
    """Return what the page says about changing it; None where that is never possible."""
    stage = stages.get_stage(assignment.stage)
    if assignment.state != Assignment.State.SUBMITTED:
        return None
    if stage.first and stage.sheet.steps:
        return ChangeOffer(False, "Not possible: each step stays as it was when you continued.")
    if stage.revisable == 0:
        return None
    until = assignment.changing_until
    if until is not None and until > now:
        return ChangeOffer(possible=True, under_way=True)
    kept = until is not None
    try:
        changing.check_may_change(assignment)
    except Conflict as conflict:
        return ChangeOffer(False, str(conflict), kept=kept)
    return ChangeOffer(possible=True, kept=kept)


def _quote_url(assignment: Assignment, quote: int) -> str:
    return reverse("submission-quote", args=[assignment.pk, quote])


def _find_submission(assignment: Assignment) -> Submission | None:
    """Return the submission of a stage that stores its responses as JSON, with its quotes."""
    if assignment.state != Assignment.State.SUBMITTED:
        return None
    rows = Submission.objects.filter(assignment=assignment)
    return rows.prefetch_related("quotes__page").first()


def _other_sets(outcome: OutcomeDetails) -> Sequence[Sequence[Texts]]:
    """Return the accepted sets of others, without the only one, compared with one's own."""
    same = all(pair.unchanged and not pair.added and not pair.further for pair in outcome.pairs)
    compared = bool(outcome.pairs) and not same
    return outcome.sets if len(outcome.sets) > 1 or not compared else ()


def _own_only(outcome: OutcomeDetails) -> OutcomeDetails:
    """Return the outcome for a person who has left the project, without texts of others."""
    return OutcomeDetails(
        outcome.status,
        settled_in=outcome.settled_in,
        decided_at=outcome.decided_at,
        own=outcome.own,
        none_reason=outcome.none_reason,
    )


@require_POST
def thread_open(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Ask about a result, or claim that it is wrong."""
    assignment = get_assignment(request, assignment_id)
    kind = request.POST.get("kind", "")
    text, now = request.POST.get("text", ""), timezone.now()
    if kind == Thread.Kind.CLAIM:
        thread = claims_services.open_claim(
            assignment=assignment, text=text, by=request.user, now=now
        )
    else:
        thread = threads_services.open_thread(
            assignment=assignment, kind=Thread.Kind.QUESTION, text=text, by=request.user, now=now
        )
    messages.success(request, "Sent. You will see the team’s answer here and under My work.")
    return redirect(_anchor(thread))


@require_POST
def thread_write(request: UserRequest, thread_id: int) -> HttpResponse:
    """Write another message on one's own thread."""
    thread = _own(request, thread_id)
    threads_services.write_as_author(
        thread=thread, text=request.POST.get("text", ""), by=request.user, now=timezone.now()
    )
    messages.success(request, "Sent.")
    return redirect(_anchor(thread))


@require_POST
def thread_withdraw(request: UserRequest, thread_id: int) -> HttpResponse:
    """Withdraw one's own question or claim."""
    thread = _own(request, thread_id)
    threads_services.withdraw_thread(thread=thread, by=request.user, now=timezone.now())
    messages.success(request, "Withdrawn. What was written stays here.")
    return redirect(_anchor(thread))


@require_POST
def thread_read(request: UserRequest, thread_id: int) -> HttpResponse:
    """Note that one has read a thread."""
    seen = parse_number(request.POST.get("seen", ""))
    threads_services.mark_read(
        thread=_own(request, thread_id), seen=seen, by=request.user, now=timezone.now()
    )
    return HttpResponse(status=204)


def _own(request: UserRequest, thread_id: int) -> Thread:
    """Return the person's own thread; another person's is a 404."""
    rows = Thread.objects.select_related("assignment", "project")
    return get_object_or_404(rows, pk=thread_id, assignment__user=request.user)


def _anchor(thread: Thread) -> str:
    address = reverse("submission-view", args=[thread.assignment_id])
    return f"{address}#thread-{thread.pk}"
