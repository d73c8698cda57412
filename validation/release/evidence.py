"""The accepted answers with the pages that people read to find them, as text and HTML (A68).

The layout is that of the published evidence: `articles_plain_text` and `articles_html_text` beside
id, question and annotations. Its articles were taken from the same log: all that people opened and
that hold an accepted answer; where these are fewer than three, others that were opened. Its authors
drew the others by chance; here the first opened come first, so that the same rows give the same
bytes. Questions of the test set come without answers.
"""

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

from annotation.exports.arrangements import ARRAY
from annotation.exports.layouts import Column, Layout, Record, by_number
from annotation.exports.rows import Row, fetch_rows
from annotation.models import Split
from metrics.text import normalise_text
from validation.decisions.accepted_answers import DecidedQuestion, read_question_chunks
from validation.release.counts import Counts
from validation.release.records import LIGHT_COLUMNS, LIGHT_FIELDS, build_light_records, light_row
from validation.release.statements import PAGES_NAMED, PAGES_OPENED
from wikipedia.articles.portable import PortablePage, portable_pages

FEWEST = 3
_AT_ONCE = 8  # questions, whose articles are in memory together
_KEPT = 64
_HIDDEN = "without_answers"
_FIELDS = (
    *LIGHT_FIELDS[:-1],
    (LIGHT_FIELDS[-1][0], f"{LIGHT_FIELDS[-1][1]}; an empty list for questions of the test set"),
    ("articles_plain_text", "the articles as text: a line for each paragraph, cell or list item"),
    ("articles_html_text", "the same articles as HTML, without pictures"),
    ("articles", "the same articles: `title`, `url` and `revision`, null where not known"),
)
COLUMNS = (
    *LIGHT_COLUMNS,
    Column("articles_plain_text", "the articles as text", lists=1),
    Column("articles_html_text", "the same articles as HTML", lists=1),
    Column(
        "articles",
        "where the same articles are from",
        parts=(
            Column("title", "the article's title"),
            Column("url", "its address, or null"),
            Column("revision", "the number of its revision, or null"),
        ),
    ),
)


@dataclass
class EvidenceCounts(Counts):
    """Counts of a release with articles; the answers of the test set are not in it."""

    articles: Counter[int] = field(default_factory=Counter)

    def add(self, question: DecidedQuestion, record: Record | None) -> None:
        """Count a question, released or left out."""
        if record is not None:
            self.articles[len(record["articles"])] += 1
        if record is None or question.split != Split.TEST:
            super().add(question, record)
            return
        self.questions[question.split, _HIDDEN] += 1
        self.sources[question.source] += 1
        self.work_of(question.guidelines, question.newest)

    def as_json(self) -> dict[str, object]:
        """Return the counts as the manifest holds them; every key is always there."""
        counts: dict[str, Any] = super().as_json()
        for split, numbers in counts["by_split"].items():
            numbers[_HIDDEN] = self.questions[split, _HIDDEN]
        total = sum(number * questions for number, questions in self.articles.items())
        return counts | {
            "articles": total,
            "articles_per_question": by_number(self.articles),
        }


class _Pages:
    """Stored pages with their texts as they are compared; the last are kept, for shared pages."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, tuple[PortablePage, str]] = OrderedDict()

    def load(self, ids: Iterable[int]) -> None:
        """Have these pages at hand. One query, none if they are there."""
        wanted = set(ids)
        missing = wanted - self._kept.keys()
        for pk, page in (portable_pages(missing) if missing else {}).items():
            self._kept[pk] = page, f" {normalise_text(page.text)} "
        for pk in wanted & self._kept.keys():
            self._kept.move_to_end(pk)
        while len(self._kept) > max(_KEPT, len(wanted)):
            self._kept.popitem(last=False)

    def list_pages(self, ids: Iterable[int]) -> list[tuple[PortablePage, str]]:
        """Return these pages, each article once, as it was first opened."""
        by_path: dict[str, tuple[PortablePage, str]] = {}
        for pk in ids:
            if pk in self._kept:
                by_path.setdefault(self._kept[pk][0].path, self._kept[pk])
        return list(by_path.values())


def build_records(questions: Sequence[DecidedQuestion]) -> Iterator[Record]:
    """Give the records of some questions. At most three queries for every eight."""
    pages = _Pages()
    for start in range(0, len(questions), _AT_ONCE):
        yield from _records(questions[start : start + _AT_ONCE], pages)


def _records(questions: Sequence[DecidedQuestion], pages: _Pages) -> Iterator[dict[str, Any]]:
    """Give the records of a few questions. At most three queries."""
    ids = [question.pk for question in questions]
    imported = [question.pk for question in questions if question.imported]
    named = fetch_rows(PAGES_NAMED, {"questions": ids, "imported": imported})
    seen = _by_question([*fetch_rows(PAGES_OPENED, [ids]), *named])
    pages.load(pk for of_question in seen.values() for pk in of_question)
    for question, record in zip(questions, build_light_records(questions), strict=True):
        if question.split == Split.TEST:
            record["annotations"] = []
        articles = _chosen(question, pages.list_pages(seen.get(question.pk, [])))
        yield {
            **record,
            "articles_plain_text": [page.text for page in articles],
            "articles_html_text": [page.html for page in articles],
            "articles": [_source(page) for page in articles],
        }


def _by_question(rows: Iterable[Row]) -> Mapping[int, list[int]]:
    in_order = sorted(rows, key=itemgetter(0))  # stable: pages that were opened come first
    return {pk: [row[1] for row in of_pk] for pk, of_pk in groupby(in_order, itemgetter(0))}


def _chosen(
    question: DecidedQuestion, pages: Sequence[tuple[PortablePage, str]]
) -> list[PortablePage]:
    """Return the pages with an answer and, up to three in all, others, in the order of opening."""
    forms = {
        f" {form} "
        for accepted_set in question.sets
        for pair in accepted_set.pairs
        for form in map(normalise_text, pair.forms)
        if form
    }
    hold = [any(form in text for form in forms) for _, text in pages]
    others = max(FEWEST - sum(hold), 0)
    chosen = []
    for (page, _), holds in zip(pages, hold, strict=True):
        if holds or others:
            chosen.append(page)
            others -= not holds
    return chosen


def _source(page: PortablePage) -> dict[str, str | None]:
    revision = None if page.rev_id is None else str(page.rev_id)
    return {"title": page.title, "url": page.url or None, "revision": revision}


EVIDENCE = Layout(
    key="ambignq-evidence",
    label="AmbigNQ with evidence",
    hint="Answers with the pages that people opened, as text and HTML; test without answers",
    fields=_FIELDS,
    questions=read_question_chunks,
    records=build_records,
    arrangement=ARRAY,
    counts=EvidenceCounts,
    card="validation/release/evidence_card.md",
    columns=COLUMNS,
    row=light_row,
)
