"""Wikipedia beside an item of a rehearsal, as raters have it. Nothing of it is kept or logged."""

from django.urls import reverse

from annotation.access.loaders import parse_number
from annotation.reading.articles import article_context, problem_status, read_from
from annotation.reading.places import ReadingPlace
from annotation.reading.services import ReadingRefused, may_be_path, search_snapshot
from evaluation.rehearsals.desk import RehearsalDesk
from wikipedia.html.page import PageMissing
from wikipedia.providers.base import ProviderUnavailable


class RehearsedReading:
    """What the search and the reader beside one item are given."""

    def __init__(self, desk: RehearsalDesk) -> None:
        address = [desk.project.slug, desk.number]
        self.snapshot = desk.project.snapshot
        self.place = ReadingPlace(
            page=desk.address,
            search=reverse("study-try-search", args=address),
            articles=reverse("study-try-read", args=[*address, "x"]).removesuffix("x"),
        )
        self.context = self.place.build_context(self.snapshot, desk.question.prompt)
        self.context |= {"shown_search": None, "may_quote": False}

    def search(self, query: str, offset: str) -> int:
        """Search, and return the HTTP status: 422 for what cannot be searched, 503 when down."""
        try:
            search = search_snapshot(self.snapshot, query=query, offset=parse_number(offset))
        except ReadingRefused as refused:
            self.context |= {"search_problem": str(refused)}
            return 422
        except ProviderUnavailable as unavailable:
            again = self.place.search_for(q=query[:500])
            self.context |= {"search_problem": str(unavailable), "search_retry_url": again}
            return 503
        self.context |= self.place.build_search_context(search)
        return 200

    def read(self, path: str) -> int:
        """Open an article, and return the HTTP status: 404 where there is none, 503 when down."""
        try:
            if not may_be_path(path):
                raise PageMissing("No page can have this address.")
            source, article = read_from(self.snapshot, path, base=self.place.articles)
        except (PageMissing, ProviderUnavailable) as problem:
            self.context |= self.place.build_problem_context(path, problem, via="link")
            return problem_status(problem)
        self.context |= article_context(source, article) | {"open_event": "", "quotes_shown": []}
        return 200
