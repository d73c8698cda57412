"""What the API takes and shows of reading: searches, pages, quotes and reports of the reader."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.reading import browser_events
from annotation.reading.events import VIA
from annotation.reading.queries import MAX_OFFSET
from annotation.reading.services import MADE_BY, MAX_PATH, MAX_QUERY, MAX_SELECTION

_ID: dict[str, Any] = {
    "min_value": 1,
    "max_value": browser_events.MAX_ID,
    "required": False,
    "allow_null": True,
}


class AskSerializer(serializers.Serializer[Any]):
    """What to search for. Results come ten at a time, from the one with the number `offset`."""

    query = serializers.CharField(max_length=MAX_QUERY)
    offset = serializers.IntegerField(min_value=0, max_value=MAX_OFFSET, default=0)


class ResultSerializer(serializers.Serializer[Any]):
    """One article found.

    `snippet` is HTML: escaped text with `<b>` around the words that match. `exact` says that the
    query is the title, or `redirect_from`, another name of the article.
    """

    rank = serializers.IntegerField()
    title = serializers.CharField()
    path = serializers.CharField()
    snippet = serializers.CharField(allow_blank=True)
    redirect_from = serializers.CharField(allow_blank=True)
    exact = serializers.BooleanField()


class SearchSerializer(serializers.Serializer[Any]):
    """The results of a search; `event` is its number in the log, null where nothing is logged."""

    event = serializers.IntegerField(allow_null=True)
    query = serializers.CharField()
    total = serializers.IntegerField()
    offset = serializers.IntegerField()
    next_offset = serializers.IntegerField(allow_null=True)
    suggestion = serializers.CharField(
        allow_blank=True, help_text="The query as it was probably meant."
    )
    results = ResultSerializer(many=True)


class OpenSerializer(serializers.Serializer[Any]):
    """Which page to open, and where its address comes from.

    For a result, send its `path` with `via` “search”, the `event` of the search and the `rank`; for
    a link on another page, `from_visit`, the `visit` of that page.
    """

    path = serializers.CharField(max_length=MAX_PATH, trim_whitespace=False)
    via = serializers.ChoiceField(choices=sorted(VIA), default="link")
    event = serializers.IntegerField(**_ID)
    rank = serializers.IntegerField(**_ID)
    from_visit = serializers.IntegerField(**_ID)
    anchor = serializers.CharField(max_length=300, default="", allow_blank=True)


class QuoteSerializer(serializers.Serializer[Any]):
    """Words of a page, and where they are on it now.

    `state` is exact, moved, changed or lost; `start` and `end` count code points of the page's
    text, null where the words are lost, and `now` is the text between them. To use a quote of your
    own as evidence, put its `id` into the response. In validation, `id` is a name where the quote
    is an annotator's.
    """

    id = serializers.SerializerMethodField()
    exact = serializers.CharField()
    path = serializers.CharField()
    title = serializers.CharField()
    where = serializers.CharField(help_text="Page and section, for people.")
    state = serializers.CharField()
    score = serializers.FloatField()
    note = serializers.CharField()
    start = serializers.IntegerField(allow_null=True)
    end = serializers.IntegerField(allow_null=True)
    now = serializers.CharField(allow_blank=True)

    @extend_schema_field({"oneOf": [{"type": "integer"}, {"type": "string"}]})
    def get_id(self, quote: dict[str, Any]) -> int | str:
        """Return the id of a quote, or the name that hides whose it is."""
        return quote["id"]  # type: ignore[no-any-return]


class PageSerializer(serializers.Serializer[Any]):
    """An article of the project's Wikipedia.

    `text` is what quotes point into. `html` is safe to show; its links begin with
    `/work/ID/read/`, and what follows, percent-decoded, is the `path` of the page they lead to.
    `visit` is its number in the log, null where nothing is logged; `stored_because` says why this
    is the page as it was shown earlier. `quotes` are those of this work on the page.
    """

    path = serializers.CharField()
    title = serializers.CharField()
    redirect_from = serializers.CharField(allow_null=True)
    url = serializers.CharField(allow_blank=True)
    rev_id = serializers.IntegerField(allow_null=True)
    rev_timestamp = serializers.DateTimeField(allow_null=True)
    retrieved_at = serializers.DateTimeField()
    stored_because = serializers.CharField(allow_blank=True)
    visit = serializers.IntegerField(allow_null=True)
    text = serializers.CharField(allow_blank=True)
    html = serializers.CharField(allow_blank=True)
    quotes = QuoteSerializer(many=True)


class SearchedSerializer(serializers.Serializer[Any]):
    """A search of this work."""

    event = serializers.IntegerField()
    query = serializers.CharField()
    total = serializers.IntegerField()


class ReadSerializer(serializers.Serializer[Any]):
    """A page that was opened in this work: `visit` is the last time."""

    path = serializers.CharField()
    title = serializers.CharField()
    visit = serializers.IntegerField(source="event")
    milliseconds = serializers.IntegerField(help_text="How long it was visible, as reported.")
    quotes = serializers.IntegerField()


class HistorySerializer(serializers.Serializer[Any]):
    """What was searched, opened and quoted in this work, the newest first; quotes in order."""

    searches = SearchedSerializer(many=True)
    pages = ReadSerializer(many=True)
    quotes = QuoteSerializer(many=True)


class WordsSerializer(serializers.Serializer[Any]):
    """Words to quote from a page that was opened in this work.

    `prefix` and `suffix`, the text around them, and `start`, their place, tell equal words apart.
    Pasted words without a `path` are looked for on all pages opened in this work. `target` is the
    answer they are for: the number of a pair, “new”, “single” or nothing.
    """

    exact = serializers.CharField(max_length=MAX_SELECTION, trim_whitespace=False)
    path = serializers.CharField(
        max_length=MAX_PATH, default="", allow_blank=True, trim_whitespace=False
    )
    prefix = serializers.CharField(
        max_length=200, default="", allow_blank=True, trim_whitespace=False
    )
    suffix = serializers.CharField(
        max_length=200, default="", allow_blank=True, trim_whitespace=False
    )
    start = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, required=False, allow_null=True
    )
    made_by = serializers.ChoiceField(choices=MADE_BY, default=MADE_BY[0])
    target = serializers.CharField(max_length=10, default="", allow_blank=True)


class EventsSerializer(serializers.Serializer[Any]):
    """What the reader saw of reading: the time a page was visible, words looked for, links out.

    An event is `{"kind": "page_close", "id": "…", "ago": 0, "page_open": VISIT, "dwell_ms": 1200,
    "depth": 80}`; `find_in_page` has `query` and `hits` in place of the last two, `external_click`
    has `url`. `id` is the client's own name of the event, 8 to 40 letters, digits and hyphens: one
    that was sent before is not logged again. `ago` says how many milliseconds ago it was.
    """

    events = serializers.ListField(
        child=serializers.DictField(), min_length=1, max_length=browser_events.MAX_EVENTS
    )


class LoggedSerializer(serializers.Serializer[Any]):
    """How many events were logged now, and a sentence for each that cannot be."""

    logged = serializers.IntegerField()
    problems = serializers.ListField(child=serializers.CharField())
