"""What every view of the API shares: members only, refusals as JSON, pages by cursor."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

from django.core.exceptions import RequestDataTooBig
from django.http import Http404
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from accounts.models import User
from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.core.models.projects import Project
from annotation.core.refusals import Denied
from annotation.rest.parsers import BoundedJSON
from annotation.text.cleaning import ResponseError


class ById(CursorPagination):
    """Pages oldest first; the cursor stays right while rows are added."""

    ordering = "id"
    page_size_query_param = "page_size"
    max_page_size = 1000

    def get_page_size(self, request: Request) -> int:
        """Read the page size; refuse an invalid one rather than quietly use another."""
        asked = request.query_params.getlist(self.page_size_query_param)
        if not asked:
            return int(self.page_size or self.max_page_size)
        size = int(asked[-1]) if re.fullmatch(r"[0-9]{1,4}", asked[-1]) else 0
        if not 1 <= size <= self.max_page_size:
            raise ValidationError({"page_size": f"A number from 1 to {self.max_page_size}."})
        return size

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Add the allowed page sizes to the schema."""
        parameters: list[dict[str, Any]] = super().get_schema_operation_parameters(view)
        for parameter in parameters:
            if parameter["name"] == self.page_size_query_param:
                parameter["schema"] |= {"minimum": 1, "maximum": self.max_page_size}
        return parameters

    def decode_cursor(self, request: Request) -> Any:
        """Read the cursor; refuse one whose position is not an id."""
        cursor = super().decode_cursor(request)
        position = "" if cursor is None else str(cursor.position or "")
        if position and not re.fullmatch(r"[0-9]{1,18}", position):
            raise NotFound(self.invalid_cursor_message)
        return cursor


class NewestFirst(ById):
    """The same, newest first."""

    ordering = "-id"


class ByKey(ById):
    """Pages of a project's rows, each of which looks at a bounded number of them.

    With filters a page may therefore hold fewer rows than asked for, even none, and lead on. The
    view's `keys` are all its rows, whatever the filters, as one index has them; `parts` is how many
    numbers one is made of.
    """

    parts = 1
    looks_at = 1000

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        """Return the rows of the page that the cursor asks for."""
        self.request, self.base_url = request, request.build_absolute_uri()
        self.page_size = size = self.get_page_size(request)
        cursor = self.decode_cursor(request)
        back = bool(cursor and cursor.reverse)
        start = tuple(map(int, cursor.position.split("."))) if cursor and cursor.position else ()
        most = max(self.looks_at, size)
        keys = list(view.keys(start, back=back)[: most + 1])
        by_id = {key[-1]: key for key in keys[:most]}
        order = view.order if not back else [f"-{name}" for name in view.order]
        rows = list(queryset.filter(pk__in=by_id).order_by(*order)[: size + 1])
        further = None
        if len(rows) > size:
            further = by_id[rows[size - 1].pk]
        elif len(keys) > most:
            further = keys[most - 1]
        behind = keys[0] if start and keys else None
        self.next_key, self.previous_key = (behind, further) if back else (further, behind)
        return rows[:size][::-1] if back else rows[:size]

    def get_next_link(self) -> str | None:
        """Return the address of the rows after these."""
        return self._link(self.next_key, back=False)

    def get_previous_link(self) -> str | None:
        """Return the address of the rows before these."""
        return self._link(self.previous_key, back=True)

    def _link(self, key: Sequence[int] | None, *, back: bool) -> str | None:
        if key is None:
            return None
        position: Any = ".".join(map(str, key))
        link: str = self.encode_cursor(Cursor(0, back, position))
        return link

    def decode_cursor(self, request: Request) -> Any:
        """Read the cursor; refuse one whose position is not a key."""
        cursor = CursorPagination.decode_cursor(self, request)
        key = rf"([0-9]{{1,16}}\.){{{self.parts - 1}}}[0-9]{{1,18}}"
        if cursor and cursor.position and not re.fullmatch(key, str(cursor.position)):
            raise NotFound(self.invalid_cursor_message)
        return cursor


class ByImport(ByKey):
    """The same for questions, in the order of import."""

    parts = 2


def refuse_empty(request: Request, names: Iterable[str]) -> None:
    """Refuse parameters without a value, as any other value that is not listed."""
    if empty := [name for name in names if request.query_params.get(name) == ""]:
        raise ValidationError(dict.fromkeys(empty, "Give a value, or leave it out."))


class Filters(DjangoFilterBackend):  # type: ignore[misc]
    """Filters of lists; one without a value is refused, as any other value that is not listed."""

    def filter_queryset(self, request: Request, queryset: Any, view: Any) -> Any:
        """Narrow a list down to what the query asks for."""
        refuse_empty(request, getattr(self.get_filterset(request, queryset, view), "filters", {}))
        return super().filter_queryset(request, queryset, view)


class ProjectView(APIView):
    """A view of one project. Strangers get 404, members without the right 403 with the sentence."""

    # None: every member has the right.
    check: Any = staticmethod(check_can_manage)

    def get_project(self) -> Project:
        """Return the project of the address, if the person may be here."""
        request = cast(UserRequest, self.request)
        return get_project(request, self.kwargs["slug"], self.check)

    @property
    def person(self) -> User:
        """The person whose token it is."""
        return cast(User, self.request.user)

    def handle_exception(self, exc: Exception) -> Response:
        """Answer a refusal of a policy with its sentence."""
        if isinstance(exc, Denied):
            return Response({"detail": str(exc)}, status=exc.status)
        if isinstance(exc, Http404):
            # The same answer for missing objects and for those hidden from this person.
            exc = NotFound()
        return super().handle_exception(exc)


class OwnWorkView(ProjectView):
    """A view of one's own work, or of what belongs to it, such as the reading."""

    parser_classes = (BoundedJSON,)

    def read_values(self, form: type[Serializer[Any]]) -> dict[str, Any]:
        """Return what was sent, checked by a serializer."""
        read = form(data=self.request.data)
        read.is_valid(raise_exception=True)
        return cast(dict[str, Any], read.validated_data)

    def handle_exception(self, exc: Exception) -> Response:
        """Answer refusals that carry more than a sentence."""
        if isinstance(exc, ResponseError):
            exc = ValidationError({"response": str(exc)})
        if isinstance(exc, RequestDataTooBig):
            return Response({"detail": "The request is too large. Send less."}, status=413)
        return super().handle_exception(exc)


class AnyType(BaseContentNegotiation):
    """Ignores what the client accepts: a download has one type, and errors are JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """Take the first parser."""
        return parsers[0]

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Take the first renderer."""
        return renderers[0], renderers[0].media_type
