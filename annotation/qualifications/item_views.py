"""The items of a qualification, for the team: write, import, order, try out."""

import json
from dataclasses import asdict

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access.loaders import UserRequest
from annotation.core.models.qualifications import Qualification
from annotation.pages.views import project_page
from annotation.qualifications import item_queries as queries
from annotation.qualifications import presentation, services
from annotation.qualifications.forms import ItemForm, ItemsFileForm
from annotation.qualifications.items import HINT_SECONDS, item_json
from annotation.qualifications.models import Part, QualificationItem
from annotation.qualifications.policies import check_can_edit
from annotation.qualifications.views import load_for_team, render_team_page
from annotation.text.cleaning import ResponseError
from annotation.text.markdown import render_markdown as markdown
from annotation.uploads.requests import takes_files


def _item(qualification: Qualification, item_id: int) -> QualificationItem:
    rows = QualificationItem.objects.select_related("qualification__project")
    return get_object_or_404(rows, qualification=qualification, pk=item_id)


@require_http_methods(["GET", "HEAD", "POST"])
def item_add(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Add an item."""
    qualification = load_for_team(request, slug, pk)
    check_can_edit(request.user, qualification)
    part = Part.STUDY if request.GET.get("part") == Part.STUDY else Part.EXAM
    first = {"threshold": 1.0, "hint_seconds": HINT_SECONDS, "part": part}
    form = ItemForm(request.POST or None, initial=first, kind=qualification.kind)
    if request.method == "POST" and form.is_valid():
        services.add_items(
            qualification=qualification,
            items=[form.cleaned_data["item"]],
            by=request.user,
            now=timezone.now(),
        )
        messages.success(request, "Added at the end.")
        return redirect("qualification-view", slug, pk)
    return _form_page(request, qualification, form, None)


@require_http_methods(["GET", "HEAD", "POST"])
def item_change(request: UserRequest, slug: str, pk: int, item_id: int) -> HttpResponse:
    """Change an item."""
    qualification = load_for_team(request, slug, pk)
    item = _item(qualification, item_id)
    check_can_edit(request.user, qualification)
    initial = ItemForm.initial_of(queries.item_of(item))
    form = ItemForm(request.POST or None, initial=initial, kind=qualification.kind)
    if request.method == "POST" and form.is_valid():
        services.change_item(
            item=item, to=form.cleaned_data["item"], by=request.user, now=timezone.now()
        )
        messages.success(request, "Saved.")
        return redirect("qualification-view", slug, pk)
    return _form_page(request, qualification, form, item)


def _form_page(
    request: UserRequest,
    qualification: Qualification,
    form: ItemForm,
    item: QualificationItem | None,
) -> HttpResponse:
    context = project_page(request, qualification.project, "qualifications") | {
        "qualification": qualification,
        "form": form,
        "item": item,
    }
    status = 422 if form.is_bound else 200
    return render(
        request, "annotation/qualifications/qualification_item_form.html", context, status=status
    )


@require_POST
def item_move(request: UserRequest, slug: str, pk: int, item_id: int) -> HttpResponse:
    """Move an item up or down."""
    item = _item(load_for_team(request, slug, pk), item_id)
    direction = request.POST.get("direction", "")
    services.move_item(item=item, direction=direction, by=request.user, now=timezone.now())
    return redirect("qualification-view", slug, pk)


@require_POST
def item_remove(request: UserRequest, slug: str, pk: int, item_id: int) -> HttpResponse:
    """Take an item out."""
    item = _item(load_for_team(request, slug, pk), item_id)
    services.remove_item(item=item, by=request.user, now=timezone.now())
    messages.success(request, "Removed. The log keeps its text.")
    return redirect("qualification-view", slug, pk)


@takes_files
@require_POST
def items_import(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Add the items of a file: all of them, or none with the reasons."""
    qualification = load_for_team(request, slug, pk)
    check_can_edit(request.user, qualification)
    form = ItemsFileForm(request.POST, request.FILES, kind=qualification.kind)
    if not form.is_valid():
        return render_team_page(request, qualification, file_form=form)
    items = form.cleaned_data["file"]
    services.add_items(
        qualification=qualification, items=items, by=request.user, now=timezone.now()
    )
    messages.success(request, f"{len(items)} item{'' if len(items) == 1 else 's'} added.")
    return redirect("qualification-view", slug, pk)


@require_safe
def items_file(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Download the items as a file that can be imported again."""
    qualification = load_for_team(request, slug, pk)
    rows = [item_json(queries.item_of(item)) for item in qualification.items.all()]
    body = json.dumps({"items": rows}, ensure_ascii=False, indent=2) + "\n"
    name = f"{slug}-qualification-{qualification.pk}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(body, content_type="application/json", headers=headers)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def item_preview(request: UserRequest, slug: str, pk: int, item_id: int) -> HttpResponse:
    """Show an item as people see it, to try answers. Nothing is saved."""
    qualification = load_for_team(request, slug, pk)
    item = _item(qualification, item_id)
    asked = queries.Asked(qualification, item)
    response = asked.sheet.blank
    problem, verdict, press = "", presentation.Verdict("none"), request.POST.get("action", "")
    if request.method == "POST":
        try:
            response = asked.sheet.read(request.POST, asked.given)
            response = asked.sheet.apply_press(response, press, asked.given, request.POST)
        except ResponseError as error:
            problem = str(error)
    if press == "check" and not problem:
        grade = asdict(asked.grade_draft(asked.sheet.dump(response)))
        verdict = presentation.verdict_shown(item, grade, checks=1)
    touched = None if press == "check" else asked.sheet.list_filled_fields(response)
    context = project_page(request, qualification.project, "qualifications")
    report = asked.check_response(response, touched=touched)
    context |= asked.sheet.form_context(response, report, asked.given, request.POST)
    context |= {
        "qualification": qualification,
        "item": item,
        "preview": True,
        "draft_url": request.path,
        "problem": problem,
        "verdict": verdict,
        "hint": markdown(item.hint) if item.hint else "",
        "pages": item.pages,
        "version": 0,
    }
    return render(request, "annotation/qualifications/qualification_preview.html", context)
