"""Submitted work with everything around it, made as rows."""

import datetime as dt

from annotation.models import Annotation, Answer, Event, KeptWarning, QAPair, Task
from tests import factories
from wikipedia.models import Quote, ShownPage

START = dt.datetime(2026, 3, 1, 9, 0, tzinfo=dt.UTC)


def make_page(snapshot, title="Thames Tunnel"):
    return ShownPage.objects.create(
        snapshot=snapshot,
        path=title.replace(" ", "_"),
        title=title,
        page_id=12,
        rev_id=345,
        rev_timestamp=START,
        retrieved_at=START,
        url="https://en.wikipedia.org/w/index.php?oldid=345",
        text="It opened on 25 March 1843.",
        text_sha256="ab" * 32,
    )


def make_quote(page, user, exact="25 March 1843"):
    return Quote.objects.create(
        page=page,
        section_path=["History", "Opening"],
        section_anchor="Opening",
        block_kind="paragraph",
        exact=exact,
        prefix="It opened on ",
        suffix=".",
        start=13,
        end=26,
        made_by="selection",
        created_by=user,
        created_at=START,
    )


def submit(question, user, kind="single", pairs=(), minutes=0, events=(), kept=(), **fields):
    """Submit pairs [(question, [forms])]; a form is a text or (text, quote)."""
    at = START + dt.timedelta(minutes=minutes)
    task = Task.objects.filter(question=question).first() or factories.make_task(
        question.project, question
    )
    assignment = factories.make_assignment(
        task,
        user,
        state="submitted",
        started_at=at - dt.timedelta(minutes=4),
        submitted_at=at,
        ended_at=at,
        **{"active_seconds": 200, "guideline_version": 1} | fields,
    )
    annotation = Annotation.objects.create(
        assignment=assignment,
        question=question,
        author=user,
        kind=kind,
        none_reason="No page says so." if kind == "none" else "",
        created_at=at,
    )
    for position, (text, forms) in enumerate(pairs):
        pair = QAPair.objects.create(annotation=annotation, position=position, question=text)
        for number, form in enumerate(forms):
            words, quote = form if isinstance(form, tuple) else (form, None)
            Answer.objects.create(pair=pair, position=number, text=words, quote=quote)
    for number, (what, data) in enumerate(events):
        Event.objects.create(
            assignment=assignment, kind=what, at=at + dt.timedelta(seconds=number), data=data
        )
    for rule, field, reason in kept:
        KeptWarning.objects.create(annotation=annotation, rule=rule, field=field, reason=reason)
    return assignment


def search(query, *titles, offset=0):
    results = [{"title": t, "path": t, "snippet": f"<b>{t}</b>"} for t in titles]
    return "search", {"query": query, "offset": offset, "total": 9, "results": results}


def opened(title, **data):
    return "page_open", {"title": title, "path": title, "via": "search", **data}
