"""Samples and their labels for scripts, read-only."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.rest.answers import ABSENT, REFUSED
from annotation.rest.base import ProjectView
from evaluation.labelling import exports, queries

_TEXT, _WHOLE, _TRUE = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_MAYBE_TEXT = _TEXT | {"nullable": True}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


_SAMPLE = {
    **{"schema_version": _WHOLE, "kind": _TEXT, "id": _WHOLE, "scheme": _TEXT, "title": _TEXT},
    **{"items": _TEXT, "system": _MAYBE_TEXT, "labellers": _WHOLE, "seed": _WHOLE},
    **{"several": _TRUE, "categories": _list(_object(key=_TEXT, label=_TEXT))},
}
_SPAN = _object(start=_WHOLE, end=_WHOLE, category=_TEXT, quote=_TEXT)
_LABELS = _object(
    labeller=_TEXT,
    categories=_list(_TEXT),
    spans=_list(_SPAN),
    at={"type": "string", "format": "date-time"},
)
_ITEM = _object(
    **{"kind": _TEXT, "position": _WHOLE, "id": _TEXT, "question": _TEXT, "split": _TEXT},
    **{"text": _MAYBE_TEXT, "done": _TRUE, "labels": _list(_LABELS)},
    **{"decision": _LABELS | {"nullable": True}, "final": _list(_TEXT)},
)
SAMPLES = _object(samples=_list(_object(**_SAMPLE, size=_WHOLE, done=_WHOLE)))
LABELLED = _object(**_SAMPLE, rows=_list(_ITEM))


class LabelSamples(ProjectView):
    """Samples of items that people label."""

    @extend_schema(
        operation_id="label_samples_retrieve", responses={200: SAMPLES, 403: REFUSED, 404: ABSENT}
    )
    def get(self, request: Request, slug: str) -> Response:
        """Each sample with the number of its items, and of those that all have labelled."""
        samples = [
            exports.describe_sample(row.sample) | {"size": row.size, "done": row.done}
            for row in queries.list_samples(self.get_project())
        ]
        return Response({"samples": samples})


class LabelledSample(ProjectView):
    """One sample with its items."""

    @extend_schema(
        operation_id="label_sample_retrieve", responses={200: LABELLED, 403: REFUSED, 404: ABSENT}
    )
    def get(self, request: Request, slug: str, sample_id: int) -> Response:
        """A sample with its items. An item has its labels once all labellers have chosen."""
        row = queries.find_sample(self.get_project(), sample_id)
        if row is None:
            raise Http404
        sample = row.sample
        return Response(exports.describe_sample(sample) | {"rows": exports.list_item_rows(sample)})
