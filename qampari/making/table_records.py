"""Questions from tables as records of QAMPARI, and whether such a record is as the page says.

Beside the keys of other made questions an answer has `table`: the list's page, its revision, the
table's number and caption, and the cell that names the answer; `value` is the cell of what a
composition asks for. Numbers count from 0, among all tables of the page. Pure.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from metrics.text import answer_key
from qampari.made_from import MAKING
from qampari.making.evidence import EvidenceWindow, ReadPage, ReadsPages
from qampari.making.table_evidence import JUDGE, has_one_of
from qampari.making.table_lists import CellPlace, ListedRow, ListedValue, find_name_link
from qampari.making.table_queries import TABLE_SIMPLE, ListedAnswer, TableQuestion
from qampari.making.table_wording import (
    ListTitle,
    drop_brackets,
    list_content_stems,
    read_list_title,
    write_list_question,
    write_value_question,
)
from wikipedia.articles.tables import PageTable, TableCell, list_tables

Record = dict[str, Any]
TABLE: Final = "table"


def write_table_records(
    questions: Sequence[TableQuestion], *, snapshot: str, source: Mapping[str, Any]
) -> Iterator[Record]:
    """Give a record for each question. source: what every question of the run says of it."""
    for question in questions:
        kind = "simple" if question.kind == TABLE_SIMPLE else "comp"
        name = hashlib.sha256(question.key.encode()).hexdigest()[:12]
        qid = f"{name}__wikitables_{kind}__{question.split}"
        yield {
            "qid": qid,
            "question_text": question.question.text,
            "answer_list": [
                _write_answer(question, answer, f"{qid}__{number}", snapshot)
                for number, answer in enumerate(question.answers)
            ],
            "entities": [],
            MAKING: {
                **source,
                "queries": _write_queries(question),
                "templates": [question.listed.title.title],
                "denotation": question.denotation,
                "validated": len(question.answers),
                "unproven": list(question.unproven),
                **_write_asked(question),
                "needs_paraphrase": question.question.needs_paraphrase,
                **({"reworded_from": question.written_as} if question.written_as else {}),
            },
        }


def _write_queries(question: TableQuestion) -> list[list[str]]:
    """Return the list, and the column with its value: so other values of it are near misses."""
    path = question.listed.path
    asked = [[f"table {path}", ""]]
    if question.value is not None and question.column is not None:
        header = question.listed.headers[question.column]
        asked.append([f"table {path}: {header}", question.value.place.text])
    return asked


def _write_asked(question: TableQuestion) -> Record:
    value = question.value
    return {} if value is None else {"value": {"text": value.place.text, "page": value.path}}


def _write_answer(question: TableQuestion, answer: ListedAnswer, aid: str, snapshot: str) -> Record:
    said = None
    if question.value is not None and question.column is not None:
        said, _ = answer.said[question.column, question.value.key]
    return {
        "answer_text": answer.name,
        "aid": aid,
        "answer_url": answer.url,
        "aliases": list(answer.aliases),
        "proof": [
            _write_proof(proof.window, proof.value, snapshot)
            for proof in question.list_proofs(answer)
        ],
        TABLE: _write_place(question, answer, said),
    }


def _write_place(question: TableQuestion, answer: ListedAnswer, said: ListedValue | None) -> Record:
    row = _find_row(answer, said)
    return {
        "path": question.listed.path,
        "revision": question.listed.revision,
        "url": question.listed.url,
        "number": row.place.table,
        "caption": row.place.caption,
        **_write_cell(row.place),
        "page": answer.path,
        "value": None if said is None else _write_cell(said.place),
    }


def _find_row(answer: ListedAnswer, said: ListedValue | None) -> ListedRow:
    """Return the row of an answer that says a value, its first one where none is asked for."""
    return next((row for row in answer.rows if said and said in row.values), answer.rows[0])


def _write_cell(place: CellPlace) -> Record:
    return {"row": place.row, "column": place.column, "cell": place.text}


def _write_proof(window: EvidenceWindow, value: ListedValue | None, snapshot: str) -> Record:
    return {
        "proof_text": window.text,
        "found_in_url": window.url,
        "pid": f"{window.path}:{window.start}-{window.end}",
        "evidence": {
            "snapshot": snapshot,
            "judge": JUDGE,
            "path": window.path,
            "revision": window.revision,
            "start": window.start,
            "end": window.end,
            "sentence": window.sentence,
            "alias": value.place.text if value else "",
            "linked": False,
            "score": 1.0,
        },
    }


def find_table_problem(
    record: Mapping[str, Any], answer: Mapping[str, Any], pages: ReadsPages
) -> str:
    """Return what of an answer is not as its list says, as a part of a sentence; "" if all is.

    The proofs' places are looked at elsewhere. Raises KeyError, TypeError or ValueError for what is
    no such record.
    """
    said = answer[TABLE]
    page = pages.find_page(said["path"])
    title = read_list_title(page.article.title) if page else None
    if page is None or title is None:
        return f"there is no list {said['path']}."
    if page.revision != said["revision"]:
        return f"its list is another revision of {title.title}."
    table = next(
        (each for each in list_tables(page.article) if each.number == said["number"]), None
    )
    cell = table.find_cell(said["row"], said["column"]) if table else None
    if table is None or cell is None or cell.text != said["cell"]:
        return f"its cell is not in its place on {title.title}."
    own = pages.find_page(find_name_link(cell, page.path))
    if own is None or own.path != said["page"]:
        return f"its cell does not lead to the page {said['page']}."
    if answer["answer_text"] != drop_brackets(own.article.title):
        return f"its cell leads to {own.article.title}, which it is not named after."
    asked = write_list_question(title)
    if said["value"] is not None:
        shown = record[MAKING]["value"]
        if problem := _find_value_problem(shown, answer, table, page):
            return f"{problem} {title.title}."
        header = table.headers[said["value"]["column"]]
        asked = write_value_question(title, header, shown["text"])
    if record[MAKING].get("reworded_from", record["question_text"]) != asked.text:
        return f"its question does not ask for what {title.title} says."
    return _find_words_problem(answer, title, own)


def _find_value_problem(
    shown: Mapping[str, Any], answer: Mapping[str, Any], table: PageTable, page: ReadPage
) -> str:
    """Return whether a row says what is asked for, and whether that is what the list calls it."""
    place = answer[TABLE]["value"]
    column, row = place["column"], answer[TABLE]["row"]
    cell = table.find_cell(place["row"], column)
    if cell is None or cell.text != place["cell"] or not cell.row <= row < cell.row + cell.rows:
        return "its value is not in its place on"
    cells = [
        other
        for each in list_tables(page.article)
        for number in range(len(each.rows))
        if (other := each.find_cell(number, column))
    ]
    named = {answer_key(each.text) for each in cells if _leads_to(each, shown["page"])}
    named = named if shown["page"] else {answer_key(shown["text"])}
    if not _leads_to(cell, shown["page"]) and answer_key(cell.text) not in named:
        return "its value is not what is asked for by"
    names = (cell.text, shown["text"], drop_brackets(shown["page"].replace("_", " ")))
    if not any(has_one_of(proof["proof_text"], names) for proof in answer["proof"]):
        return "no proof names its value, which stands on"
    if (
        not any(each.text == shown["text"] for each in cells)
        or answer_key(shown["text"]) not in named
    ):
        return "what is asked for has no such name on"
    return ""


def _leads_to(cell: TableCell, path: str) -> bool:
    return bool(path) and [link.path for link in cell.links] == [path]


def _find_words_problem(answer: Mapping[str, Any], title: ListTitle, own: ReadPage) -> str:
    texts = [proof["proof_text"] for proof in answer["proof"]]
    wanted = list_content_stems(title.phrase)
    if not any(wanted <= list_content_stems(text) for text in texts):
        return f"its proof lacks words of {title.title}."
    if {proof["evidence"]["path"] for proof in answer["proof"]} != {own.path}:
        return f"its proof is not from {own.article.title}."
    return ""
