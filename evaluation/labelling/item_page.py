"""The page of one item: what it shows, the form for its labels, and what all have said of it."""

import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access.loaders import UserRequest
from annotation.core.refusals import Conflict
from annotation.models import Project
from annotation.protocols.registry import Feature
from evaluation.labelling import queries, services
from evaluation.labelling.forms import LabelsForm
from evaluation.labelling.models import Labelling, LabelSample, SampledItem
from evaluation.labelling.policies import check_is_open
from evaluation.labelling.queries import LabelledItem
from evaluation.labelling.schemes import AMBIGUITY
from evaluation.labelling.shown import ShownItem, show_item
from evaluation.labelling.spans import Span, cut_segments, decode_spans, encode_spans
from evaluation.labelling.views import load_project, render_page

LABEL, DECIDE, READ = "label", "decide", "read"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def label_item(request: UserRequest, slug: str, sample_id: int, position: int) -> HttpResponse:
    """One item of a sample."""
    project = load_project(request, slug)
    samples = LabelSample.objects.filter(project=project, pk=sample_id)
    return _answer_item(request, project, get_object_or_404(_with_parts(samples)), position)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ambiguity_label(request: UserRequest, slug: str, position: int) -> HttpResponse:
    """One question of the sample for types of ambiguity (A75)."""
    project = load_project(request, slug, Feature.PAIRS)
    samples = LabelSample.objects.filter(project=project, scheme_key=AMBIGUITY)
    return _answer_item(request, project, get_object_or_404(_with_parts(samples)), position)


def _with_parts(samples: Any) -> Any:
    return samples.select_related("project", "own", "system")


@dataclass(frozen=True)
class ItemTurn:
    """What a person does with an item. before: the labels that theirs take the place of."""

    labelled: LabelledItem
    mode: str
    before: Labelling | None


def _find_turn(request: UserRequest, labelled: LabelledItem) -> ItemTurn:
    own = labelled.find_own(request.user)
    if labelled.labellers == 1:
        return ItemTurn(labelled, LABEL, labelled.given[0] if labelled.given else None)
    if not labelled.is_done:
        return ItemTurn(labelled, LABEL, own)
    if labelled.differs and services.can_decide(request.user, labelled):
        return ItemTurn(labelled, DECIDE, labelled.decision)
    return ItemTurn(labelled, READ, labelled.decision)


def _answer_item(
    request: UserRequest, project: Project, sample: LabelSample, position: int
) -> HttpResponse:
    items = SampledItem.objects.filter(sample=sample).select_related("question")
    item = get_object_or_404(items, position=position)
    item.sample = sample
    check_is_open(request.user, item)
    services.record_reading(item=item, by=request.user, now=timezone.now())
    shown = show_item(item)
    posted = request.POST if request.method == "POST" else None
    form = LabelsForm(posted, scheme=sample.scheme, text=shown.text)
    problem, status = "", 200
    if posted is not None and not form.is_valid():
        status = 422
    elif posted is not None and not form.edits_spans:
        write = services.decide_labels if DECIDE in posted else services.label_item
        try:
            write(
                item=item,
                categories=form.cleaned_data["types"],
                spans=form.cleaned_data["spans"],
                seen=form.cleaned_data["seen"],
                by=request.user,
                now=timezone.now(),
            )
        except Conflict as conflict:
            problem, status = str(conflict), 409
        else:
            return redirect(_find_next(request, item, decided=DECIDE in posted))
    turn = _find_turn(request, queries.find_item(item))
    keeps = posted is not None and status != 409
    context = _describe_turn(request, turn, shown, form if keeps else None) | {
        "form": form,
        "problem": problem,
        "size": items.count(),
        "previous": _find_beside(sample, position, forward=False),
        "following": _find_beside(sample, position, forward=True),
    }
    return render_page(request, project, "label.html", context, status)


def _describe_turn(
    request: UserRequest, turn: ItemTurn, shown: ShownItem, form: LabelsForm | None
) -> dict[str, Any]:
    """Return what the page shows; form: what was posted and has to stay."""
    labelled, scheme = turn.labelled, turn.labelled.item.sample.scheme
    chosen = turn.before.categories if turn.before else []
    spans = decode_spans(turn.before.spans) if turn.before else []
    if form is not None:
        chosen, spans = form.list_chosen(), form.cleaned_data.get("spans") or []
    others = labelled.list_readable(request.user) if labelled.labellers > 1 else []
    marks = spans
    if turn.mode != LABEL and not spans:
        marks = sorted({span for row in others for span in decode_spans(row.spans)})
    labels = {each.key: each.label for each in scheme.categories}
    numbers = {each.key: number for number, each in enumerate(scheme.categories, start=1)}
    return {
        "row": labelled.item,
        "sample": labelled.item.sample,
        "scheme": scheme,
        "mode": turn.mode,
        "before": turn.before,
        "labelled": labelled,
        "shown": shown,
        "segments": [
            (part.text, [(numbers[key], labels[key]) for key in part.categories])
            for part in cut_segments(shown.text, [s for s in marks if s.category in labels])
        ],
        "spans": [(span, numbers[span.category], labels[span.category]) for span in spans],
        "encoded": json.dumps(encode_spans(spans)),
        "others": [
            (row, scheme.list_labels(row.categories), _quotes(row, labels), row.labeller_id)
            for row in others
            if labelled.is_done
        ],
        "missing": max(0, labelled.labellers - len(labelled.given)),
        "choices": [
            (number % 10, category, category.key in chosen)
            for number, category in enumerate(scheme.categories, start=1)
        ],
    }


def _quotes(row: Labelling, labels: dict[str, str]) -> list[tuple[Span, str]]:
    return [(span, labels.get(span.category, "")) for span in decode_spans(row.spans)]


def _find_beside(sample: LabelSample, position: int, *, forward: bool) -> SampledItem | None:
    items = SampledItem.objects.filter(sample=sample)
    if forward:
        found = items.filter(position__gt=position).order_by("position").first()
    else:
        found = items.filter(position__lt=position).order_by("-position").first()
    if found:
        found.sample = sample
    return found


def _find_next(request: UserRequest, item: SampledItem, *, decided: bool) -> str:
    """Return the address of the next item to label or decide, first of those behind this one."""
    sample = item.sample
    rows = (
        [row.item for row in queries.list_disagreements(sample)]
        if decided
        else queries.list_open_items(sample, request.user)
    )
    behind = [row for row in rows if row.position > item.position]
    following = next(iter(behind or rows), None)
    return following.get_absolute_url() if following else sample.get_absolute_url()
