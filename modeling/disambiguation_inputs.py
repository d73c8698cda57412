"""Questions whose data are disambiguations, as baselines are asked them, and as examples."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models.functions import Length

from annotation.contexts.inputs import Disambiguation, Paragraph, inputs_of
from annotation.models import ContextParagraph, LongAnswer, Project, Question
from evaluation.scores.automatic import references_of
from evaluation.scores.references import read_gold_references
from evaluation.scores.values import identify_text
from modeling.base import AnsweredDisambiguation, ArticlePassage, BaselineQuestion, ShortAnswer
from modeling.examples import Example


def build_baseline_inputs(
    questions: Sequence[Question], *, references: bool = True
) -> list[BaselineQuestion]:
    """Return the questions in their order, with what is known about each. Three queries.

    references: whether the reference disambiguations and what people wrote come with them.
    """
    if not references:
        return [
            BaselineQuestion(question.external_id, question.prompt, pages=_pages(question, {}))
            for question in questions
        ]
    paragraphs: dict[int, dict[int, Paragraph]] = defaultdict(dict)
    rows = ContextParagraph.objects.filter(question__in=questions, shown=True)
    for row in rows.only("question_id", "position", "text", "title", "path"):
        paragraphs[row.question_id][row.position] = Paragraph(row.text, row.title, row.path)
    knowledge = _knowledge(questions)
    return [
        _asked(question, paragraphs[question.pk], knowledge.get(question.pk, _Knowledge()))
        for question in questions
    ]


def read_examples(project: Project, split: str) -> Iterator[Example]:
    """Give the questions of a split that have accepted answers, or a long one, with these."""
    rows = Question.objects.filter(project=project, split=split)
    questions = rows.exclude(state=Question.State.EXCLUDED).order_by("pk").in_bulk()
    golds, written = dict(read_gold_references(project, split, questions)), references_of(questions)
    for pk, question in questions.items():
        reference = golds.get(question.external_id)
        annotations = reference.annotations if reference else ()
        answers = (forms[0] for annotation in annotations for forms in annotation.gold)
        example = Example(
            page=next(iter(_pages(question, {})), ""),
            question=question.prompt,
            long_answer=next(iter(written[pk]), ""),
            answers=tuple(dict.fromkeys(answers)),
            id=question.external_id,
            pairs=tuple(
                (pair.question, tuple(pair.answers))
                for annotation in annotations[:1]
                for pair in annotation.pairs
            ),
        )
        if example.long_answer or example.answers:
            yield example


class _Knowledge(NamedTuple):
    """The pieces of evidence of a long answer, and which one that is (`identify_text`)."""

    pieces: tuple[ArticlePassage, ...] = ()
    answer: str = ""


def _knowledge(questions: Sequence[Question]) -> dict[int, _Knowledge]:
    """Return the pieces of the longest long answer of each question, by its id."""
    rows = LongAnswer.objects.filter(question__in=questions)
    longest = rows.order_by("question_id", -Length("text"), "pk").distinct("question_id")
    return {
        row.question_id: _Knowledge(
            tuple(
                ArticlePassage("", piece.page or "", piece.content)
                for piece in row.knowledge.all()
                if piece.content
            ),
            identify_text(row.text),
        )
        for row in longest.prefetch_related("knowledge")
    }


def _asked(
    question: Question, paragraphs: Mapping[int, Paragraph], knowledge: _Knowledge
) -> BaselineQuestion:
    inputs = inputs_of(question.prompt, question.context, paragraphs)
    return BaselineQuestion(
        id=question.external_id,
        question=question.prompt,
        disambiguations=tuple(_pair(row) for row in inputs.disambiguations if row.answers),
        pages=_pages(question, paragraphs),
        knowledge=knowledge.pieces,
        knowledge_of=knowledge.answer if knowledge.pieces else "",
    )


def _pages(question: Question, paragraphs: Mapping[int, Paragraph]) -> tuple[str, ...]:
    inputs = inputs_of(question.prompt, question.context, paragraphs)
    titles = [page.title for page in inputs.pages] or _viewed(question.context)
    return tuple(dict.fromkeys(titles))


def _viewed(context: Mapping[str, Any]) -> list[str]:
    """Return the pages that an AmbigNQ record names: first the one known from Natural Questions."""
    viewed = context.get("viewed_doc_titles")
    titles = [context.get("nq_doc_title"), *(viewed if isinstance(viewed, list) else [])]
    return [title for title in titles if isinstance(title, str) and title.strip()]


def _pair(row: Disambiguation) -> AnsweredDisambiguation:
    first, *aliases = row.answers
    paragraph = row.context
    passage = paragraph and ArticlePassage("", paragraph.title, paragraph.text, path=paragraph.path)
    return AnsweredDisambiguation(row.question, (ShortAnswer(first, tuple(aliases), passage),))
