"""The leaderboard for programs: what the public page shows, without signing in."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.rest.answers import ABSENT
from annotation.rest.base import ProjectView
from evaluation.benchmark import queries
from evaluation.benchmark.visits import NO_ROBOTS, check_pace

_TEXT, _NUMBER, _WHOLE = {"type": "string"}, {"type": "number"}, {"type": "integer"}


def _object(required: tuple[str, ...] | None = None, **properties: Any) -> dict[str, Any]:
    names = list(properties) if required is None else list(required)
    return {"type": "object", "properties": properties, "required": names}


_FIGURE = _object(("value",), value=_NUMBER, low=_NUMBER, high=_NUMBER)
_MAYBE = {"nullable": True}
_TEST = _object(
    figure=_TEXT, difference=_NUMBER, low=_NUMBER | _MAYBE, high=_NUMBER | _MAYBE, p=_TEXT
)
_ENTRY = _object(
    place=_WHOLE,
    team=_TEXT | _MAYBE,
    name=_TEXT | _MAYBE,
    sent_on=_TEXT | {"format": "date"},
    figures={"type": "object", "additionalProperties": _FIGURE},
    against_the_entry_above=_TEST | _MAYBE,
)
LEADERBOARD = _object(
    title=_TEXT,
    licence=_TEXT,
    test_questions=_WHOLE,
    ordered_by=_TEXT,
    entries={"type": "array", "items": _ENTRY},
)


class LeaderboardView(ProjectView):
    """The leaderboard of a project whose page is open."""

    permission_classes = (AllowAny,)

    @extend_schema(
        operation_id="leaderboard_retrieve",
        responses={200: LEADERBOARD, 404: ABSENT},
    )
    def get(self, request: Request, slug: str) -> Response:
        """The listed entries in order, with the figures that the page has, to one decimal.

        An entry without a name has null as its team. Nothing says how single questions scored.
        """
        check_pace(request._request)
        shown = queries.describe_leaderboard(queries.get_open(slug))
        headers = {"Cache-Control": "private, no-store", "X-Robots-Tag": NO_ROBOTS}
        return Response(shown, headers=headers)
