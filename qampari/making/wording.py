"""Questions and statements from the wording of relations, with names put in. Pure.

Sources: QAMPARI, section 2.1 and 2.2 for what is asked; the wording is ours. Questions of two
relations are written from their parts (a noun, a phrase, a name for the values), never by cutting
finished questions.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from metrics.text import answer_key
from qampari.making.queries import CompositionQuery, IntersectionQuery, SimpleQuery, Triple
from qampari.making.relations import ANSWER, SUBJECT

Names = Mapping[int, str]
MOST_CHARACTERS: Final = 1_000


@dataclass(frozen=True, slots=True)
class WordedQuestion:
    """A question in words. needs_paraphrase: it is two questions in one, so a person should write
    it anew.
    """

    text: str
    needs_paraphrase: bool = False


def write_simple(query: SimpleQuery, names: Names) -> WordedQuestion:
    """Return the question of a simple query."""
    return WordedQuestion(_fill(query.relation.question, names[query.subject]))


def write_intersection(query: IntersectionQuery, names: Names) -> WordedQuestion:
    """Return “Which … cross A and were designed by B?”, or two questions joined."""
    first, second = query.first, query.second
    phrases = [_phrase(each, names) for each in (first, second)]
    if first.relation.noun == second.relation.noun:
        asked = "Who" if first.relation.noun == "people" else f"Which {first.relation.noun}"
        return WordedQuestion(f"{asked} {phrases[0]} and {phrases[1]}?")
    questions = [write_simple(each, names).text for each in (first, second)]
    short = min((0, 1), key=lambda place: len(questions[place]))
    joined = f"{questions[short].removesuffix('?')} and also {phrases[1 - short]}?"
    return WordedQuestion(joined, needs_paraphrase=True)


def write_composition(query: CompositionQuery, names: Names) -> WordedQuestion:
    """Return “What are the architects of the bridges that cross A?”."""
    base = query.base.relation
    which = "who" if base.noun == "people" else "that"
    return WordedQuestion(
        f"What are the {query.relation.values} of the {base.noun} {which} "
        f"{_phrase(query.base, names)}?"
    )


def write_statement(triple: Triple, names: Names) -> str:
    """Return what a sentence has to show: “Tower Bridge crosses the Thames.”."""
    before, _, after = triple.relation.statement.partition(ANSWER)
    filled = (_fill(part, names[triple.value]) for part in (before, after))
    return names[triple.item].join(filled)


def name_subjects(labels: Names, descriptions: Mapping[int, str | None]) -> dict[int, str]:
    """Return the names by which questions ask about entities.

    Of several that are called the same each has its description in brackets, where it has one.
    """
    often = Counter(answer_key(label) for label in labels.values())
    return {
        number: f"{label} ({said})"
        if often[answer_key(label)] > 1 and (said := descriptions.get(number))
        else label
        for number, label in labels.items()
    }


def has_name_in_question(question: str, names: Iterable[str]) -> bool:
    """Return whether a question names one of its answers, as whole words.

    Articles and punctuation do not count.
    """
    words = f" {answer_key(question)} "
    return any(key and f" {key} " in words for key in map(answer_key, names))


def _phrase(query: SimpleQuery, names: Names) -> str:
    return _fill(query.relation.phrase, names[query.subject])


def _fill(template: str, name: str) -> str:
    return template.replace(SUBJECT, name)
