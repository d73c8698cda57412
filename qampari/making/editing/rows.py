"""What the page of relations shows of each: names, counts, and a question with a live example."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from qampari.making.editing.counting import QuestionCounts, count_questions
from qampari.making.editing.queries import ProjectRelation, ids_of
from qampari.making.previews import RelationExample, list_examples
from qampari.making.relations import ANSWER, SUBJECT, TIMES, find_wording_problems
from wikipedia.wikidata.folders import open_graph

ALL, INCLUDED, TO_CORRECT = "all", "included", "correct"
_OTHER: Final = "…"  # what a second relation would say


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A relation on its page. label, type_label: names of the graph, the ids where it has none."""

    relation: ProjectRelation
    label: str
    type_label: str
    counts: QuestionCounts
    example: RelationExample | None
    proposed: bool

    @property
    def about(self) -> str:
        """Its property, type and time in a few words."""
        of_type = f" · {self.type_label}" if self.type_label else ""
        time = TIMES.get(self.relation.asked.time, "")
        return f"P{self.relation.asked.property}{of_type} · {time[:1].lower()}{time[1:]}"

    @property
    def question(self) -> str:
        """The question about the example, "" where there is none or the wording cannot be used."""
        if self.example is None or not self.relation.is_worded:
            return ""
        return self.relation.asked.question.replace(SUBJECT, self.example.subject)


def build_rows(
    graph_name: str,
    relations: Sequence[ProjectRelation],
    *,
    least: int,
    proposed: Collection[str] = (),
) -> list[RelationRow]:
    """Return a row for each relation. proposed: keys of those that a model has worded.

    Raises GraphProblem where there is no such graph.
    """
    ids = [ids_of(each.asked) for each in relations]
    counts = count_questions(graph_name, ids, least=least)
    examples = list_examples(graph_name, [each.asked for each in relations])
    properties, classes = _read_names(graph_name, relations)
    return [
        RelationRow(
            relation=each,
            label=properties.get(each.asked.property) or f"P{each.asked.property}",
            type_label=_name_type(each.asked.type, classes),
            counts=counts[ids_of(each.asked)],
            example=example,
            proposed=each.key in proposed,
        )
        for each, example in zip(relations, examples, strict=True)
    ]


def filter_rows(rows: Iterable[RelationRow], *, shown: str, search: str) -> list[RelationRow]:
    """Return the rows of a filter whose names, ids or question have the words searched for.

    Those that have questions in the graph come first.
    """
    words = search.casefold().split()
    kept = [
        row
        for row in rows
        if _is_shown(row, shown) and all(word in _searched_text(row) for word in words)
    ]
    return sorted(kept, key=lambda row: not row.counts.questions)


def list_filters(rows: Sequence[RelationRow]) -> list[tuple[str, str, int]]:
    """Return (value, label, number of rows) of each filter."""
    labels = {ALL: "All", INCLUDED: "Included", TO_CORRECT: "To correct"}
    return [
        (value, label, sum(_is_shown(row, value) for row in rows))
        for value, label in labels.items()
    ]


@dataclass(frozen=True, slots=True)
class WordedExample:
    """What the words of a relation say of an example, "" for what cannot be used.

    both, step: how it is asked beside another relation, and as the second of two.
    """

    question: str
    statement: str
    both: str
    step: str


def word_example(row: RelationRow) -> WordedExample | None:
    """Return the example of a relation in its words; None where the graph has none."""
    asked, example = row.relation.asked, row.example
    if example is None:
        return None
    wrong = find_wording_problems(asked)

    def fill(name: str, template: str) -> str:
        # The answer's name first: a subject may be called “{answer}”.
        if name in wrong:
            return ""
        before, _, after = template.partition(SUBJECT)
        parts = (part.replace(ANSWER, example.names[0]) for part in (before, after))
        return example.subject.join(parts)

    who = "Who" if asked.noun == "people" else f"Which {asked.noun}"
    return WordedExample(
        question=fill("question", asked.question),
        statement=fill("statement", asked.statement),
        both=fill("phrase", f"{who} {asked.phrase} and {_OTHER}?") if "noun" not in wrong else "",
        step="" if "values" in wrong else f"What are the {asked.values} of the {_OTHER}?",
    )


def _is_shown(row: RelationRow, shown: str) -> bool:
    if shown == INCLUDED:
        return row.relation.included and row.relation.is_worded
    return shown != TO_CORRECT or not row.relation.is_worded


def _searched_text(row: RelationRow) -> str:
    return f"{row.label} {row.about} {row.relation.asked.question}".casefold()


def _name_type(type_id: int | None, classes: dict[int, str | None]) -> str:
    return "" if type_id is None else classes.get(type_id) or f"Q{type_id}"


def _read_names(
    graph_name: str, relations: Sequence[ProjectRelation]
) -> tuple[dict[int, str | None], dict[int, str | None]]:
    """Return the labels of all properties of a graph, and of the types of these relations."""
    types = {each.asked.type for each in relations} - {None}
    with open_graph(graph_name) as graph:
        graph_hash = str(graph.about["hash"])
        classes = graph.find_entities([each for each in types if each is not None])
    return _read_properties(graph_name, graph_hash), {
        number: entity.label for number, entity in classes.items()
    }


@lru_cache(maxsize=8)
def _read_properties(graph_name: str, graph_hash: str) -> dict[int, str | None]:
    with open_graph(graph_name) as graph:
        return {number: names.label for number, names in graph.list_properties().items()}
