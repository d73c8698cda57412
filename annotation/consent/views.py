"""The page on which people agree, “About your data”, and the page of a project's text."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.consent import queries, services
from annotation.consent.file import render_answers, render_shares
from annotation.consent.forms import (
    AgreeForm,
    BackgroundForm,
    ConsentTextForm,
    fill_background,
)
from annotation.consent.models import Consent, ConsentText
from annotation.consent.policies import check_can_publish, check_is_asked
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.pages.views import project_page
from annotation.text.addresses import address_of
from annotation.text.markdown import render_markdown

LEFT = "You get no more work in {project}. What you typed is kept under Drafts."


# --- the person -----------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def consent_give(request: UserRequest, slug: str) -> HttpResponse:
    """Read what a project keeps, and agree or refuse; then on to where the person came from."""
    project = get_project(request, slug)
    check_is_asked(request.user)
    text = queries.newest_text(project)
    if text is None:
        raise Http404
    if request.POST.get("press") == "refuse":
        services.refuse_consent(project=project, by=request.user, now=timezone.now())
        messages.success(request, f"You did not agree. {LEFT.format(project=project.title)}")
        return redirect("consent-mine")
    mine = queries.consent_in_force(request.user, project)
    form = AgreeForm(request.POST or None, text=text, initial=_said(mine))
    status = 422 if form.is_bound else 200
    if form.is_bound and form.is_valid():
        try:
            services.give_consent(
                project=project, agreement=form.agreement, by=request.user, now=timezone.now()
            )
        except Conflict as conflict:
            form, status = AgreeForm(text=text), conflict.status
            messages.warning(request, str(conflict))
        else:
            messages.success(request, "Your answer is kept. You can change it in your account.")
            return HttpResponseRedirect(_next(request, project))
    context = {
        "section": "work",
        "project": project,
        "text": text,
        "body": render_markdown(text.body),
        "form": form,
        "mine": mine,
        "stands": bool(mine and mine.given_at),
        "due": queries.has_to_answer(request.user, project),
        "next": _next(request, project),
    }
    return render(request, "annotation/consent/consent_give.html", context, status=status)


def _said(mine: Consent | None) -> dict[str, str]:
    """Return the answer on training that the person gave before, to begin with."""
    if mine is None or mine.may_train is None:
        return {}
    return {"may_train": "yes" if mine.may_train else "no"}


def _next(request: UserRequest, project: Project) -> str:
    """Return the page of ours that the person came from, or the one to begin on."""
    asked = request.POST.get("next") or request.GET.get("next", "")
    if asked and url_has_allowed_host_and_scheme(asked, allowed_hosts=None):
        return asked
    return address_of("project-start", project.slug)


@never_cache
@require_safe
def consent_mine(request: UserRequest) -> HttpResponse:
    """List what the person has agreed to, with the presses that change it."""
    own = queries.list_own_consents(request.user)
    latest = [each.latest.text for each in own]
    said = queries.list_own_backgrounds(request.user)
    context = {
        "own": own,
        "texts": {text.pk: render_markdown(text.body) for text in latest},
        "about": {
            each.project.pk: BackgroundForm(
                initial=fill_background(said.get(each.project.pk)),
                prefix=f"about-{each.project.pk}",
            )
            for each in own
            if each.asks_background
        },
    }
    return render(request, "annotation/consent/consent_mine.html", context)


def _answered_project(request: UserRequest, slug: str) -> Project:
    """Return a project in which the person has agreed, also one that they have left."""
    return get_object_or_404(queries.agreed_by(request.user), slug=slug)


@require_POST
def consent_withdraw(request: UserRequest, slug: str) -> HttpResponse:
    """Withdraw an agreement."""
    project = _answered_project(request, slug)
    services.withdraw_consent(project=project, by=request.user, now=timezone.now())
    messages.success(request, f"Withdrawn. {LEFT.format(project=project.title)}")
    return redirect("consent-mine")


@require_POST
def consent_training(request: UserRequest, slug: str) -> HttpResponse:
    """Allow or forbid that answers train models."""
    project = _answered_project(request, slug)
    allowed = request.POST.get("may_train") == "yes"
    services.change_training(
        project=project, may_train=allowed, by=request.user, now=timezone.now()
    )
    may = "may" if allowed else "may not"
    messages.success(request, f"Your answers in {project.title} {may} train models from now on.")
    return redirect("consent-mine")


@require_POST
def consent_background(request: UserRequest, slug: str) -> HttpResponse:
    """Keep what a person says about themselves, or nothing."""
    project = _answered_project(request, slug)
    form = BackgroundForm(request.POST, prefix=f"about-{project.pk}")
    if not form.is_valid():
        raise Conflict("Choose one of the answers that are offered.")
    said = services.save_background(
        project=project, said=form.said, by=request.user, now=timezone.now()
    )
    kept = "What you say about yourself is kept." if said else "Nothing about you is kept."
    messages.success(request, f"{kept} You can change it here.")
    return redirect("consent-mine")


# --- the team -------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def project_consent(request: UserRequest, slug: str) -> HttpResponse:
    """Show the text in force and who has agreed; admins preview and publish a new version."""
    project = get_project(request, slug, check_can_manage)
    newest = queries.newest_text(project)
    if request.method != "POST":
        return _text_page(request, project, newest, ConsentTextForm(initial=_initial(newest)))
    check_can_publish(request.user, project)
    form = ConsentTextForm(request.POST)
    if not form.is_valid():
        return _text_page(request, project, newest, form, status=422)
    if request.POST.get("press") == "preview":
        draft = ConsentText(project=project, version=form.cleaned_data["seen"] + 1)
        for name, value in vars(form.words).items():
            setattr(draft, name, value)
        return _text_page(request, project, newest, form, preview=draft)
    try:
        made = services.publish_text(
            project=project,
            words=form.words,
            asks=form.cleaned_data["asks"],
            seen=form.cleaned_data["seen"],
            by=request.user,
            now=timezone.now(),
        )
    except Conflict as conflict:
        form.add_error(None, str(conflict))
        return _text_page(request, project, newest, form, status=conflict.status)
    messages.success(request, f"Version {made.version} is what people read from now on.")
    return redirect("project-consent", slug)


def _initial(newest: ConsentText | None) -> dict[str, Any]:
    words = services.words_of(newest) if newest else services.write_standard_text(by=None)
    return {**vars(words), "asks": newest is None, "seen": newest.version if newest else 0}


def _text_page(
    request: UserRequest,
    project: Project,
    newest: ConsentText | None,
    form: ConsentTextForm,
    *,
    preview: ConsentText | None = None,
    status: int = 200,
) -> HttpResponse:
    people = queries.list_people(project)
    shown = preview or newest
    context = project_page(request, project, "consent") | {
        "form": form,
        "newest": newest,
        "preview": preview,
        "text": shown,
        "body": render_markdown(shown.body) if shown else "",
        "boxes": AgreeForm(text=shown) if shown else None,
        "people": people,
        "counts": queries.count_people(people),
        "shares": queries.list_background_shares(project),
        "versions": project.consent_texts.order_by("-version").select_related("created_by")[:20],
    }
    return render(request, "annotation/consent/project_consent.html", context, status=status)


@require_safe
@never_cache
def project_consent_file(request: UserRequest, slug: str) -> HttpResponse:
    """Send every answer of a project's people as CSV."""
    project = get_project(request, slug, check_can_publish)
    text = render_answers(queries.list_people(project))
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-consent.csv"'
    return response


@require_safe
@never_cache
def project_consent_shares(request: UserRequest, slug: str) -> HttpResponse:
    """Send what a project's people said about themselves, as shares."""
    project = get_project(request, slug, check_can_publish)
    text = render_shares(queries.list_background_shares(project))
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-people.csv"'
    return response
