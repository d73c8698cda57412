"""Reading in other clients: search and read the project's Wikipedia, quote, report what was read.

These are the operations of the reader beside a work page, with the same services behind them: what
is searched, opened and quoted is logged as there. Looking into the log changes nothing.
"""

from dataclasses import asdict
from typing import Any, cast

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access.loaders import UserRequest, get_assignment, get_assignment_of_member
from annotation.core.models.work import Assignment
from annotation.reading import browser_events, queries, services
from annotation.reading.quotes import quote_shown, quotes_shown
from annotation.reading.serializers import (
    AskSerializer,
    EventsSerializer,
    HistorySerializer,
    LoggedSerializer,
    OpenSerializer,
    PageSerializer,
    QuoteSerializer,
    SearchSerializer,
    WordsSerializer,
)
from annotation.reading.services import OpenedPage, ReadingRefused
from annotation.rest.answers import ABSENT_WORK, MOVED_ON, RefusalSerializer
from annotation.rest.base import OwnWorkView
from wikipedia.html.page import PageMissing
from wikipedia.providers.base import ProviderUnavailable

_ASK_AGAIN = 3  # seconds
REFUSED = OpenApiResponse(RefusalSerializer, "It cannot be done; see `detail`.")
MISSING = OpenApiResponse(RefusalSerializer, "There is no such page, or no such work of yours.")
UNAVAILABLE = OpenApiResponse(RefusalSerializer, "Wikipedia cannot be asked now; try again.")
RETRY_AFTER = OpenApiParameter(
    "Retry-After",
    int,
    OpenApiParameter.HEADER,
    response=[503],
    description="In how many seconds to try again.",
)


class ReadingView(OwnWorkView):
    """A view of the reading that belongs to one's own work."""

    def get_assignment(self) -> Assignment:
        """Return the work at the address; 404 for that of others and of former members."""
        request = cast(UserRequest, self.request)
        return get_assignment_of_member(request, self.kwargs["assignment_id"])

    def handle_exception(self, exc: Exception) -> Response:
        """Answer what Wikipedia or the log refuse with a sentence."""
        if isinstance(exc, ReadingRefused):
            return Response({"detail": str(exc)}, status=422)
        if isinstance(exc, PageMissing):
            return Response({"detail": str(exc)}, status=404)
        if isinstance(exc, ProviderUnavailable):
            headers = {"Retry-After": str(_ASK_AGAIN)}
            return Response({"detail": str(exc)}, status=503, headers=headers)
        return super().handle_exception(exc)


class WorkSearch(ReadingView):
    """Searching Wikipedia."""

    @extend_schema(
        operation_id="work_search",
        request=AskSerializer,
        parameters=[RETRY_AFTER],
        responses={
            200: SearchSerializer,
            404: ABSENT_WORK,
            409: MOVED_ON,
            422: REFUSED,
            503: UNAVAILABLE,
        },
    )
    def post(self, request: Request, assignment_id: int) -> Response:
        """Search the project's Wikipedia. The search is logged with its results."""
        assignment, asked = self.get_assignment(), self.read_values(AskSerializer)
        search = services.search_wikipedia(
            assignment=assignment, **asked, by=self.person, now=timezone.now()
        )
        content = asdict(search) | {"next_offset": search.next_offset}
        return Response(SearchSerializer(content).data)


class WorkRead(ReadingView):
    """Opening a page."""

    @extend_schema(
        operation_id="work_read",
        request=OpenSerializer,
        parameters=[RETRY_AFTER],
        responses={200: PageSerializer, 404: MISSING, 409: MOVED_ON, 503: UNAVAILABLE},
    )
    def post(self, request: Request, assignment_id: int) -> Response:
        """Open a page of the project's Wikipedia. It is stored as shown, and the visit logged."""
        assignment, asked = self.get_assignment(), self.read_values(OpenSerializer)
        if not services.may_be_path(asked["path"]):
            raise PageMissing("No page can have this address.")
        opened = services.open_page(
            assignment=assignment,
            path=asked["path"],
            via=asked["via"],
            search_event=asked.get("event"),
            rank=asked.get("rank"),
            from_open=asked.get("from_visit"),
            anchor=asked["anchor"],
            by=self.person,
            now=timezone.now(),
        )
        return Response(PageSerializer(_page(assignment, opened)).data)


def _page(assignment: Assignment, opened: OpenedPage) -> dict[str, Any]:
    source, article = opened.source, opened.article
    history = queries.history_of(assignment)
    return vars(source) | {
        "visit": opened.event,
        "text": article.text,
        "html": article.html,
        "quotes": quotes_shown(assignment, source.path, article, history),
    }


class WorkReading(ReadingView):
    """What was read."""

    @extend_schema(
        operation_id="work_reading_retrieve", responses={200: HistorySerializer, 404: ABSENT_WORK}
    )
    def get(self, request: Request, assignment_id: int) -> Response:
        """What was searched, opened and quoted in this work so far."""
        assignment = self.get_assignment()
        history = queries.history_of(assignment)
        quotes = queries.quotes_in(assignment, history.quotes)
        shown = {
            "searches": history.searches,
            "pages": history.pages,
            "quotes": [quote_shown(assignment, quote) for quote in quotes],
        }
        return Response(HistorySerializer(shown).data)


class WorkQuotes(ReadingView):
    """Quoting."""

    @extend_schema(
        operation_id="work_quote",
        request=WordsSerializer,
        parameters=[RETRY_AFTER],
        responses={
            201: QuoteSerializer,
            404: MISSING,
            409: MOVED_ON,
            422: REFUSED,
            503: UNAVAILABLE,
        },
    )
    def post(self, request: Request, assignment_id: int) -> Response:
        """Store words of an opened page as a quote, to be used as evidence."""
        assignment, words = self.get_assignment(), self.read_values(WordsSerializer)
        if not services.may_be_path(words["path"]):
            raise ReadingRefused("No page can have this address.")
        who: dict[str, Any] = {
            "assignment": assignment,
            "by": self.person,
            "now": timezone.now(),
        }
        if words["path"] or words["made_by"] == services.MADE_BY[0]:
            quote = services.save_quote(**words, **who)
        else:
            pasted = services.quote_pasted(text=words["exact"], target=words["target"], **who)
            if pasted is None:
                raise ReadingRefused("No page that was opened in this work has these words.")
            quote = pasted
        return Response(QuoteSerializer(quote_shown(assignment, quote)).data, status=201)


class WorkEvents(ReadingView):
    """Reports of the reader."""

    @extend_schema(
        operation_id="work_events",
        request=EventsSerializer,
        responses={200: LoggedSerializer, 404: ABSENT_WORK, 409: MOVED_ON, 422: REFUSED},
    )
    def post(self, request: Request, assignment_id: int) -> Response:
        """Log what only the client can see: reading time, words looked for, links out."""
        work = get_assignment(cast(UserRequest, self.request), assignment_id)
        reported = browser_events.log_reported(
            assignment=work,
            payload=self.read_values(EventsSerializer),
            by=self.person,
            now=timezone.now(),
        )
        content = {"logged": len(reported.logged), "problems": list(reported.problems)}
        return Response(content)
