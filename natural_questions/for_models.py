"""What models need of Natural Questions: pages, annotations to copy, scores, and its file."""

from collections.abc import Iterator, Sequence
from functools import partial

from annotation.models import Project, Question
from modeling.base import ANSWERS, LONG_ANSWER, PAIRS, SPANS, BaselineQuestion
from modeling.examples import Example
from modeling.for_models import ForModels
from natural_questions import scores
from natural_questions.own_pages import OwnPage, title_of
from natural_questions.prediction_file import PREDICTIONS


def build_inputs(
    questions: Sequence[Question], *, references: bool = True
) -> list[BaselineQuestion]:
    """Return the questions in their order, each with its page. No query: pages are read as needed.

    references: nothing of what people answered comes with a question, so it changes nothing.
    """
    return [
        BaselineQuestion(
            question.external_id,
            question.prompt,
            pages=tuple(filter(None, [title_of(question.context)])),
            page=OwnPage(question.pk) if question.context.get("page") else None,
        )
        for question in questions
    ]


def read_examples(project: Project, split: str) -> Iterator[Example]:
    """Give each accepted annotation of the questions of a split, those without an answer too."""
    rows = Question.objects.filter(project=project, split=split)
    titles = {
        pk: title_of({"title": title, "url": url})
        for pk, title, url in rows.values_list("pk", "context__title", "context__url")
    }
    for question, annotations in scores.read_gold_annotations(project, split):
        for spans in annotations:
            yield Example(
                *(titles[question.pk], question.text, "", (), question.external_id),
                spans=spans,
                open_page=partial(OwnPage, question.pk),
            )


FOR_MODELS = ForModels(
    build_inputs=build_inputs,
    read_examples=read_examples,
    outputs=frozenset({ANSWERS, LONG_ANSWER, PAIRS, SPANS}),
    scoring=scores.SCORING,
    own_pages=True,
    file=PREDICTIONS,
)
