"""The results of studies for scripts, read-only."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.rest.answers import ABSENT, REFUSED, RefusalSerializer
from annotation.rest.base import ProjectView
from evaluation.results.files import NOTHING, describe_results
from evaluation.results.stored import find_results
from evaluation.studies.models import Study
from validation.agreement.api import NUMBER


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


def _by_name(value: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": value}


_TEXT, _WHOLE = {"type": "string"}, {"type": "integer"}
_VALUE = {
    "type": "object",
    "description": "A figure with its 95 % interval; null where there is none, as `note` says.",
    "properties": {"value": NUMBER, "low": NUMBER, "high": NUMBER, "n": _WHOLE, "note": _TEXT},
    "required": ["value", "low", "high", "n"],
}
_TALLY = dict.fromkeys(("wins", "ties", "losses"), _WHOLE)
_COMPARED = {"allOf": [_VALUE, _object(**_TALLY)]}
_AGREEMENT = _object(scale=_TEXT, units=_WHOLE, same=_VALUE, alpha=_VALUE)
_POSITION = _object(gap=_VALUE, left_share=_VALUE, left=_WHOLE, right=_WHOLE, ties=_WHOLE)
_CRITERION = _object(
    key=_TEXT,
    label=_TEXT,
    points=_by_name(_COMPARED),
    matrix=_by_name(_by_name(_COMPARED)),
    strengths=_by_name(_object(log=_VALUE, share=_VALUE)),
    strengths_note=_TEXT,
    agreement=_AGREEMENT,
    position=_POSITION | {"nullable": True},
    consistency=_VALUE | {"nullable": True},
)
_CORRELATION = {"allOf": [_VALUE, _object(**{"metric": _TEXT, "with": _TEXT, "p": NUMBER})]}
_CORRELATIONS = _object(method=_TEXT, rows=_list(_CORRELATION), warning=_TEXT)
_CORRELATIONS["properties"]["disambig_f1"] = _TEXT | {
    "description": "Which reader Disambig-F1 is from, or why there is none."
}
_ANSWER = _object(question=_TEXT, system=_TEXT, acc={"type": "number"}) | {
    "additionalProperties": {"type": "number", "description": "An automatic score."}
}
_FIGURES = _object(
    level={"type": "number"},
    resamples=_WHOLE,
    seed=_WHOLE,
    signature=_TEXT,
    data_sha256=_TEXT,
    summary=_list(_TEXT),
    systems=_list(_TEXT),
    counts=_by_name(_WHOLE),
    acc=_by_name(_VALUE),
    acc_agreement=_AGREEMENT,
    criteria=_list(_CRITERION),
    experts=_by_name(_by_name(_VALUE)),
    experts_alone=_by_name(_by_name(_VALUE)),
    correlations=_CORRELATIONS,
    answers=_list(_ANSWER),
)
RESULTS = _object(
    study=_object(id=_WHOLE, title=_TEXT, state=_TEXT, split=_TEXT, pairing=_TEXT, seed=_WHOLE),
    computed_at={"type": "string", "format": "date-time"},
    judgments=_WHOLE,
    figures=_FIGURES,
)
_NONE = OpenApiResponse(RefusalSerializer, "The figures were never computed.")


class StudyResults(ProjectView):
    """The results of a study."""

    @extend_schema(
        operation_id="study_results_retrieve",
        responses={200: RESULTS, 403: REFUSED, 404: ABSENT, 409: _NONE},
    )
    def get(self, request: Request, slug: str, study_id: int) -> Response:
        """The figures as they were computed last, as `manage.py study_results --json` does."""
        study = get_object_or_404(Study, project=self.get_project(), pk=study_id)
        stored = find_results(study)
        if not stored.figures:
            return Response({"detail": NOTHING}, status=409)
        return Response(describe_results(study, stored))
