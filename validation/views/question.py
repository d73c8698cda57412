"""The page of one question for its staff: what was submitted, decided and accepted, and why."""

from django.db.models import Sum
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.models import User
from annotation.models import PayEntry, Question, Thread
from annotation.models.feedback import tags_of
from annotation.policies.projects import check_can_manage
from annotation.policies.work import check_can_see_answers
from annotation.queries import projects as queries
from annotation.views.concerns import question_concerns
from annotation.views.loaders import UserRequest, get_project
from annotation.views.tabs import project_page
from validation import question_page
from validation.models import Decision
from validation.timeline import entries_of, timeline


@require_safe
@never_cache
def question_view(request: UserRequest, slug: str, question_id: int) -> HttpResponse:
    """One question with everything that happened to it, for staff only: annotators stay blind."""
    project = get_project(request, slug, check_can_manage)
    question = get_object_or_404(Question, project=project, pk=question_id)
    check_can_see_answers(request.user, question)
    turns = list(queries.answers_to(question))
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
        question, [turn.pk for turn in turns], [each.pk for each in talk], concerns
    )
    people = question_page.people_in(decisions, turns) | {e.actor for e in entries if e.actor}
    names = dict(User.objects.filter(pk__in=people).values_list("pk", "name"))
    finished = list(queries.came_finished(question))
    imported = any(each.source == Decision.Source.IMPORT for each in decisions)
    context |= {
        "page": question_page.page(question, turns, decisions, names),
        "talk": talk,
        "finished": finished,
        "timeline": timeline(question, entries, turns, names, finished=bool(finished) or imported),
        "paid": (
            PayEntry.objects.filter(assignment__in=[turn.pk for turn in turns])
            .order_by()
            .values_list("currency")
            .annotate(sum=Sum("amount"))
        ),
        "tags": tags_of(project.protocol),
    }
    return render(request, "validation/question_view.html", context)
