"""What the tests of reading do again and again."""

import datetime as dt

from annotation.models import Event
from annotation.reading import services as reading_services

THAMES = "Thames_Tunnel"


def search(assignment, query="thames tunnel", offset=0, **given):
    defaults = {"by": assignment.user, "now": dt.datetime(2026, 11, 20, 9, tzinfo=dt.UTC)}
    return reading_services.search_wikipedia(
        assignment=assignment, query=query, offset=offset, **defaults | given
    )


def open_page(assignment, path=THAMES, via="link", search_event=None, rank=None, **given):
    defaults = {"by": assignment.user, "now": dt.datetime(2026, 11, 20, 9, 1, tzinfo=dt.UTC)}
    return reading_services.open_page(
        assignment=assignment,
        path=path,
        via=via,
        search_event=search_event,
        rank=rank,
        **defaults | given,
    )


def quote(assignment, exact="About 50,000 people", path=THAMES, **given):
    defaults = {
        "prefix": "",
        "suffix": "",
        "made_by": "selection",
        "target": "1",
        "by": assignment.user,
        "now": dt.datetime(2026, 11, 20, 9, 2, tzinfo=dt.UTC),
    }
    return reading_services.save_quote(
        assignment=assignment, path=path, exact=exact, **defaults | given
    )


def logged(assignment):
    return list(Event.objects.filter(assignment=assignment).values_list("kind", "data"))
