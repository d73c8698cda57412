"""Questions of the demo, each with its page: places and people are invented.

Of each page one question is to be annotated, and another came with the annotations of eight people.
"""

import datetime as dt
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from accounts.models import User
from annotation.imports.services import import_questions
from annotation.models import Project
from natural_questions import records
from natural_questions.annotation import PageAnnotation, PageSpan
from natural_questions.boxes import boxes_of, span_of
from natural_questions.format import KEY
from natural_questions.models import Page
from natural_questions.tokens import tokens_of

PAGES = Path(__file__).parent / "pages.json"


def load_questions(project: Project, people: Mapping[str, User], now: dt.datetime) -> None:
    """Import the questions with their pages, as records of the original form."""
    pages: list[dict[str, Any]] = json.loads(PAGES.read_text(encoding="utf-8"))
    for finished, made in ((False, map(_open, pages)), (True, map(_finished, pages))):
        import_questions(
            project=project,
            file=io.BytesIO(b"".join(records.encode_record(each) + b"\n" for each in made)),
            format=KEY,
            split="dev",
            strict=True,
            finished=finished,
            by=people["admin"],
            now=now,
        )
    _time_steps(project)


def _time_steps(project: Project) -> None:
    """Give the steps of the imported annotations times, as if they had been taken here.

    Files of the original form have none, and the figure of times would be empty.
    """
    pages = list(Page.objects.filter(question__project=project).order_by("pk"))
    for page in pages:
        for place, row in enumerate(page.annotations):
            seconds = {"question": 9 + place, "long": 34 + 3 * place}
            if row["candidate"] >= 0:
                seconds["short"] = 21 - place
            row["seconds"] = seconds
    Page.objects.bulk_update(pages, ["annotations"])


def _open(page: Mapping[str, Any]) -> dict[str, Any]:
    return _record(page, page["id"], page["question"])


def _record(page: Mapping[str, Any], key: str, question: str) -> dict[str, Any]:
    known = {"document_title": page["title"], "document_html": page["html"]}
    return dict(records.complete_record(known, key, question))


def _finished(page: Mapping[str, Any]) -> dict[str, Any]:
    record = _record(page, f"{page['id']}-finished", page["finished"])
    return records.build_record(record, _annotations(record, page["given"]), "original")


def _annotations(record: Mapping[str, Any], given: Iterable[Any]) -> Iterator[PageAnnotation]:
    """Yield an annotation for each person: none, or the smallest box of a kind that holds words.

    A row of `given` is how many people gave it, then kind, words, and words of the short answer.
    """
    boxes = boxes_of(record, tokens_of(record))
    number = 0
    for people, *answer in given:
        fields: dict[str, Any] = {}
        if answer:
            kind, words, *short = answer
            held = _span(record, words)
            around = [box for box in boxes if box.kind == kind and box.span.contains_span(held)]
            fields = {"long": around[-1].span, "candidate": around[-1].candidate}
            if short == ["YES"]:
                fields["yes_no"] = "YES"
            elif short:
                fields["short"] = (_span(record, *short),)
        for _ in range(people):
            number += 1
            yield PageAnnotation(good=True, annotation_id=str(number), **fields)


def _span(record: Mapping[str, Any], words: str) -> PageSpan:
    """Return where words are on the page for the first time."""
    html: str = record["document_html"]
    start = len(html[: html.index(words)].encode())
    end = start + len(words.encode())
    tokens = tokens_of(record)
    inside = [
        at for at, token in enumerate(tokens) if start <= token.start_byte and token.end_byte <= end
    ]
    return span_of(tokens, inside[0], inside[-1] + 1)
