"""The AmbigNQ layouts, light and full, holding what was submitted (A65, A66).

One record per question that has at least one submission in use, in the order of import; its
annotations in the order of submission. The question is in its display form, as the released
files have it. "Not found" is written as {"type": "noAnswer"}: the released files hold accepted
work only and have none, but leaving a submission out here would lose it.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import orjson

from annotation.models import Project
from annotation.models.questions import display_form
from annotation.services.exports.rows import Row, chunks, fetch, snapshot

# One row per pair, with the accepted forms of its answer as an array. Pairs are aggregated from
# the chosen annotations, not from the whole table: other projects cost nothing.
_PAIRS = """
    WITH chosen AS (
        SELECT q.id AS question_id, n.id AS annotation_id, q.external_id, q.text, n.kind,
               s.submitted_at, s.id AS assignment_id
        FROM annotation_assignment s
        JOIN annotation_annotation n ON n.assignment_id = s.id
        JOIN annotation_question q ON q.id = n.question_id
        WHERE s.project_id = %s AND s.state = 'submitted' AND s.used
          AND (%s::text IS NULL OR q.split = %s)
    ), pair AS (
        SELECT p.annotation_id, p.position, p.question,
               array_agg(a.text ORDER BY a.position) AS forms
        FROM chosen c
        JOIN annotation_qapair p ON p.annotation_id = c.annotation_id
        LEFT JOIN annotation_answer a ON a.pair_id = p.id
        GROUP BY p.id
    )
    SELECT c.question_id, c.annotation_id, c.external_id, c.text, c.kind, p.question, p.forms
    FROM chosen c LEFT JOIN pair p ON p.annotation_id = c.annotation_id
    ORDER BY c.question_id, c.submitted_at, c.assignment_id, p.position
"""
_QUESTIONS = """
    SELECT id, known_answers, context ->> 'nq_doc_title' FROM annotation_question WHERE id = ANY(%s)
"""
_EVENTS = """
    SELECT n.question_id, e.kind, e.data
    FROM annotation_annotation n
    JOIN annotation_assignment s ON s.id = n.assignment_id
    JOIN annotation_event e ON e.assignment_id = s.id
    WHERE n.question_id = ANY(%s) AND s.state = 'submitted' AND s.used
      AND e.kind IN ('search', 'page_open')
    ORDER BY n.question_id, s.submitted_at, s.id, e.id
"""
_ROWS = 2_000
_QUESTIONS_AT_ONCE = 250


def light(project: Project, split: str | None) -> Iterator[bytes]:
    """Give id, question and annotations of each question."""
    with snapshot():
        for rows in _by_question(project, split):
            yield orjson.dumps(_record(rows))


def full(project: Project, split: str | None) -> Iterator[bytes]:
    """Give each question's light record with the pages read, the searches, and what was known."""
    with snapshot():
        questions = _by_question(project, split)
        while some := list(islice(questions, _QUESTIONS_AT_ONCE)):
            ids = [rows[0][0] for rows in some]
            known = {row[0]: row[1:] for row in fetch(_QUESTIONS, [ids])}
            events = {
                question: list(rows)
                for question, rows in groupby(fetch(_EVENTS, [ids]), itemgetter(0))
            }
            for rows in some:
                yield orjson.dumps(_full(rows, known[rows[0][0]], events.get(rows[0][0], [])))


def _by_question(project: Project, split: str | None) -> Iterator[list[Row]]:
    rows = (row for chunk in chunks(_PAIRS, [project.pk, split, split], _ROWS) for row in chunk)
    for _, of_question in groupby(rows, itemgetter(0)):
        yield list(of_question)


def _record(rows: Sequence[Row]) -> dict[str, Any]:
    """Make a question's record of its pair rows."""
    return {
        "id": rows[0][2],
        "question": display_form(rows[0][3]),
        "annotations": [_annotation(list(pairs)) for _, pairs in groupby(rows, itemgetter(1))],
    }


def _annotation(rows: Sequence[Row]) -> dict[str, Any]:
    kind = rows[0][4]
    if kind == "none":
        return {"type": "noAnswer"}
    if kind == "single":
        return {"type": "singleAnswer", "answer": _forms(rows[0][6])}
    return {
        "type": "multipleQAs",
        "qaPairs": [{"question": row[5], "answer": _forms(row[6])} for row in rows],
    }


def _forms(found: Sequence[str | None] | None) -> list[str]:
    return [form for form in found or [] if form is not None]


def _full(
    rows: Sequence[Row], known: tuple[str, str | None], events: Sequence[Row]
) -> dict[str, Any]:
    titles: dict[str, None] = {}
    queries: dict[str, dict[str, dict[str, str]]] = {}
    for _, kind, text in events:
        data = orjson.loads(text)
        if kind == "page_open":
            titles[data["title"]] = None
            continue
        # The next page of a search belongs to the same query, as does the same search again.
        results = queries.setdefault(data["query"], {})
        for result in data["results"]:
            results.setdefault(
                result["title"], {"title": result["title"], "snippet": result["snippet"]}
            )
    answers, title = known
    return {
        **_record(rows),
        "viewed_doc_titles": list(titles),
        "used_queries": [
            {"query": query, "results": list(results.values())}
            for query, results in queries.items()
        ],
        "nq_answer": orjson.loads(answers),
        "nq_doc_title": title,
    }
