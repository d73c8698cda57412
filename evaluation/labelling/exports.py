"""A sample with its labels as lines of JSON, people under their pseudonyms.

Labels are in it once all labellers of their item have chosen.
"""

from collections.abc import Iterator
from typing import Any

import orjson

from annotation.core.models.questions import display_form
from annotation.exports.rows import Names
from evaluation.labelling import queries
from evaluation.labelling.models import Labelling, LabelSample
from evaluation.labelling.queries import LabelledItem
from evaluation.labelling.spans import show_text
from evaluation.systems.models import Output

SCHEMA_VERSION = 1


def stream_sample(sample: LabelSample) -> Iterator[bytes]:
    """Give a line about the sample, then one for each item. Four queries."""
    yield orjson.dumps(describe_sample(sample)) + b"\n"
    for row in list_item_rows(sample):
        yield orjson.dumps(row) + b"\n"


def describe_sample(sample: LabelSample) -> dict[str, Any]:
    """Return what a sample is, and by which categories its items are labelled."""
    scheme = sample.scheme
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "sample",
        "id": sample.pk,
        "scheme": scheme.key,
        "title": scheme.title,
        "items": scheme.kind,
        "system": str(sample.system) if sample.system else None,
        "labellers": sample.labellers,
        "seed": sample.seed,
        "several": scheme.several,
        "categories": [{"key": each.key, "label": each.label} for each in scheme.categories],
    }


def list_item_rows(sample: LabelSample) -> list[dict[str, Any]]:
    """Return each item, with its labels where all have chosen. Three queries."""
    names = Names(sample.project)
    items = sample.items.select_related("question").order_by("position")
    texts = dict(
        Output.objects.filter(system=sample.system_id, question__in=items.values("question"))
        .order_by()
        .values_list("question", "text")
    )
    return [
        _describe_item(row, names, texts.get(row.item.question_id))
        for row in queries.attach_labels(items, sample.labellers)
    ]


def _describe_item(row: LabelledItem, names: Names, text: str | None) -> dict[str, Any]:
    question = row.item.question
    shown = row.given if row.is_done else ()
    return {
        "kind": "item",
        "position": row.item.position,
        "id": question.external_id,
        "question": display_form(question.text),
        "split": question.split,
        "text": None if text is None else show_text(text),
        "done": row.is_done,
        "labels": [_describe_labels(labelling, names) for labelling in shown],
        "decision": _describe_labels(row.decision, names) if row.decision else None,
        "final": row.final,
    }


def _describe_labels(labelling: Labelling, names: Names) -> dict[str, Any]:
    return {
        "labeller": names[labelling.labeller.key],
        "categories": labelling.categories,
        "spans": labelling.spans,
        "at": labelling.labelled_at,
    }
