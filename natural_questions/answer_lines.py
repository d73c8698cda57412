"""The answers that people gave to a question, for the page of the question."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from annotation.models import Question
from annotation.protocols.registry import AnswerLine
from natural_questions import pages
from natural_questions.annotation import PageAnnotation, from_json
from natural_questions.figures import long_label, short_label
from natural_questions.sheet import words_at
from natural_questions.stage import annotation_in, page_given, submissions_on


def list_answer_lines(question: Question) -> list[AnswerLine]:
    """Return each long and each short answer, the most popular first. Three queries."""
    return list_lines_of_questions([question])[question.pk]


def list_lines_of_questions(questions: Sequence[Question]) -> dict[int, list[AnswerLine]]:
    """Return the lines of several questions by their ids. Two queries, and one for each page."""
    ids = [question.pk for question in questions]
    given = {pk: [from_json(row) for row in rows] for pk, rows in pages.annotations_of(ids).items()}
    for pk, response in submissions_on(ids).values_list("question_id", "response"):
        given.setdefault(pk, []).append(annotation_in(response))
    return {row.pk: _list_lines(row, given.get(row.pk, [])) for row in questions}


def _list_lines(question: Question, given: Sequence[PageAnnotation]) -> list[AnswerLine]:
    page = page_given(question, 1, {})
    accepted = question.state == Question.State.ACCEPTED

    def long_words(annotation: PageAnnotation) -> str:
        return words_at(page, annotation.long) if page else ""

    def short_words(annotation: PageAnnotation) -> str:
        if annotation.yes_no != "NONE":
            return annotation.yes_no.capitalize()
        return ", ".join(words_at(page, span) for span in annotation.short) if page else ""

    found = []
    for label, key, words in (
        ("Long answer:", long_label, long_words),
        ("Short answer:", short_label, short_words),
    ):
        text = {key(each): words(each) for each in given}
        for answer, people in _counted(map(key, given)):
            if answer is not None:
                said = f"{people} of {len(given)} people"
                found.append(AnswerLine(text[answer], said, accepted, label))
    bad = sum(not each.good for each in given)
    if bad:
        found.append(AnswerLine("", f"{bad} of {len(given)} people", False, "Bad question"))
    return found


def _counted(keys: Iterable[Hashable]) -> list[tuple[Hashable, int]]:
    return Counter(keys).most_common()
