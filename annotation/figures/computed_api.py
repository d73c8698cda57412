"""Figures that a job computes, in the API: their age and state in headers, and what there is else.

200 has the figures with `Last-Modified` and a header of the state; 202 says that there are none yet
and `Retry-After` when to ask again; 503 says that they could not be computed.
"""

from typing import Any, get_args

from django.utils.http import http_date
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.response import Response

from annotation.figures.stored import ComputedFigures, State
from annotation.rest.answers import RefusalSerializer

_ASK_AGAIN = 2  # seconds
COMPUTING = OpenApiResponse(RefusalSerializer, "There are no figures yet; they are computed now.")
BROKEN = OpenApiResponse(RefusalSerializer, "There are no figures, and computing them failed.")
RETRY_AFTER = OpenApiParameter(
    "Retry-After",
    int,
    OpenApiParameter.HEADER,
    response=[202],
    description="In how many seconds to ask again.",
)


def headers_described(name: str) -> list[OpenApiParameter]:
    """Return the headers of an answer for the schema; `name` is that of the state."""
    return [
        OpenApiParameter(
            "Last-Modified",
            str,
            OpenApiParameter.HEADER,
            response=[200],
            description="When the figures were computed.",
        ),
        OpenApiParameter(
            name,
            str,
            OpenApiParameter.HEADER,
            enum=get_args(State),
            response=[200],
            description=(
                "Whether they are `current`. If not, something has changed since, and new figures "
                "are `computing`, or that `failed`: POST to the same address to try again."
            ),
        ),
        RETRY_AFTER,
    ]


def build_computed_response(computed: ComputedFigures, content: Any, *, name: str) -> Response:
    """Return the content with its age and state; without any (None), what becomes of it."""
    if computed.computed_at is not None and content is not None:
        headers = {
            "Last-Modified": http_date(computed.computed_at.timestamp()),
            name: computed.state,
        }
        return Response(content, headers=headers)
    if computed.problem:
        detail = f"{computed.problem} POST to the same address to try again."
        return Response({"detail": detail}, status=503)
    return not_yet()


def not_yet() -> Response:
    """Say that there are no figures yet, and when to ask again."""
    detail = f"The figures are being computed. Ask again in {_ASK_AGAIN} seconds."
    return Response({"detail": detail}, status=202, headers={"Retry-After": str(_ASK_AGAIN)})
