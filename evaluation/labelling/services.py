"""Draw samples, label their items, decide between labels, and define schemes."""

import datetime as dt
import hashlib
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.refusals import Conflict, Denied
from annotation.models import Project
from evaluation.labelling import queries
from evaluation.labelling.models import (
    Labelling,
    LabelReader,
    LabelSample,
    LabelScheme,
    SampledItem,
)
from evaluation.labelling.policies import (
    check_can_label,
    check_is_open,
    check_may_delete,
    is_outside_team,
)
from evaluation.labelling.schemes import AMBIGUITY, Category, Kind, Scheme
from evaluation.labelling.spans import Span, encode_spans
from evaluation.systems.models import System

MOST_AT_ONCE = 500
FASTER = "Someone else has labelled this question meanwhile. Their labels are shown now."
ALL_CHOSEN = "All labellers have chosen, so these labels stay as they are."


@transaction.atomic
def draw_items(
    *,
    project: Project,
    scheme: Scheme,
    system: System | None = None,
    split: str,
    size: int,
    seed: int = 0,
    labellers: int = 1,
    by: User,
    now: dt.datetime,
) -> tuple[LabelSample, int]:
    """Draw items into the sample of a scheme, made if there is none; return how many were drawn.

    Questions have a random order that follows from their ids and the seed, so two draws of 50 give
    the sample of one of 100. Seed and number of labellers are those of the first draw. Raises
    Conflict where no item is left.
    """
    check_can_manage(by, project)
    Project.objects.select_for_update(no_key=True, of=["self"]).get(pk=project.pk)
    sample, _ = LabelSample.objects.get_or_create(
        project=project,
        scheme_key=scheme.key,
        own_id=scheme.own or None,
        system=system,
        defaults={"labellers": labellers, "seed": seed, "created_at": now},
    )
    drawn = set(sample.items.values_list("question", flat=True))
    left = queries.list_undrawn(project, scheme, system, split, drawn)
    if not left:
        raise Conflict(
            f"No other question of {split} has several accepted answers."
            if scheme.key == AMBIGUITY
            else scheme.kind_of_item.none_left.format(split=split)
        )
    chosen = sorted(left, key=lambda row: _place_by_chance(sample.seed, row[1]))
    chosen = chosen[: min(size, MOST_AT_ONCE)]
    first = (sample.items.aggregate(last=Max("position"))["last"] or 0) + 1
    SampledItem.objects.bulk_create(
        SampledItem(sample=sample, question_id=pk, position=place)
        for place, (pk, _) in enumerate(chosen, start=first)
    )
    drawn_now = {"size": len(chosen), "split": split}
    if scheme.key == AMBIGUITY:
        audit.record_action(
            "ambiguity_sample_drawn", project, by=by, now=now, project=project, **drawn_now
        )
    else:
        audit.record_action(
            "label_sample_drawn",
            sample,
            by=by,
            now=now,
            project=project,
            title=str(sample),
            seed=sample.seed,
            labellers=sample.labellers,
            **drawn_now,
        )
    return sample, len(chosen)


def _place_by_chance(seed: int, name: str) -> bytes:
    return hashlib.sha256((f"{seed}:{name}" if seed else name).encode()).digest()


@transaction.atomic
def label_item(
    *,
    item: SampledItem,
    categories: Sequence[str],
    spans: Sequence[Span] = (),
    seen: dt.datetime | None,
    by: User,
    now: dt.datetime,
) -> None:
    """Give an item one person's labels, in place of their earlier ones.

    Where one person labels an item, anybody can replace the labels that they saw. Where several do,
    each has their own, until all have chosen. seen: when the labels that the person saw were given,
    None if there were none. Raises Conflict if there are others now, or all have chosen, or where
    the categories make no label.
    """
    sample = item.sample
    check_can_label(by, sample.project)
    check_is_open(by, item)
    chosen = _check_categories(sample.scheme, categories, spans)
    SampledItem.objects.select_for_update().get(pk=item.pk)
    labelled = queries.find_item(item)
    own = labelled.find_own(by)
    before = labelled.given[0] if sample.labellers == 1 and labelled.given else own
    if before is None and labelled.is_done:
        raise Conflict(FASTER)
    written = {"categories": chosen, "spans": encode_spans(spans)}
    if before and (before.categories, before.spans) == (chosen, written["spans"]):
        return
    if (before.labelled_at if before else None) != seen:
        raise Conflict(FASTER)
    if before and labelled.is_done and sample.labellers > 1:
        raise Conflict(ALL_CHOSEN)
    if before:
        Labelling.objects.filter(pk=before.pk).update(labeller=by, labelled_at=now, **written)
    else:
        Labelling.objects.create(
            item=item,
            place=len(labelled.given) + 1,
            scheme_key=sample.scheme_key,
            labeller=by,
            labelled_at=now,
            **written,
        )
    _record_labels(item, chosen, before, by, now)


