"""Keep the record of a question, which holds its page, and read it again."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from annotation.models import Question
from natural_questions.models import Page
from natural_questions.prepared_pages import prepare_page
from natural_questions.records import kinds_of, unpack_record


@dataclass(frozen=True)
class PageRecord:
    """A record as it was imported; `form` is that of Page."""

    form: str
    record: Mapping[str, Any]


def keep_page(question: Question, form: str, record: Mapping[str, Any]) -> None:
    """Keep the record of a question in place of an earlier one."""
    keep_pages([(question, form, record)])


def keep_pages(pages: Iterable[tuple[Question, str, Mapping[str, Any]]]) -> None:
    """Keep the records of several questions. One statement."""
    keep_packed(
        (question, form, zlib.compress(orjson.dumps(record)), kinds_of(record))
        for question, form, record in pages
    )


def keep_packed(pages: Iterable[tuple[Question, str, bytes, str]]) -> None:
    """Keep records that are JSON, compressed, and the kinds of their boxes. One statement.

    Long pages are parsed now (`prepared_pages`), so that no one waits for it.
    """
    Page.objects.bulk_create(
        [
            Page(
                question=question,
                form=form,
                record=packed,
                kinds=kinds,
                prepared=prepare_page(packed),
            )
            for question, form, packed, kinds in pages
        ],
        update_conflicts=True,
        unique_fields=["question"],
        update_fields=["form", "record", "kinds", "prepared"],
    )


def page_of(question: Question) -> PageRecord | None:
    """Return the record of a question, None if it was imported without a page. One query."""
    return pages_of([question.pk]).get(question.pk)


def pages_of(question_ids: Iterable[int]) -> dict[int, PageRecord]:
    """Return the records of questions by their ids, of those that have one. One query."""
    rows = Page.objects.filter(question_id__in=list(question_ids))
    return {page.question_id: PageRecord(page.form, unpack_record(page.record)) for page in rows}


def keep_annotations(annotations: Mapping[int, Sequence[Mapping[str, Any]]]) -> None:
    """Keep what was imported as accepted work, by question, in place of what was there."""
    rows = [Page(question_id=pk, annotations=list(rows)) for pk, rows in annotations.items()]
    Page.objects.bulk_update(rows, ["annotations"])


def annotations_of(question_ids: Iterable[int]) -> dict[int, list[dict[str, Any]]]:
    """Return what was imported as accepted work, by question. One query; no page is read."""
    rows = Page.objects.filter(question_id__in=list(question_ids))
    return dict(rows.values_list("question_id", "annotations"))
