"""The AmbigNQ layouts, light and full, holding what was submitted (A65, A66).

One record per question that has at least one submission in use, in the order of import; its
annotations in the order of submission. The question is in its display form, as the released
files have it. "Not found" is written as {"type": "noAnswer"}: the released files hold only accepted
work and have none, but leaving a submission out here would lose it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import orjson

from annotation.core.models.projects import Project
from annotation.core.models.questions import display_form
from annotation.exports.format import JSON, Format
from annotation.exports.rows import Row, fetch_chunks, fetch_rows
from annotation.exports.selection import Selection
from annotation.generation.models import Annotation
from annotation.generation.statements import (
    CHOSEN_ANNOTATIONS,
    EXPORTED_PAIRS,
    KNOWN_ANSWERS,
    SEARCHES_AND_PAGES,
)

_ROWS = 2_000
_QUESTIONS_AT_ONCE = 250


def export_light_records(project: Project, selection: Selection) -> Iterator[bytes]:
    """Yield id, question and annotations of each question. Only within a snapshot."""
    for rows in _by_question(project, selection):
        yield orjson.dumps(_record(rows))


def export_full_records(project: Project, selection: Selection) -> Iterator[bytes]:
    """Yield each question's light record with the pages read, the searches and the known answers.

    Only within a snapshot.
    """
    questions = _by_question(project, selection)
    while some := list(islice(questions, _QUESTIONS_AT_ONCE)):
        columns = {
            row[0]: row[1:] for row in fetch_rows(KNOWN_ANSWERS, [[rows[0][0] for rows in some]])
        }
        logged = fetch_rows(SEARCHES_AND_PAGES, [[row[1] for rows in some for row in rows]])
        events = {question: list(rows) for question, rows in groupby(logged, itemgetter(0))}
        for rows in some:
            yield orjson.dumps(_full(rows, columns[rows[0][0]], events.get(rows[0][0], [])))


def _by_question(project: Project, selection: Selection) -> Iterator[list[Row]]:
    """Yield the submissions of each question: chosen rows, each followed by its pairs."""
    rows = _with_pairs(fetch_chunks(CHOSEN_ANNOTATIONS, selection.values(project), _ROWS))
    for _, of_question in groupby(rows, itemgetter(0)):
        yield list(of_question)


def _with_pairs(chosen: Iterator[list[Row]]) -> Iterator[Row]:
    # Pairs are looked up for some submissions at a time: joined and sorted in one statement, a
    # million of them would keep the reader waiting for 20 seconds before the first byte.
    for rows in chosen:
        pairs: dict[int, list[Row]] = {}
        for pair in fetch_rows(EXPORTED_PAIRS, [[row[1] for row in rows]]):
            pairs.setdefault(pair[0], []).append(pair)
        for row in rows:
            yield *row, pairs.get(row[1], [])


def _record(rows: Sequence[Row]) -> dict[str, Any]:
    """Return a question's record from its submissions."""
    return {
        "id": rows[0][2],
        "question": display_form(rows[0][3]),
        "annotations": [_annotation(row[4], row[5]) for row in rows],
    }


def _annotation(kind: str, pairs: Sequence[Row]) -> dict[str, Any]:
    if kind == "none":
        return {"type": "noAnswer"}
    if kind == "single":
        return {"type": "singleAnswer", "answer": _forms(pairs[0][2]) if pairs else []}
    return {
        "type": "multipleQAs",
        "qaPairs": [{"question": pair[1], "answer": _forms(pair[2])} for pair in pairs],
    }


def _forms(found: Sequence[str | None]) -> list[str]:
    return [form for form in found if form is not None]


def _full(
    rows: Sequence[Row], known: tuple[str, str | None], events: Sequence[Row]
) -> dict[str, Any]:
    titles, queries = read_and_searched(events)
    answers, title = known
    return {
        **_record(rows),
        "viewed_doc_titles": titles,
        "used_queries": queries,
        "nq_answer": orjson.loads(answers),
        "nq_doc_title": title,
    }


def read_and_searched(
    events: Iterable[Row],
    titles: Sequence[str] = (),
    queries: Sequence[Mapping[str, Any]] = (),
) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the titles of pages opened and the queries with their results, each once.

    `events` are rows of (question, kind, data as JSON), in their order. The given `titles` and
    `queries` come first and stay exactly as they are.
    """
    opened = dict.fromkeys(titles)
    searches = [{**query, "results": list(query["results"])} for query in queries]
    places = {query["query"]: place for place, query in reversed(list(enumerate(searches)))}
    shown = {(query["query"], result["title"]) for query in searches for result in query["results"]}
    for _, kind, text in events:
        data = orjson.loads(text)
        if kind == "page_open":
            opened[data["title"]] = None
            continue
        # The next page of a search, or a repeated search, belongs to the same query.
        query = data["query"]
        if query not in places:
            places[query] = len(searches)
            searches.append({"query": query, "results": []})
        for result in data["results"]:
            if (query, result["title"]) not in shown:
                shown.add((query, result["title"]))
                searches[places[query]]["results"].append(
                    {"title": result["title"], "snippet": result["snippet"]}
                )
    extra = [title for title in opened if title not in titles] if titles else list(opened)
    return [*titles, *extra], searches


def count_records(project: Project) -> int:
    """Return how many questions have a submission in use."""
    rows = Annotation.objects.filter(
        assignment__project=project,
        assignment__stage="generation",
        assignment__state="submitted",
        assignment__used=True,
    )
    return rows.values("question").distinct().count()


LIGHT = Format(
    key="ambignq-light",
    label="AmbigNQ, light",
    hint="Questions with what was submitted, in the released layout",
    content_type=JSON,
    records=export_light_records,
    count=count_records,
)
FULL = Format(
    key="ambignq",
    label="AmbigNQ, full",
    hint="With searches, results and pages read",
    content_type=JSON,
    records=export_full_records,
    count=count_records,
)