def _record_labels(
    item: SampledItem, chosen: list[str], before: Labelling | None, by: User, now: dt.datetime
) -> None:
    """Write the log: with the labels only where nobody else still has to choose without them."""
    sample = item.sample
    is_ambiguity, told = sample.scheme_key == AMBIGUITY, sample.labellers == 1
    data: dict[str, object] = {} if is_ambiguity else {"title": str(sample)}
    if told:
        data["types" if is_ambiguity else "categories"] = chosen
        if before:
            data["before"] = before.categories
    audit.record_action(
        "ambiguity_labelled" if is_ambiguity else "item_labelled",
        item.question,
        by=by,
        now=now,
        project=sample.project_id,
        **data,
    )


@transaction.atomic
def decide_labels(
    *,
    item: SampledItem,
    categories: Sequence[str],
    spans: Sequence[Span] = (),
    seen: dt.datetime | None,
    by: User,
    now: dt.datetime,
) -> None:
    """Decide between labels that differ, or change the decision that the person saw.

    The team decides, or an expert who is not one of the labellers. Raises Conflict where labels are
    missing or agree, or where somebody else has decided meanwhile.
    """
    sample = item.sample
    check_can_label(by, sample.project)
    check_is_open(by, item)
    chosen = _check_categories(sample.scheme, categories, spans)
    SampledItem.objects.select_for_update().get(pk=item.pk)
    labelled = queries.find_item(item)
    if not can_decide(by, labelled):
        raise Denied("You labelled this item. Somebody else decides between the labels.")
    if not labelled.differs:
        raise Conflict("There is nothing to decide: labels are missing, or they are the same.")
    before = labelled.decision
    if (before.labelled_at if before else None) != seen:
        raise Conflict("Someone else has decided meanwhile. Their decision is shown now.")
    Labelling.objects.update_or_create(
        item=item,
        place=0,
        defaults={
            "labeller": by,
            "scheme_key": sample.scheme_key,
            "categories": chosen,
            "spans": encode_spans(spans),
            "labelled_at": now,
        },
    )
    audit.record_action(
        "labels_decided",
        item.question,
        by=by,
        now=now,
        project=sample.project_id,
        title=str(sample),
        categories=chosen,
        **({"before": before.categories} if before else {}),
    )


def can_decide(user: User, labelled: queries.LabelledItem) -> bool:
    """Whether the person is of the team, or an expert who did not label the item. One query."""
    if labelled.find_own(user) is None:
        return True
    return not is_outside_team(user, labelled.item.sample.project)


def _check_categories(
    scheme: Scheme, categories: Sequence[str], spans: Sequence[Span]
) -> list[str]:
    """Return what was chosen, with the categories of spans, in the order of the scheme."""
    chosen = scheme.sort_categories({*categories, *(span.category for span in spans)})
    if mistake := scheme.find_mistake(chosen):
        raise Conflict(mistake)
    return chosen


def record_reading(*, item: SampledItem, by: User, now: dt.datetime) -> None:
    """Note that an expert reads an item, so that they are given no other work on its question."""
    if is_outside_team(by, item.sample.project):
        LabelReader.objects.get_or_create(
            question=item.question, user=by, defaults={"read_at": now}
        )


@transaction.atomic
def delete_sample(*, sample: LabelSample, by: User, now: dt.datetime) -> None:
    """Delete a sample of which nothing was labelled, to draw it another way."""
    check_can_manage(by, sample.project)
    LabelSample.objects.select_for_update(of=["self"]).get(pk=sample.pk)
    check_may_delete(sample)
    audit.record_action(
        "label_sample_deleted", sample, by=by, now=now, project=sample.project_id, title=str(sample)
    )
    sample.delete()


@transaction.atomic
def make_scheme(
    *,
    project: Project,
    title: str,
    kind: Kind,
    categories: Sequence[Category],
    several: bool,
    spans: bool,
    by: User,
    now: dt.datetime,
) -> LabelScheme:
    """Define a scheme of the team's own. Raises Conflict where another one has its title."""
    check_can_manage(by, project)
    Project.objects.select_for_update(no_key=True, of=["self"]).get(pk=project.pk)
    if any(scheme.title == title for scheme in queries.list_schemes(project)):
        raise Conflict("A scheme of this project already has this title. Choose another one.")
    own = LabelScheme.objects.create(
        project=project,
        title=title,
        kind=kind,
        several=several,
        spans=spans,
        categories=[
            {"key": each.key, "label": each.label, "hint": each.hint} for each in categories
        ],
        made_by=by,
        created_at=now,
    )
    audit.record_action("label_scheme_made", own, by=by, now=now, project=project, title=title)
    return own
