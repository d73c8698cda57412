"""The team's page of a training: people by step, what waits for the team, walk-throughs."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from annotation.access.loaders import UserRequest, get_member
from annotation.core.models.qualifications import Qualification
from annotation.core.refusals import Conflict
from annotation.pages.views import project_page
from annotation.qualifications import training_queries as queries
from annotation.qualifications import training_services as services
from annotation.qualifications.models import WalkThrough
from annotation.qualifications.training import Where
from annotation.qualifications.training_forms import WalkThroughForm
from annotation.qualifications.views import load_for_team

_TITLES: dict[Where, str] = {
    "grading": "Exams to grade",
    "walk-through": "Samples to review, walk-throughs to hold",
    "study": "In self-study",
    "exam": "Ready for the exam, or in it",
    "accepted": "Accepted",
}


@never_cache
@require_safe
def qualification_training(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show everyone by step, those waiting for the team first."""
    return _page(request, load_for_team(request, slug, pk))


@require_POST
def walk_through_hold(request: UserRequest, slug: str, pk: int, user_id: int) -> HttpResponse:
    """Record that the walk-through with a person was held."""
    qualification = load_for_team(request, slug, pk)
    person = get_member(qualification.project, user_id)
    form = WalkThroughForm(request.POST, prefix=str(person.pk))
    if not form.is_valid():
        return _page(request, qualification, refused=(person.pk, form))
    try:
        services.record_walk_through(
            qualification=qualification,
            user=person,
            held_on=form.cleaned_data["held_on"],
            notes=form.cleaned_data["notes"],
            by=request.user,
            now=timezone.now(),
        )
    except Conflict as refusal:
        form.add_error(None, str(refusal))
        return _page(request, qualification, refused=(person.pk, form), status=409)
    messages.success(
        request, f"Marked as held. {person} will see the notes and can begin the exam."
    )
    return redirect("qualification-training", slug, pk)


@require_POST
def walk_through_take_back(request: UserRequest, slug: str, pk: int, walk_id: int) -> HttpResponse:
    """Undo the record of a walk-through."""
    rows = WalkThrough.objects.select_related("qualification__project", "user")
    walk = get_object_or_404(rows, qualification=load_for_team(request, slug, pk), pk=walk_id)
    services.take_back(
        walk_through=walk,
        note=request.POST.get("note", ""),
        by=request.user,
        now=timezone.now(),
    )
    messages.success(request, f"Taken back. {walk.user} waits for a walk-through again.")
    return redirect("qualification-training", slug, pk)


def _page(
    request: UserRequest,
    qualification: Qualification,
    *,
    refused: tuple[int, WalkThroughForm] | None = None,
    status: int = 422,
) -> HttpResponse:
    trainees = queries.list_trainees(qualification)
    today = timezone.localdate()
    groups = [
        (
            where,
            _TITLES[where],
            [
                (trainee, _form(trainee, today, refused, request.user))
                for trainee in trainees[where]
            ],
        )
        for where in queries.ORDER
    ]
    context = project_page(request, qualification.project, "qualifications") | {
        "qualification": qualification,
        "trainees": [group for group in groups if group[2]],
        "waits": sum(trainee.waits_for_team for people in trainees.values() for trainee in people),
        "problems": refused[1].problems() if refused else [],
    }
    template = "annotation/qualifications/qualification_training.html"
    return render(request, template, context, status=status if refused else 200)


def _form(
    trainee: queries.Trainee,
    today: object,
    refused: tuple[int, WalkThroughForm] | None,
    user: User,
) -> WalkThroughForm | None:
    """Return the form for a person whose walk-through is next; no one records their own."""
    if trainee.facts.where != "walk-through" or trainee.user == user:
        return None
    if refused and refused[0] == trainee.user.pk:
        return refused[1]
    return WalkThroughForm(prefix=str(trainee.user.pk), initial={"held_on": today})
