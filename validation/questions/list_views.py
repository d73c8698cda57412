"""The list of a project's questions, and actions on several of them at once."""

from collections.abc import Callable, Mapping

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.access.loaders import UserRequest, get_project, parse_number
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict
from annotation.figures import counts as stored_counts
from annotation.figures.counts import OVERVIEW
from annotation.imports.opening import CLOSED_LABEL, open_questions
from annotation.models import Priority, Project, Question, Split
from annotation.pages.views import project_page
from annotation.progress.queries import named_state_counts
from annotation.projects.forms import QuestionFilterForm
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.questions import queries as questions_queries
from annotation.questions import services as questions_services
from annotation.questions import view_queries
from annotation.questions.saved_query import (
    COLUMNS,
    build_list_query,
    build_query,
    read_columns,
)
from validation.questions import exclusion


def wanted_in(project: Project, values: QueryDict) -> questions_queries.QuestionFilters:
    """Return the filters in a query; values that are not offered are ignored."""
    return QuestionFilterForm(values, project=project).wanted


@require_safe
@never_cache
def project_questions(request: UserRequest, slug: str) -> HttpResponse:
    """One page of the questions, filtered and sorted; without a query, as one's opening view has
    it.
    """
    project = get_project(request, slug, check_can_manage)
    views = view_queries.list_views(request.user, project)
    opening = view_queries.find_opening_view(views)
    if opening is not None and not request.GET:
        return redirect(f"{request.path}?{opening.address}")
    shown = parse_number(request.GET.get("view", ""))
    form = QuestionFilterForm(request.GET, project=project)
    wanted = form.wanted
    back = bool(request.GET.get("before"))
    start = _start(project, request.GET.get("before" if back else "after", ""))
    if start is None:
        page, further, matching = questions_queries.first_page(project, wanted, exclusion.MOST + 1)
    else:
        page, further = questions_queries.read_question_page(
            project, wanted, after=start, before=back
        )
        matching = questions_queries.count_matching(project, wanted, exclusion.MOST + 1)
    earlier, later = (further, True) if back and start else (start is not None, further)
    stored_counts.load_figures([project], OVERVIEW, now=timezone.now())
    context = project_page(request, project, "questions") | {
        "counted_at": stored_counts.counted_at(project, OVERVIEW),
        "form": form,
        "filtered": wanted.filters,
        "matching": matching,
        "matching_words": f"{exclusion.MOST:,}+" if matching > exclusion.MOST else f"{matching:,}",
        "most": exclusion.MOST,
        "questions": questions_queries.with_turns(
            questions_queries.with_state_names(project, page)
        ),
        "earlier": page[0].pk if page and earlier else 0,
        "later": page[-1].pk if page and later else 0,
        "may_open": any(vars(each).get("state_name") == CLOSED_LABEL for each in page),
        "splits": Split.choices,
        "priorities": list(Priority),
        "excludes": protocols.protocol_of(project).has_feature(Feature.EXCLUSION),
        "counts": named_state_counts(project),
        "query": build_list_query(request.GET),
        "views": views,
        "current": (current := view_queries.choose_view(views, shown)),
        "changed": current is not None and current.view.query != build_query(request.GET),
        "columns": read_columns(request.GET),
        "every_column": COLUMNS,
    }
    return render(request, "validation/questions/question_list.html", context)


def _start(project: Project, text: str) -> Question | None:
    """Return the question at which a page of the list begins, or None for the first page."""
    return Question.objects.filter(project=project, pk=parse_number(text)).first() if text else None


@require_POST
def questions_change(request: UserRequest, slug: str) -> HttpResponse:
    """Exclude, restore, open, move or reorder the ticked questions, or all that match."""
    project = get_project(request, slug, check_can_manage)
    query = QueryDict(request.POST.get("query", ""))
    try:
        messages.success(request, _change(request, project, _chosen(request, project, query)))
    except Conflict as refusal:
        messages.error(request, str(refusal))
    return _back(slug, query)


def _chosen(request: UserRequest, project: Project, query: QueryDict) -> list[int]:
    """Return the ids of the chosen questions, at most as many as the page had counted."""
    if not request.POST.get("all"):
        return [pk for value in request.POST.getlist("question") if (pk := parse_number(value))]
    questions = questions_queries.list_questions(project, wanted_in(project, query))
    matching = list(questions.values_list("pk", flat=True)[: exclusion.MOST + 1])
    if len(matching) != parse_number(request.POST.get("matching", "")) <= exclusion.MOST:
        raise Conflict(
            "Other questions match the filter now than when you opened the list. Nothing was "
            "changed. Look at the list again."
        )
    return matching


def _exclude(request: UserRequest, project: Project, chosen: list[int]) -> str:
    reason = request.POST.get("reason", "")
    done = exclusion.exclude_questions(
        project=project, question_ids=chosen, reason=reason, by=request.user, now=timezone.now()
    )
    return f"Excluded {_questions(done)}. Tick them and choose Restore to undo this."


def _restore(request: UserRequest, project: Project, chosen: list[int]) -> str:
    done = exclusion.restore_questions(
        project=project, question_ids=chosen, by=request.user, now=timezone.now()
    )
    left = len(chosen) - done
    rest = f" The team had not excluded the other {left:,}." if left else ""
    return f"Restored {_questions(done)}.{rest}"


def _open(request: UserRequest, project: Project, chosen: list[int]) -> str:
    done = open_questions(project=project, question_ids=chosen, by=request.user, now=timezone.now())
    return f"Opened {_questions(done)}. People can be given {'it' if done == 1 else 'them'} now."


def _move(request: UserRequest, project: Project, chosen: list[int]) -> str:
    split = request.POST.get("split", "")
    done = questions_services.move_questions(
        project=project, question_ids=chosen, split=split, by=request.user, now=timezone.now()
    )
    return f"Moved {_questions(done)} to {split}."


def _prioritise(request: UserRequest, project: Project, chosen: list[int]) -> str:
    priority = request.POST.get("priority", "")
    done = questions_services.prioritise_questions(
        project=project, question_ids=chosen, priority=priority, by=request.user, now=timezone.now()
    )
    return f"Set the priority of {_questions(done)} to “{Priority[priority].label}”."


_ACTIONS: Mapping[str, Callable[[UserRequest, Project, list[int]], str]] = {
    "exclude": _exclude,
    "restore": _restore,
    "open": _open,
    "move": _move,
    "prioritise": _prioritise,
}


def _change(request: UserRequest, project: Project, chosen: list[int]) -> str:
    act = _ACTIONS.get(request.POST.get("action", ""))
    if act is None:
        raise Conflict("Choose what to do with the questions.")
    return act(request, project, chosen)


def _questions(count: int) -> str:
    return f"{count:,} question{'' if count == 1 else 's'}"


def _back(slug: str, query: QueryDict) -> HttpResponseRedirect:
    query_string = build_list_query(query)
    return redirect(
        reverse("project-questions", args=[slug]) + (f"?{query_string}" if query_string else "")
    )
