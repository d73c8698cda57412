"""The page of one question for staff: what was submitted, decided and accepted, and why."""

from django.contrib import messages
from django.db.models import Sum
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.access.work import check_can_see_answers
from annotation.core.refusals import Conflict
from annotation.feedback.queries import attach_feedback
from annotation.long_answers.concerns.views import question_concerns
from annotation.models import PayEntry, Project, Question, Thread
from annotation.pages.views import project_page
from annotation.projects import queries as projects_queries
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.questions.queries import locate_question, with_state_names
from annotation.questions.saved_query import build_list_query
from validation.claims.queries import excluded_by_team
from validation.decisions.models import Decision
from validation.questions import exclusion, question_page
from validation.questions.list_views import wanted_in
from validation.questions.timeline import build_timeline, entries_of


@require_safe
@never_cache
def question_view(request: UserRequest, slug: str, question_id: int) -> HttpResponse:
    """One question with everything that happened to it, for staff only: annotators stay blind."""
    project = get_project(request, slug, check_can_manage)
    question = get_object_or_404(Question, project=project, pk=question_id)
    check_can_see_answers(request.user, question)
    with_state_names(project, [question])
    turns = list(projects_queries.answers_to(question).select_related("outcome"))
    attach_feedback(turns)
    decisions = question_page.decisions_of(question)
    talk = list(
        Thread.objects.filter(assignment__in=[turn.pk for turn in turns])
        .select_related("assignment__user")
        .prefetch_related("messages__author", "rulings__made_by", "rulings__decision")
        .order_by("pk")
    )
    context = project_page(request, project, "questions") | {"question": question}
    context |= question_concerns(request, project, question)
    concerns = [row["listed"].concern.pk for row in context.get("concerns", [])]
    entries = entries_of(
        question, [turn.pk for turn in turns], [message.pk for message in talk], concerns
    )
    people = question_page.people_in(decisions, turns) | {e.actor for e in entries if e.actor}
    names = dict(User.objects.filter(pk__in=people).values_list("pk", "name"))
    finished = list(projects_queries.came_finished(question))
    imported = any(decision.source == Decision.Source.IMPORT for decision in decisions)
    context |= {
        "page": question_page.build_page(question, turns, decisions, names),
        "talk": talk,
        "finished": finished,
        "timeline": build_timeline(
            question, entries, turns, names, finished=bool(finished) or imported
        ),
        "paid": (
            PayEntry.objects.filter(assignment__in=[turn.pk for turn in turns])
            .order_by()
            .values_list("currency")
            .annotate(sum=Sum("amount"))
        ),
        "pairs": protocols.protocol_of(project).has_feature(Feature.PAIRS),
        "answers": answers(question) if (answers := protocols.protocol_of(project).answers) else (),
        "tags": protocols.protocol_of(project).feedback_tags.items(),
        "keys": True,
        "query": build_list_query(request.GET),
        "beside": locate_question(project, wanted_in(project, request.GET), question),
        "offers": _offers(project, question, decided=any(d.in_force for d in decisions)),
    }
    return render(request, "validation/questions/question_view.html", context)


def _offers(project: Project, question: Question, *, decided: bool) -> list[str]:
    """Return the actions that staff can take on the question now. At most three queries."""
    if not protocols.protocol_of(project).has_feature(Feature.EXCLUSION):
        return []
    if question.state == Question.State.EXCLUDED and excluded_by_team([question.pk]):
        return ["restore"]
    again = ["send-back"] if decided and exclusion.can_send_back(question) else []
    return [*again, *(["exclude"] if question.state != Question.State.EXCLUDED else [])]


@require_POST
def question_change(request: UserRequest, slug: str, question_id: int) -> HttpResponse:
    """Exclude or restore the question, or send it back to validation."""
    project = get_project(request, slug, check_can_manage)
    question = get_object_or_404(Question, project=project, pk=question_id)
    question.project = project
    try:
        messages.success(request, _change(request, question))
    except Conflict as refusal:
        messages.error(request, str(refusal))
    query = build_list_query(QueryDict(request.POST.get("query", "")))
    address = reverse("question-view", args=[slug, question.pk])
    return redirect(f"{address}?{query}" if query else address)


def _change(request: UserRequest, question: Question) -> str:
    by, now, project = request.user, timezone.now(), question.project
    reason, action = request.POST.get("reason", ""), request.POST.get("action", "")
    if action == "exclude":
        exclusion.exclude_questions(
            project=project, question_ids=[question.pk], reason=reason, by=by, now=now
        )
        return "Excluded. You can restore the question under Actions."
    if action == "restore":
        exclusion.restore_questions(project=project, question_ids=[question.pk], by=by, now=now)
        return "Restored."
    if action == "send-back":
        exclusion.send_back(question=question, reason=reason, by=by, now=now)
        return "Sent back. The next validator who asks for work can get it."
    raise Conflict("Choose what to do with the question.")
