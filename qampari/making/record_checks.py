"""Whether a file of made questions says what the graph and the pages say. Pure over both.

For whoever is given such a file, or has changed one: every answer has statements that the graph
has, or cells that its list has, and every proof is the text that stands at its place on its page.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from qampari.making.evidence import ReadsPages
from qampari.making.run import ReadsGraph
from qampari.making.table_records import TABLE, find_table_problem


class RecordProblem(NamedTuple):
    """What is wrong in a line of a file, as a sentence."""

    line: int
    sentence: str


def find_record_problems(
    lines: Iterable[str], graph: ReadsGraph, pages: ReadsPages
) -> Iterator[RecordProblem]:
    """Give what is wrong in a file, by line: at most one problem of each answer.

    Raises ProviderUnavailable where a page cannot be read.
    """
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            for place, answer in enumerate(record["answer_list"], start=1):
                if problem := _find_problem(record, answer, graph, pages):
                    yield RecordProblem(number, f"Answer {place}: {problem}")
        except (KeyError, TypeError, ValueError, AttributeError):
            yield RecordProblem(number, "It is not the record of a made question.")


def _find_problem(
    record: Mapping[str, Any], answer: Mapping[str, Any], graph: ReadsGraph, pages: ReadsPages
) -> str:
    if TABLE not in answer and (problem := _find_graph_problem(answer, graph)):
        return problem
    if not answer["proof"]:
        return "it has no proof."
    for proof in answer["proof"]:
        place = proof["evidence"]
        page = pages.find_page(place["path"])
        if page is None:
            return f"there is no page {place['path']}."
        if page.article.text[place["start"] : place["end"]] != proof["proof_text"]:
            return f"its proof does not stand at its place on {page.article.title}."
    return find_table_problem(record, answer, pages) if TABLE in answer else ""


def _find_graph_problem(answer: Mapping[str, Any], graph: ReadsGraph) -> str:
    if not answer["wikidata"]:
        return "it has no statement of Wikidata."
    for said in answer["wikidata"]:
        numbers = [int(said[name][1:]) for name in ("property", "value", "item")]
        proofs = graph.find_proofs(*numbers)
        if said["statement"] not in {one.statement for one in proofs}:
            return f"the graph has no statement {said['statement']}."
    return ""
